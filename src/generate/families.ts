import { accessOf, type Cycle } from './cycle.js';
import { TAKES } from './hand-overs.js';
import { isProxyFence } from './steps.js';

/**
 * What the cycles of a family have that those of the families after it do not; a cycle belongs to the first that fits.
 */
export const CYCLE_FAMILIES = ['proxy', 'async', 'mbarrier', 'barrier', 'chain', 'ring'] as const;
export type CycleFamily = (typeof CYCLE_FAMILIES)[number];

/** Programs that no cycle describes. */
export const PROGRAM_FAMILIES = ['program', 'grid', 'poll', 'launch'] as const;
export type ProgramFamily = (typeof PROGRAM_FAMILIES)[number];

/** The families of generated tests. */
export const FAMILIES = [...CYCLE_FAMILIES, ...PROGRAM_FAMILIES] as const;
/** A family of generated tests. */
export type Family = (typeof FAMILIES)[number];

export const FAMILY_TITLES: Readonly<Record<Family, string>> = {
  proxy: 'aliases and asynchronous accesses with proxy fences',
  async: 'asynchronous copies, stores and reductions',
  mbarrier: 'hand-overs by mbarriers',
  barrier: 'barriers of the CTA and of the cluster',
  chain: 'several accesses to one location in a thread, atomic operations in mid-cycle',
  ring: 'cycles of communication and program order between different locations',
  program:
    'small programs that no cycle describes: mixed sizes, registers, branches, exits, lanes, named barriers, loops',
  grid: 'programs of several grids: streams, dependent launches, triggers and waits',
  poll: 'waiting loops that are left in two ways',
  launch: 'small modules and their launches, one file beside each test',
};

const BELONGS: Readonly<Record<CycleFamily, (cycle: Cycle) => boolean>> = {
  proxy: ({ events, edges }) =>
    events.some(({ alias }) => alias) || edges.some((edge) => wordsOf(edge).some(isProxyFence)),
  async: ({ events, edges }) =>
    events.some((event) => ['copy', 'asyncRelease'].includes(accessOf(event).kind)) ||
    edges.some((edge) => edge.kind === 'handOver' && /^(tx|cp\.async)/.test(edge.give)),
  mbarrier: ({ edges }) => edges.some((edge) => edge.kind === 'handOver' && TAKES.get(edge.take)?.kind === 'wait'),
  barrier: ({ edges }) => edges.some((edge) => edge.kind === 'handOver' || wordsOf(edge).includes('bar.sync')),
  chain: ({ edges }) => edges.some((edge) => edge.kind === 'atomic' || (edge.kind === 'program' && edge.same)),
  ring: () => true,
};

function wordsOf(edge: Cycle['edges'][number]): readonly string[] {
  if (edge.kind === 'program') return edge.steps;
  return edge.kind === 'handOver' ? [...edge.before, ...edge.after] : [];
}

export function familyOf(cycle: Cycle): CycleFamily {
  return CYCLE_FAMILIES.find((family) => BELONGS[family](cycle)) ?? 'ring';
}
