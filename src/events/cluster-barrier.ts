/**
 * Misuse of barrier.cluster, with the words of the report (PTX ISA, barrier.cluster: each thread arrives once in a
 * phase, then waits).
 */
export const CLUSTER_BARRIER_RULES = {
  twice: 'barrier.cluster.arrive before the wait for the arrival before it',
  idle: 'barrier.cluster.wait without an arrival of the same thread to wait for',
} as const;
