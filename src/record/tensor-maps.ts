import type { PlacedBuffer } from './place-buffers.js';
import { placeOf } from './place-buffers.js';
import type { RecordedMap } from './recording.js';

/** Types of elements of tensor maps as a test names them, by their numbers (cuda.h, CUtensorMapDataType). */
const TYPES = ['u8', 'u16', 'u32', 's32', 'u64', 's64', 'f16', 'f32', 'f64', 'b16', 'f32', 'b32', 'b32'] as const;
/** CUtensorMapSwizzle. */
const SWIZZLES = [undefined, '32B', '64B', '128B', '128B_ATOM_32B', '128B_ATOM_32B_FLIP_8B', '128B_ATOM_64B'] as const;

/** The declaration of a tensor map, or why a test cannot say it. */
export function declareMap(
  map: RecordedMap,
  name: string,
  buffers: readonly PlacedBuffer[],
): { readonly declared: string } | { readonly reason: string } {
  const { form, buffer, type, dims, strides, box, elementStrides, interleave, swizzle } = map;
  const refused = (why: string): { readonly reason: string } => ({ reason: `a tensor map ${why}` });
  if (form !== 'tiled') return refused('is of im2col mode, which tests cannot say');
  const element = TYPES[type];
  if (element === undefined) return refused(`has elements of type ${type}, which tests cannot say`);
  if (interleave !== 0) return refused('is interleaved, which tests cannot say');
  if (elementStrides.some((one) => one !== 1)) return refused('leaves elements out, which tests cannot say');
  const place = buffer && placeOf(buffers, buffer.base + BigInt(buffer.offset));
  if (place === undefined) return refused('is of memory that the driver does not know');
  if (place.offset !== 0n) return refused('begins in the middle of a buffer, which tests cannot say');
  const list = (word: string, numbers: readonly number[]): string => `, ${word} {${numbers.join(', ')}}`;
  const mode = SWIZZLES[swizzle];
  return {
    declared:
      `${name} = tensormap(.${element}, ${place.buffer.name}${list('dims', dims)}` +
      `${strides.length === 0 ? '' : list('strides', strides)}${list('box', box)}` +
      `${mode === undefined ? '' : `, swizzle ${mode}`});`,
  };
}
