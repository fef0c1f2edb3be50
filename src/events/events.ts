import type { Span } from '../diagnostics/source.js';
import type { BarrierEffect, Chunk, Effect, MemoryOperand, ReadEffect, WriteEffect } from '../effects/effect.js';
import { effectsOf } from '../effects/effects-of.js';
import type { Tag } from '../effects/event-tags.js';
import type { BarrierOperation, Operation } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import type { UnrolledThread } from '../unroll/unroll.js';
import type { Chunks, NodeChunks } from './chunks.js';
import {
  type AccessEvent,
  type EventKind,
  type EventOf,
  type ExecutionEvent,
  type MembersOf,
  type Place,
  type ProgramEvent,
  reductionOf,
} from './program-event.js';

/** Where threads may stop for good that nothing promises to go on. */
export type Halts = 'at the start' | 'anywhere';

/** The unrolled threads with their events: the last form that every engine shares. */
export interface EventStructure {
  readonly program: Program;
  readonly threads: readonly UnrolledThread[];
  readonly events: readonly ProgramEvent[];
  /** A failing compare-and-swap writes the old value back (an open choice: PTX ISA 8.4). */
  readonly failingCasWrites: boolean;
  /**
   * Whether a thread may stop for good before any of its nodes, since nothing promises that it goes on: before its
   * first one, or anywhere.
   */
  readonly halts?: Halts | undefined;
  /** The events of a node of a thread, in the order of its elements; of an atomic the read, then the write. */
  eventsOf(thread: number, node: number): readonly ProgramEvent[];
}

const MOST_EVENTS = 2000;

/** The events of a program whose copies are cut as `chunks` says; a reason instead, if they are too many. */
export function makeEvents(
  program: Program,
  threads: readonly UnrolledThread[],
  failingCasWrites: boolean,
  chunks: NodeChunks,
): EventStructure | Undecided {
  const events: ProgramEvent[] = [];
  const byNode = new Map<string, readonly ProgramEvent[]>();
  // When a thread ends matters where CTAs share memory and where a barrier no longer waits for it.
  const meets = program.threads.some(({ statements, placement }) =>
    statements.some(({ operation }) => mayExcuse(operation, placement)),
  );
  const exits = meets || program.threads.some(({ placement }) => placement.clusterSize > 1);
  for (const { thread, nodes } of threads) {
    const add = (
      id: number,
      span: Span | undefined,
      make: (builder: EventBuilder) => readonly ProgramEvent[],
    ): void => {
      const made = make(new EventBuilder(events.length, thread.index, thread.placement, id, span));
      events.push(...made);
      if (made.length > 0) byNode.set(`${thread.index}/${id}`, made);
    };
    for (const { id, statement } of nodes)
      add(id, statement.span, (builder) => eventsOfNode(statement.operation, builder, chunks(thread.index, id)));
    if (exits) add(nodes.length, undefined, (builder) => [builder.event('exit', ['EXIT'], {}, undefined)]);
    if (events.length > MOST_EVENTS) return { kind: 'size', what: `the test has more than ${MOST_EVENTS} events` };
  }
  return {
    program,
    threads,
    events,
    failingCasWrites,
    eventsOf: (thread, node) => byNode.get(`${thread}/${node}`) ?? [],
  };
}

/** Whether a barrier does not wait for threads that have exited. */
function mayExcuse(operation: Operation, { lanes }: Placement): boolean {
  if (operation.kind === 'cluster-barrier') return true;
  if (operation.kind !== 'barrier' || operation.level === 'warp') return false;
  return operation.level === 'cta' ? lanes > 1 || operation.count === undefined : operation.action === 'red';
}

/** Makes the events of one node, with their numbers. */
export class EventBuilder {
  private made = 0;

  constructor(
    private readonly firstId: number,
    private readonly thread: number,
    readonly placement: Placement,
    private readonly node: number,
    private readonly span: Span | undefined,
  ) {}

  /** The number that the n-th event from now on gets. */
  next(n = 0): number {
    return this.firstId + this.made + n;
  }

  event<Kind extends EventKind>(
    kind: Kind,
    tags: readonly Tag[],
    members: MembersOf<Kind>,
    effect: Effect | undefined,
  ): EventOf<Kind> {
    const id = this.next();
    this.made += 1;
    const { thread, placement, node, span } = this;
    const event = { id, kind, thread, placement, node, tags: new Set(tags), span, effect, ...members };
    return event as unknown as EventOf<Kind>;
  }
}

/** The events of a node: those of a multicast anew for each CTA of the cluster that may be among its destinations. */
function eventsOfNode(operation: Operation, builder: EventBuilder, chunks: Chunks): readonly ProgramEvent[] {
  const effects = effectsOf(operation);
  const isMulticast = (effect: Effect): boolean => 'at' in effect && effect.at?.multicast !== undefined;
  const copies = effects.filter(isMulticast);
  const ranks = copies.length === 0 ? [] : Array.from({ length: builder.placement.clusterSize }, (_, rank) => rank);
  return [
    ...effects.filter((effect) => !isMulticast(effect)).flatMap((effect) => eventsOfEffect(effect, builder, chunks)),
    ...ranks.flatMap((rank) => copies.flatMap((effect) => eventsOfEffect(effect, builder, chunks, rank))),
  ];
}

function eventsOfEffect(effect: Effect, builder: EventBuilder, chunks: Chunks, rank?: number): readonly ProgramEvent[] {
  const { kind, tags } = effect;
  const scope = effect.scope === undefined ? {} : { scope: effect.scope };
  switch (kind) {
    case 'read':
      return accessesOf(effect, chunks, rank).map((access) => builder.event(kind, tags, access, effect));
    case 'write':
      return accessesOf(effect, chunks, rank).map((access) => builder.event(kind, tags, access, effect));
    case 'update':
      return placesOf(effect.at, chunks, rank).flatMap((place) => {
        const [read, write] = [builder.next(), builder.next(1)];
        const half = (partner: number) => ({ scope: effect.scope, partner, ...place });
        return [
          builder.event('read', ['R', ...tags, ...effect.readTags], half(write), effect),
          builder.event('write', ['W', ...tags, ...effect.writeTags], half(read), effect),
        ];
      });
    case 'mbarrier': {
      const mbarrier = { step: effect.step, operation: effect.operation };
      return placesOf(effect.at, chunks, rank).map(({ chunk, ...place }) => {
        const part = chunk === undefined ? {} : { chunk };
        return builder.event(kind, tags, { mbarrier, ...scope, ...place, ...part }, effect);
      });
    }
    case 'barrier':
      return [
        ...convergence(effect, builder),
        builder.event(kind, tags, { barrier: effect.barrier, ...scope }, effect),
      ];
    case 'fence': {
      const { proxyFence, restriction, at } = effect;
      const [place] = at === undefined ? [] : placesOf(at, chunks, rank);
      const { type, window, alignment } = place ?? {};
      const named =
        type === undefined || window === undefined || alignment === undefined ? {} : { type, window, alignment };
      const more = proxyFence === undefined ? { restriction } : { proxyFence, ...named };
      return [builder.event(kind, tags, { scope: effect.scope, ...more }, effect)];
    }
    case 'group':
      return [builder.event(kind, tags, { group: effect.group }, effect)];
    case 'grid':
      return [builder.event(kind, tags, { grid: effect.grid, ...scope }, effect)];
    case 'check':
      return [builder.event(kind, tags, { rule: effect.rule }, effect)];
    case 'issue':
    case 'tensor-step':
      return [builder.event(kind, tags, {}, effect)];
  }
}

/** The accesses of an effect that is no read-modify-write. */
const accessesOf = (
  { at, scope }: ReadEffect | WriteEffect,
  chunks: Chunks,
  rank: number | undefined,
): readonly MembersOf<'read'>[] => placesOf(at, chunks, rank).map((place) => ({ scope, partner: undefined, ...place }));

type Located = Place & Pick<AccessEvent, 'chunk' | 'offset' | 'tensor'>;

/** Where the accesses of an effect go. */
function placesOf(at: MemoryOperand, chunks: Chunks, rank: number | undefined): readonly Located[] {
  const { address, type, alignment, parts, tensor } = at;
  const cut = cutOf(at, chunks);
  // The first element of a vector is where the vector is.
  const isVector = typeof parts === 'number';
  const bytes = cut.reduce((sum, chunk) => sum + chunk.bytes, 0);
  return cut.map((chunk, i) => ({
    type: type ?? { kind: 'b', width: 8 * chunk.bytes },
    window: address.window,
    alignment: (isVector && i > 0 ? undefined : alignment) ?? (type === undefined ? chunk.bytes : type.width / 8),
    chunk: typeof parts === 'number' ? undefined : { ...chunk, rank },
    offset: chunk.offset,
    ...(tensor === undefined ? {} : { tensor: { ...tensor, bytes } }),
  }));
}

function cutOf({ parts, type }: MemoryOperand, { moved, descriptor }: Chunks): readonly Chunk[] {
  if (parts === 'moved') return moved;
  if (parts === 'descriptor') return descriptor;
  if (typeof parts !== 'number') return parts;
  const bytes = (type?.width ?? 8) / 8;
  return Array.from({ length: parts }, (_, i) => ({ offset: i * bytes, bytes }));
}

const ALL_LANES = 0xffff_ffffn;

/** Before an effect that needs it the lanes that the test shows of a warp come together. */
function convergence({ barrier, meets }: BarrierEffect, builder: EventBuilder): readonly ProgramEvent[] {
  if (builder.placement.lanes === 1 || !meets) return [];
  // The lanes that have come to the same barrier: each gives its number.
  const value = barrier.kind === 'barrier' ? barrier.id : ({ kind: 'constant', value: 0n } as const);
  const together: BarrierOperation = {
    kind: 'barrier',
    action: 'red',
    level: 'lanes',
    id: { kind: 'constant', value: ALL_LANES },
    count: undefined,
    aligned: false,
    reduction: { operation: 'converge', target: '', value, width: 32, signed: false, resultWidth: 32 },
  };
  const effect = { kind: 'barrier', tags: [], barrier: together, meets: false } as const;
  return [builder.event('barrier', [], { barrier: together }, effect)];
}

const isAsynchronous = (event: ExecutionEvent): boolean => event.tags.has('ASY');

/** The end of a thread; undefined where it is no event, since nothing waits for it. */
export function exitOf(events: readonly ExecutionEvent[], thread: number): EventOf<'exit'> | undefined {
  return events.find((event): event is EventOf<'exit'> => event.kind === 'exit' && event.thread === thread);
}

/**
 * Program order on events (PTX ISA 8.9.1): of one thread, by node; a read-modify-write reads first; a warp comes
 * together before it arrives; vector elements are unordered. Asynchronous events are not in it (8.9.1.1).
 */
export function inProgramOrder(a: ExecutionEvent, b: ExecutionEvent): boolean {
  if (a.thread === undefined || a.thread !== b.thread || isAsynchronous(a) || isAsynchronous(b)) return false;
  if (a.node !== b.node) return a.node < b.node;
  return (
    (a.partner === b.id && a.kind === 'read') ||
    (a.proxyFence === undefined && b.proxyFence !== undefined) ||
    (comesTogether(a) && !comesTogether(b))
  );
}

const comesTogether = (event: ExecutionEvent): boolean => reductionOf(event)?.operation === 'converge';

/** From the issuing event of an asynchronous instruction to the events that it performs (8.9.1.1). */
export function isIssueOf(a: ExecutionEvent, b: ExecutionEvent): boolean {
  return a.thread === b.thread && a.node === b.node && !isAsynchronous(a) && isAsynchronous(b) && a.id < b.id;
}
