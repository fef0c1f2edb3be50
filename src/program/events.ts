import type { Span } from '../diagnostics/source.js';
import type { DataType } from './data-type.js';
import type { AccessQualifiers, BarrierOperation } from './operation.js';
import type { Placement, Scope } from './placement.js';
import type { Program } from './program.js';
import { type Node, type UnrolledThread, unrollThread } from './unroll.js';

/** The names of the sets of events in cat files; each event has those that apply to it. */
export type Tag =
  | 'R'
  | 'W'
  | 'F'
  | 'B'
  | 'IW'
  | 'RMW'
  | 'RED'
  | 'WEAK'
  | 'RLX'
  | 'ACQ'
  | 'REL'
  | 'ACQ_REL'
  | 'SC'
  | 'VOL'
  | 'MMIO'
  | 'CTA'
  | 'CLUSTER'
  | 'GPU'
  | 'SYS'
  | 'GEN'
  | 'TEX'
  | 'SUR'
  | 'CON'
  | 'ALIAS'
  | 'PROXY_FENCE';

/** An event of the unrolled program. Which events are executed, and with which values, is not yet decided. */
export interface ProgramEvent {
  readonly id: number;
  /** Undefined for the hypothetical initial writes (PTX ISA 8.2.6). */
  readonly thread: number | undefined;
  readonly placement: Placement | undefined;
  /** The node of the unrolled thread; later nodes are later in program order. */
  readonly node: number;
  readonly kind: 'read' | 'write' | 'fence' | 'barrier';
  readonly tags: ReadonlySet<Tag>;
  readonly scope: Scope | undefined;
  /** The type of a scalar access. */
  readonly type: DataType | undefined;
  /** The other half of a read-modify-write. */
  readonly partner: number | undefined;
  readonly barrier: BarrierOperation | undefined;
  readonly span: Span | undefined;
}

/** The unrolled threads with their events: the last form that every engine shares. */
export interface EventStructure {
  readonly program: Program;
  readonly threads: readonly UnrolledThread[];
  readonly events: readonly ProgramEvent[];
  /** The events of a node of a thread, in the order of its elements; of an atomic the read, then the write. */
  eventsOf(thread: number, node: number): readonly ProgramEvent[];
}

const MOST_EVENTS = 2000;

/** Unrolls a program (see unrollThread); a sentence instead, if it is too large. */
export function buildEvents(program: Program, bound: number, spinRounds: number): EventStructure | string {
  const events: ProgramEvent[] = [];
  const byNode = new Map<string, readonly ProgramEvent[]>();
  const threads: UnrolledThread[] = [];
  for (const thread of program.threads) {
    const unrolled = unrollThread(thread, bound, spinRounds);
    if (unrolled === undefined) return `${thread.name} is too large when its loops are unrolled ${bound} times`;
    threads.push(unrolled);
    for (const node of unrolled.nodes) {
      const made = eventsOfNode(node, thread.index, thread.placement, events.length);
      events.push(...made);
      if (made.length > 0) byNode.set(`${thread.index}/${node.id}`, made);
    }
    if (events.length > MOST_EVENTS) return `the test has more than ${MOST_EVENTS} events`;
  }
  return { program, threads, events, eventsOf: (thread, node) => byNode.get(`${thread}/${node}`) ?? [] };
}

const PROXY_TAGS: Readonly<Record<AccessQualifiers['proxy'], Tag>> = { generic: 'GEN', texture: 'TEX', surface: 'SUR', constant: 'CON' };
const SCOPE_TAGS: Readonly<Record<Scope, Tag>> = { cta: 'CTA', cluster: 'CLUSTER', gpu: 'GPU', sys: 'SYS' };

function eventsOfNode(node: Node, thread: number, placement: Placement, firstId: number): readonly ProgramEvent[] {
  const { operation, span } = node.statement;
  const event = (index: number, kind: ProgramEvent['kind'], tags: readonly Tag[], more: Partial<ProgramEvent> = {}): ProgramEvent => ({
    id: firstId + index,
    thread,
    placement,
    node: node.id,
    kind,
    tags: new Set(tags),
    scope: undefined,
    type: undefined,
    partner: undefined,
    barrier: undefined,
    span,
    ...more,
  });
  switch (operation.kind) {
    case 'load':
      return operation.targets.map((_, i) => event(i, 'read', ['R', ...accessTags(operation, operation.order)], { scope: operation.scope, type: operation.type }));
    case 'store':
      return operation.values.map((_, i) => event(i, 'write', ['W', ...accessTags(operation, operation.order)], { scope: operation.scope, type: operation.type }));
    case 'atomic': {
      // The halves of an atomic: acquire belongs to the read, release to the write; each is at least relaxed.
      const readOrder = operation.order === 'acquire' || operation.order === 'acq_rel' ? 'acquire' : 'relaxed';
      const writeOrder = operation.order === 'release' || operation.order === 'acq_rel' ? 'release' : 'relaxed';
      const common: readonly Tag[] = operation.reduction ? ['RMW', 'RED'] : ['RMW'];
      const more = { scope: operation.scope, type: operation.type };
      return [
        event(0, 'read', ['R', ...common, ...accessTags(operation, readOrder)], { ...more, partner: firstId + 1 }),
        event(1, 'write', ['W', ...common, ...accessTags(operation, writeOrder)], { ...more, partner: firstId }),
      ];
    }
    case 'fence': {
      const order: Readonly<Record<typeof operation.order, Tag>> = { sc: 'SC', acq_rel: 'ACQ_REL', acquire: 'ACQ', release: 'REL' };
      // A fence has the generic proxy: otherwise it would be morally strong with nothing (D21).
      return [event(0, 'fence', ['F', order[operation.order], SCOPE_TAGS[operation.scope], 'GEN'], { scope: operation.scope })];
    }
    case 'proxy-fence':
      return [event(0, 'fence', ['F', 'PROXY_FENCE', operation.proxy === 'alias' ? 'ALIAS' : PROXY_TAGS[operation.proxy]])];
    case 'barrier':
      return [event(0, 'barrier', ['B'], { barrier: operation })];
    case 'compute':
    case 'branch':
    case 'exit':
      return [];
  }
}

function accessTags(access: AccessQualifiers, order: AccessQualifiers['order']): readonly Tag[] {
  const orders: Readonly<Record<AccessQualifiers['order'], readonly Tag[]>> = { weak: ['WEAK'], relaxed: ['RLX'], acquire: ['ACQ'], release: ['REL'], acq_rel: ['ACQ_REL'] };
  const tags: Tag[] = [...orders[order], PROXY_TAGS[access.proxy]];
  if (access.scope !== undefined) tags.push(SCOPE_TAGS[access.scope]);
  if (access.volatile) tags.push('VOL');
  if (access.mmio) tags.push('MMIO');
  return tags;
}

/** Program order on events (PTX ISA 8.9.1): of one thread, by node; a read-modify-write reads first; vector elements are unordered. */
export function inProgramOrder(a: ProgramEvent, b: ProgramEvent): boolean {
  if (a.thread === undefined || a.thread !== b.thread) return false;
  return a.node === b.node ? a.partner === b.id && a.kind === 'read' : a.node < b.node;
}
