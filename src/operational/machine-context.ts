import type { Tag } from '../effects/event-tags.js';
import { type AlignedPair, alignedPairs, type BarrierGroup, type BarrierGroups } from '../events/barrier-groups.js';
import { type EventStructure, inProgramOrder } from '../events/events.js';
import type { LaneGroup } from '../events/lane-groups.js';
import { launchingCtas } from '../events/launching-ctas.js';
import type { ProgramEvent } from '../events/program-event.js';
import { placeOf } from '../events/program-event.js';
import { responseOf } from '../events/try-cancel.js';
import { isChoice } from '../program/float-function.js';
import { TOKEN } from '../program/mbarrier-operation.js';
import type { CheckBudget, Undecided } from '../program/undecided.js';
import type { UndefinedRule } from '../program/undefined-rules.js';
import type { Cell } from '../semantics/cells.js';
import { type ConcreteValue, settledResult } from '../semantics/concrete-values.js';
import { canBlock, interpretThread } from '../semantics/interpret.js';
import { openValuesThatMatter } from '../semantics/open-values.js';
import {
  analyzeValues,
  cellsOf,
  groupsBeforeRunning,
  lanesBeforeRunning,
  type ValueAnalysis,
} from '../semantics/value-analysis.js';
import type { EventRun, Surroundings, ThreadRun } from '../semantics/value-domain.js';
import { type Bits, bit, bitsOf, NONE } from './bits.js';
import { findWaitedFor } from './issue-order.js';
import { FactTable } from './knowledge.js';
import { Liveness } from './liveness.js';
import { type Location, shareBytes } from './location.js';
import { isAccess, isMemoryFence, isRelease, type Readings } from './moral-strength.js';
import { openAware } from './open-values.js';
import { findMeetings } from './reduction.js';
import { type Forgotten, NOTHING_FORGOTTEN, type State } from './state.js';

const OPEN: Undecided = {
  kind: 'value',
  what: 'what is asked depends on a value that PTX leaves open, or that is not known here',
};

export type PartialRun = EventRun<ConcreteValue | undefined, boolean | undefined>;

type PartialSurroundings = Surroundings<ConcreteValue | undefined, boolean | undefined>;
type Visits = NonNullable<PartialSurroundings['visits']>;

/** Who hears what a thread comes to: nodes, and steps at which it has not chosen yet. */
interface Hears {
  readonly visits?: Visits;
  readonly undecided?: (step: string) => void;
}

/** A thread as far as its answers go. */
export interface ThreadView {
  readonly run: ThreadRun<ConcreteValue | undefined, boolean | undefined>;
  readonly runs: ReadonlyMap<number, PartialRun>;
  /** Events that certainly are executed. */
  readonly ready: readonly ProgramEvent[];
  readonly locations: ReadonlyMap<number, Location>;
  /** Events that will not be executed. */
  readonly gone: Bits;
  /** A step that takes one of two values, and has not chosen yet. */
  readonly undecided: string | undefined;
}

/** What stays the same in all states of the machine: the unrolled program, and what is known of it before it runs. */
export class MachineContext {
  readonly events: readonly ProgramEvent[];
  readonly analysis: ValueAnalysis;
  readonly cells: readonly Cell[];
  /** Why runs stand for others as well: values that are left open matter to what is asked. */
  get open(): Undecided | undefined {
    return this.mayMatter && this.isUsed ? OPEN : undefined;
  }
  private isUsed = false;
  /** Some step takes one of two values. */
  readonly hasChoices: boolean;
  /** Values that are left open may make a difference to what is asked. */
  readonly mayMatter: boolean;
  readonly facts: FactTable;
  /** By event: what is earlier in program order; of an asynchronous one, earlier than its issue, and that. */
  readonly earlier: readonly Bits[];
  /** By event: what must be executed before it. */
  readonly waitedFor: readonly (readonly number[])[];
  /** By event: what must not be executed before it. */
  readonly waiting: readonly Bits[];
  /** By event: what it must not be taken apart from (see reduction.ts). */
  readonly meets: readonly Bits[];
  /** Events that another operation can know of. */
  readonly knowable: Bits;
  /** What of the order of execution tensor memory asks about; none where it is not used. */
  readonly inExecutionOrder: Bits;
  readonly tensorAccesses: Bits;
  readonly writes: readonly ProgramEvent[];
  readonly accesses: readonly ProgramEvent[];
  readonly groups: readonly BarrierGroup[];
  readonly groupOf: ReadonlyMap<number, BarrierGroup>;
  /** By barrier instruction, the rule that it breaks by itself. */
  readonly misused: ReadonlyMap<number, UndefinedRule>;
  /** mbarrier objects, by `object:offset`, numbered. */
  readonly objects: ReadonlyMap<string, number>;
  /** Accesses; invals; operations on the shared memory of other CTAs. */
  readonly accessBits: Bits;
  private readonly invals: Bits;
  private readonly remote: Bits;
  private readonly liveness: Liveness;
  /** By thread. */
  private readonly barriersOf: readonly Bits[];
  readonly lanes: readonly LaneGroup[];
  readonly aligned: readonly AlignedPair[];
  private readonly views: Map<string, ThreadView>[];

  static of(structure: EventStructure, readings: Readings, checkBudget: CheckBudget): MachineContext | Undecided {
    const analysis = analyzeValues(structure, false, checkBudget);
    const barriers = groupsBeforeRunning(structure, analysis);
    return 'kind' in barriers ? barriers : new MachineContext(structure, readings, analysis, barriers);
  }

  private constructor(
    readonly structure: EventStructure,
    readonly readings: Readings,
    analysis: ValueAnalysis,
    { groups, misused }: BarrierGroups,
  ) {
    const { events } = structure;
    this.events = events;
    this.analysis = analysis;
    this.facts = new FactTable(events, readings);
    this.cells = cellsOf(structure, analysis);
    const all = (which: (event: ProgramEvent) => boolean): Bits => bitsWhere(events, which);
    this.earlier = events.map((event) => earlierThan(structure, event));
    this.mayMatter = openValuesThatMatter(structure, analysis).length > 0;
    this.hasChoices = structure.threads.some(({ nodes }) =>
      nodes.some(({ statement: { operation } }) => operation.kind === 'open' && isChoice(operation.function)),
    );
    this.meets = findMeetings(structure, analysis);
    this.liveness = new Liveness(structure, analysis);
    this.waitedFor = findWaitedFor(structure, readings.exchangesOrderMemory);
    this.waiting = events.map(({ id }) => all((other) => this.waitedFor[other.id]?.includes(id) === true));
    this.knowable = knowableIn(structure);
    this.tensorAccesses = all(({ tags }) => tags.has('TMEM'));
    this.inExecutionOrder = this.tensorAccesses === NONE ? NONE : all(isInExecutionOrder);
    this.writes = events.filter(({ kind }) => kind === 'write');
    this.accesses = events.filter(isAccess);
    this.groups = groups;
    this.misused = new Map(misused.map(({ event, rule }) => [event.id, rule]));
    this.groupOf = new Map(groups.flatMap((group) => group.events.map(({ id }) => [id, group] as const)));
    this.objects = numberObjects(events, analysis);
    this.accessBits = all(isAccess);
    this.invals = all(({ mbarrier }) => mbarrier?.step === 'inval');
    this.remote = all(({ id, placement }) =>
      (analysis.targets.get(id) ?? []).some(
        ({ range: { object } }) => object.cta !== undefined && object.cta !== placement?.cta,
      ),
    );
    this.barriersOf = structure.threads.map((_, thread) => all((event) => canBlock(event) && event.thread === thread));
    this.lanes = lanesBeforeRunning(structure, analysis);
    this.aligned = alignedPairs(structure);
    this.views = structure.threads.map(() => new Map());
  }

  event(id: number): ProgramEvent {
    const event = this.events[id];
    if (event === undefined) throw new Error(`no event ${id}`);
    return event;
  }

  /** The thread, interpreted as far as it is known. */
  view(state: State, thread: number): ThreadView {
    const passed = state.passed & (this.barriersOf[thread] ?? NONE);
    const key = `${state.answered[thread]}/${passed.toString(36)}`;
    const views = this.views[thread];
    let view = views?.get(key);
    if (view === undefined) {
      view = this.interpret(state, thread);
      views?.set(key, view);
    }
    return view;
  }

  /** By node where control certainly comes: what registers hold there. */
  registersAt(state: State, thread: number): ReadonlyMap<number, ReadonlyMap<string, { readonly value: unknown }>> {
    const found = new Map<number, ReadonlyMap<string, { readonly value: unknown }>>();
    this.interpret(state, thread, ({ id }, registers, reached) => {
      if (reached === true) found.set(id, registers.all());
    });
    return found;
  }

  private interpret(state: State, thread: number, visits?: Visits): ThreadView {
    let undecided: string | undefined;
    const run = interpretThread<ConcreteValue | undefined, boolean | undefined>(
      this.structure,
      thread,
      openAware(() => {
        this.isUsed = true;
      }),
      this.surroundings(state, thread, {
        ...(visits === undefined ? {} : { visits }),
        undecided: (step) => {
          undecided ??= step;
        },
      }),
    );
    this.isUsed ||= this.usesOpen(thread, run);
    const runs = new Map(run.events.map((one) => [one.event.id, one]));
    const ready = run.events.filter(({ executed }) => executed === true).map(({ event }) => event);
    const locations = new Map<number, Location>();
    for (const { event, address } of run.events) {
      const location = address === undefined ? undefined : this.locate(event, address.bits);
      if (location !== undefined) locations.set(event.id, location);
    }
    const gone = bitsOf(run.events.filter(({ executed }) => executed === false).map(({ event }) => event.id));
    return { run, runs, ready, locations, gone, undecided };
  }

  /** What comes from outside of a thread, as far as a state has answered it. */
  private surroundings(state: State, thread: number, hears: Hears): PartialSurroundings {
    const answer = (event: ProgramEvent, width: number): ConcreteValue | undefined => {
      const bits = state.answers.get(event.id);
      return bits === undefined ? undefined : { bits, width };
    };
    return {
      read: (event) => answer(event, event.type.width),
      barrierResult: (event) =>
        answer(event, event.barrier?.kind === 'barrier' ? (event.barrier.reduction?.resultWidth ?? 1) : 1),
      mbarrierResult: (event) => {
        const operation = event.mbarrier?.operation;
        if (operation?.action === 'arrive' && operation.target === undefined) return { bits: 0n, width: TOKEN.width };
        return answer(event, event.mbarrier?.step === 'wait' ? 1 : TOKEN.width);
      },
      open: (_, width, of, operands) => {
        const known = operands.filter((operand) => operand !== undefined);
        if (known.length < operands.length) return undefined;
        const settled = settledResult(of, known);
        return settled === undefined ? { bits: 0n, width, open: true } : { bits: settled, width };
      },
      either: (step, [first, second], executed) => {
        if (first === undefined || second === undefined) return undefined;
        const isOpen = first.open === true || second.open === true;
        if (isOpen) return { ...first, open: true };
        if (first.bits === second.bits) return first;
        const which = state.choices.get(step);
        if (which === undefined && executed === true) hears.undecided?.(step);
        return which === undefined ? undefined : [first, second][which];
      },
      unspecified: (event) => {
        const issue = this.structure.eventsOf(thread, event.node)[0];
        const canceled = issue === undefined || event.tags.has('OPAQUE') ? undefined : state.answers.get(issue.id);
        if (canceled === undefined || issue === undefined) return undefined;
        return {
          bits: canceled === 1n ? responseOf(this.structure, issue.id, event.chunk?.offset ?? 0) : 0n,
          width: 64,
        };
      },
      ...(hears.visits === undefined ? {} : { visits: hears.visits }),
      // What may turn out not to be executed is not waited for: see issue-order.ts.
      passes: (event, executed) => (executed === undefined || state.hasPassed(event.id) ? true : undefined),
    };
  }

  /** Whether an event, or what the test asks for of a register, has a value that is left open. */
  private usesOpen(
    thread: number,
    { events, registers }: ThreadRun<ConcreteValue | undefined, boolean | undefined>,
  ): boolean {
    const asked = this.structure.program.observed.some(
      (one) => one.kind === 'register' && one.thread === thread && registers.get(one.register)?.open === true,
    );
    return (
      asked ||
      events.some(
        ({ executed, address, value, barrierId, barrierCount, count, bytes }) =>
          executed !== false &&
          [address, value, barrierId, barrierCount, count, bytes].some((given) => given?.open === true),
      )
    );
  }

  /** Undefined for an address outside of memory, of the window or of alignment. */
  private locate(event: ProgramEvent, virtualAddress: bigint): Location | undefined {
    const place = placeOf(event);
    if (place === undefined) return undefined;
    const bytes = place.type.width / 8;
    const found = this.structure.program.locations.locate({ bytes, ...place }, event.placement, virtualAddress);
    return found === undefined
      ? undefined
      : { object: found.range.object, offset: found.offset, bytes, virtualAddress };
  }

  /** The operations of which a rule asks whether they were ordered before this one (see judgeRun). */
  judged({ kind, mbarrier }: ProgramEvent): Bits {
    if (kind === 'exit') return this.remote;
    if (mbarrier?.step === 'init') return this.accessBits;
    return kind === 'read' || kind === 'write' ? this.invals : NONE;
  }

  cellsAt(location: Location): readonly Cell[] {
    return this.cells.filter((cell) => shareBytes(cell, location));
  }

  cell(id: number): Cell {
    const cell = this.cells[id];
    if (cell === undefined) throw new Error(`no cell ${id}`);
    return cell;
  }

  private readonly factsOf = new Map<Bits, { readonly facts: Bits; readonly known: number }>();
  /** What no longer matters once some events are executed, and others will not be. */
  forgotten(done: Bits, gone: Bits): Forgotten {
    const events = this.liveness.forgotten(done, gone);
    if (events === NONE) return NOTHING_FORGOTTEN;
    let facts = this.factsOf.get(events);
    if (facts?.known !== this.facts.size) {
      facts = { facts: this.facts.about(events), known: this.facts.size };
      this.factsOf.set(events, facts);
    }
    return { ...NOTHING_FORGOTTEN, events, values: this.liveness.forgottenValues(events), facts: facts.facts };
  }
}

const bitsWhere = (events: readonly ProgramEvent[], which: (event: ProgramEvent) => boolean): Bits =>
  bitsOf(events.filter(which).map(({ id }) => id));

/** The issue of an asynchronous event. */
export function issueOf(structure: EventStructure, { tags, thread, node }: ProgramEvent): ProgramEvent | undefined {
  return tags.has('ASY') ? structure.eventsOf(thread, node).find((one) => !one.tags.has('ASY')) : undefined;
}

function earlierThan(structure: EventStructure, event: ProgramEvent): Bits {
  const before = (one: ProgramEvent): Bits => bitsWhere(structure.events, (other) => inProgramOrder(other, one));
  if (!event.tags.has('ASY')) return before(event);
  const issue = issueOf(structure, event);
  return issue === undefined ? NONE : before(issue) | bit(issue.id);
}

function knowableIn(structure: EventStructure): Bits {
  const launching = new Set(
    launchingCtas(structure).flatMap(({ triggers, threads }) => (triggers.length > 0 ? threads : [])),
  );
  return bitsWhere(
    structure.events,
    (event) =>
      isAccess(event) ||
      event.mbarrier !== undefined ||
      event.proxyFence?.order === 'release' ||
      (launching.has(event.thread) && isMemoryFence(event) && isRelease(event)),
  );
}

/** Issues, fences of tcgen05 and waits for groups: with waits for mbarriers all that the rules of 9.7.18.6 name. */
const SYNCHRONOUS: readonly Tag[] = ['ALLOC', 'DEALLOC'];
const EXECUTION_ORDER: ReadonlySet<ProgramEvent['kind']> = new Set(['issue', 'tensor-step', 'group']);
const isInExecutionOrder = ({ kind, tags }: ProgramEvent): boolean =>
  EXECUTION_ORDER.has(kind) || tags.has('WAIT') || SYNCHRONOUS.some((tag) => tags.has(tag));

function numberObjects(events: readonly ProgramEvent[], { targets }: ValueAnalysis): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const { id, kind } of events) {
    if (kind !== 'mbarrier') continue;
    for (const { range, offset } of targets.get(id) ?? []) {
      const key = `${range.object.id}:${offset}`;
      if (!numbers.has(key)) numbers.set(key, numbers.size);
    }
  }
  return numbers;
}
