import { backEdges } from '../flow/graph.js';
import { isOnEveryWay } from '../flow/known-values.js';
import { areInOneWarpgroup } from '../program/placement.js';
import type { Program, Thread } from '../program/program.js';
import { isRegisterCount } from '../program/register-counts.js';

/**
 * Whether warps of a warpgroup may execute setmaxnreg unlike (PTX ISA, setmaxnreg), which the engines judge for the
 * lanes of a warp alone: they do not where no branch leads past it, and it is the same.
 */
export function mayCountRegistersUnlike({ threads }: Pick<Program, 'threads'>): boolean {
  const executed = new Map(threads.map((thread) => [thread, executedBy(thread)]));
  const areAlike = (a: Thread, b: Thread): boolean =>
    a.placement.warp === b.placement.warp ||
    !areInOneWarpgroup(a.placement, b.placement) ||
    (executed.get(a) !== undefined && executed.get(a) === executed.get(b));
  return threads.some((a) => executed.get(a) !== '' && threads.some((b) => !areAlike(a, b)));
}

/** What a thread executes of them, one after the other; undefined where that depends on a branch. */
function executedBy(thread: Thread): string | undefined {
  const loops = backEdges(thread);
  const all: string[] = [];
  for (const [index, { operation, guard, span }] of thread.statements.entries()) {
    if (!isRegisterCount(operation)) continue;
    const isRepeated = loops.some(({ from, target }) => target <= index && index <= from);
    if (guard !== undefined || isRepeated || !isOnEveryWay(thread, index)) return undefined;
    const [count] = operation.operands;
    // Threads of a launch have one text.
    const place = thread.launched === undefined ? '' : `at ${span.start}`;
    all.push(`${count?.kind === 'constant' ? count.value : ''} ${place}`);
  }
  return all.join();
}
