import type { Span } from '../diagnostics/source.js';
import { IN_FLIGHT } from '../follow/async-copies.js';
import type { Setting } from '../follow/setting.js';
import { type AccessKind, kindOf, stepOf, type Trace, threadOf } from '../follow/trace.js';
import { goingOf } from '../follow/ways-of-thread.js';
import { volume } from '../kernel/grid.js';
import { SparseList } from '../program/sparse-list.js';
import type { Conflict } from './conflict.js';
import type { RunRemark } from './whole-run.js';

/** What the run of all threads of the launches of a test went through. */
interface Ran {
  readonly setting: Setting;
  readonly trace: Trace;
  /** By launch: instructions that no thread comes to. */
  readonly unreached: readonly (readonly Span[])[];
  readonly conflicts: readonly Conflict[];
}

/**
 * What is right by the letter and often not meant: what threads hand to each other by relaxed accesses alone, and what
 * makes answers thin, since little of the kernel has run or nothing of it is shared.
 */
export const remarksOf = (ran: Ran): readonly RunRemark[] => [
  ...handOvers(ran),
  ...timeoutsIn(ran.setting),
  ...readsInFlight(ran),
  ...thin(ran),
];

/** Of several cases of one test: hand-overs of each, and what is thin in all. */
export function remarksOfAll(cases: readonly (readonly RunRemark[])[]): readonly RunRemark[] {
  const keyOf = (one: RunRemark): string =>
    [
      one.kind,
      'launch' in one ? one.launch : '',
      ...('places' in one ? one.places.map(({ start }) => start) : []),
    ].join();
  const all = new Map(cases.flat().map((one) => [keyOf(one), one]));
  return [...all].flatMap(([key, one]) =>
    one.kind === 'relaxed' ||
    one.kind === 'timeout' ||
    one.kind === 'in-flight' ||
    cases.every((some) => some.some((other) => keyOf(other) === key))
      ? [one]
      : [],
  );
}

function handOvers({ trace, conflicts }: Ran): readonly RunRemark[] {
  const isFenced = fencesIn(trace);
  return conflicts.flatMap(({ kind, first: [a, b] }): readonly RunRemark[] => {
    if (kind !== 'strong') return [];
    const [write, read] = kindOf(trace, a).writes ? [a, b] : [b, a];
    const [writing, reading] = [kindOf(trace, write), kindOf(trace, read)];
    // What waits for a value does something about it; atomics count.
    if (!isPlain(writing) || !isPlain(reading) || reading.writes || reading.isPoll) return [];
    const isReleased = writing.tags.has('REL') || isFenced(write, 'before');
    const isAcquired = reading.tags.has('ACQ') || isFenced(read, 'behind');
    return isReleased && isAcquired ? [] : [{ kind: 'relaxed', places: [writing.span, reading.span] }];
  });
}

const isPlain = ({ tags }: AccessKind): boolean => !tags.has('RMW') && !tags.has('ASY');

/** Whether the thread of an access executes a fence before it that releases, or one behind it that acquires. */
function fencesIn(trace: Trace): (row: number, where: 'before' | 'behind') => boolean {
  const [releases, acquires] = [new Map<number, number>(), new Map<number, number>()];
  for (const one of trace.synchronizations) {
    if (one.kind !== 'fence') continue;
    for (const { thread, position } of one.steps) {
      if (one.releases) releases.set(thread, Math.min(releases.get(thread) ?? position, position));
      if (one.acquires) acquires.set(thread, Math.max(acquires.get(thread) ?? position, position));
    }
  }
  return (row, where) => {
    const { thread, position } = stepOf(trace, row);
    return where === 'before'
      ? (releases.get(thread) ?? Number.POSITIVE_INFINITY) <= position
      : (acquires.get(thread) ?? -1) > position;
  };
}

/** Time-outs that a run does not take. */
export function timeoutsIn({ launches }: Setting): readonly RunRemark[] {
  return launches.flatMap(({ planned, ranks: [first] }): readonly RunRemark[] => {
    const places = (first?.code.timeouts ?? []).map(({ span }) => span);
    return places.length === 0 ? [] : [{ kind: 'timeout', launch: planned.launch.syntax.name, places }];
  });
}

/** Operations that nobody waits for, and that read shared memory: its CTA may end, and others have it, before that. */
function readsInFlight({ trace }: Ran): readonly RunRemark[] {
  const { accesses, pieces } = trace;
  const places = new Map<number, Span>();
  for (let row = 0; row < accesses.count; row++) {
    const { tags, writes, span } = kindOf(trace, row);
    const isOver = accesses.ends.at(row) !== IN_FLIGHT || accesses.tellers.at(row) !== 0;
    const isShared = pieces[accesses.pieces.at(row)]?.object.space === 'shared';
    if (tags.has('ASY') && !writes && isShared && !isOver) places.set(span.start, span);
  }
  return places.size === 0 ? [] : [{ kind: 'in-flight', places: [...places.values()] }];
}

function thin({ setting, trace, unreached }: Ran): readonly RunRemark[] {
  const remarks = setting.launches.flatMap(({ planned }, at): readonly RunRemark[] => {
    const { shape, syntax } = planned.launch;
    const [places = [], launch] = [unreached[at], syntax.name];
    const asks = [...planned.special].some((name) => name.startsWith('ctaid'));
    return [
      ...(places.length > 0 ? [{ kind: 'unreached', launch, places } as const] : []),
      ...(volume(shape.grid) === 1 && asks ? [{ kind: 'one-cta', launch } as const] : []),
    ];
  });
  return trace.threads.length === 1 || isShared(trace) ? remarks : [...remarks, { kind: 'unshared' }];
}

const WRITTEN = 1;
const SEVERAL = 2;
const MARKS = 4;

/** Whether some byte is accessed by two threads, and written. */
export function isShared(trace: Trace): boolean {
  const { accesses, pieces } = trace;
  const writtenPieces = new Set<number>();
  for (let row = 0; row < accesses.count; row++)
    if (kindOf(trace, row).writes) writtenPieces.add(accesses.pieces.at(row));
  /** By piece and byte: who accesses it, whether that are several, and whether it is written. */
  const users = pieces.map(() => new SparseList<number>());
  for (let row = 0; row < accesses.count; row++) {
    const [piece, start] = [accesses.pieces.at(row), accesses.starts.at(row)];
    const own = writtenPieces.has(piece) ? users[piece] : undefined;
    if (own === undefined) continue;
    const thread = MARKS * goingOf(trace.threads, threadOf(trace, row)).id;
    const mark = kindOf(trace, row).writes ? WRITTEN : 0;
    for (let at = start; at < start + accesses.sizes.at(row); at++) {
      const known = own.at(at) ?? thread;
      const marks = (known % MARKS) | mark | (known - (known % MARKS) === thread ? 0 : SEVERAL);
      if (marks === (SEVERAL | WRITTEN)) return true;
      own.set(at, thread + marks);
    }
  }
  return false;
}
