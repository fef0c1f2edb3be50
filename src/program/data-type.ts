/** A PTX fundamental type: unsigned, signed or untyped bits of a width, or a predicate (PTX ISA, Fundamental Types). */
export interface DataType {
  readonly kind: 'u' | 's' | 'b' | 'pred';
  /** In bits: 8, 16, 32, 64 or 128; 1 for a predicate. */
  readonly width: number;
}

export const PREDICATE: DataType = { kind: 'pred', width: 1 };

/** What the Dat3M dialect's instructions without a type work on. */
export const UNTYPED_DEFAULT: DataType = { kind: 's', width: 32 };

export const INTEGER_TYPES = [
  'u8',
  'u16',
  'u32',
  'u64',
  's8',
  's16',
  's32',
  's64',
  'b8',
  'b16',
  'b32',
  'b64',
  'b128',
  'pred',
] as const;

export type TypeName = (typeof INTEGER_TYPES)[number];

export function dataTypeOf(name: TypeName): DataType {
  return name === 'pred' ? PREDICATE : { kind: name[0] as 'u' | 's' | 'b', width: Number(name.slice(1)) };
}

export function parseDataType(text: string): DataType | undefined {
  const name = INTEGER_TYPES.find((one) => one === text);
  return name === undefined ? undefined : dataTypeOf(name);
}

export function showDataType(type: DataType): string {
  return type.kind === 'pred' ? 'pred' : `${type.kind}${type.width}`;
}
