import type { Span } from '../diagnostics/source.js';
import type { Chunk, Effect, MbarrierStep } from '../effects/effect.js';
import { mannerOf, type Tag } from '../effects/event-tags.js';
import type { GroupOperation } from '../program/async-operation.js';
import type { DataType } from '../program/data-type.js';
import type { Manner, Window } from '../program/locations.js';
import type { MbarrierOperation } from '../program/mbarrier-operation.js';
import type {
  BarrierOperation,
  ClusterBarrierOperation,
  FenceRestriction,
  GridWait,
  ProxyFence,
} from '../program/operation.js';
import type { Placement, Scope } from '../program/placement.js';
import type { TensorUse } from '../program/tensor-memory.js';
import type { UndefinedRule } from '../program/undefined-rules.js';

/** What every event has. */
interface Common {
  readonly id: number;
  /** Of asynchronous events the thread that issued them. */
  readonly thread: number;
  readonly placement: Placement;
  /** The node of the unrolled thread; later nodes are later in program order. */
  readonly node: number;
  readonly tags: ReadonlySet<Tag>;
  readonly span: Span | undefined;
  /** What it is the event of; undefined: the end of a thread, or a write before all threads. */
  readonly effect?: Effect | undefined;
}

/** Where an event goes in memory. */
export interface Place {
  /** Of a scalar access; of an mbarrier operation 64 bits. */
  readonly type: DataType;
  /** Where the address must lie; its alignment in bytes. */
  readonly window: Window;
  readonly alignment: number;
  readonly manner?: Manner;
}

/** The bytes of an asynchronous copy that an event moves, and for a multicast the rank of the CTA they go to. */
type Moved = Chunk & { readonly rank: number | undefined };

interface Access extends Place {
  readonly scope: Scope | undefined;
  /** The other half of a read-modify-write. */
  readonly partner: number | undefined;
  readonly chunk: Moved | undefined;
  /** In bytes, from where its effect begins. */
  readonly offset?: number;
  /** Of an access to tensor memory: what it belongs to, and how many bytes the whole of it has. */
  readonly tensor?: TensorUse & { readonly bytes: number };
}

/** What the events of each kind have beside. */
interface Members {
  readonly read: Access;
  readonly write: Access;
  /** A fence of a tensormap names a place; of others there is none. */
  readonly fence: Partial<Place> & {
    readonly scope: Scope | undefined;
    readonly proxyFence?: ProxyFence;
    readonly restriction?: FenceRestriction | undefined;
  };
  readonly barrier: {
    readonly barrier: BarrierOperation | ClusterBarrierOperation;
    readonly scope?: Scope;
  };
  readonly mbarrier: Place & {
    readonly mbarrier: { readonly step: MbarrierStep; readonly operation: MbarrierOperation | undefined };
    readonly scope?: Scope;
    readonly chunk?: Moved;
  };
  readonly issue: object;
  /** The start of a dependent grid has a scope: what is released to it is released to all. */
  readonly grid: { readonly grid: GridWait | undefined; readonly scope?: Scope };
  readonly group: { readonly group: GroupOperation };
  readonly 'tensor-step': object;
  /** The rule that is broken if the check fails. */
  readonly check: { readonly rule: UndefinedRule };
  readonly exit: object;
}

export type EventKind = keyof Members;
export type MembersOf<Kind extends EventKind> = Members[Kind];

type KeysOf<Union> = Union extends unknown ? keyof Union : never;
/** What only events of other kinds have. */
type Others<Kind extends EventKind> = Exclude<KeysOf<Members[EventKind]>, keyof Members[Kind]>;

export type EventOf<Kind extends EventKind> = Common &
  Members[Kind] & { readonly kind: Kind } & { readonly [Other in Others<Kind>]?: undefined };

/** An event of the unrolled program. Which events are executed, and with which values, is not yet decided. */
export type ProgramEvent = { [Kind in EventKind]: EventOf<Kind> }[EventKind];

/** A hypothetical write of no thread, which comes before all others (PTX ISA 8.2.6). */
export type InitialWriteEvent = Omit<EventOf<'write'>, 'thread' | 'placement'> & {
  readonly thread?: undefined;
  readonly placement?: undefined;
};

/** An event of an execution. */
export type ExecutionEvent = ProgramEvent | InitialWriteEvent;

export type AccessEvent = EventOf<'read'> | EventOf<'write'>;

/** Where an event goes in memory; undefined if it goes nowhere. */
export function placeOf({ type, window, alignment, kind, tags }: ExecutionEvent): Place | undefined {
  if (type === undefined || window === undefined || alignment === undefined) return undefined;
  const isAccess = kind === 'read' || kind === 'write' || tags.has('RMW');
  return { type, window, alignment, manner: isAccess ? mannerOf(tags, kind === 'write') : 'reads' };
}

/** Whether an event goes to shared memory by what its instruction says, of its CTA or of the cluster. */
export const isOfShared = ({ window }: ExecutionEvent): boolean =>
  window === 'shared::cta' || window === 'shared::cluster';

/** What a barrier or a warp instruction makes of the values that it brings together. */
export function reductionOf({ barrier }: ExecutionEvent): BarrierOperation['reduction'] {
  return barrier?.kind === 'barrier' ? barrier.reduction : undefined;
}

/** An event of that kind: an operation makes the events that it is later executed by. */
export function ofKind<Kind extends EventKind>(kind: Kind, event: ProgramEvent | undefined): EventOf<Kind> {
  if (event?.kind !== kind) throw new Error(`expected an event of kind ${kind}, found ${event?.kind ?? 'none'}`);
  return event as EventOf<Kind>;
}
