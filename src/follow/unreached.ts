import { citation, type Span } from '../diagnostics/source.js';
import { effectsOf } from '../effects/effects-of.js';
import { reachable } from '../flow/graph.js';
import type { Code } from '../kernel/code.js';
import type { LaunchCode } from './setting.js';
import type { Warp } from './warp.js';

/** By launch: where no thread of it comes to. */
export function unreachedBy(launches: readonly LaunchCode[], warps: readonly Warp[]): readonly (readonly Span[])[] {
  const executed = launches.map(() => new Set<number>());
  for (const { threads, acted, elected } of warps)
    for (const at of [...acted, ...(elected?.warp.acted ?? [])]) executed[threads[0]?.launch ?? 0]?.add(at);
  return launches.map(({ ranks: [first] }, launch) =>
    first === undefined ? [] : unreachedIn(first.code, (at) => executed[launch]?.has(at) === true),
  );
}

/**
 * The first instructions of lines of which no thread executes any that does something to memory, or meets other
 * threads. Of a wait that is over at once no round is missed.
 */
function unreachedIn(code: Code, isExecuted: (at: number) => boolean): readonly Span[] {
  const { statements, polls, timeouts, successors } = code;
  // What follows a time-out is not meant to be reached.
  const meant = timeouts.length === 0 ? undefined : reachable([0], statements.length, successors);
  const reached = new Set<string>();
  const left = new Map<string, Span>();
  for (const [at, { operation, span }] of statements.entries()) {
    if (effectsOf(operation).length === 0 || meant?.has(at) === false) continue;
    // The line of the source program, where there is one: loops are unrolled.
    const line = citation(span).replace(/ .*/, '');
    if (isExecuted(at) || polls.has(at)) reached.add(line);
    else if (!left.has(line)) left.set(line, span);
  }
  return [...left].flatMap(([line, span]) => (reached.has(line) ? [] : [span]));
}
