import type { DataType, TypeName } from '../program/data-type.js';
import type { FloatFunction } from '../program/float-function.js';
import type { StateSpace } from '../program/locations.js';
import type { Atomic, AtomicOperation, Operand, Proxy } from '../program/operation.js';
import { access, checkAccess, type Given, vectorElements } from './decode-access.js';
import { formatOf, isFloat, isPacked, manner } from './float-instructions.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { windowOf } from './instruction-decoder.js';

/** atom and red, on integers, bits and floating-point numbers (PTX ISA 9.7.15.5, 9.7.15.6). */
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
  if (!checkAccess(at, qualifiers, proxy, found, type, elements.length * halves)) return;
  const untyped = qualifiers.type === undefined;
  const whole: DataType = halves === 1 ? type : { kind: 'b', width: 32 };
  const values = (wanted === 2 ? rest : elements).map((operand) => at.value(operand, whole, { untyped }));
  const results = (targets ?? [target]).map((one) => at.target(one, whole, { sink: true, untyped }));
  if (values.some((value) => value === undefined)) return;
  const of = floatAtomic(operation, qualifiers, found.range?.object.space);
  const common = {
    kind: 'atomic',
    type,
    operation,
    reduction,
    address: found.address,
    ...access(qualifiers, proxy),
    ...(of === undefined ? {} : { function: of }),
  } as const;
  if (halves === 2) return packedAtomic(at, common, values as Operand[], results);
  const [first, ...others] = wanted === 2 ? [values] : values.map((value) => [value]);
  at.emit({
    ...common,
    target: results[0],
    values: first as Operand[],
    ...(others.length === 0
      ? {}
      : { more: others.map(([value], i) => ({ target: results[i + 1], value: value as Operand })) }),
  });
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
    [0, 1].map((n) => ({
      value: half.element(value, 32, n),
      target: results[i] === undefined ? undefined : at.temporary(common.type),
    })),
  );
  const [first, ...more] = elements;
  if (first === undefined) return;
  at.emit({ ...common, target: first.target, values: [first.value], more });
  results.forEach((result, i) => {
    const parts = elements
      .slice(2 * i, 2 * i + 2)
      .map(({ target }): Operand => ({ kind: 'register', name: target ?? '' }));
    if (result !== undefined) at.result(result, { kind: 'b', width: 32 }, half.concatenate(parts));
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
