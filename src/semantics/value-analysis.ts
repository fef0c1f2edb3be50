import { effectsOf } from '../effects/effects-of.js';
import { type BarrierGroups, barrierGroups } from '../events/barrier-groups.js';
import type { EventStructure } from '../events/events.js';
import { isOfLanes, type LaneGroup, laneGroups } from '../events/lane-groups.js';
import { type EventOf, placeOf, reductionOf } from '../events/program-event.js';
import { responseOf } from '../events/try-cancel.js';
import { knownValue } from '../flow/known-values.js';
import type { Located, MemoryObject, MemoryRange } from '../program/locations.js';
import { TOKEN } from '../program/mbarrier-operation.js';
import type { Address, Operand, Operation } from '../program/operation.js';
import type { Thread } from '../program/program.js';
import { BudgetExceeded, type CheckBudget, type Undecided } from '../program/undecided.js';
import { type Cell, memoryCells, overlapPartially } from './cells.js';
import { interpretThread } from './interpret.js';
import { bytewise, mayTear, sourcesOf, tornRanges } from './tearing.js';
import { ValueChains } from './value-chains.js';
import type { EventRun, Surroundings, ThreadRun } from './value-domain.js';
import { anyValue, type Certainty, floatResults, unionOf, VALUE_SETS, type ValueSet, valueSet } from './value-sets.js';
import { noteGiven, possibleLeaders, wordsOfLanes } from './words-of-lanes.js';

/** A place that an access may go to. */
export type PossibleTarget = Located;

/** What is known of a program before solving: an over-approximation of all its executions. */
export interface ValueAnalysis {
  readonly threads: readonly ThreadRun<ValueSet, Certainty>[];
  /** By event. */
  readonly runs: readonly EventRun<ValueSet, Certainty>[];
  readonly readValues: ReadonlyMap<number, ValueSet>;
  /** By warp instruction that takes a word of another lane, what it may return. */
  readonly collectiveResults: ReadonlyMap<number, ValueSet>;
  /** By step that gives an open value, what its operands may be. */
  readonly openOperands: ReadonlyMap<string, readonly ValueSet[]>;
  /**
   * By memory event, the places it may access; the address may also lie outside of all where `outside` says so.
   */
  readonly targets: ReadonlyMap<number, readonly PossibleTarget[]>;
  readonly outside: ReadonlySet<number>;
  /**
   * Ranges of memory whose bytes may come from different writes of all of them, with a result that none of them wrote.
   */
  readonly torn: readonly MemoryRange[];
}

/** Most analyses are at their fixpoint by then. Values that go on growing come from a loop through memory. */
const FREE_ROUNDS = 6;
const MOST_ROUNDS = 1_000;

/**
 * Finds the values that reads may return and the places that accesses may reach, as a least fixpoint over all threads,
 * or as much of it as chains of reads can reach. That is right only where no value comes out of thin air; where a model
 * allows that, a read may return anything.
 */
export function analyzeValues(structure: EventStructure, thinAir: boolean, checkBudget: CheckBudget): ValueAnalysis {
  return new Analysis(structure, thinAir, checkBudget).result();
}

type Found = Pick<ValueAnalysis, 'threads' | 'runs' | 'targets' | 'outside'>;

class Analysis {
  private readonly readValues = new Map<number, ValueSet>();
  private readonly openOperands = new Map<string, readonly ValueSet[]>();
  /** By warp instruction that takes a word of another lane: what lanes give, and what they get. */
  private readonly given = new Map<number, ValueSet>();
  private readonly collectiveResults = new Map<number, ValueSet>();
  private readonly chains: ValueChains;

  constructor(
    private readonly structure: EventStructure,
    private readonly thinAir: boolean,
    private readonly checkBudget: CheckBudget,
  ) {
    if (thinAir)
      for (const event of structure.events)
        if (event.kind === 'read') this.readValues.set(event.id, anyValue(event.type.width));
    this.chains = new ValueChains(structure);
  }

  result(): ValueAnalysis {
    const { structure, checkBudget, readValues, openOperands, collectiveResults } = this;
    /** Rounds since the last step of chains was found. */
    let settled = 0;
    for (let round = 0; ; round++) {
      checkBudget();
      const found = this.found();
      const { runs, targets } = found;
      const given = noteGiven(structure, runs, this.given);
      if (round >= FREE_ROUNDS) settled = this.chains.update(runs, targets) ? 0 : settled + 1;
      if (round === FREE_ROUNDS && !this.thinAir) {
        // What was found without a look at chains may be more than they reach.
        readValues.clear();
        continue;
      }
      if (this.grows(found, round, settled) || given || this.findsAnything(found)) continue;
      const torn = tornRanges(structure, runs, targets, checkBudget);
      return { ...found, readValues, openOperands, collectiveResults, torn };
    }
  }

  /** What threads do with what reads may return so far. */
  private found(): Found {
    const { structure } = this;
    const threads = structure.threads.map((_, index) =>
      interpretThread<ValueSet, Certainty>(structure, index, VALUE_SETS, this.surroundings),
    );
    const runs: EventRun<ValueSet, Certainty>[] = [];
    for (const thread of threads) for (const run of thread.events) runs[run.event.id] = run;
    return { threads, runs, ...possibleTargets(structure, runs) };
  }

  private readonly surroundings: Surroundings<ValueSet, Certainty> = {
    read: (event) => this.readValues.get(event.id) ?? valueSet(event.type.width, []),
    barrierResult: (event) => this.barrierResult(event),
    mbarrierResult: ({ mbarrier }) => anyValue(mbarrier?.step === 'wait' ? 1 : TOKEN.width),
    open: (step, width, of, operands) => {
      this.openOperands.set(step, operands);
      return of === undefined ? anyValue(width) : floatResults(of, width, operands);
    },
    either: (step, values) => {
      this.openOperands.set(step, values);
      return unionOf(...values);
    },
    unspecified: (event) => {
      if (event.tags.has('OPAQUE')) return anyValue(64);
      const issue = this.structure.eventsOf(event.thread, event.node)[0]?.id ?? 0;
      return valueSet(64, [0n, responseOf(this.structure, issue, event.chunk?.offset ?? 0)]);
    },
    passes: () => 'maybe',
    halts: () => 'maybe',
    visits: () => this.checkBudget(),
  };

  private barrierResult(event: EventOf<'barrier'>): ValueSet {
    const { structure, collectiveResults } = this;
    const reduction = reductionOf(event);
    const taken =
      wordsOfLanes(structure, event, this.given) ??
      (reduction?.operation === 'elect' ? possibleLeaders(structure, event) : undefined);
    if (taken !== undefined) {
      collectiveResults.set(event.id, taken);
      return taken;
    }
    if (reduction?.operation !== 'popc') return anyValue(reduction?.resultWidth ?? 32);
    const counts = Array.from({ length: structure.program.threads.length + 1 }, (_, i) => BigInt(i));
    return valueSet(reduction.resultWidth, counts);
  }

  /** Adds what reads may return by what is found; whether that is more than before. */
  private grows({ threads, runs, targets }: Found, round: number, settled: number): boolean {
    const { structure, checkBudget, chains, readValues } = this;
    let changed = false;
    for (const event of structure.events) {
      if (event.kind !== 'read' || runs[event.id]?.executed === 'no') continue;
      checkBudget();
      const before = readValues.get(event.id) ?? valueSet(event.type.width, []);
      if (before.values === 'any' || (settled > 0 && settled > chains.longest(event.id))) continue;
      const after = unionOf(before, possibleReads(structure, event, targets, runs, threads, checkBudget));
      if (after.values !== 'any' && after.values.size <= before.values.size) continue;
      changed = true;
      readValues.set(event.id, round >= MOST_ROUNDS ? anyValue(after.width) : after);
    }
    return changed;
  }

  /** Takes reads outside of all memory to find anything, when nothing else grows: what comes behind them goes on. */
  private findsAnything({ runs, targets }: Found): boolean {
    let changed = false;
    for (const event of this.structure.events) {
      if (event.kind !== 'read' || runs[event.id]?.executed === 'no' || (targets.get(event.id)?.length ?? 0) > 0)
        continue;
      if (this.readValues.get(event.id)?.values === 'any') continue;
      changed = true;
      this.readValues.set(event.id, anyValue(event.type.width));
    }
    return changed;
  }
}

const MOST_PLACES = 1 << 24;

function possibleTargets(
  structure: EventStructure,
  runs: readonly EventRun<ValueSet, Certainty>[],
): { readonly targets: ReadonlyMap<number, readonly PossibleTarget[]>; readonly outside: ReadonlySet<number> } {
  const targets = new Map<number, readonly PossibleTarget[]>();
  const outside = new Set<number>();
  const { ranges } = structure.program.locations;
  for (const event of structure.events) {
    const run = runs[event.id];
    const place = placeOf(event);
    if (run?.address === undefined || run.executed === 'no' || place === undefined) continue;
    const { alignment } = place;
    const bytes = place.type.width / 8;
    const found: PossibleTarget[] = [];
    const consider = (virtualAddress: bigint): void => {
      const target = structure.program.locations.locate({ bytes, ...place }, event.placement, virtualAddress);
      if (target === undefined) outside.add(event.id);
      else found.push(target);
    };
    if (run.address.values === 'any') {
      outside.add(event.id);
      const bases = new Map(ranges.map((range) => [range.base, range]));
      const places = [...bases.values()].reduce((sum, { object }) => sum + object.size / alignment, 0);
      if (places > MOST_PLACES)
        throw new BudgetExceeded({ kind: 'size', what: `an address that may be any of ${Math.floor(places)} places` });
      for (const [base, range] of bases)
        for (let offset = 0; offset + bytes <= range.object.size; offset += alignment) consider(base + BigInt(offset));
    } else {
      for (const address of run.address.values) consider(address);
    }
    targets.set(event.id, found);
  }
  return { targets, outside };
}

/** The cells that tell apart what the accesses of a test may touch, and what it asks for at the end. */
export function cellsOf({ program, events }: EventStructure, { targets, torn }: ValueAnalysis): readonly Cell[] {
  const accessed = [...targets]
    .filter(([event]) => ['read', 'write'].includes(events[event]?.kind ?? ''))
    .flatMap(([, places]) => places);
  return memoryCells(program.locations.objects, [
    ...accessed,
    ...torn.flatMap(({ object, offset, bytes }) =>
      Array.from({ length: bytes }, (_, i) => ({ object, offset: offset + i, bytes: 1 })),
    ),
    ...program.observed.flatMap((o) =>
      o.kind === 'memory' ? [{ object: o.object, offset: o.offset, bytes: o.type.width / 8 }] : [],
    ),
  ]);
}

/**
 * The groups of barriers, whose numbers and counts must be known before the test is run; a sentence, if they are not.
 */
export function groupsBeforeRunning(structure: EventStructure, { runs }: ValueAnalysis): BarrierGroups | Undecided {
  return barrierGroups(executed(structure, runs), ({ id }) => ({
    id: only(runs[id]?.barrierId),
    count: only(runs[id]?.barrierCount),
  }));
}

/** The lanes of warps that meet. */
export function lanesBeforeRunning(structure: EventStructure, { runs }: ValueAnalysis): readonly LaneGroup[] {
  return laneGroups(
    executed(structure, runs),
    (event) => only(isOfLanes(event) ? runs[event.id]?.value : runs[event.id]?.barrierId),
    ({ id }) => only(runs[id]?.barrierId),
  );
}

/** Without what no execution executes. */
const executed = (structure: EventStructure, runs: ValueAnalysis['runs']): EventStructure => ({
  ...structure,
  events: structure.events.filter(({ id }) => runs[id]?.executed !== 'no'),
});

function only(set: ValueSet | undefined): bigint | undefined {
  return set === undefined || set.values === 'any' || set.values.size !== 1 ? undefined : [...set.values][0];
}

/**
 * The threads that may write to an object by a statement that the unrolling bound leaves out: what a read finds there
 * is then unknown.
 */
export function writersBeyond(
  structure: EventStructure,
  threads: readonly ThreadRun<ValueSet, Certainty>[],
  object: MemoryObject,
): readonly number[] {
  const reaches = (thread: Thread, { base, window }: Address): boolean => {
    const known = knownValue(thread, base, thread.statements.length);
    if (known === undefined) return window === 'generic' || (object.space === 'shared') === (window !== 'global');
    return structure.program.locations.at(known, 1, thread.index)?.object === object;
  };
  return structure.threads.flatMap(({ thread, beyond }, index) => {
    const writes =
      threads[index]?.cut !== 'no' &&
      beyond.some(({ operation }) => writtenAddresses(operation).some((address) => reaches(thread, address)));
    return writes ? [index] : [];
  });
}

const writtenAddresses = (operation: Operation): readonly Address[] =>
  effectsOf(operation).flatMap((effect) => {
    if ((effect.kind !== 'write' && effect.kind !== 'update') || effect.at.what !== 'data') return [];
    const { address, tile, multicast } = effect.at;
    // A multicast, like a tile, also goes where its address does not say.
    return tile === undefined && multicast === undefined ? address : { ...address, base: ANYWHERE };
  });

const ANYWHERE: Operand = { kind: 'register', name: 'anywhere' };

function possibleReads(
  structure: EventStructure,
  read: EventOf<'read'>,
  targets: ReadonlyMap<number, readonly PossibleTarget[]>,
  runs: readonly EventRun<ValueSet, Certainty>[],
  threads: readonly ThreadRun<ValueSet, Certainty>[],
  checkBudget: CheckBudget,
): ValueSet {
  const { width } = read.type;
  let result = valueSet(width, []);
  for (const target of targets.get(read.id) ?? []) {
    checkBudget();
    if (result.values === 'any') return result;
    if (writersBeyond(structure, threads, target.object).length > 0) return anyValue(width);
    for (const write of structure.events) {
      const run = runs[write.id];
      if (write.kind !== 'write' || write.id === read.partner || run?.value === undefined || run.executed === 'no')
        continue;
      const partly = (targets.get(write.id) ?? []).some((place) => overlapPartially(place, target));
      if (partly) return anyValue(width);
    }
    const sources = sourcesOf(structure, target, runs, targets, read);
    if (sources.some(({ write }) => write?.tags.has('UNSTABLE') === true)) return anyValue(width);
    const values = sources.map(({ values: some }) => some).reduce(unionOf);
    result = unionOf(result, mayTear(sources, read) ? bytewise(sources) : values);
  }
  return result;
}
