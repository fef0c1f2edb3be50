import type { Communication } from './cycle.js';
import type { CycleFamily } from './families.js';
import type { Distance } from './places.js';

/** How often each choice is made when a cycle is drawn: weights, and percentages where a choice is yes or no. */
export interface Profile {
  /** What leads from a thread to the next one. */
  readonly links: readonly (readonly [weight: number, link: Link])[];
  readonly distances: readonly (readonly [weight: number, distance: Distance])[];
  /** An access is made by a copy, where a hand-over does not ask for one. */
  readonly copies: number;
  /** An access goes through the alias of its location. */
  readonly aliases: number;
  /** A proxy fence stands at a place where a fence may stand. */
  readonly proxyFences: number;
  /** One more access to the same location, or an atomic operation in mid-cycle. */
  readonly chains: number;
  /** bar.sync between two accesses. */
  readonly barriers: number;
  /** Locations lie in shared memory, where they can. */
  readonly shared: number;
}

/**
 * A communication, or the kind of a hand-over: an arrival, the end of a copy, a barrier of the CTA or of the cluster.
 */
export type Link = Communication | 'arrive' | 'copy' | 'bar' | 'cbar';

const COMMUNICATION = [
  [50, 'Rfe'],
  [30, 'Fre'],
  [20, 'Coe'],
] as const satisfies Profile['links'];

const NEAR: Profile['distances'] = [
  [50, 'cta'],
  [40, 'cluster'],
  [10, 'gpu'],
];
const FAR: Profile['distances'] = [
  [30, 'cta'],
  [15, 'cluster'],
  [35, 'gpu'],
  [20, 'sys'],
];
const PLAIN = { copies: 0, aliases: 0, proxyFences: 0, chains: 0, barriers: 0, shared: 15 };

export const PROFILES: Readonly<Record<CycleFamily, Profile>> = {
  ring: { ...PLAIN, links: COMMUNICATION, distances: FAR },
  chain: { ...PLAIN, links: COMMUNICATION, distances: FAR, chains: 40 },
  barrier: {
    ...PLAIN,
    links: [...COMMUNICATION, [40, 'bar'], [40, 'cbar']],
    distances: NEAR,
    chains: 5,
    barriers: 15,
    shared: 30,
  },
  mbarrier: {
    ...PLAIN,
    links: [...COMMUNICATION, [100, 'arrive'], [6, 'bar'], [4, 'cbar']],
    distances: NEAR,
    chains: 8,
    shared: 50,
  },
  async: {
    ...PLAIN,
    links: [...COMMUNICATION, [60, 'copy'], [30, 'arrive'], [10, 'bar'], [8, 'cbar']],
    distances: NEAR,
    copies: 35,
    chains: 5,
    shared: 40,
  },
  proxy: {
    ...PLAIN,
    links: [...COMMUNICATION, [25, 'copy'], [30, 'arrive'], [15, 'bar'], [10, 'cbar']],
    distances: [...NEAR, [20, 'gpu'], [10, 'sys']],
    copies: 40,
    aliases: 40,
    proxyFences: 50,
    chains: 5,
    shared: 25,
  },
};

/** How many draws without a new test of a family say that it has no more. */
export const DRAWS = 3000;
