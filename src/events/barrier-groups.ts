import type { Span } from '../diagnostics/source.js';
import { brokenBarrierRule, WARP_SIZE } from '../program/barrier-rules.js';
import { groupBy } from '../program/group-by.js';
import type { BarrierOperation, ClusterBarrierOperation, Operation, TensormapCopy } from '../program/operation.js';
import type { WarpParty } from '../program/placement.js';
import type { Thread } from '../program/program.js';
import { type Undecided, unknownBefore } from '../program/undecided.js';
import type { UndefinedRule } from '../program/undefined-rules.js';
import type { EventStructure } from './events.js';
import type { ProgramEvent } from './program-event.js';

/** The barrier instructions that can meet: of one barrier of one CTA, or of one mask of lanes of one warp. */
export interface BarrierGroup {
  readonly name: string;
  readonly level: BarrierOperation['level'];
  readonly events: readonly ProgramEvent[];
  /** Who arrives, each as its threads: of a CTA its warps, of a mask its lanes. */
  readonly parties: readonly WarpParty[];
  /** By event: how many parties complete the barrier; undefined: all that have not exited. */
  readonly needs: ReadonlyMap<number, number | undefined>;
}

/** A barrier instruction that breaks a rule by itself: it belongs to no group. */
export interface MisusedBarrier {
  readonly event: ProgramEvent;
  readonly rule: UndefinedRule;
}

export interface BarrierGroups {
  readonly groups: readonly BarrierGroup[];
  readonly misused: readonly MisusedBarrier[];
}

interface OpenGroup extends Omit<BarrierGroup, 'name'> {
  readonly events: ProgramEvent[];
  readonly needs: Map<number, number | undefined>;
}

/** What is known of the operands of barrier instructions. */
export type BarrierOperands = (event: ProgramEvent) => {
  readonly id: bigint | undefined;
  readonly count: bigint | undefined;
};

/**
 * Groups the barrier events by the barrier they use (PTX ISA, bar: 16 barriers in each CTA; bar.warp.sync: one for each
 * mask). A count is in threads, 32 for each warp of the test; without one all threads of the CTA take part that have
 * not exited. A sentence instead, where the test cannot be understood.
 */
export function barrierGroups(structure: EventStructure, operandsOf: BarrierOperands): BarrierGroups | Undecided {
  const groups = new Map<string, OpenGroup>();
  const misused: MisusedBarrier[] = [];
  for (const event of structure.events) {
    const { barrier, placement } = event;
    if (barrier?.kind !== 'barrier' || barrier.level === 'lanes') continue;
    const thread = structure.program.threads[event.thread];
    if (thread === undefined) continue;
    const { id, count } = operandsOf(event);
    if (id === undefined)
      return unknownBefore(
        `${thread.name}: ${barrier.level === 'warp' ? 'the membermask' : 'the number'} of the barrier`,
      );
    if (barrier.count !== undefined && count === undefined)
      return unknownBefore(`${thread.name}: the thread count of the barrier`);
    const parties = barrier.level === 'cta' ? warpsOf(structure, thread) : lanesOf(structure, thread, id);
    const rule = brokenBy(barrier, thread, parties, id, count);
    if (rule !== undefined) {
      misused.push({ event, rule });
      continue;
    }
    const name =
      barrier.level === 'cta'
        ? `${placement.cta}, barrier ${id}${barrier.instance === undefined ? '' : ` of instance ${barrier.instance}`}`
        : `${placement.warp}, mask 0x${id.toString(16)}`;
    const group: OpenGroup = groups.get(name) ?? { level: barrier.level, events: [], parties, needs: new Map() };
    group.events.push(event);
    group.needs.set(event.id, barrier.level === 'warp' ? parties.length : needsOf(structure, barrier, parties, count));
    groups.set(name, group);
  }
  return { groups: [...groups].map(([name, group]) => ({ name, ...group })), misused };
}

/**
 * How many parties complete a barrier of a CTA. Of the Dat3M dialect those whose text has an instruction of it, whether
 * they come to it or go around it; what stands in the text of one only waits as PTX has it.
 */
function needsOf(
  { threads }: EventStructure,
  { instance }: BarrierOperation,
  parties: readonly WarpParty[],
  count: bigint | undefined,
): number | undefined {
  if (count !== undefined) return Number(count / WARP_SIZE);
  if (instance === undefined) return undefined;
  const has = (thread: number): boolean =>
    threads[thread]?.nodes.some(
      ({ statement: { operation } }) => operation.kind === 'barrier' && operation.instance === instance,
    ) === true;
  const meeting = warpsIn(parties.filter((party) => party.threads.some(has)));
  return meeting > 1 ? meeting : undefined;
}

function brokenBy(
  { level, named }: BarrierOperation,
  thread: Thread,
  parties: readonly WarpParty[],
  id: bigint,
  count: bigint | undefined,
): UndefinedRule | undefined {
  if (level === 'warp')
    return parties.some(({ threads }) => threads.includes(thread.index)) ? undefined : 'barrier-mask';
  return brokenBarrierRule(named === true ? 0n : id, count);
}

/** The warps of a thread's CTA, each as those of its threads that the test shows. */
function warpsOf({ program }: EventStructure, { placement: { cta } }: Thread): readonly WarpParty[] {
  const known = program.parties.get(cta);
  if (known !== undefined) return known;
  const own = program.threads.filter(({ placement }) => placement.cta === cta);
  const warps = [...groupBy(own, ({ placement }) => placement.warp).values()];
  return warps.map((threads) => ({ threads: threads.map(({ index }) => index), warps: 1, isCut: false }));
}

/** The threads of the test that are lanes in the mask. */
function lanesOf({ program }: EventStructure, { placement: { warp } }: Thread, mask: bigint): readonly WarpParty[] {
  return program.threads
    .filter(({ placement }) => placement.warp === warp && ((mask >> BigInt(placement.lane)) & 1n) === 1n)
    .map(({ index }) => ({ threads: [index], warps: 1, isCut: false }));
}

/** The parties to which a thread belongs: more than one where it stands for threads of other warps. */
export const partiesOf = (
  { parties }: Pick<BarrierGroup, 'parties'>,
  thread: number | undefined,
): readonly WarpParty[] => parties.filter(({ threads }) => thread !== undefined && threads.includes(thread));

/** The threads with which a thread makes up the warps that it takes part for. */
export const matesOf = (group: Pick<BarrierGroup, 'parties'>, thread: number | undefined): readonly number[] => [
  ...new Set(partiesOf(group, thread).flatMap(({ threads }) => threads)),
];

/** Warps are there that make up so many. */
export const warpsIn = (parties: readonly WarpParty[]): number => parties.reduce((sum, { warps }) => sum + warps, 0);

/** Lanes of one warp that may execute the n-th aligned barrier instruction of each unlike each other. */
export interface AlignedPair {
  readonly event: ProgramEvent;
  /** By rank, the aligned barrier instructions of another lane. */
  readonly others: readonly ProgramEvent[];
  /**
   * The last that the other lane may have done when it comes to its end, in program order, each with what is like it
   * of this lane, before the barrier. If this one has done none of that, the other one has gone past the barrier, and
   * else it has exited; without an `exit` it has gone past in any case.
   */
  readonly otherGoesPast: boolean | readonly LastOfLane[];
  readonly otherThread: number;
  /** Where this lane may wait. */
  readonly waits: readonly ProgramEvent[];
  /** Where the other lane may wait for this one by another instruction: if both wait, neither comes to the other. */
  readonly otherWaits: readonly ProgramEvent[];
}

interface LastOfLane {
  readonly last: ProgramEvent;
  readonly alike: readonly ProgramEvent[];
}

/** Whether the other lane has gone past the barrier when it has come to its end, by what has been executed. */
export function goesPast({ otherGoesPast: past }: AlignedPair, isExecuted: (event: ProgramEvent) => boolean): boolean {
  if (typeof past === 'boolean') return past;
  const own = past.findLast(({ last }) => isExecuted(last));
  return own !== undefined && !own.alike.some(isExecuted);
}

/**
 * The aligned barrier instructions of warps of which the test shows several threads, each with those of another lane.
 */
export function alignedPairs(structure: EventStructure): readonly AlignedPair[] {
  const { program, events } = structure;
  // A thread is at an instruction when it executes the first event of it: an arrival begins with the coming together of
  // its warp.
  const aligned = events.filter(
    (event) => isAligned(structure, event) && structure.eventsOf(event.thread, event.node)[0]?.id === event.id,
  );
  return aligned.flatMap((event) =>
    program.threads
      .filter(({ index, placement }) => index !== event.thread && placement.warp === event.placement.warp)
      .map(({ index, statements }) => ({
        event,
        others: aligned.filter(({ thread }) => thread === index),
        otherGoesPast:
          statements.length > 0 &&
          (!statements.some(({ operation }) => operation.kind === 'exit') || lastOfLane(structure, index, event)),
        otherThread: index,
        waits: structure.eventsOf(event.thread, event.node),
        otherWaits: events.filter((other) => other.thread === index && waitsElsewhere(structure, event, other)),
      })),
  );
}

/** Whether a lane may wait for its warp, or for lanes of a mask, at another instruction than an aligned one. */
function waitsElsewhere(structure: EventStructure, aligned: ProgramEvent, other: ProgramEvent): boolean {
  const { barrier } = other;
  if (barrier === undefined || barrier.action === 'arrive') return false;
  if (barrier.kind === 'barrier' && barrier.instance !== undefined) return false;
  return !isSameInstruction(structure, aligned, other);
}

/** Whether a lane that waits does so for another one: at a barrier of a CTA or cluster, else by a mask of lanes. */
export const waitsForLane = <C>({ barrier }: ProgramEvent, isInMask: () => C, yes: C): C =>
  barrier?.kind === 'cluster-barrier' || barrier?.level === 'cta' ? yes : isInMask();

/** Whether each of two lanes waits for the other, by where they wait and the masks that they have given. */
export const waitForEachOther = (
  { event, waits, otherWaits }: AlignedPair,
  isWaiting: (event: ProgramEvent) => boolean,
  maskOf: (event: ProgramEvent) => bigint | undefined,
): boolean => {
  const isInMask = (other: ProgramEvent): boolean =>
    (((maskOf(other) ?? 0n) >> BigInt(event.placement.lane)) & 1n) === 1n;
  return (
    waits.some(isWaiting) && otherWaits.some((one) => isWaiting(one) && waitsForLane(one, () => isInMask(one), true))
  );
};

/**
 * What a lane of a kernel may have done last, with what another one has done before a barrier; of warps all of whose
 * lanes are there, or are like others there.
 */
function lastOfLane({ program, events }: EventStructure, lane: number, barrier: ProgramEvent): readonly LastOfLane[] {
  const { launched, placement } = program.threads[lane] ?? {};
  if (launched === undefined || placement === undefined) return [];
  if (placement.lanes !== placement.warpLanes && !placement.othersAreAlike) return [];
  const before = events.filter(({ thread, node }) => thread === barrier.thread && node < barrier.node);
  return events.flatMap((last) =>
    last.thread === lane && !last.tags.has('EXIT')
      ? [{ last, alike: before.filter(({ span }) => span?.start === last.span?.start) }]
      : [],
  );
}

const canBeAligned = (operation: Operation): operation is AlignedOperation =>
  operation.kind === 'barrier' || operation.kind === 'cluster-barrier' || operation.kind === 'tensormap-copy';

/** `tensormap.cp_fenceproxy` has no other form (PTX ISA 9.7.15.17). */
const isAlignedOperation = (operation: AlignedOperation): boolean =>
  operation.kind === 'tensormap-copy' || operation.aligned;

/** The instruction of those that can be aligned that an event belongs to. */
function barrierOf({ threads }: EventStructure, { thread, node }: ProgramEvent): AlignedOperation | undefined {
  const operation = threads[thread]?.nodes[node]?.statement.operation;
  return operation !== undefined && canBeAligned(operation) ? operation : undefined;
}

function isAligned(structure: EventStructure, event: ProgramEvent): boolean {
  const operation = barrierOf(structure, event);
  return operation !== undefined && isAlignedOperation(operation);
}

/**
 * Whether two lanes may execute these as one instruction: all but the value that each gives is the same, and so is the
 * place in the text. Bodies with as many aligned instructions of a form are taken to be one text, in which these stand
 * in one order; of bodies that differ in them it cannot be said which instruction of one is which of the other.
 */
export function isSameInstruction(structure: EventStructure, a: ProgramEvent, b: ProgramEvent): boolean {
  const [x, y] = [barrierOf(structure, a), barrierOf(structure, b)];
  if (x === undefined || y === undefined || formOf(x) !== formOf(y)) return false;
  const [first, second] = [spanAt(structure, a), spanAt(structure, b)];
  if (first === undefined || second === undefined || isOnePlace(first, second)) return true;
  if (runOneText(structure, a.thread, b.thread)) return false;
  const [left = [], right = []] = [a, b].map(({ thread }) => placesOf(structure, thread, formOf(x)));
  if (left.length !== right.length) return true;
  return left.findIndex((span) => isOnePlace(span, first)) === right.findIndex((span) => isOnePlace(span, second));
}

type AlignedOperation = BarrierOperation | ClusterBarrierOperation | TensormapCopy;

/** Operations do not change, and each pair of lanes asks for it. */
const forms = new WeakMap<AlignedOperation, string>();

function formOf(operation: AlignedOperation): string {
  const known = forms.get(operation) ?? describeForm(operation);
  forms.set(operation, known);
  return known;
}

function describeForm(operation: AlignedOperation): string {
  if (operation.kind === 'tensormap-copy') return operation.kind;
  const shown = operation.kind === 'barrier' ? { ...operation, reduction: operation.reduction?.operation } : operation;
  return JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}

/** The places in the text of a thread where aligned instructions of a form stand. */
function placesOf({ program }: EventStructure, thread: number, form: string): readonly Span[] {
  const places = new Map<number, Span>();
  for (const { operation, span } of program.threads[thread]?.statements ?? [])
    if (canBeAligned(operation) && isAlignedOperation(operation) && formOf(operation) === form)
      places.set(span.start, span);
  return [...places.values()];
}

const isOnePlace = (a: Span, b: Span): boolean => a.start === b.start && a.source.path === b.source.path;

/** Whether two threads are of kernels of one module, or of one body that a test gives several threads. */
function runOneText({ program: { threads } }: EventStructure, a: number, b: number): boolean {
  const [first, second] = [a, b].map((index) => threads[index]?.statements[0]?.span);
  if (first === undefined || second === undefined || first.source.path !== second.source.path) return false;
  return first.source.compiledFrom !== undefined || first.start === second.start;
}

const spanAt = ({ threads }: EventStructure, { thread, node }: ProgramEvent): Span | undefined =>
  threads[thread]?.nodes[node]?.statement.span;
