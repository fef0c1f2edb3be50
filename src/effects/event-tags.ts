import type { Manner } from '../program/locations.js';
import type { AccessQualifiers } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { TensorStep } from '../program/tensor-memory.js';

/** The names of the sets of events in cat files; each event has those that apply to it. */
export const TAGS = [
  ...(['R', 'W', 'F', 'B', 'IW', 'UNINIT', 'RMW', 'RED'] as const),
  ...(['WEAK', 'RLX', 'ACQ', 'REL', 'ACQ_REL', 'SC', 'VOL', 'MMIO'] as const),
  ...(['CTA', 'CLUSTER', 'GPU', 'SYS'] as const),
  ...(['GEN', 'ASYNC', 'TMAP', 'TEX', 'SUR', 'CON', 'RO', 'SOMEWHERE'] as const),
  ...(['ALIAS', 'PROXY_FENCE', 'READS_ONLY', 'RESTRICTED'] as const),
  ...(['ASY', 'COPY', 'ISSUE', 'GROUP_WAIT'] as const),
  ...(['MBAR', 'INIT', 'INVAL', 'OPAQUE', 'UNSTABLE'] as const),
  ...(['GRID_WAIT', 'LAUNCH', 'REPRESENTED'] as const),
  ...(['MATRIX', 'TMEM', 'MMA', 'CP', 'CP_4X256B', 'SHIFT', 'LD', 'ST', 'ALLOC', 'DEALLOC'] as const),
  ...(['OPERAND', 'ACCUMULATOR'] as const),
  ...(['CTA_GROUP_1', 'CTA_GROUP_2', 'CTA_PAIR', 'BEFORE_THREAD_SYNC', 'AFTER_THREAD_SYNC', 'RELINQUISH'] as const),
  ...(['ARRIVE', 'WAIT', 'CLUSTER_ARRIVE', 'CLUSTER_WAIT', 'CTA_WAIT', 'EXCHANGE', 'EXIT'] as const),
] as const;
export type Tag = (typeof TAGS)[number];

export const PROXY_TAGS = {
  generic: 'GEN',
  async: 'ASYNC',
  tensormap: 'TMAP',
  texture: 'TEX',
  surface: 'SUR',
  constant: 'CON',
  readonly: 'RO',
} as const satisfies Readonly<Record<AccessQualifiers['proxy'], Tag>>;
export const SCOPE_TAGS = { cta: 'CTA', cluster: 'CLUSTER', gpu: 'GPU', sys: 'SYS' } as const satisfies Readonly<
  Record<Scope, Tag>
>;

export const ORDER_TAGS = {
  weak: 'WEAK',
  relaxed: 'RLX',
  acquire: 'ACQ',
  release: 'REL',
  acq_rel: 'ACQ_REL',
} as const satisfies Readonly<Record<AccessQualifiers['order'], Tag>>;

export function accessTags(access: AccessQualifiers, order: AccessQualifiers['order']): readonly Tag[] {
  const tags: Tag[] = [ORDER_TAGS[order], PROXY_TAGS[access.proxy]];
  if (access.scope !== undefined) tags.push(SCOPE_TAGS[access.scope]);
  if (access.volatile) tags.push('VOL');
  if (access.mmio) tags.push('MMIO');
  return tags;
}

export const TENSOR_STEP_TAGS = {
  before_thread_sync: 'BEFORE_THREAD_SYNC',
  after_thread_sync: 'AFTER_THREAD_SYNC',
  relinquish_alloc_permit: 'RELINQUISH',
} as const satisfies Readonly<Record<TensorStep, Tag>>;

/** What an access with some tags asks of its memory: strong ones synchronize, but for volatile ones. */
export function mannerOf(tags: ReadonlySet<Tag>, isWrite: boolean): Manner {
  if (tags.has('RMW') || (!tags.has('WEAK') && !tags.has('VOL'))) return 'synchronizes';
  return isWrite ? 'writes' : 'reads';
}
