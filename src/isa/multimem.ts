import { SCOPES } from '../program/placement.js';
import { STRONG_HAS_SCOPE, VECTORS, WEAK_HAS_NO_SCOPE } from './access.js';
import { decodeAtomic } from './atomic.js';
import { FLOATS, type Instruction, instruction } from './instruction.js';
import { decodeLoad, decodeStore } from './load-store.js';
import type { Rule } from './qualifier-rules.js';

/** Accesses to all replicas of a location on several devices, of which a test has one (PTX ISA, multimem). */
const MULTIMEM = { ptx: '8.1', target: 'sm_90' };
const REPLICATED_TYPES: Readonly<Record<string, readonly string[]>> = {
  add: ['u32', 's32', 'u64', 'f32', 'f64', 'f16x2', 'bf16x2'],
  min: ['u32', 's32', 'u64', 's64', 'f16x2', 'bf16x2'],
  max: ['u32', 's32', 'u64', 's64', 'f16x2', 'bf16x2'],
  and: ['b32', 'b64'],
  or: ['b32', 'b64'],
  xor: ['b32', 'b64'],
};
const HALF_TYPES = ['f16', 'bf16', 'f16x2', 'bf16x2'];
const REPLICATED_FORMS: Rule = {
  rule: (q) =>
    `multimem has no .${q.operation} of .${q.type}${q.vector === undefined ? '' : ` with .${q.vector}`}; vectors ` +
    'are of floating-point numbers, up to 128 bits, and .acc::f32 goes with .add of 16 bits',
  broken: (q) => {
    const [operation, type] = [q.operation ?? '', q.type ?? ''];
    const isHalf = HALF_TYPES.includes(type);
    if (q.accumulator !== undefined && (operation !== 'add' || !isHalf || q.accumulator !== 'acc::f32')) return true;
    const known = (REPLICATED_TYPES[operation] ?? []).includes(type);
    if (q.vector === undefined) return !known;
    const elements = Number(q.vector.slice(1));
    const bits = type.endsWith('16') ? 16 : 32;
    const isVector = (isHalf && operation in { add: 0, min: 0, max: 0 }) || (operation === 'add' && type === 'f32');
    return !isVector || elements * bits > 128;
  },
};
const REPLICATED_PLACE = {
  scope: SCOPES,
  space: ['global'],
  vector: VECTORS,
  type: ['b32', 'b64', 'u32', 'u64', 's32', 's64', ...FLOATS],
} as const;
const REPLICATED = { ...REPLICATED_PLACE, operation: ['add', 'min', 'max', 'and', 'or', 'xor'] } as const;

export const MULTIMEM_INSTRUCTIONS = {
  'multimem.ld_reduce': instruction({
    slots: { order: ['weak', 'relaxed', 'acquire'], ...REPLICATED, accumulator: ['acc::f32', 'acc::f16'] },
    required: ['operation', 'type'],
    defaults: { order: 'weak' },
    rules: [WEAK_HAS_NO_SCOPE, STRONG_HAS_SCOPE, REPLICATED_FORMS],
    operands: 'd, [a]',
    destination: true,
    advised: 'access',
    since: MULTIMEM,
    decode: (at, qualifiers) => decodeLoad(at, { ...qualifiers, space: 'global' }, 'generic'),
  }),
  'multimem.st': instruction({
    slots: { order: ['weak', 'relaxed', 'release'], ...REPLICATED_PLACE },
    required: ['type'],
    defaults: { order: 'weak' },
    rules: [WEAK_HAS_NO_SCOPE, STRONG_HAS_SCOPE],
    operands: '[a], b',
    advised: 'access',
    since: MULTIMEM,
    decode: (at, qualifiers) => decodeStore(at, { ...qualifiers, space: 'global' }, 'generic'),
  }),
  'multimem.red': instruction({
    slots: { order: ['relaxed', 'release'], ...REPLICATED },
    required: ['operation', 'type'],
    defaults: { order: 'relaxed', scope: 'sys' },
    rules: [REPLICATED_FORMS],
    operands: '[a], b',
    advised: 'access',
    since: MULTIMEM,
    decode: (at, qualifiers) => decodeAtomic(at, { ...qualifiers, space: 'global' }, 'generic', true),
  }),
} as const satisfies Record<string, Instruction>;
