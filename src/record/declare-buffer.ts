import { dataTypeOf, parseDataType, type TypeName } from '../program/data-type.js';
import { holdsAddresses } from './buffer-notes.js';
import type { PlacedBuffer } from './place-buffers.js';
import type { RecordedContents } from './recording.js';

/** The largest that an instruction or a copy asks for. */
const ALIGNMENTS = [128, 64, 32, 16, 8, 4, 2];

/** The declaration of a location, of elements of that type if its size is made of them. */
export function declareBuffer(
  buffer: PlacedBuffer,
  types: ReadonlySet<string | undefined>,
  contents: readonly RecordedContents[],
): string {
  const { name, start, size } = buffer;
  const [type = 'u8'] = types.size === 1 ? [...types] : [];
  const { width } = parseDataType(type) === undefined ? dataTypeOf('u8') : dataTypeOf(type as TypeName);
  const isWhole = size % (width / 8) === 0 && start % BigInt(width / 8) === 0n;
  const bytes = holdsAddresses(buffer, contents) ? undefined : bytesOf(contents, start, size);
  const element = !isWhole ? 'u8' : bytes === undefined || type.startsWith('u') ? type : `b${width}`;
  const step = isWhole ? width / 8 : 1;
  const align = ALIGNMENTS.find((one) => start % BigInt(one) === 0n) ?? 1;
  const initial = bytes === undefined ? '?' : `{${numbersIn(bytes, step).join(', ')}}`;
  return `.global .align ${align} .${element} ${name}[${size / step}] = ${initial};`;
}

function bytesOf(contents: readonly RecordedContents[], start: bigint, size: number): Uint8Array | undefined {
  const found = contents.find(
    ({ from, bytes }) => from <= start && start + BigInt(size) <= from + BigInt(bytes.length),
  );
  if (found === undefined) return undefined;
  const at = Number(start - found.from);
  return found.bytes.subarray(at, at + size);
}

function numbersIn(bytes: Uint8Array, step: number): readonly bigint[] {
  return Array.from({ length: bytes.length / step }, (_, i) =>
    bytes.subarray(step * i, step * (i + 1)).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
  );
}
