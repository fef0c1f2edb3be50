import type { Span } from '../diagnostics/source.js';
import { type DataType, showDataType } from '../program/data-type.js';
import type { MemoryObject, VirtualRange } from '../program/locations.js';
import type { AddressValue, Initial, ListedValue } from '../syntax/litmus-ast.js';
import { bitsOf, fits } from './initial-bits.js';
import { recordBytes } from './record-bytes.js';

type Contents = Pick<MemoryObject, 'initial' | 'rest'>;

/** A location whose contents are declared. */
interface Declared {
  readonly elements: number;
  readonly type: DataType;
  readonly span: Span;
  /** Whether it is declared as PTX does it, with a state space and a type. */
  readonly isTyped: boolean;
}

/** What must be known of the other locations, and where to complain. */
interface Memory {
  readonly locationOf: (name: string, span: Span) => VirtualRange | undefined;
  readonly descriptorOf: (name: string) => bigint | undefined;
  /** Does something when all locations have their addresses. */
  readonly later: (work: () => void) => void;
  readonly refuse: (span: Span, message: string) => void;
}

const all = (value: bigint | undefined): Contents => ({ initial: [], rest: value });

/** What the elements of a location hold at first; undefined: what is wrong has been told. */
export function initialContents(
  initial: Initial | undefined,
  declared: Declared,
  memory: Memory,
): Contents | undefined {
  const { elements, type, span } = declared;
  switch (initial?.kind) {
    case undefined:
      return all(0n);
    case 'unknown':
    case 'uninitialized':
    case 'mbarrier':
      // The contents of an object in use are opaque.
      return all(undefined);
    case 'number':
      if (fits(initial.value, type)) return all(bitsOf(initial.value, type));
      memory.refuse(span, `the initial value ${initial.value} does not fit into .${showDataType(type)}`);
      return undefined;
    case 'array':
      return listed(initial.values, declared, memory);
    case 'address':
      return listed(
        Array.from({ length: elements }, () => initial),
        declared,
        memory,
      );
    case 'copy': {
      // In a declaration of PTX the name of a variable is its address; in the Dat3M dialect, its initial value.
      if (declared.isTyped) {
        if (type.width < 64) memory.refuse(span, tooWide(initial.name, type));
        return initialContents({ ...initial, kind: 'address', offset: 0n }, declared, memory);
      }
      const source = memory.locationOf(initial.name, span)?.object;
      return source === undefined ? undefined : all(source.initial.length > 0 ? source.initial[0] : source.rest);
    }
    case 'record':
      return {
        initial: recordBytes(initial, elements, memory.locationOf, memory.descriptorOf),
        rest: undefined,
      };
    case 'tensor-shape':
    case 'tensormap': {
      const target = memory.locationOf(initial.name, span);
      if (target === undefined) return undefined;
      const { width } = type;
      const words = Array.from({ length: elements }, (_, i) => BigInt.asUintN(width, target.base >> BigInt(i * width)));
      return { initial: words, rest: 0n };
    }
  }
}

const tooWide = (name: string, type: DataType): string =>
  `the address of ${name} does not fit into .${showDataType(type)}: use .u64 or .b64`;

/** Elements one by one, of which addresses are known when all memory is laid out; what the list leaves out is 0. */
function listed(
  values: readonly ListedValue[],
  { elements, type, span }: Declared,
  memory: Memory,
): Contents | undefined {
  if (values.length > elements) memory.refuse(span, `${values.length} initial values for ${elements} elements`);
  else if (values.some((value) => typeof value === 'number' && !fits(value, type)))
    memory.refuse(span, `.${showDataType(type)} has no values with a decimal point`);
  else {
    const initial = values.map((value) => (typeof value === 'object' ? 0n : bitsOf(value, type)));
    const addresses = values.flatMap((value, at) => (typeof value === 'object' ? [{ value, at }] : []));
    if (addresses.length > 0)
      memory.later(() => {
        const bits = addresses.map(({ value, at }) => ({ value, at, bits: addressBits(value, span, memory) }));
        for (const one of bits) initial[one.at] = one.bits;
        const wrong = bits.find((one) => !fits(one.bits, type));
        if (wrong !== undefined) memory.refuse(span, tooWide(wrong.value.name, type));
      });
    return { initial, rest: 0n };
  }
  return undefined;
}

function addressBits({ name, offset, mask }: AddressValue, span: Span, memory: Memory): bigint {
  return maskedAddress((memory.locationOf(name, span)?.base ?? 0n) + offset, mask);
}

/** `0xFF00(x)` is the second byte of the address of x (PTX ISA, Initializers). */
export function maskedAddress(value: bigint, mask: bigint | undefined): bigint {
  const address = BigInt.asUintN(64, value);
  if (mask === undefined || mask === 0n) return mask === undefined ? address : 0n;
  return (address & mask) / (mask & -mask);
}
