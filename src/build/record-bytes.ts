import type { Span } from '../diagnostics/source.js';
import { initialValue, type VirtualRange } from '../program/locations.js';
import type { RecordInitial } from '../syntax/litmus-ast.js';

/** A byte of a number, from the lowest on. */
const byteOf = (value: bigint, i: number): bigint => (value >> BigInt(8 * i)) & 0xffn;

/** The bytes of a parameter, of which those that no field fills are unknown. */
export function recordBytes(
  { fields }: RecordInitial,
  size: number,
  locationOf: (name: string, span: Span) => VirtualRange | undefined,
  descriptorOf: (name: string) => bigint | undefined,
): readonly (bigint | undefined)[] {
  const bytes: (bigint | undefined)[] = Array.from({ length: size }, () => undefined);
  const put = (at: number, count: number, byte: (i: number) => bigint | undefined): void => {
    for (let i = 0; i < count && at + i < size; i++) bytes[at + i] = byte(i);
  };
  for (const { at, bytes: count, value } of fields) {
    if (value.kind === 'number') put(at, count, (i) => byteOf(value.value, i));
    else if (value.kind === 'descriptor') {
      const descriptor = descriptorOf(value.name);
      if (descriptor !== undefined) put(at, count, (i) => byteOf(descriptor, i));
    } else {
      const range = locationOf(value.name, value.span);
      if (range === undefined) continue;
      if (value.kind === 'address') put(at, count, (i) => byteOf(range.base + value.offset, i));
      else put(at, count, (i) => initialValue(range.object, i, 1));
    }
  }
  return bytes;
}
