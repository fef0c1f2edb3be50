import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import type { FenceRestriction } from '../program/operation.js';
import { SCOPES } from '../program/placement.js';
import { type Instruction, instruction, type Since } from './instruction.js';
import { place } from './place.js';
import type { Rule } from './qualifier-rules.js';

/** fence, membar and their proxy fences (PTX ISA, Parallel Synchronization and Communication Instructions). */

/** The only order and scope that each restriction goes with (PTX ISA, fence). */
const RESTRICTED_ORDER: Readonly<Record<string, string>> = {
  mbarrier_init: 'release',
  'sync_restrict::shared::cta': 'release',
  'sync_restrict::shared::cluster': 'acquire',
};
const FENCE_RESTRICTION: Rule = {
  rule: (q) => `.${q.restriction} goes with .${RESTRICTED_ORDER[q.restriction ?? '']} and .cluster only`,
  broken: (q) => q.restriction !== undefined && (q.order !== RESTRICTED_ORDER[q.restriction] || q.scope !== 'cluster'),
  always: true,
};
/** The uni-directional forms of fence.proxy; the others are bi-directional, without order, scope and operands. */
const PROXY_FENCE_FORM: Rule = {
  rule: (q) => {
    if (q.direction === 'tensormap::generic')
      return 'fence.proxy.tensormap::generic is .release.SCOPE, or .acquire.SCOPE with [addr], 128';
    if (q.direction === 'async::generic')
      return (
        'fence.proxy.async::generic is .acquire.sync_restrict::shared::cluster.cluster, or .release with ' +
        '.sync_restrict::shared::cta.cluster or .sync_restrict::shared::cluster::read.cluster'
      );
    if (q.proxyKind === undefined)
      return (
        'fence.proxy needs a kind: .alias, .async, .tensormap::generic, .async::generic, .texture, ' +
        '.surface, .constant or .generic'
      );
    if (q.proxyKind === 'alias' && q.order !== undefined)
      return 'fence.proxy.alias with an order is .alias.acquire.sys or .alias.release.sys';
    if (q.space !== undefined) return 'a state space goes with fence.proxy.async only';
    return `fence.proxy.${q.proxyKind} takes neither order, scope nor operands`;
  },
  broken: (q) => {
    const operands = q.operandCount;
    if (q.direction === 'tensormap::generic') {
      const plain =
        q.proxyKind === undefined && q.restriction === undefined && q.space === undefined && q.scope !== undefined;
      return !plain || q.order === undefined || operands !== (q.order === 'acquire' ? 2 : 0);
    }
    if (q.direction === 'async::generic') {
      const acquires = q.order === 'acquire' && q.restriction === 'sync_restrict::shared::cluster';
      const releases =
        q.order === 'release' &&
        (q.restriction === 'sync_restrict::shared::cta' || q.restriction === 'sync_restrict::shared::cluster::read');
      return (
        q.proxyKind !== undefined ||
        q.space !== undefined ||
        q.scope !== 'cluster' ||
        operands !== 0 ||
        !(acquires || releases)
      );
    }
    if (q.proxyKind === undefined || q.restriction !== undefined || operands !== 0) return true;
    if (q.space !== undefined && q.proxyKind !== 'async') return true;
    if (q.proxyKind === 'alias' && q.order !== undefined) return q.scope !== 'sys';
    return q.order !== undefined || q.scope !== undefined;
  },
  always: true,
};
const MEMBAR_PROXY_FORM: Rule = {
  rule: 'membar.proxy is bi-directional only: membar.proxy.alias or membar.proxy.async',
  broken: (q) => q.direction !== undefined || q.order !== undefined,
  always: true,
};

const RESTRICTIONS = {
  mbarrier_init: 'mbarrier_init',
  'sync_restrict::shared::cta': 'shared::cta',
  'sync_restrict::shared::cluster': 'shared::cluster',
} as const satisfies Record<string, FenceRestriction>;

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
    decode: (at, { order, scope, restriction, direction, space, several }) => {
      const readsOnly = restriction?.endsWith('::read') === true;
      const common = { kind: 'proxy-fence', order, scope, readsOnly, address: undefined } as const;
      if (direction === 'async::generic') {
        // What a release covers is generic, what an acquire covers is asynchronous; both are limited to a state space.
        const covered = restriction === 'sync_restrict::shared::cta' ? 'shared::cta' : 'shared::cluster';
        return at.emit({ ...common, proxy: 'async', space: covered });
      }
      if (direction === 'tensormap::generic') {
        const [map, size] = at.operands;
        if (size !== undefined && (size.kind !== 'number' || size.value !== BigInt(DESCRIPTOR_BYTES)))
          return void at.refuse(size, 'the size is 128, the bytes of a tensor map');
        const address = place(at, map, 'global', DESCRIPTOR_BYTES, 1);
        if (map !== undefined && address === undefined) return;
        return at.emit({ ...common, proxy: 'tensormap', space: undefined, address });
      }
      // Several kinds on one fence, as nvlitmus writes them, are one fence after the other.
      for (const proxy of several) at.emit({ ...common, proxy, space });
    },
  });

/** On sm_70 and later membar is fence.sc of that scope (PTX ISA, membar). */
const MEMBAR_SCOPES = { cta: 'cta', gl: 'gpu', sys: 'sys' } as const;

export const FENCE_INSTRUCTIONS = {
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
    decode: (at, { order, scope, restriction }) =>
      at.emit({ kind: 'fence', order, scope, restriction: restriction && RESTRICTIONS[restriction] }),
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
    decode: (at, { level }) =>
      at.emit({ kind: 'fence', order: 'sc', scope: MEMBAR_SCOPES[level], restriction: undefined }),
  }),
} as const satisfies Record<string, Instruction>;
