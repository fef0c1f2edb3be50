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

export function parseDataType(text: string): DataType | undefined {
  if (text === 'pred') return PREDICATE;
  const match = /^([usb])(8|16|32|64|128)$/.exec(text);
  if (match === null || (match[2] === '128' && match[1] !== 'b')) return undefined;
  return { kind: match[1] as 'u' | 's' | 'b', width: Number(match[2]) };
}

export function showDataType(type: DataType): string {
  return type.kind === 'pred' ? 'pred' : `${type.kind}${type.width}`;
}
