/**
 * A PTX fundamental type: unsigned, signed or untyped bits of a width, a floating-point number, or a predicate (PTX
 * ISA, Fundamental Types). Packed types are `b` of the whole.
 */
export interface DataType {
  readonly kind: 'u' | 's' | 'b' | 'f' | 'pred';
  /** In bits: 8, 16, 32, 64 or 128; 1 for a predicate. */
  readonly width: number;
}

export const PREDICATE: DataType = { kind: 'pred', width: 1 };

/** What the Dat3M dialect's instructions without a type work on. */
export const UNTYPED_DEFAULT: DataType = { kind: 's', width: 32 };

const TYPES = {
  u8: { kind: 'u', width: 8 },
  u16: { kind: 'u', width: 16 },
  u32: { kind: 'u', width: 32 },
  u64: { kind: 'u', width: 64 },
  s8: { kind: 's', width: 8 },
  s16: { kind: 's', width: 16 },
  s32: { kind: 's', width: 32 },
  s64: { kind: 's', width: 64 },
  b8: { kind: 'b', width: 8 },
  b16: { kind: 'b', width: 16 },
  b32: { kind: 'b', width: 32 },
  b64: { kind: 'b', width: 64 },
  b128: { kind: 'b', width: 128 },
  u16x2: { kind: 'b', width: 32 },
  s16x2: { kind: 'b', width: 32 },
  f16: { kind: 'f', width: 16 },
  bf16: { kind: 'b', width: 16 },
  f16x2: { kind: 'f', width: 32 },
  bf16x2: { kind: 'b', width: 32 },
  tf32: { kind: 'b', width: 32 },
  f32: { kind: 'f', width: 32 },
  f64: { kind: 'f', width: 64 },
  f32x2: { kind: 'b', width: 64 },
  e4m3x2: { kind: 'b', width: 16 },
  e5m2x2: { kind: 'b', width: 16 },
  e2m3x2: { kind: 'b', width: 16 },
  e3m2x2: { kind: 'b', width: 16 },
  ue8m0x2: { kind: 'b', width: 16 },
  e2m1x2: { kind: 'b', width: 8 },
  pred: PREDICATE,
} as const satisfies Readonly<Record<string, DataType>>;

export type TypeName = keyof typeof TYPES;

/** The types that a register may be declared with, and, but for `.pred`, a location (PTX ISA, Fundamental Types). */
export const DECLARABLE_TYPES: readonly string[] = Object.keys(TYPES).filter((name) =>
  /^([usb](8|16|32|64)|b128|f16|f16x2|f32|f64|pred)$/.test(name),
);

export function dataTypeOf(name: TypeName): DataType {
  return TYPES[name];
}

/** The fundamental type of that name. */
export function parseDataType(text: string): DataType | undefined {
  return DECLARABLE_TYPES.includes(text) ? TYPES[text as TypeName] : undefined;
}

export function showDataType(type: DataType): string {
  return type.kind === 'pred' ? 'pred' : `${type.kind}${type.width}`;
}

/** The type that some directives of a declaration name, such as `.align 4 .u32`; undefined if none does. */
export const typeIn = (directives: readonly { readonly name: string }[]): DataType | undefined =>
  directives.map(({ name }) => parseDataType(name)).find((type) => type !== undefined);
