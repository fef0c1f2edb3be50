import type { Step } from '../cat/explain.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { eventName, placeInSource, placeOf } from './describe-event.js';
import { readable } from './describe-state.js';

/** After the event that a step leaves, `other` being the one it comes to. */
type StepWords = (other: string, value: string) => string;

/** What the relations of the vocabulary say of an event and the next one. */
const WORDS: Readonly<Record<string, StepWords>> = {
  po: (other) => `comes before ${other} in program order`,
  'po^-1': (other) => `comes after ${other} in program order`,
  rf: (other, value) => `${other} reads ${value} from it`,
  'rf^-1': (other, value) => `reads ${value} from ${other}`,
  fr: (other, value) => `reads ${value}, which ${other} overwrites`,
  'fr^-1': (other) => `overwrites what ${other} reads`,
  co: (other) => `is overwritten by ${other}`,
  'co^-1': (other) => `overwrites ${other}`,
  rmw: (other) => `is the read of the atomic operation whose write is ${other}`,
  'rmw^-1': (other) => `is the write of the atomic operation whose read is ${other}`,
  addr: (other) => `gives ${other} its address`,
  data: (other) => `gives ${other} its value`,
  ctrl: (other) => `decides whether ${other} is executed`,
  issue: (other) => `issues the asynchronous operation ${other}`,
  overtaken: (other, value) => `reads ${value}, which ${other} would have overwritten by then`,
  left: (other) => `would have to come before ${other}, whose value is left at the end`,
  completes: (other) => `is complete before ${other} tells so`,
  done: (other) => `is complete when ${other} returns`,
  barrier: (other) => `passes a barrier together with another thread, before ${other}`,
  syncbar: (other) => `meets ${other} at a barrier`,
  syncwarp: (other) => `meets ${other} at a warp barrier`,
  syncclu: (other) => `arrives before ${other} returns`,
  syncexit: (other) => `ends before ${other} returns`,
  synclanes: (other) => `is executed together with ${other}`,
  sync_fence: (other) => `is before ${other} in the one order of fence.sc`,
  mbo: (other) => `comes before ${other} at the mbarrier`,
  mbphase: (other) => `arrives in a phase that is complete when ${other} returns true`,
  gridend: (other) => `is over with its grid before ${other}`,
  launches: (other) => `lets the dependent grid start, which begins at ${other}`,
  covers: (other) => `is a fence for ${other}`,
  'covers^-1': (other) => `is covered by the fence ${other}`,
};

const OVERWRITES: ReadonlySet<string> = new Set(['fr', 'co', 'left', 'overtaken']);

/**
 * A line for each event on a way round a cycle, or from one event to another: where it is, and how it leads to the next
 * one. `pair` says of the last event of a way that is no cycle what an axiom asks of it and the first one.
 */
export function describeChain(
  execution: CandidateExecution,
  way: readonly Step[],
  pair?: (first: string) => string,
): readonly string[] {
  const { events } = execution.universe;
  const steps = rotated(way);
  const name = (id: number): string => eventName(execution, id, 'the initial write');
  const row = (id: number, words: string): { head: string; words: string } => {
    const event = events[id];
    const where = event?.span === undefined ? initialText(execution, id) : placeInSource(event);
    return { head: `${eventName(execution, id).padEnd(3)}${where}`, words };
  };
  const rows = steps.map(({ from, to, relation }) => {
    const read = [from, to].find((id) => events[id]?.kind === 'read');
    // What overwrites is the write of an atomic operation, also where the operation stands for both halves.
    const other = OVERWRITES.has(relation) && events[to]?.kind === 'read' ? (events[to]?.partner ?? to) : to;
    const value = read === undefined ? 'it' : shownValue(execution, read);
    const halves = relation === 'po' && events[from]?.partner === to ? 'rmw' : relation;
    return row(from, WORDS[halves]?.(name(other), value) ?? `is related to ${name(to)} by ${relation}`);
  });
  const [first, last] = [steps[0], steps[steps.length - 1]];
  if (first !== undefined && last !== undefined && !isCycle(steps))
    rows.push(row(last.to, pair?.(name(first.from)) ?? ''));
  const width = Math.min(100, Math.max(0, ...rows.map(({ head }) => head.length)));
  return rows.map(({ head, words }) => `${head.padEnd(width)}   ${words}`.trimEnd());
}

export function isCycle(steps: readonly Step[]): boolean {
  return steps.every(({ to }, i) => to === steps[(i + 1) % steps.length]?.from);
}

/**
 * A cycle begins after a step back in time, where it has one: then it reads in the order in which the program is
 * written.
 */
function rotated(steps: readonly Step[]): readonly Step[] {
  if (!isCycle(steps)) return steps;
  const back =
    ['fr', 'co', 'rf']
      .map((name) => steps.findLastIndex(({ relation }) => relation === name))
      .find((index) => index >= 0) ?? -1;
  return [...steps.slice(back + 1), ...steps.slice(0, back + 1)];
}

function initialText(execution: CandidateExecution, id: number): string {
  const target = execution.targets[id];
  return target === undefined ? 'end of the thread' : `initial value of ${placeOf(target)}`;
}

function shownValue({ targets, values, universe }: CandidateExecution, id: number): string {
  const [target, value] = [targets[id], values[id]];
  const type = universe.events[id]?.type ?? target?.object.elementType;
  if (target === undefined || value === undefined || type === undefined) return 'it';
  return `${placeOf(target)} = ${readable(value, type)}`;
}
