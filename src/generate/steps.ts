import { SCOPES } from '../program/placement.js';

/** What may stand between two accesses of a thread, by its word in cycles and names. */
export type Step =
  /** An instruction of its own. */
  | { readonly kind: 'fence'; readonly text: string }
  /** The barrier that all threads of the CTA take part in. */
  | { readonly kind: 'barrier' }
  /** Past the rest of the thread's accesses, unless the read before brought what the outcome needs. */
  | { readonly kind: 'branch' }
  /** A dependency of the later access on the value of the earlier load. */
  | { readonly kind: 'dependency'; readonly on: 'address' | 'data' | 'control' };

const FENCE_ORDERS = ['sc', 'acq_rel', 'acquire', 'release'] as const;

function* allSteps(): Generator<readonly [word: string, step: Step]> {
  for (const order of FENCE_ORDERS)
    for (const scope of SCOPES) yield [`fence.${order}.${scope}`, { kind: 'fence', text: `fence.${order}.${scope};` }];
  for (const [word, text] of Object.entries(OTHER_FENCES)) yield [word, { kind: 'fence', text: `${text};` }];
  yield ['bar.sync', { kind: 'barrier' }];
  yield ['branch', { kind: 'branch' }];
  yield ['addr', { kind: 'dependency', on: 'address' }];
  yield ['data', { kind: 'dependency', on: 'data' }];
  yield ['ctrl', { kind: 'dependency', on: 'control' }];
}

/** Proxy fences, and the forms restricted to shared memory. */
const OTHER_FENCES: Readonly<Record<string, string>> = {
  'fence.alias': 'fence.proxy.alias',
  'fence.alias.rel.sys': 'fence.proxy.alias.release.sys',
  'fence.alias.acq.sys': 'fence.proxy.alias.acquire.sys',
  'fence.async': 'fence.proxy.async',
  'fence.async.global': 'fence.proxy.async.global',
  'fence.async.shared.cta': 'fence.proxy.async.shared::cta',
  'fence.async.shared.cluster': 'fence.proxy.async.shared::cluster',
  'fence.async.rel.shared.cta': 'fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster',
  'fence.async.acq.shared.cluster': 'fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster',
  'fence.rel.shared.cta': 'fence.release.sync_restrict::shared::cta.cluster',
  'fence.acq.shared.cluster': 'fence.acquire.sync_restrict::shared::cluster.cluster',
};

export const STEPS: ReadonlyMap<string, Step> = new Map(allSteps());

export const isProxyFence = (word: string): boolean => /^fence\.(alias|async)/.test(word);
