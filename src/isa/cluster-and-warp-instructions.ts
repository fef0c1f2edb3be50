import type { InstructionSpec } from './instruction-spec.js';

/** The entries of cluster barriers and addresses, of the warp instructions and of griddepcontrol. */
const instruction = (
  more: Partial<InstructionSpec> & Pick<InstructionSpec, 'family' | 'slots' | 'operands' | 'operandCount'>,
): InstructionSpec => ({
  destination: false,
  rules: [],
  ptx: '6.0',
  target: 'sm_30',
  ...more,
});

export const CLUSTER_AND_WARP_INSTRUCTIONS = {
  'barrier.cluster': instruction({
    family: 'clusterBarrier',
    slots: { action: ['arrive', 'wait'], order: ['release', 'relaxed', 'acquire'], aligned: ['aligned'] },
    required: ['action'],
    operands: '',
    operandCount: [0, 0],
    rules: [
      {
        rule: (q) =>
          q.action === 'arrive' ? 'barrier.cluster.arrive is .release or .relaxed' : 'barrier.cluster.wait is .acquire',
        broken: (q) => q.order !== undefined && (q.action === 'arrive') === (q.order === 'acquire'),
      },
    ],
    ptx: '7.8; .release, .relaxed, .acquire 8.0',
    target: 'sm_90',
  }),
  'vote.sync': instruction({
    family: 'warp',
    slots: { mode: ['all', 'any', 'uni', 'ballot'], type: ['pred', 'b32'] },
    required: ['mode', 'type'],
    operands: 'd, {!}a, membermask',
    operandCount: [3, 3],
    destination: true,
    rules: [
      {
        rule: 'vote.sync is .all.pred, .any.pred, .uni.pred or .ballot.b32',
        broken: (q) => (q.mode === 'ballot') !== (q.type === 'b32'),
      },
    ],
  }),
  match: instruction({
    family: 'warp',
    slots: { mode: ['any', 'all'], sync: ['sync'], type: ['b32', 'b64'] },
    required: ['mode', 'sync', 'type'],
    operands: 'd{|p}, a, membermask',
    operandCount: [3, 3],
    destination: true,
    target: 'sm_70',
  }),
  activemask: instruction({
    family: 'warp',
    slots: { type: ['b32'] },
    required: ['type'],
    operands: 'd',
    operandCount: [1, 1],
    destination: true,
    ptx: '6.2',
  }),
  'redux.sync': instruction({
    family: 'warp',
    slots: { operation: ['add', 'min', 'max', 'and', 'or', 'xor'], type: ['u32', 's32', 'b32'] },
    required: ['operation', 'type'],
    operands: 'd, a, membermask',
    operandCount: [3, 3],
    destination: true,
    rules: [
      {
        rule: 'redux.sync is .add, .min, .max with .u32 or .s32, or .and, .or, .xor with .b32',
        broken: (q) => ['and', 'or', 'xor'].includes(q.operation ?? '') !== (q.type === 'b32'),
      },
    ],
    refused: {
      f32: 'floating point is not modeled',
      abs: 'floating point is not modeled',
      NaN: 'floating point is not modeled',
    },
    ptx: '7.0',
    target: 'sm_80',
  }),
  'elect.sync': instruction({
    family: 'elect',
    slots: {},
    operands: 'd|p, membermask',
    operandCount: [2, 2],
    destination: true,
    ptx: '8.0',
    target: 'sm_90',
  }),
  griddepcontrol: instruction({
    family: 'grid',
    slots: { action: ['launch_dependents', 'wait'] },
    required: ['action'],
    operands: '',
    operandCount: [0, 0],
    ptx: '7.8',
    target: 'sm_90',
  }),
  mapa: instruction({
    family: 'mapAddress',
    slots: { space: ['shared::cluster'], type: ['u32', 'u64'] },
    required: ['type'],
    operands: 'd, a, b',
    operandCount: [3, 3],
    destination: true,
    ptx: '7.8',
    target: 'sm_90',
  }),
  getctarank: instruction({
    family: 'clusterRank',
    slots: { space: ['shared::cluster'], type: ['u32', 'u64'] },
    required: ['type'],
    operands: 'd, a',
    operandCount: [2, 2],
    destination: true,
    ptx: '7.8',
    target: 'sm_90',
  }),
  cvta: instruction({
    family: 'convertAddress',
    slots: { action: ['to'], space: ['global', 'shared', 'shared::cta', 'shared::cluster'], type: ['u32', 'u64'] },
    required: ['space', 'type'],
    operands: 'd, a',
    operandCount: [2, 2],
    destination: true,
    ptx: '2.0',
    target: 'sm_20',
  }),
  nanosleep: instruction({
    family: 'nothing',
    slots: { type: ['u32'] },
    required: ['type'],
    operands: 't',
    operandCount: [1, 1],
    ptx: '6.3',
    target: 'sm_70',
  }),
} as const satisfies Record<string, InstructionSpec>;
