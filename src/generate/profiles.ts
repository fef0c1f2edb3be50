import type { Communication } from './cycle.js';
import type { CycleFamily } from './families.js';
import type { Distance } from './places.js';

/**
 * How often each choice is made when a cycle is drawn: weights, whose order counts, and percentages where a choice is
 * yes or no.
 */
export interface Profile {
  /** What leads from a thread to the next one. */
  readonly links: Readonly<Partial<Record<Link, number>>>;
  readonly distances: Readonly<Partial<Record<Distance, number>>>;
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

const COMMUNICATION = { Rfe: 50, Fre: 30, Coe: 20 };
const NEAR = { cta: 50, cluster: 40, gpu: 10 };
const FAR = { cta: 30, cluster: 15, gpu: 35, sys: 20 };
const PLAIN = { copies: 0, aliases: 0, proxyFences: 0, chains: 0, barriers: 0, shared: 15 };

export const PROFILES: Readonly<Record<CycleFamily, Profile>> = {
  ring: { ...PLAIN, links: COMMUNICATION, distances: FAR },
  chain: { ...PLAIN, links: COMMUNICATION, distances: FAR, chains: 40 },
  barrier: {
    ...PLAIN,
    links: { ...COMMUNICATION, bar: 40, cbar: 40 },
    distances: NEAR,
    chains: 5,
    barriers: 15,
    shared: 30,
  },
  mbarrier: {
    ...PLAIN,
    links: { ...COMMUNICATION, arrive: 100, bar: 6, cbar: 4 },
    distances: NEAR,
    chains: 8,
    shared: 50,
  },
  async: {
    ...PLAIN,
    links: { ...COMMUNICATION, copy: 60, arrive: 30, bar: 10, cbar: 8 },
    distances: NEAR,
    copies: 35,
    chains: 5,
    shared: 40,
  },
  proxy: {
    ...PLAIN,
    links: { ...COMMUNICATION, copy: 25, arrive: 30, bar: 15, cbar: 10 },
    distances: { ...NEAR, gpu: 30, sys: 10 },
    copies: 40,
    aliases: 40,
    proxyFences: 50,
    chains: 5,
    shared: 25,
  },
};

/** How many draws without a new test of a family say that it has no more. */
export const DRAWS = 3000;
