import type { Scope } from '../program/placement.js';
import type { Access, AtomicOperation, AtomicOrder } from './accesses.js';
import { ACCESSES } from './accesses.js';
import type { Direction } from './copies.js';

/**
 * A cycle of events and edges, as diy has it (Alglave, Maranget: "diy"): from it follow the threads, the locations and
 * the outcome that the cycle would need. Edge i goes from event i to event i + 1, the last one to event 0.
 */
export interface Cycle {
  readonly events: readonly CycleEvent[];
  readonly edges: readonly Edge[];
}

export interface CycleEvent {
  readonly direction: Direction;
  /** The word of an access. */
  readonly access: string;
  /** Through the second name of the location. */
  readonly alias: boolean;
}

export type Edge =
  /** To another thread, same location: reads-from, from-reads, coherence. */
  | { readonly kind: 'communication'; readonly name: Communication }
  /** To another thread, by other means than memory. */
  | {
      readonly kind: 'handOver';
      readonly same: boolean;
      readonly before: readonly string[];
      readonly give: string;
      readonly take: string;
      readonly after: readonly string[];
    }
  /** Program order, with what stands between. */
  | { readonly kind: 'program'; readonly same: boolean; readonly steps: readonly string[] }
  /** From the read to the write of one atomic instruction. */
  | {
      readonly kind: 'atomic';
      readonly operation: Exclude<AtomicOperation, 'red'>;
      readonly order: AtomicOrder;
      readonly scope: Scope;
    };

export const COMMUNICATIONS = {
  Rfe: { from: 'W', to: 'R', short: 'rf' },
  Fre: { from: 'R', to: 'W', short: 'fr' },
  Coe: { from: 'W', to: 'W', short: 'co' },
} as const satisfies Readonly<
  Record<string, { readonly from: Direction; readonly to: Direction; readonly short: string }>
>;
export type Communication = keyof typeof COMMUNICATIONS;

export const isExternal = (edge: Edge): boolean => edge.kind === 'communication' || edge.kind === 'handOver';
export const isReadsFrom = (edge: Edge): boolean => edge.kind === 'communication' && edge.name === 'Rfe';
export const staysAtLocation = (edge: Edge): boolean =>
  edge.kind === 'communication' || edge.kind === 'atomic' || edge.same;

export function accessOf(event: CycleEvent): Access {
  const access = ACCESSES.get(event.access);
  if (access === undefined) throw new Error(`no access ${event.access}`);
  return access;
}

/** The element of a list that is to be read as a ring; negative indices count from its end. */
export function at<T>(list: readonly T[], index: number): T {
  const element = list[((index % list.length) + list.length) % list.length];
  if (element === undefined) throw new Error('an empty ring');
  return element;
}

/** The same cycle, told from event `start`. */
export function rotate({ events, edges }: Cycle, start: number): Cycle {
  const from = <T>(list: readonly T[]): readonly T[] => [...list.slice(start), ...list.slice(0, start)];
  return { events: from(events), edges: from(edges) };
}

/** Where its threads begin: after each edge to another thread. */
export function threadStarts(cycle: Cycle): readonly number[] {
  return cycle.events.flatMap((_, i) => (isExternal(at(cycle.edges, i - 1)) ? [i] : []));
}

/** The cycle as text, event by event, as `parseCycle` reads it. */
export function printCycle({ events, edges }: Cycle): string {
  return events
    .map((event, i) =>
      [printEvent(event, i, { events, edges }), printEdge(at(edges, i), event, at(events, i + 1))]
        .filter((part) => part !== '')
        .join(' '),
    )
    .join(' ');
}

function printEvent(event: CycleEvent, index: number, { edges }: Cycle): string {
  // An atomic edge says how its two events are performed.
  if (at(edges, index).kind === 'atomic' || at(edges, index - 1).kind === 'atomic') return event.alias ? 'Alias' : '';
  return event.alias ? `${event.access}.alias` : event.access;
}

function printEdge(edge: Edge, from: CycleEvent, to: CycleEvent): string {
  const ends = `${from.direction}${to.direction}`;
  switch (edge.kind) {
    case 'communication':
      return edge.name;
    case 'atomic':
      return `Amo.${edge.operation}.${edge.order}.${edge.scope}`;
    case 'program':
      return edge.steps.length === 0
        ? `Po${edge.same ? 's' : 'd'}${ends}`
        : `${edge.steps.join('-')} ${edge.same ? 's' : 'd'}${ends}`;
    case 'handOver':
      return (
        `${[...edge.before, edge.give].join('-')}>${[edge.take, ...edge.after].join('-')} ` +
        `${edge.same ? 's' : 'd'}${ends}`
      );
  }
}
