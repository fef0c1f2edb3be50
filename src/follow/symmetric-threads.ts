import { effectsOf } from '../effects/effects-of.js';
import { memoryAccesses } from '../effects/memory-accesses.js';
import { TouchedObjects } from '../flow/touched-objects.js';
import { meetsNobody } from '../program/barrier-rules.js';
import { groupBy } from '../program/group-by.js';
import { initialValue, type MemoryObject, type MemoryRange } from '../program/locations.js';
import type { Address, Operation, ProgramStatement } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { Program, Thread } from '../program/program.js';
import { type Touch, TouchedBytes } from './touched-bytes.js';

/** By thread that is left, by its index: the threads that do what it does. */
export type SymmetricThreads = ReadonlyMap<number, readonly number[]>;

/**
 * Threads without which a test has the same answers, since others of their CTA do what they do: the same statements,
 * and the same bytes but for those that nobody else touches, which are others; both meet their CTA as a whole and no
 * one else. An execution of all is one of the threads that are left, without the others; and one of these is one of
 * all, in which each other thread does what that does which it is like (docs/decisions/symmetric-threads.md). Gives
 * those that are left, with those that are like them; undefined where all are, or where that is not known.
 */
export function symmetricThreads(program: Program): SymmetricThreads | undefined {
  // Who is promised to go on depends on who is there.
  const isAsked = program.filter === undefined && program.progress === undefined;
  const touched = isAsked ? touchesOf(program) : undefined;
  if (touched === undefined) return undefined;
  const bytes = new TouchedBytes(touched.flat(), askedBytes(program));
  const canBe = canBeLike(program);
  const groups = bytes.groups(program.threads.length, canBe);
  const warps = uniformWarps(program, canBe);
  const byPattern = groupBy(groups, (group) => patternOf(group, program, bytes, warps));
  const like = new Map<number, number[]>(program.threads.map(({ index }) => [index, []]));
  for (const [first = [], ...others] of byPattern.values())
    for (const other of others)
      other.forEach((index, i) => {
        like.delete(index);
        like.get(first[i] ?? -1)?.push(index);
      });
  return like.size === program.threads.length ? undefined : like;
}

/** How many threads at least no others are like: of a test with some of the threads those, and whom they stand for. */
export function unlikeThreads(program: Program): number {
  const canBe = canBeLike(program);
  const unlike = new Set(program.threads.filter(({ index }) => !canBe[index]).map(({ name }) => name));
  const run = program.launches.flatMap((launch) => launch.run);
  return run.filter(({ thread }) => unlike.has(thread)).reduce((sum, { represents }) => sum + 1 + represents, 0);
}

/** What each thread touches; undefined where a thread touches what is not known before it runs. */
function touchesOf({ threads, locations }: Program): readonly (readonly Touch[])[] | undefined {
  const objects = new TouchedObjects(threads, locations);
  const touches: Touch[][] = [];
  for (const thread of threads) {
    const own: Touch[] = [];
    for (const { operation } of thread.statements)
      for (const access of memoryAccesses(operation)) {
        const { address, bytes, tile, multicast, writes } = access;
        const all = objects.of(thread, access);
        if (all === undefined || address.base.kind !== 'constant') return undefined;
        const at = address.base.value + address.offset;
        const range = locations.at(at, 1, thread.index);
        const isRun = tile === undefined && multicast === undefined && bytes?.kind === 'constant';
        for (const object of all)
          own.push(
            isRun && object === range?.object
              ? { thread: thread.index, object, offset: Number(at - range.base), bytes: Number(bytes.value), writes }
              : { thread: thread.index, object, offset: 0, bytes: object.size, writes },
          );
      }
    touches.push(own);
  }
  return touches;
}

const askedBytes = ({ observed }: Program): readonly MemoryRange[] =>
  observed.flatMap((one) =>
    one.kind === 'memory' ? [{ object: one.object, offset: one.offset, bytes: one.type.width / 8 }] : [],
  );

/** Which threads, by their index, may be like others: they go one way, touch known bytes, and meet their CTA alone. */
function canBeLike(program: Program): readonly boolean[] {
  const { threads, observed } = program;
  const asked = new Set(observed.flatMap((one) => (one.kind === 'register' ? [one.thread] : [])));
  const parts = new Set<string>();
  for (const { placement, statements } of threads)
    for (const { operation } of statements) {
      const part = meetingPart(operation, placement);
      if (part !== undefined) parts.add(placement[part]);
    }
  return threads.map(
    (thread) =>
      thread.launched !== undefined &&
      !asked.has(thread.index) &&
      !parts.has(thread.placement.cta) &&
      !parts.has(thread.placement.warp) &&
      thread.statements.every((statement, i) => isUnconditional(statement, i, thread, program)),
  );
}

/** Where an operation is one of some threads of that: none of them is left out. */
function meetingPart(operation: Operation, placement: Placement): 'cta' | 'warp' | undefined {
  switch (operation.kind) {
    case 'barrier':
      if (operation.level !== 'cta') return meetsNobody(operation, placement) ? undefined : 'warp';
      return isOfWholeCta(operation) ? undefined : 'cta';
    case 'launch-dependents':
    case 'tensor':
    case 'tensor-step':
    case 'pair-step':
      return 'cta';
    case 'compute':
    case 'open':
    case 'load':
    case 'store':
    case 'atomic':
    case 'fence':
    case 'proxy-fence':
    case 'cluster-barrier':
    case 'mbarrier':
    case 'async':
    case 'group':
    case 'tensormap-copy':
    case 'region':
    case 'grid-wait':
    case 'require':
    case 'branch':
    case 'exit':
    case 'trap':
      return undefined;
  }
}

/** A barrier that all threads of the CTA come to which have not exited, and that computes nothing. */
const isOfWholeCta = ({ action, level, id, count, reduction, instance }: Extract<Operation, { kind: 'barrier' }>) =>
  action === 'sync' &&
  level === 'cta' &&
  id.kind === 'constant' &&
  count === undefined &&
  reduction === undefined &&
  instance === undefined;

/** Whether a statement is executed whatever is read, and what it does is the same for whoever executes it. */
function isUnconditional(statement: ProgramStatement, at: number, thread: Thread, program: Program): boolean {
  const { operation, guard } = statement;
  if (operation.kind === 'compute' || operation.kind === 'open') return true;
  if (guard !== undefined) return false;
  switch (operation.kind) {
    case 'branch':
      return (thread.labels.get(operation.label) ?? -1) > at;
    case 'load':
    case 'store':
      return !operation.mmio && !operation.matrix && !operation.somewhere && isInMemory(operation, thread, program);
    case 'atomic':
      return !operation.mmio && isInMemory(operation, thread, program);
    case 'proxy-fence':
      return operation.address === undefined;
    case 'barrier':
      return isOfWholeCta(operation) || meetsNobody(operation, thread.placement);
    case 'cluster-barrier':
    case 'fence':
    case 'grid-wait':
    case 'exit':
      return true;
    case 'mbarrier':
    case 'async':
    case 'group':
    case 'tensormap-copy':
    case 'region':
    case 'tensor':
    case 'tensor-step':
    case 'pair-step':
    case 'launch-dependents':
    case 'require':
    case 'trap':
      return false;
  }
}

/** Whether its bytes are in memory that the thread may access so, each access aligned. */
function isInMemory(operation: Operation, { placement }: Thread, { locations }: Program): boolean {
  return effectsOf(operation).every((effect) => {
    if (effect.kind !== 'read' && effect.kind !== 'write' && effect.kind !== 'update') return false;
    const { address, bytes, type, alignment } = effect.at;
    if (address.base.kind !== 'constant' || bytes?.kind !== 'constant' || type === undefined) return false;
    const manner = effect.kind === 'read' ? 'reads' : effect.kind === 'write' ? 'writes' : 'synchronizes';
    const how = { bytes: Number(bytes.value), window: address.window, alignment: alignment ?? type.width / 8, manner };
    const found = locations.locate({ ...how, manner }, placement, address.base.value + address.offset);
    return found !== undefined && found.object.mbarrier === undefined;
  });
}

/**
 * What threads do, but for where the bytes are that are their own or that nobody writes, and what values they take: of
 * threads that are alike the same.
 */
function patternOf(group: readonly number[], program: Program, bytes: TouchedBytes, warps: UniformWarps): string {
  const firsts = new Map<MemoryObject | string, number>();
  const of = group.map((index) => {
    const { launched, placement, statements, labels } = program.threads[index] as Thread;
    const place = (address: Address, operation: Operation): unknown => {
      const value = address.base.kind === 'constant' ? address.base.value + address.offset : 0n;
      const range = program.locations.at(value, 1, index);
      if (range === undefined) return undefined;
      const { object, base } = range;
      const [start, width] = [Number(value - base), widthOf(operation)];
      const owners = bytes.ownersOf(object, start, start + width);
      // Local memory has an object for each thread.
      const key = object.owner === undefined ? object : range.name;
      const first = firsts.get(key) ?? start;
      if (owners === 'group') firsts.set(key, first);
      const where = owners === 'group' ? start - first : owners === 'several' ? start : undefined;
      const owner = object.owner === undefined ? undefined : index - (group[0] ?? index);
      const isKnown = initialValue(object, start, width) !== undefined;
      return [owners, range.name, object.cta, owner, where, isKnown, address.window];
    };
    const shown = statements.map(({ operation, guard, span }) =>
      JSON.stringify([span.start, guard, meetsNobody(operation, placement) ? 'alone' : operation], (key, value) => {
        if (key === 'address' && value !== undefined) return place(value, operation);
        if (typeof value === 'bigint') return `${value}`;
        // Whatever else has a value decides nothing: no statement is executed or left out by it.
        return operation.kind !== 'barrier' && value?.kind === 'constant' ? 'constant' : value;
      }),
    );
    const warp = warps.has(placement.warp) ? undefined : placement.warp;
    return [launched?.launch, launched?.cta, warp, [...labels], shown];
  });
  return JSON.stringify(of);
}

/** How many bytes it accesses. */
function widthOf(operation: Operation): number {
  const [access] = memoryAccesses(operation);
  return access?.bytes?.kind === 'constant' ? Number(access.bytes.value) : 1;
}

/** Warps all threads of which come to the same barriers: what such a thread is like need not be in its warp. */
type UniformWarps = ReadonlySet<string>;

function uniformWarps({ threads }: Program, canBe: readonly boolean[]): UniformWarps {
  const byWarp = groupBy(threads, ({ placement }) => placement.warp);
  const barriers = ({ statements, placement }: Thread): string =>
    statements
      .flatMap(({ operation, span }) =>
        MEETINGS.has(operation.kind) && !meetsNobody(operation, placement) ? [span.start] : [],
      )
      .join();
  return new Set(
    [...byWarp].flatMap(([warp, own]) =>
      own.every(({ index }) => canBe[index]) && new Set(own.map(barriers)).size === 1 ? [warp] : [],
    ),
  );
}

const MEETINGS: ReadonlySet<Operation['kind']> = new Set(['barrier', 'cluster-barrier']);
