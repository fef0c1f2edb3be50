import { at, COMMUNICATIONS, type Cycle, isReadsFrom } from './cycle.js';
import type { PlacedEvent } from './layout.js';

/**
 * The cycles that have names of their own (diy's names; Alglave et al., "Herding Cats", and Sarkar et al.,
 * "Understanding POWER").
 */
export const SHAPES: Readonly<Record<string, string>> = {
  MP: 'PodWW Rfe PodRR Fre',
  SB: 'PodWR Fre PodWR Fre',
  LB: 'PodRW Rfe PodRW Rfe',
  S: 'PodWW Rfe PodRW Coe',
  R: 'PodWW Coe PodWR Fre',
  '2+2W': 'PodWW Coe PodWW Coe',
  WRC: 'Rfe PodRW Rfe PodRR Fre',
  RWC: 'Rfe PodRR Fre PodWR Fre',
  WWC: 'Rfe PodRW Rfe PodRW Coe',
  'WRR+2W': 'Rfe PodRR Fre PodWW Coe',
  'WRW+2W': 'Rfe PodRW Coe PodWW Coe',
  'WRW+WR': 'Rfe PodRW Coe PodWR Fre',
  ISA2: 'PodWW Rfe PodRW Rfe PodRR Fre',
  'W+RWC': 'PodWW Rfe PodRR Fre PodWR Fre',
  '3.SB': 'PodWR Fre PodWR Fre PodWR Fre',
  '3.LB': 'PodRW Rfe PodRW Rfe PodRW Rfe',
  '3.2W': 'PodWW Coe PodWW Coe PodWW Coe',
  'Z6.0': 'PodWW Rfe PodRW Coe PodWR Fre',
  'Z6.1': 'PodWW Coe PodWW Rfe PodRW Coe',
  'Z6.2': 'PodWW Rfe PodRW Rfe PodRW Coe',
  'Z6.3': 'PodWW Coe PodWW Rfe PodRR Fre',
  'Z6.4': 'PodWW Coe PodWR Fre PodWR Fre',
  'Z6.5': 'PodWW Coe PodWW Coe PodWR Fre',
  IRIW: 'Rfe PodRR Fre Rfe PodRR Fre',
  IRRWIW: 'Rfe PodRR Fre Rfe PodRW Coe',
  IRWIW: 'Rfe PodRW Coe Rfe PodRW Coe',
  CoRR: 'Rfe PosRR Fre',
  CoRR2: 'Rfe PosRR Fre Rfe PosRR Fre',
  CoRW2: 'PosRW Coe Rfe',
  CoWR2: 'PosWR Fre Coe',
};

const NAME_OF: ReadonlyMap<string, string> = new Map(Object.entries(SHAPES).map(([name, cycle]) => [cycle, name]));

/**
 * The name of a cycle's shape as it is told from here: `MP`, `MP-chain` with an atomic chain in between, or undefined.
 */
export function shapeOf(cycle: Cycle): string | undefined {
  const exact = NAME_OF.get(skeleton(cycle).join(' '));
  if (exact !== undefined) return exact;
  const short = withoutRepetitions(cycle);
  const plain = NAME_OF.get(skeleton(short).join(' '));
  if (plain !== undefined) return plain;
  const chain = withoutChains(short);
  const name = chain.edges.length < short.edges.length ? NAME_OF.get(skeleton(chain).join(' ')) : undefined;
  return name === undefined ? undefined : `${name}-chain`;
}

/**
 * Where no name is known: the directions in each thread (N for no access, _ between accesses to one location), and what
 * leads to the next one.
 */
export function describeShape(events: readonly PlacedEvent[]): string {
  return events
    .map(({ event, outgoing }) => {
      const letter = event.access === 'nop' ? 'N' : event.direction;
      if (outgoing.kind === 'communication') return `${letter}.${COMMUNICATIONS[outgoing.name].short}.`;
      return outgoing.kind === 'handOver'
        ? `${letter}.${outgoing.same ? 'hs' : 'hd'}.`
        : `${letter}${outgoing.kind === 'program' && !outgoing.same ? '' : '_'}`;
    })
    .join('')
    .slice(0, -1);
}

/**
 * The edges without fences and annotations. A hand-over counts as a flag that one thread writes and the next one reads.
 */
function skeleton({ events, edges }: Cycle): readonly string[] {
  return edges.flatMap((edge, i) => {
    const [from, to] = [at(events, i), at(events, i + 1)];
    switch (edge.kind) {
      case 'communication':
        return [edge.name];
      case 'atomic':
        return ['PosRW'];
      case 'program':
        return [`Po${edge.same ? 's' : 'd'}${from.direction}${to.direction}`];
      case 'handOver': {
        // A thread without an access of its own reads one flag and writes the next.
        const before = from.access === 'nop' ? [] : [`Pod${from.direction}W`];
        const after = to.access === 'nop' ? ['PodRW'] : [`PodR${to.direction}`];
        return [...before, 'Rfe', ...after];
      }
    }
  });
}

/** Two accesses of one kind to one location count as one. */
function withoutRepetitions({ events, edges }: Cycle): Cycle {
  const repeats = (i: number): boolean => {
    const edge = at(edges, i);
    return edge.kind === 'program' && edge.same && at(events, i).direction === at(events, i + 1).direction;
  };
  const kept = edges.flatMap((_, i) => (repeats(i) ? [] : [i]));
  return { events: kept.map((i) => at(events, i)), edges: kept.map((i) => at(edges, i)) };
}

/**
 * A thread that only passes a value on by an atomic operation, or a load and a store, counts as the step of the value
 * itself.
 */
function withoutChains({ events, edges }: Cycle): Cycle {
  const isRfe = (i: number): boolean => isReadsFrom(at(edges, i));
  const passes = (i: number): boolean => at(edges, i).kind === 'atomic' && isRfe(i - 1) && isRfe(i + 1);
  // Of Rfe, Amo, Rfe only the last Rfe stays.
  const dropped = new Set(edges.flatMap((_, i) => (passes(i) ? [(i - 1 + edges.length) % edges.length, i] : [])));
  const kept = edges.flatMap((_, i) => (dropped.has(i) ? [] : [i]));
  // The event before a dropped Rfe is the write that the chain begins with.
  const source = (i: number): number => (passes(i - 1) ? source((i - 2 + edges.length) % edges.length) : i);
  return { events: kept.map((i) => at(events, source(i))), edges: kept.map((i) => at(edges, i)) };
}
