import type { Explanation } from '../cat/explain.js';
import { callersOf, type Span } from '../diagnostics/source.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { describeEvent, eventName, placeInSource } from './describe-event.js';
import { describePlace } from './describe-launch.js';
import { finalStateLine } from './describe-state.js';

/** An execution as text: the events of each thread, with where each read takes its value from and what it overlooks. */
export function describeExecution(execution: CandidateExecution): readonly string[] {
  const { threads } = execution.universe.structure.program;
  const lines: string[] = [];
  for (const thread of threads) {
    lines.push(`${thread.name}  ${describePlace(thread)}`);
    for (const event of execution.universe.structure.events) {
      if (event.thread !== thread.index || !execution.executed.has(event.id)) continue;
      const letter = eventName(execution, event.id).padEnd(3);
      const what = describeEvent(execution, event).padEnd(30);
      lines.push(`  ${letter} ${what} ${relationsOf(execution, event.id)}`.trimEnd());
    }
  }
  return [...lines, ...finalStateLine(execution)];
}

function relationsOf(execution: CandidateExecution, event: number): string {
  const { readsFrom, fromReads, coherence } = execution.relations;
  const name = (other: number): string => eventName(execution, other, 'init');
  const parts: string[] = [];
  const sources = [...execution.executed].filter((other) => readsFrom.has(other, event));
  if (sources.length > 0) parts.push(`rf <- ${[...new Set(sources.map(name))].join(', ')}`);
  const overlooked = [...fromReads.successors(event)].filter(
    (other) => execution.universe.events[event]?.partner !== other,
  );
  if (overlooked.length > 0) parts.push(`fr -> ${overlooked.map(name).join(', ')}`);
  const later = [...coherence.transitiveReduction().successors(event)];
  if (later.length > 0) parts.push(`co -> ${later.map(name).join(', ')}`);
  return parts.join('   ');
}

/** How an axiom fails, as edges between events, and the source lines of the events. */
export function describeExplanation(
  execution: CandidateExecution,
  { steps, definitions }: Explanation,
): readonly string[] {
  const name = (event: number): string => eventName(execution, event, 'init');
  const [first] = steps;
  if (first === undefined) return [];
  let at = first.from;
  const chain = steps.reduce((text, { from, relation, to }) => {
    const jump = from === at ? '' : `, ${name(from)}`;
    at = to;
    return `${text}${jump} --${relation}--> ${name(to)}`;
  }, name(first.from));
  const synchronizing = [
    ...new Set(
      definitions
        .filter(({ relation }) => relation === 'sync')
        .map(({ from, to }) => `${name(from)} synchronizes with ${name(to)}`),
    ),
  ];
  const events = [...new Set(steps.flatMap(({ from, to }) => [from, to]))];
  return [chain, ...synchronizing, ...describePlaces(execution, events)];
}

/**
 * `a  line 8: st.weak.global.u32 [x], 1` for each event; with `callers` also, of what stands in a function that was put
 * in its caller's place, where it stands and from where it was called.
 */
export function describePlaces(
  execution: CandidateExecution,
  events: readonly number[],
  callers = false,
): readonly string[] {
  const lines = events.flatMap((id) => {
    const event = execution.universe.events[id];
    if (event?.span === undefined) return [];
    const chain = callers ? inlinedChain(event.span) : [];
    return [`${eventName(execution, id)}  ${placeInSource(event)}`, ...chain.map((line) => `     ${line}`)];
  });
  return [...new Set(lines)];
}

/** `in atomic_ref.h:310, called at lock.cuh:12, called at reduce.cu:42`. */
function inlinedChain({ source, start }: Span): readonly string[] {
  const line = source.compiledFrom?.(start);
  if (line?.inlinedAt === undefined) return [];
  const places = callersOf(line).map((one) => `${one.file}:${one.line}`);
  return [`in ${places.join(', called at ')}`];
}
