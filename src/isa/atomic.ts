import type { AsyncOperation } from '../program/async-operation.js';
import { type DataType, showDataType, type TypeName } from '../program/data-type.js';
import type { FloatFunction } from '../program/float-function.js';
import type { StateSpace } from '../program/locations.js';
import {
  ATOMIC_OPERATIONS,
  type Atomic,
  type AtomicOperation,
  type Operand,
  type Proxy,
  register,
} from '../program/operation.js';
import { SCOPES } from '../program/placement.js';
import { access, checkAccess, type Given, VECTORS, vectorElements } from './access.js';
import { formatOf, isFloat, isPacked, manner } from './float-instructions.js';
import { FLOATS, type Instruction, instruction, SHARED, type Since } from './instruction.js';
import { type InstructionDecoder, windowOf } from './instruction-decoder.js';
import { type Rule, TYPES_OF } from './qualifier-rules.js';
import { B32, each, value } from './typed-operands.js';

/** atom and red, on integers, bits and floating-point numbers (PTX ISA 9.7.15.5, 9.7.15.6). */

/** Floating-point types by operation (PTX ISA, atom and red); those of 16 bits are written with .noftz. */
const HALVES = ['f16', 'bf16', 'f16x2', 'bf16x2'];
const FLOATS_OF: Readonly<Record<string, readonly string[]>> = { add: ['f32', 'f64', ...HALVES] };
const VECTORS_OF: Readonly<Record<string, readonly string[]>> = { add: ['f32', ...HALVES], min: HALVES, max: HALVES };

const ATOM_TYPES: Rule = {
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

/** `reduction`: it is a `red`, without a destination. */
export function decodeAtomic(
  at: InstructionDecoder,
  qualifiers: Given & { readonly operation: AtomicOperation },
  proxy: Proxy,
  reduction: boolean,
): void {
  const [target, source, ...rest] = reduction ? [undefined, ...at.operands] : at.operands;
  const { operation } = qualifiers;
  const wanted = operation === 'cas' ? 2 : 1;
  if (rest.length !== wanted) {
    return void at.refuse(
      undefined,
      `${at.mnemonic}.${operation} takes ` +
        `${reduction ? '[a], b' : wanted === 2 ? 'd, [a], b, c' : 'd, [a], b'}: ${wanted} value ` +
        `operand${wanted === 1 ? '' : 's'}, found ${rest.length}`,
    );
  }
  const found = at.address(source, windowOf(qualifiers.space));
  if (found === undefined) return;
  const type = elementTypeOf(qualifiers.type) ?? at.type(qualifiers.type, found.range);
  const [given] = rest;
  const elements = given === undefined ? undefined : vectorElements(at, given, qualifiers.vector);
  if (elements === undefined) return;
  const targets =
    target === undefined || target.kind === 'sink' ? undefined : vectorElements(at, target, qualifiers.vector);
  if (target !== undefined && target.kind !== 'sink' && targets === undefined) return;
  const halves = qualifiers.type !== undefined && isPacked(qualifiers.type) ? 2 : 1;
  const accessed = checkAccess(at, qualifiers, proxy, found, type, elements.length * halves);
  if (accessed === undefined) return;
  const untyped = qualifiers.type === undefined;
  const whole: DataType = halves === 1 ? type : B32;
  const values = each(at, wanted === 2 ? rest : elements, value(whole, { untyped }));
  const results = (targets ?? [target]).map((one) => at.target(one, whole, { sink: true, untyped }));
  if (values === undefined) return;
  const of = floatAtomic(operation, qualifiers, found.range?.object.space);
  const common = {
    kind: 'atomic',
    type,
    operation,
    reduction,
    address: accessed.address,
    ...access(qualifiers, proxy),
    ...(of === undefined ? {} : { function: of }),
  } as const;
  if (halves === 2) return packedAtomic(at, common, values, results);
  const [own, others] = wanted === 2 ? [values, []] : [values.slice(0, 1), values.slice(1)];
  const more = others.map((value, i) => ({ target: results[i + 1], value }));
  at.emit({ ...common, target: results[0], values: own, ...(more.length === 0 ? {} : { more }) });
}

/** Packed numbers are atomic by halves, in no order (PTX ISA, atom: only the elements are accessed atomically). */
function packedAtomic(
  at: InstructionDecoder,
  common: Omit<Atomic, 'target' | 'values' | 'more'>,
  values: readonly Operand[],
  results: readonly (string | undefined)[],
): void {
  const half = at.of(16);
  const elements = values.flatMap((value, i) =>
    half.elements(value, 2).map((own) => ({
      value: own,
      target: results[i] === undefined ? undefined : at.temporary(common.type),
    })),
  );
  const [first, ...more] = elements;
  if (first === undefined) return;
  at.emit({ ...common, target: first.target, values: [first.value], more });
  results.forEach((result, i) => {
    const parts = elements.slice(2 * i, 2 * i + 2).map(({ target }) => register(target ?? ''));
    if (result !== undefined) at.result(result, B32, half.concatenate(parts));
  });
}

/** The type of an element of a packed type. */
const elementTypeOf = (type: TypeName | undefined): DataType | undefined =>
  type !== undefined && isPacked(type) ? { kind: 'b', width: 16 } : undefined;

/** What a floating-point atomic computes; those of f32 in global memory have no subnormal numbers (PTX ISA, atom). */
export function floatAtomic(
  operation: AtomicOperation,
  { type, space }: Pick<Given, 'type' | 'space'>,
  there: StateSpace | undefined,
): FloatFunction | undefined {
  const names = { add: 'add', min: 'minimum', max: 'maximum' } as const;
  if (type === undefined || !isFloat(type) || !(operation in names)) return undefined;
  const format = formatOf(type);
  const isShared = space?.startsWith('shared') === true || there === 'shared';
  return {
    name: names[operation as keyof typeof names],
    from: format,
    to: format,
    ...manner(new Set(format === 'f32' && !isShared ? ['ftz'] : [])),
    operandCount: 2,
  };
}

/** A reduction of elements of a tensor, whose type its tensor map says (PTX ISA, cp.reduce.async.bulk.tensor). */
export function reductionOf(
  { operation }: NonNullable<AsyncOperation['reduction']>,
  type: DataType,
): NonNullable<AsyncOperation['reduction']> {
  const of = floatAtomic(operation, { type: showDataType(type) as TypeName, space: 'global' }, 'global');
  return of === undefined ? { operation, type } : { operation, type, function: of };
}

const NOTHING_ACQUIRED = 'it returns nothing that could be acquired';
const ATOMIC_REFUSED = {
  weak: 'atomic operations are always strong',
  sc: 'PTX has fence.sc; an atomic is at most .acq_rel',
  volatile: 'atomic operations take no .volatile',
};
const ATOMIC = {
  required: ['operation'],
  // PTX ISA, atom and red.
  defaults: { order: 'relaxed', scope: 'gpu' },
  rules: [ATOM_TYPES],
  cacheHints: true,
  untyped: true,
  advised: 'access',
} as const;

const atomic = (proxy: Proxy, since: Since | 'dialect'): Instruction =>
  instruction({
    ...ATOMIC,
    slots: {
      order: ['relaxed', 'acquire', 'release', 'acq_rel'],
      scope: SCOPES,
      space: ['global', ...SHARED],
      operation: ATOMIC_OPERATIONS,
      flush: ['noftz'],
      vector: VECTORS,
      type: ['b16', 'b32', 'b64', 'b128', 'u32', 'u64', 's32', 's64', ...FLOATS],
    },
    operands: 'd, [a], b{, c}',
    destination: true,
    refused: ATOMIC_REFUSED,
    since,
    decode: (at, qualifiers) => decodeAtomic(at, qualifiers, proxy, false),
  });

const reduction = (proxy: Proxy, since: Since | 'dialect'): Instruction =>
  instruction({
    ...ATOMIC,
    slots: {
      order: ['relaxed', 'release'],
      scope: SCOPES,
      space: ['global', ...SHARED],
      operation: ['add', 'sub', 'inc', 'dec', 'min', 'max', 'and', 'or', 'xor'],
      flush: ['noftz'],
      vector: VECTORS,
      type: ['b32', 'b64', 'u32', 'u64', 's32', 's64', ...FLOATS],
    },
    // As published tests have it; nothing is acquired there either (8.8, 8.11.1).
    untypedOrders: ['acquire', 'acq_rel'],
    operands: '[a], b',
    refused: {
      ...ATOMIC_REFUSED,
      acquire: NOTHING_ACQUIRED,
      acq_rel: NOTHING_ACQUIRED,
      cas: 'use atom',
      exch: 'use atom',
    },
    since,
    decode: (at, qualifiers) => decodeAtomic(at, qualifiers, proxy, true),
  });

export const ATOMIC_INSTRUCTIONS = {
  atom: atomic('generic', {
    ptx: '1.1; .acquire, .release, .acq_rel 6.0; .cas.b16 6.3; .b128 8.3',
    target: 'sm_11; orders and scopes sm_70; .b128 sm_90',
  }),
} as const satisfies Record<string, Instruction>;

export const REDUCTION_INSTRUCTIONS = {
  red: reduction('generic', {
    ptx: '1.2; .release 6.0',
    target: 'sm_11; orders and scopes sm_70',
  }),
} as const satisfies Record<string, Instruction>;

export const LEGACY_ATOMIC_INSTRUCTIONS = {
  suatom: atomic('surface', 'dialect'),
  sured: reduction('surface', 'dialect'),
} as const satisfies Record<string, Instruction>;
