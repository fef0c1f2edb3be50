/** What an instruction's qualifiers speak of. */
export type Slot =
  | 'order'
  | 'mmio'
  | 'scope'
  | 'space'
  | 'type'
  /** The second type of cvt. */
  | 'sourceType'
  | 'vector'
  | 'cache'
  | 'operation'
  | 'comparison'
  | 'combination'
  | 'proxyKind'
  | 'level'
  | 'action'
  | 'aligned'
  | 'uniform'
  | 'half'
  | 'sourceSpace'
  | 'parity'
  | 'expectation'
  | 'noComplete'
  | 'increment'
  | 'mechanism'
  | 'multicast'
  | 'dimension'
  | 'mode'
  | 'field'
  | 'size'
  | 'restriction'
  | 'direction'
  | 'reads'
  | 'sync'
  | 'query'
  | 'readOnly'
  | 'accumulator'
  | 'unified'
  | 'shape'
  | 'number'
  | 'transposed'
  | 'packed'
  | 'source'
  | 'fragment'
  | 'layout'
  | 'layoutB'
  | 'typeA'
  | 'typeB'
  | 'typeC'
  | 'kind'
  | 'group'
  | 'sparsity'
  | 'ashift'
  | 'collector'
  | 'metadata'
  | 'scale'
  | 'scaleType'
  | 'saturation'
  | 'carry'
  | 'rounding'
  | 'flush'
  | 'precision'
  | 'quietNan'
  | 'sign'
  | 'magnitude'
  | 'clip'
  | 'finite'
  | 'shiftMode';

/** The qualifiers of one instruction, by slot. */
export interface Qualifiers extends Readonly<Partial<Record<Slot, string>>> {
  /** Of a slot that may be filled several times: all values. */
  readonly several: readonly string[];
  /** How many operands the instruction was given. */
  readonly operandCount: number;
}

/** A combination of qualifiers that the ISA does not have, with the sentence that says so. */
export interface Rule {
  readonly rule: string | ((qualifiers: Qualifiers) => string);
  readonly broken: (qualifiers: Qualifiers) => boolean;
  /** Also binds the shorthand of the Dat3M dialect, which has no type. */
  readonly always?: true;
}

const STRONG = ['relaxed', 'acquire', 'release', 'acq_rel'];

export const WEAK_HAS_NO_SCOPE: Rule = {
  rule: (q) =>
    q.order === 'weak'
      ? `.weak takes no scope, but .${q.scope} is given`
      : `.${q.scope} needs an order: .relaxed, .acquire or .release; a plain access is .weak`,
  broken: (q) => q.scope !== undefined && (q.order === 'weak' || q.order === undefined) && q.mmio === undefined,
  always: true,
};
export const VOLATILE_ALONE: Rule = {
  rule: '.volatile takes no scope and no .mmio: it is a relaxed access at system scope (8.4.2)',
  broken: (q) => q.order === 'volatile' && (q.scope !== undefined || q.mmio !== undefined),
  always: true,
};
export const STRONG_HAS_SCOPE: Rule = {
  rule: (q) => `.${q.order} needs a scope: .cta, .cluster, .gpu or .sys`,
  broken: (q) => STRONG.includes(q.order ?? '') && q.scope === undefined,
  always: true,
};
export const MMIO_FORM: Rule = {
  rule: '.mmio is only .mmio.relaxed.sys, .mmio.acquire.sys (loads) or .mmio.release.sys (stores)',
  broken: (q) => q.mmio !== undefined && (q.scope !== 'sys' || !STRONG.includes(q.order ?? '')),
  always: true,
};
export const MMIO_SPACE: Rule = {
  rule: '.mmio is for .global memory only, and takes no vector',
  broken: (q) => q.mmio !== undefined && ((q.space !== undefined && q.space !== 'global') || q.vector !== undefined),
  always: true,
};

/** Memory of one thread, and what nobody writes while a grid runs, knows weak accesses only. */
export const PRIVATE_SPACES: Rule = {
  rule: (q) => `.${q.space} memory takes weak accesses only${q.space === 'local' ? ', also .volatile' : ''}`,
  broken: (q) =>
    (/^(const|param)/.test(q.space ?? '') && q.order !== undefined && q.order !== 'weak') ||
    (q.space === 'local' && STRONG.includes(q.order ?? '')),
  always: true,
};
export const READ_ONLY_PATH: Rule = {
  rule: (q) =>
    q.readOnly === 'nc'
      ? '.nc goes with .global, and with neither an order nor .mmio'
      : '.proxy::readonly goes with .global or a generic address, and with neither an order nor .mmio',
  broken: (q) =>
    q.readOnly !== undefined &&
    (q.order !== undefined ||
      q.mmio !== undefined ||
      (q.space !== 'global' && (q.readOnly === 'nc' || q.space !== undefined))),
  always: true,
};

/** The types of each operation of red.async and cp.reduce.async.bulk, which have no floating point here. */
export const REDUCIBLE_TYPES: Readonly<Record<string, readonly string[]>> = {
  add: ['u32', 's32', 'u64'],
  inc: ['u32'],
  dec: ['u32'],
  min: ['u32', 's32', 'u64', 's64'],
  max: ['u32', 's32', 'u64', 's64'],
  and: ['b32', 'b64'],
  or: ['b32', 'b64'],
  xor: ['b32', 'b64'],
};

/** The types of each atomic operation (PTX ISA, atom). */
export const TYPES_OF: Readonly<Record<string, readonly string[]>> = {
  ...REDUCIBLE_TYPES,
  exch: ['b32', 'b64', 'b128'],
  cas: ['b16', 'b32', 'b64', 'b128'],
  sub: [],
};
/** Floating-point types by operation (PTX ISA, atom and red); those of 16 bits are written with .noftz. */
const HALVES = ['f16', 'bf16', 'f16x2', 'bf16x2'];
const FLOATS_OF: Readonly<Record<string, readonly string[]>> = { add: ['f32', 'f64', ...HALVES] };
const VECTORS_OF: Readonly<Record<string, readonly string[]>> = { add: ['f32', ...HALVES], min: HALVES, max: HALVES };

export const ATOM_TYPES: Rule = {
  rule: (q) => {
    if (q.operation === 'sub') return 'PTX has no atomic .sub: add the negated value';
    if (q.vector !== undefined)
      return (
        'vectors are .global, of .add with .v2 or .v4 of .f32, or of .add, .min or .max with .noftz and up to 128 ' +
        'bits of .f16, .bf16, .f16x2 or .bf16x2'
      );
    if (HALVES.includes(q.type ?? '') || q.flush !== undefined)
      return '.noftz goes with .add of .f16, .bf16, .f16x2 and .bf16x2';
    const types = [...(TYPES_OF[q.operation ?? ''] ?? []), ...(FLOATS_OF[q.operation ?? ''] ?? [])];
    return `.${q.operation} needs a type among ${types.map((type) => `.${type}`).join(', ')}`;
  },
  broken: (q) => {
    const [operation, type] = [q.operation ?? '', q.type ?? ''];
    const flushes = !HALVES.includes(type);
    if ((q.flush === undefined) !== flushes) return true;
    if (q.vector === undefined)
      return ![...(TYPES_OF[operation] ?? []), ...(FLOATS_OF[operation] ?? [])].includes(type);
    const elements = Number(q.vector.slice(1));
    const bits = (type.endsWith('16') ? 16 : 32) * elements;
    return (
      (q.space !== undefined && q.space !== 'global') || !(VECTORS_OF[operation] ?? []).includes(type) || bits > 128
    );
  },
};
/** The only order and scope that each restriction goes with (PTX ISA, fence). */
const RESTRICTED_ORDER: Readonly<Record<string, string>> = {
  mbarrier_init: 'release',
  'sync_restrict::shared::cta': 'release',
  'sync_restrict::shared::cluster': 'acquire',
};
export const FENCE_RESTRICTION: Rule = {
  rule: (q) => `.${q.restriction} goes with .${RESTRICTED_ORDER[q.restriction ?? '']} and .cluster only`,
  broken: (q) => q.restriction !== undefined && (q.order !== RESTRICTED_ORDER[q.restriction] || q.scope !== 'cluster'),
  always: true,
};
/** The uni-directional forms of fence.proxy; the others are bi-directional, without order, scope and operands. */
export const PROXY_FENCE_FORM: Rule = {
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
export const MEMBAR_PROXY_FORM: Rule = {
  rule: 'membar.proxy is bi-directional only: membar.proxy.alias or membar.proxy.async',
  broken: (q) => q.direction !== undefined || q.order !== undefined,
  always: true,
};
export const BARRIER_COUNT: Rule = {
  rule: (q) =>
    q.action === 'red'
      ? '.red needs an operation and its type: .popc.u32, .and.pred or .or.pred'
      : `.${q.action} takes no reduction`,
  broken: (q) =>
    q.action === 'red'
      ? q.operation === undefined || q.type !== (q.operation === 'popc' ? 'u32' : 'pred') || q.level === 'warp'
      : q.operation !== undefined || q.type !== undefined,
  always: true,
};
