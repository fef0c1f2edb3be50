import { decodeClusterRank, decodeConvertAddress, decodeIsSpace, decodeMapAddress } from './decode-address.js';
import { decodeGridDependency } from './decode-synchronization.js';
import { decodeActiveMask, decodeElect, decodeMatch, decodeRedux, decodeShuffle, decodeVote } from './decode-warp.js';
import { FERMI, HOPPER, type Instruction, instruction } from './instruction.js';

/** The entries of cluster addresses, of the warp instructions, of griddepcontrol and of nanosleep. */
const SPACES = [
  ...(['global', 'shared', 'shared::cta', 'shared::cluster', 'local', 'const'] as const),
  ...(['param', 'param::entry', 'param::func'] as const),
] as const;
const CLUSTER = { ptx: '7.8', target: 'sm_90' };

export const CLUSTER_AND_WARP_INSTRUCTIONS = {
  'vote.sync': instruction({
    slots: { mode: ['all', 'any', 'uni', 'ballot'], type: ['pred', 'b32'] },
    required: ['mode', 'type'],
    operands: 'd, {!}a, membermask',
    destination: true,
    rules: [
      {
        rule: 'vote.sync is .all.pred, .any.pred, .uni.pred or .ballot.b32',
        broken: (q) => (q.mode === 'ballot') !== (q.type === 'b32'),
      },
    ],
    since: { ptx: '6.0', target: 'sm_30' },
    decode: decodeVote,
  }),
  match: instruction({
    slots: { mode: ['any', 'all'], sync: ['sync'], type: ['b32', 'b64'] },
    required: ['mode', 'sync', 'type'],
    operands: 'd{|p}, a, membermask',
    destination: true,
    since: { ptx: '6.0', target: 'sm_70' },
    decode: decodeMatch,
  }),
  'shfl.sync': instruction({
    slots: { mode: ['up', 'down', 'bfly', 'idx'], type: ['b32'] },
    required: ['mode', 'type'],
    operands: 'd{|p}, a, b, c, membermask',
    destination: true,
    since: { ptx: '6.0', target: 'sm_30' },
    decode: decodeShuffle,
  }),
  activemask: instruction({
    slots: { type: ['b32'] },
    required: ['type'],
    operands: 'd',
    destination: true,
    since: { ptx: '6.2', target: 'sm_30' },
    decode: decodeActiveMask,
  }),
  'redux.sync': instruction({
    slots: {
      operation: ['add', 'min', 'max', 'and', 'or', 'xor'],
      magnitude: ['abs'],
      quietNan: ['NaN'],
      type: ['u32', 's32', 'b32', 'f32'],
    },
    required: ['operation', 'type'],
    operands: 'd, a, membermask',
    destination: true,
    rules: [
      {
        rule:
          'redux.sync is .add, .min, .max with .u32 or .s32, .and, .or, .xor with .b32, or .min, .max {.abs} {.NaN} ' +
          'with .f32',
        broken: (q) =>
          ['and', 'or', 'xor'].includes(q.operation ?? '') !== (q.type === 'b32') ||
          (q.type === 'f32' ? q.operation === 'add' : q.magnitude !== undefined || q.quietNan !== undefined),
      },
    ],
    since: { ptx: '7.0; .f32 8.6', target: 'sm_80; .f32 sm_100a' },
    decode: decodeRedux,
  }),
  'elect.sync': instruction({
    slots: {},
    operands: 'd|p, membermask',
    destination: true,
    since: HOPPER,
    decode: decodeElect,
  }),
  griddepcontrol: instruction({
    slots: { action: ['launch_dependents', 'wait'] },
    required: ['action'],
    operands: '',
    since: CLUSTER,
    decode: decodeGridDependency,
  }),
  mapa: instruction({
    slots: { space: ['shared::cluster'], type: ['u32', 'u64'] },
    required: ['type'],
    operands: 'd, a, b',
    destination: true,
    since: CLUSTER,
    decode: decodeMapAddress,
  }),
  getctarank: instruction({
    slots: { space: ['shared::cluster'], type: ['u32', 'u64'] },
    required: ['type'],
    operands: 'd, a',
    destination: true,
    since: CLUSTER,
    decode: decodeClusterRank,
  }),
  cvta: instruction({
    slots: { action: ['to'], space: SPACES, type: ['u32', 'u64'] },
    required: ['space', 'type'],
    operands: 'd, a',
    destination: true,
    since: FERMI,
    decode: decodeConvertAddress,
  }),
  isspacep: instruction({
    slots: { space: SPACES },
    required: ['space'],
    operands: 'p, a',
    destination: true,
    since: { ptx: '2.0; .const 3.1; .param 7.7', target: 'sm_20' },
    decode: decodeIsSpace,
  }),
  nanosleep: instruction({
    slots: { type: ['u32'] },
    required: ['type'],
    operands: 't',
    since: { ptx: '6.3', target: 'sm_70' },
    // It takes time only.
    decode: () => undefined,
  }),
} as const satisfies Record<string, Instruction>;
