import { SCOPES } from '../program/placement.js';
import { decodeBarrier, decodeClusterBarrier, decodeFence, decodeProxyFence } from './decode-synchronization.js';
import { ANY_TARGET, type Instruction, instruction, type Since } from './instruction.js';
import { BARRIER_COUNT, FENCE_RESTRICTION, MEMBAR_PROXY_FORM, PROXY_FENCE_FORM, type Rule } from './qualifier-rules.js';

/** The entries of fences and barriers (PTX ISA, Parallel Synchronization and Communication Instructions). */
const proxyFence = (rules: readonly Rule[], since: Since): Instruction =>
  instruction({
    slots: {
      proxyKind: ['alias', 'generic', 'texture', 'surface', 'constant', 'async'],
      direction: ['async::generic', 'tensormap::generic'],
      order: ['acquire', 'release'],
      scope: SCOPES,
      restriction: [
        'sync_restrict::shared::cta',
        'sync_restrict::shared::cluster',
        'sync_restrict::shared::cluster::read',
      ],
      space: ['global', 'shared::cta', 'shared::cluster'],
    },
    several: 'proxyKind',
    operands: '{[addr], size}',
    rules,
    notYet: ['generic::fabric', 'fabric::generic', 'fabric::fabric', 'proxy::readonly'],
    advised: 'presence',
    since,
    decode: decodeProxyFence,
  });

/** On sm_70 and later membar is fence.sc of that scope (PTX ISA, membar). */
const MEMBAR_SCOPES = { cta: 'cta', gl: 'gpu', sys: 'sys' } as const;
const REDUCTIONS = ['popc', 'and', 'or'] as const;
const RESULTS = ['u32', 'pred'] as const;
const BARRIER = {
  operands: 'a{, b}',
  operandCount: [1, 4],
  destination: { with: 'red' },
  rules: [BARRIER_COUNT],
  untyped: true,
} as const;

export const SYNCHRONIZATION_INSTRUCTIONS = {
  fence: instruction({
    slots: {
      order: ['sc', 'acq_rel', 'acquire', 'release'],
      scope: SCOPES,
      restriction: ['mbarrier_init', 'sync_restrict::shared::cta', 'sync_restrict::shared::cluster'],
    },
    required: ['scope'],
    defaults: { order: 'acq_rel' },
    operands: '',
    rules: [FENCE_RESTRICTION],
    refused: { relaxed: 'a relaxed fence would order nothing', weak: 'fences are strong' },
    advised: 'fence',
    since: {
      ptx: '6.0; .cluster 7.8; .mbarrier_init 8.0; .acquire, .release, .sync_restrict 8.6',
      target: 'sm_70; .acquire, .release, .cluster, restrictions sm_90',
    },
    decode: decodeFence,
  }),
  'fence.proxy': proxyFence([PROXY_FENCE_FORM], {
    ptx: '7.5; .async 8.0; tensormap::generic 8.3; async::generic 8.6; .alias.acquire, .alias.release, ::read 9.4',
    target: 'sm_70; .async and later sm_90',
  }),
  'membar.proxy': proxyFence([MEMBAR_PROXY_FORM, PROXY_FENCE_FORM], {
    ptx: '7.5; .async 8.0',
    target: 'sm_60; .async sm_90',
  }),
  membar: instruction({
    slots: { level: ['cta', 'gl', 'sys'] },
    required: ['level'],
    operands: '',
    refused: {
      gpu: 'the level is called .gl: membar.gl is fence.sc.gpu',
      cluster: 'membar has .cta, .gl and .sys only; use fence.sc.cluster',
    },
    advised: 'fence',
    fenceOf: MEMBAR_SCOPES,
    since: { ptx: '1.4', target: 'sm_10' },
    decode: (at, { level }) => decodeFence(at, { order: 'sc', scope: MEMBAR_SCOPES[level] }),
  }),
  bar: instruction({
    ...BARRIER,
    slots: { level: ['cta', 'warp'], action: ['sync', 'arrive', 'red'], operation: REDUCTIONS, type: RESULTS },
    required: ['action'],
    since: ANY_TARGET,
    decode: (at, qualifiers) => decodeBarrier(at, { ...qualifiers, aligned: 'aligned' }),
  }),
  barrier: instruction({
    ...BARRIER,
    slots: {
      level: ['cta'],
      action: ['sync', 'arrive', 'red'],
      aligned: ['aligned'],
      operation: REDUCTIONS,
      type: RESULTS,
    },
    required: ['action'],
    refused: { cluster: 'it is barrier.cluster.arrive or barrier.cluster.wait' },
    since: { ptx: '6.0', target: 'sm_30' },
    decode: decodeBarrier,
  }),
  'barrier.cluster.arrive': instruction({
    slots: { order: ['release', 'relaxed'], aligned: ['aligned'] },
    defaults: { order: 'release' },
    operands: '',
    refused: { acquire: 'an arrival is .release or .relaxed' },
    advised: 'access',
    since: { ptx: '7.8; .release, .relaxed 8.0', target: 'sm_90' },
    decode: (at, qualifiers) => decodeClusterBarrier(at, qualifiers, 'arrive'),
  }),
  'barrier.cluster.wait': instruction({
    slots: { order: ['acquire'], aligned: ['aligned'] },
    defaults: { order: 'acquire' },
    operands: '',
    refused: { release: 'a wait is .acquire', relaxed: 'a wait is .acquire' },
    since: { ptx: '7.8; .acquire 8.0', target: 'sm_90' },
    decode: (at, qualifiers) => decodeClusterBarrier(at, qualifiers, 'wait'),
  }),
} as const satisfies Record<string, Instruction>;
