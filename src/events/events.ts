import type { Span } from '../diagnostics/source.js';
import type { DataType } from '../program/data-type.js';
import type { MbarrierOperation } from '../program/mbarrier-operation.js';
import type { BarrierOperation, ClusterBarrierOperation, Operation, ProxyFence } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import type { UnrolledThread } from '../unroll/unroll.js';
import type { Chunks, NodeChunks } from './chunks.js';
import { accessTags, PROXY_TAGS, SCOPE_TAGS, type Tag } from './event-tags.js';
import { eventsOfAsync, eventsOfTensormapCopy } from './events-of-async.js';
import { eventsOfTensorAccess, TENSOR_STEP_TAGS } from './events-of-tensor-memory.js';
import type {
  AccessEvent,
  EventKind,
  EventOf,
  ExecutionEvent,
  MbarrierStep,
  MembersOf,
  ProgramEvent,
} from './program-event.js';

/** The unrolled threads with their events: the last form that every engine shares. */
export interface EventStructure {
  readonly program: Program;
  readonly threads: readonly UnrolledThread[];
  readonly events: readonly ProgramEvent[];
  /** A failing compare-and-swap writes the old value back (an open choice: PTX ISA 8.4). */
  readonly failingCasWrites: boolean;
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
    if (exits) add(nodes.length, undefined, (builder) => [builder.event('exit', ['EXIT'], {})]);
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

  /** The node. */
  get at(): number {
    return this.node;
  }

  /** The number that the n-th event from now on gets. */
  next(n = 0): number {
    return this.firstId + this.made + n;
  }

  event<Kind extends EventKind>(kind: Kind, tags: readonly Tag[], members: MembersOf<Kind>): EventOf<Kind> {
    const id = this.next();
    this.made += 1;
    const { thread, placement, node, span } = this;
    return { id, thread, placement, node, tags: new Set(tags), span, kind, ...members } as unknown as EventOf<Kind>;
  }

  /** An access; by default of no scope, aligned to its size, and neither half of an atomic nor part of a copy. */
  access(
    kind: 'read' | 'write',
    tags: readonly Tag[],
    members: Pick<AccessEvent, 'type' | 'window'> & Partial<MembersOf<'read'>>,
  ): AccessEvent {
    const alignment = members.type.width / 8;
    return this.event(kind, tags, { scope: undefined, alignment, partner: undefined, chunk: undefined, ...members });
  }
}

const DESCRIPTOR: DataType = { kind: 'b', width: 1024 };
const MBARRIER_WORD: DataType = { kind: 'b', width: 64 };

function eventsOfNode(operation: Operation, builder: EventBuilder, chunks: Chunks): readonly ProgramEvent[] {
  switch (operation.kind) {
    case 'load':
    case 'store': {
      const [kind, tag, elements] =
        operation.kind === 'load'
          ? (['read', 'R', operation.targets] as const)
          : (['write', 'W', operation.values] as const);
      const { scope, type, order, address } = operation;
      // Only a vector access as a whole must be aligned to its size; its elements then are.
      return elements.map(() =>
        builder.access(
          kind,
          [tag, ...accessTags(operation, order), ...(operation.matrix === true ? (['MATRIX'] as const) : [])],
          { scope, type, window: address.window },
        ),
      );
    }
    case 'atomic': {
      // The halves of an atomic: acquire belongs to the read, release to the write; each is at least relaxed.
      const readOrder = operation.order === 'acquire' || operation.order === 'acq_rel' ? 'acquire' : 'relaxed';
      const writeOrder = operation.order === 'release' || operation.order === 'acq_rel' ? 'release' : 'relaxed';
      const common: readonly Tag[] = operation.reduction ? ['RMW', 'RED'] : ['RMW'];
      const more = { scope: operation.scope, type: operation.type, window: operation.address.window };
      return [undefined, ...(operation.more ?? [])].flatMap(() => [
        builder.access('read', ['R', ...common, ...accessTags(operation, readOrder)], {
          ...more,
          partner: builder.next(1),
        }),
        builder.access('write', ['W', ...common, ...accessTags(operation, writeOrder)], {
          ...more,
          partner: builder.next(-1),
        }),
      ]);
    }
    case 'fence': {
      const order: Readonly<Record<typeof operation.order, Tag>> = {
        sc: 'SC',
        acq_rel: 'ACQ_REL',
        acquire: 'ACQ',
        release: 'REL',
      };
      // A fence has the generic proxy: otherwise it would be morally strong with nothing
      // (docs/decisions/fences-are-generic.md).
      const tags: Tag[] = ['F', order[operation.order], SCOPE_TAGS[operation.scope], 'GEN'];
      const { scope, restriction } = operation;
      return [
        builder.event('fence', restriction === undefined ? tags : [...tags, 'RESTRICTED'], { scope, restriction }),
      ];
    }
    case 'proxy-fence':
      return [proxyFenceEvent(builder, operation)];
    case 'barrier':
      return [
        ...convergence(operation, builder),
        builder.event('barrier', barrierTags(operation), { barrier: operation }),
      ];
    case 'cluster-barrier': {
      const order: Readonly<Record<typeof operation.order, Tag>> = { release: 'REL', relaxed: 'RLX', acquire: 'ACQ' };
      const tags: Tag[] = [
        'B',
        operation.action === 'arrive' ? 'CLUSTER_ARRIVE' : 'CLUSTER_WAIT',
        order[operation.order],
        'CLUSTER',
        'GEN',
      ];
      return [
        ...convergence(operation, builder),
        builder.event('barrier', tags, { barrier: operation, scope: 'cluster' }),
      ];
    }
    case 'mbarrier':
      return mbarrierEvents(builder, operation);
    case 'group':
      return [builder.event('group', operation.action === 'wait' ? ['GROUP_WAIT'] : [], { group: operation })];
    case 'async':
      return eventsOfAsync(builder, operation, chunks);
    case 'tensormap-copy':
      return eventsOfTensormapCopy(builder, operation, chunks.moved, (fence) => proxyFenceEvent(builder, fence));
    case 'region':
      return chunks.moved.map((chunk) =>
        builder.access(
          operation.action,
          [
            ...(operation.action === 'read' ? (['R'] as const) : (['W'] as const)),
            ...(['WEAK', 'GEN'] as const),
            ...(operation.contents === 'unstable' ? (['UNSTABLE'] as const) : []),
          ],
          {
            type: { kind: 'b', width: 8 * chunk.bytes },
            window: operation.address.window,
            alignment: 1,
            chunk: { ...chunk, rank: undefined },
          },
        ),
      );
    case 'tensor':
      return eventsOfTensorAccess(builder, operation, chunks.moved);
    case 'tensor-step':
      return [builder.event('tensor-step', [TENSOR_STEP_TAGS[operation.step]], {})];
    case 'grid-wait':
      return [
        builder.event('grid', ['GRID_WAIT'], {
          grid: operation,
          ...(operation.launchedBy.length === 0 ? {} : { scope: 'sys' as const }),
        }),
      ];
    case 'launch-dependents':
      return [
        builder.event('grid', ['LAUNCH'], { grid: undefined }),
        ...(operation.represented ? [builder.event('grid', ['LAUNCH', 'REPRESENTED'], { grid: undefined })] : []),
      ];
    case 'require':
      return [builder.event('check', [], { rule: operation.rule })];
    case 'compute':
    case 'open':
    case 'branch':
    case 'exit':
    case 'trap':
      return [];
  }
}

/**
 * An arrival waits for the threads of its own warp that have not exited (PTX ISA 9.7.15.1), and so does each
 * instruction of barrier.cluster (9.7.15.3): where the test shows several, it begins as a warp instruction of all of
 * them. What waits for the other warps to come to the same instruction waits for its own anyway.
 */
const ALL_LANES = 0xffff_ffffn;

function convergence(
  operation: BarrierOperation | ClusterBarrierOperation,
  builder: EventBuilder,
): readonly ProgramEvent[] {
  const { lanes } = builder.placement;
  const waitsApart =
    operation.kind === 'cluster-barrier' || (operation.action === 'arrive' && operation.level === 'cta');
  if (lanes === 1 || !waitsApart) return [];
  const mask = { kind: 'constant', value: ALL_LANES } as const;
  // The lanes that have come to the same barrier: each gives its number.
  const value = operation.kind === 'barrier' ? operation.id : ({ kind: 'constant', value: 0n } as const);
  const reduction = { operation: 'converge', target: '', value, width: 32, signed: false, resultWidth: 32 } as const;
  return [
    builder.event('barrier', [], {
      barrier: {
        kind: 'barrier',
        action: 'red',
        level: 'lanes',
        id: mask,
        count: undefined,
        aligned: false,
        reduction,
      },
    }),
  ];
}

function barrierTags({ level, action }: BarrierOperation): readonly Tag[] {
  if (level === 'lanes') return [];
  return level === 'cta' && action !== 'arrive' ? ['B', 'CTA_WAIT'] : ['B'];
}

function proxyFenceEvent(builder: EventBuilder, fence: ProxyFence): ProgramEvent {
  const tags: Tag[] = ['F', 'PROXY_FENCE', fence.proxy === 'alias' ? 'ALIAS' : PROXY_TAGS[fence.proxy]];
  if (fence.order !== undefined) tags.push(fence.order === 'release' ? 'REL' : 'ACQ');
  if (fence.scope !== undefined) tags.push(SCOPE_TAGS[fence.scope]);
  if (fence.readsOnly) tags.push('READS_ONLY');
  // The fence names the bytes of a descriptor; it reads none of them.
  const place = fence.address === undefined ? {} : { type: DESCRIPTOR, window: fence.address.window, alignment: 1 };
  return builder.event('fence', tags, { scope: fence.scope, proxyFence: fence, ...place });
}

function mbarrierEvents(builder: EventBuilder, operation: MbarrierOperation): readonly ProgramEvent[] {
  const step = (kind: MbarrierStep, tags: readonly Tag[], more: Partial<MembersOf<'mbarrier'>> = {}): ProgramEvent =>
    builder.event('mbarrier', ['MBAR', ...tags], {
      mbarrier: { step: kind, operation },
      type: MBARRIER_WORD,
      window: operation.object.window,
      alignment: MBARRIER_WORD.width / 8,
      ...more,
    });
  switch (operation.action) {
    case 'init':
    case 'inval':
      if (operation.action === 'inval') return [step('inval', ['GEN', 'INVAL'])];
      // What an init leaves in memory is opaque: found by whoever reads it after inval.
      return [
        step('init', ['GEN', 'INIT']),
        builder.access('write', ['W', 'WEAK', 'GEN', 'OPAQUE'], {
          type: MBARRIER_WORD,
          window: operation.object.window,
        }),
      ];
    case 'async_arrive':
      return [
        ...(operation.increment ? [step('increment', ['GEN'])] : [builder.event('issue', ['ISSUE'], {})]),
        step('arrive', ['ASY', 'GEN']),
      ];
    default: {
      const order: Readonly<Record<typeof operation.order, Tag>> = { release: 'REL', relaxed: 'RLX', acquire: 'ACQ' };
      const role: readonly Tag[] =
        operation.action === 'arrive' ? ['ARRIVE'] : operation.action === 'wait' ? ['WAIT'] : [];
      return [
        step(operation.action, [...role, order[operation.order], SCOPE_TAGS[operation.scope], 'GEN'], {
          scope: operation.scope,
        }),
      ];
    }
  }
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

function comesTogether({ barrier }: ExecutionEvent): boolean {
  return barrier?.kind === 'barrier' && barrier.reduction?.operation === 'converge';
}

/** From the issuing event of an asynchronous instruction to the events that it performs (8.9.1.1). */
export function isIssueOf(a: ExecutionEvent, b: ExecutionEvent): boolean {
  return a.thread === b.thread && a.node === b.node && !isAsynchronous(a) && isAsynchronous(b) && a.id < b.id;
}
