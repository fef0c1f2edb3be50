import { typeIn } from '../program/data-type.js';
import type { VariableSyntax } from '../syntax/litmus-ast.js';
import type { ModuleEntry } from '../syntax/module-ast.js';
import { elementType, loadsOf } from './element-type.js';
import { endingAt, type PlacedBuffer, placeOf } from './place-buffers.js';
import type { RecordedParameter } from './recording.js';

const ADDRESS_BYTES = 8;
const MAP_BYTES = 128;

/** An argument of a launch, and what of it is not said. */
export interface WrittenArgument {
  readonly text: string;
  readonly note?: string;
}

/** What a launch gives for a parameter, as a test writes it, or why it cannot. */
export function writeArgument(
  parameter: VariableSyntax,
  given: RecordedParameter,
  buffers: readonly PlacedBuffer[],
  mapName: (map: number) => string,
  entry: ModuleEntry,
): WrittenArgument | { readonly reason: string } {
  const type = typeIn(parameter.directives) ?? { kind: 'b', width: 32 };
  const bytes = (parameter.elements ?? 1) * (type.width / 8);
  if (bytes !== given.size)
    return { reason: `parameter ${parameter.name} has ${bytes} bytes in the module, and ${given.size} in the launch` };
  if (given.pointers.some(({ at }) => at % ADDRESS_BYTES !== 0))
    return { reason: `parameter ${parameter.name} has an address at no multiple of 8 bytes, which tests cannot say` };
  const fields = fieldsOf(given, buffers, mapName, loadsOf(entry, parameter));
  if (parameter.elements !== undefined) {
    const [only] = fields;
    const isMap = fields.length === 1 && given.maps.length === 1 && only !== undefined;
    return { text: isMap ? only : `{ ${fields.join(', ')} }` };
  }
  if (given.pointers.length > 0) return { text: fields[0] ?? '?' };
  const view = viewOf(given);
  if (type.kind === 'f' && (type.width === 32 || type.width === 64)) return floating(view, type.width, parameter.name);
  const number = numberAt(view, 0, bytes);
  const end = bytes === ADDRESS_BYTES ? endingAt(buffers, number) : undefined;
  if (end !== undefined) return { text: `&${end.name}+${end.size}` };
  const isPointer =
    parameter.directives.some(({ name }) => name === 'ptr') || elementType(entry, parameter) !== undefined;
  if (isPointer && number !== 0n) {
    const note = `parameter ${parameter.name} points to memory that the driver does not know, and is given as a number`;
    return { text: String(number), note };
  }
  return { text: String(type.kind === 's' ? BigInt.asIntN(type.width, number) : number) };
}

const viewOf = ({ bytes }: RecordedParameter): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Of infinities and what is no number a test has no words: they are not known. */
function floating(view: DataView, width: 32 | 64, name: string): WrittenArgument {
  const value = width === 32 ? view.getFloat32(0, true) : view.getFloat64(0, true);
  if (!Number.isFinite(value)) return { text: '?', note: `parameter ${name} is ${value}, which is left open` };
  const digits = Object.is(value, -0) ? '-0.0' : String(value);
  const [, whole = digits, exponent = ''] = /^([^e]*)(e.*)?$/.exec(digits) ?? [];
  return { text: `f${width} ${whole}${whole.includes('.') ? '' : '.0'}${exponent}` };
}

function numberAt(view: DataView, at: number, bytes: number): bigint {
  let number = 0n;
  for (let i = bytes - 1; i >= 0; i--) number = (number << 8n) | BigInt(view.getUint8(at + i));
  return number;
}

/** All bytes as fields that stand one behind the other: pointers, tensor maps, and numbers between. */
function fieldsOf(
  { bytes, pointers, maps, ...rest }: RecordedParameter,
  buffers: readonly PlacedBuffer[],
  mapName: (map: number) => string,
  loads: ReadonlySet<number>,
): readonly string[] {
  const view = viewOf({ bytes, pointers, maps, ...rest });
  const special = new Map<number, { readonly text: string; readonly bytes: number }>();
  for (const { at, map } of maps) special.set(at, { text: mapName(map), bytes: MAP_BYTES });
  for (const { at, base, offset } of pointers) {
    const place = placeOf(buffers, base + BigInt(offset));
    if (place === undefined) continue;
    const { buffer, offset: from } = place;
    special.set(at, { text: `&${buffer.name}${from === 0n ? '' : `+${from}`}`, bytes: ADDRESS_BYTES });
  }
  for (let at = 0; at + ADDRESS_BYTES <= bytes.length; at += ADDRESS_BYTES) {
    const end = special.has(at) ? undefined : endingAt(buffers, numberAt(view, at, ADDRESS_BYTES));
    if (end !== undefined) special.set(at, { text: `&${end.name}+${end.size}`, bytes: ADDRESS_BYTES });
  }
  const fields: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const known = special.get(at);
    if (known !== undefined) {
      fields.push(known.text);
      at += known.bytes;
      continue;
    }
    const next = Math.min(bytes.length, ...[...special.keys(), ...loads].filter((place) => place > at));
    const size = [8, 4, 2, 1].find((one) => at % one === 0 && at + one <= next) ?? 1;
    fields.push(`u${8 * size} ${numberAt(view, at, size)}`);
    at += size;
  }
  return fields;
}
