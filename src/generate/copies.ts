/**
 * The asynchronous copies, stores and reductions that may perform an event of a cycle (PTX ISA, "Data Movement and
 * Conversion Instructions: Asynchronous copy"): where from, where to, and how their end is told.
 */
export type Direction = 'R' | 'W';

export interface CopyForm {
  /** Where it reads: `value` is an operand, so that such a copy is only a write. */
  readonly source: 'global' | 'own' | 'value';
  readonly destination: 'own' | 'cluster' | 'global';
  readonly completion: Completion;
  readonly bytes: 4 | 16;
  /** It adds to its destination. */
  readonly adds?: true;
  readonly text: (operands: CopyOperands) => string;
}

export type Completion = 'cpAsync' | 'bulkGroup' | 'mbarrier';

export interface CopyOperands {
  readonly to: string;
  /** The state space of the destination: shared::cluster if it is in another CTA. */
  readonly space: string;
  readonly from: string;
  readonly object: string;
}

const TOLD = 'mbarrier::complete_tx::bytes';
const TO_CLUSTER = { source: 'own', destination: 'cluster', completion: 'mbarrier', bytes: 16 } as const;
const TO_GLOBAL = { source: 'own', destination: 'global', completion: 'bulkGroup', bytes: 16 } as const;
const OF_VALUE = { source: 'value', destination: 'cluster', completion: 'mbarrier', bytes: 4 } as const;

export const COPIES = {
  'cp.async': {
    source: 'global',
    destination: 'own',
    completion: 'cpAsync',
    bytes: 4,
    text: ({ to, from }) => `cp.async.ca.shared::cta.global [${to}], [${from}], 4;`,
  },
  g2s: {
    source: 'global',
    destination: 'cluster',
    completion: 'mbarrier',
    bytes: 16,
    text: ({ to, space, from, object }) => `cp.async.bulk.${space}.global.${TOLD} [${to}], [${from}], 16, [${object}];`,
  },
  s2s: {
    ...TO_CLUSTER,
    text: ({ to, from, object }) =>
      `cp.async.bulk.shared::cluster.shared::cta.${TOLD} [${to}], [${from}], 16, [${object}];`,
  },
  s2g: {
    ...TO_GLOBAL,
    text: ({ to, from }) => `cp.async.bulk.global.shared::cta.bulk_group [${to}], [${from}], 16;`,
  },
  'reduce.s2s': {
    ...TO_CLUSTER,
    adds: true,
    text: ({ to, from, object }) =>
      `cp.reduce.async.bulk.shared::cluster.shared::cta.${TOLD}.add.u32 [${to}], [${from}], 16, [${object}];`,
  },
  'reduce.s2g': {
    ...TO_GLOBAL,
    adds: true,
    text: ({ to, from }) => `cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [${to}], [${from}], 16;`,
  },
  'st.async': {
    ...OF_VALUE,
    text: ({ to, from, object }) => `st.async.shared::cluster.${TOLD}.u32 [${to}], ${from}, [${object}];`,
  },
  'red.async': {
    ...OF_VALUE,
    adds: true,
    text: ({ to, from, object }) =>
      `red.async.relaxed.cluster.shared::cluster.${TOLD}.add.u32 [${to}], ${from}, [${object}];`,
  },
} as const satisfies Readonly<Record<string, CopyForm>>;

export type Copy = keyof typeof COPIES;
export const COPY_NAMES = Object.keys(COPIES) as Copy[];

export const copyForm = (copy: Copy): CopyForm => COPIES[copy];

/** Whether a copy can stand for a read of its source. */
export const isReader = (copy: Copy): boolean => copyForm(copy).source !== 'value' && copyForm(copy).adds === undefined;

/**
 * What the issuing thread does about the end of a copy, right after it, by the word that stands for it; some of it too
 * little.
 */
export const ENDS: Readonly<Record<Completion, Readonly<Record<string, readonly string[]>>>> = {
  cpAsync: {
    '': [],
    wait_all: ['cp.async.wait_all;'],
    'wait_group.0': ['cp.async.commit_group;', 'cp.async.wait_group 0;'],
    'wait_group.1': ['cp.async.commit_group;', 'cp.async.wait_group 1;'],
    'uncommitted.wait_group.0': ['cp.async.wait_group 0;'],
  },
  bulkGroup: {
    '': ['cp.async.bulk.commit_group;'],
    'wait_group.0': ['cp.async.bulk.commit_group;', 'cp.async.bulk.wait_group 0;'],
    'wait_group.read.0': ['cp.async.bulk.commit_group;', 'cp.async.bulk.wait_group.read 0;'],
    'wait_group.1': ['cp.async.bulk.commit_group;', 'cp.async.bulk.wait_group 1;'],
    'uncommitted.wait_group.0': ['cp.async.bulk.wait_group 0;'],
  },
  // The waiting thread need not be the issuer: see the hand-overs. `wait` is the issuer itself, with an object of its
  // own.
  mbarrier: { '': [], wait: [] },
};
