import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import type { MemoryObject, StateSpace, Tensor, VirtualRange } from '../program/locations.js';
import { MBARRIER_BYTES } from '../program/mbarrier-operation.js';
import type { Initial, TensorShape } from '../syntax/litmus-ast.js';
import { tensorOfShape, wrongShape } from './tensor-shapes.js';

export type SpecialContents = Pick<MemoryObject, 'mbarrier' | 'tensors' | 'isUninitialized' | 'given'>;
export const NOTHING_SPECIAL: SpecialContents = { mbarrier: undefined, tensors: [] };

/** What must be known of the other locations, and where to complain. */
interface Memory {
  readonly locationOf: (name: string) => VirtualRange | undefined;
  readonly mapsIn: (name: string) => MemoryObject['tensors'];
  readonly refuse: (message: string) => undefined;
}

/** What a declaration makes of its bytes beside their values: mbarrier objects, or a tensor map. */
export function specialContents(
  initial: Initial | undefined,
  space: StateSpace,
  bytes: number,
  memory: Memory,
): SpecialContents | undefined {
  if (initial?.kind === 'tensor-shape') {
    const tensor = shapedTensor(initial, bytes, memory);
    return tensor === undefined ? undefined : { mbarrier: undefined, tensors: [{ at: 0, tensor }] };
  }
  if (initial?.kind === 'record') {
    const tensors = initial.fields.flatMap(({ at, value }) =>
      value.kind !== 'map' ? [] : memory.mapsIn(value.name).map(({ tensor }) => ({ at, tensor })),
    );
    return { mbarrier: undefined, tensors, ...(initial.end !== undefined && { given: initial.end }) };
  }
  if (initial?.kind === 'mbarrier') {
    if (space !== 'shared' || bytes % MBARRIER_BYTES !== 0)
      return memory.refuse('an mbarrier object is in .shared memory and has 8 bytes: .shared .b64 bar = mbarrier(1)');
    if (initial.count < 1n || initial.count >= 1n << 20n)
      return memory.refuse('the count of an mbarrier is 1 to 1048575');
    return { mbarrier: initial.count, tensors: [] };
  }
  if (initial?.kind === 'tensormap') {
    const target = memory.locationOf(initial.name);
    if (target === undefined) return undefined;
    if (bytes !== DESCRIPTOR_BYTES)
      return memory.refuse('a tensor map has 128 bytes: .global .align 64 .b8 map[128] = tensormap(x, bytes)');
    if (
      initial.bytes < 16n ||
      initial.bytes % 16n !== 0n ||
      initial.bytes > BigInt(target.object.size) ||
      target.object.space !== 'global'
    )
      return memory.refuse(
        `a tile of ${initial.name} has a multiple of 16 bytes, at most ${target.object.size}, and lies in ` +
          '.global memory',
      );
    if (target.base % 16n !== 0n)
      return memory.refuse(`a tensor starts at a multiple of 16 bytes: declare ${initial.name} with .align 16`);
    return { mbarrier: undefined, tensors: [{ at: 0, tensor: { target, bytes: Number(initial.bytes) } }] };
  }
  return initial?.kind === 'uninitialized' ? { ...NOTHING_SPECIAL, isUninitialized: true } : NOTHING_SPECIAL;
}

/** A tensor of some dimensions, of which a box is copied at a time (PTX ISA, Tensors). */
function shapedTensor(shape: TensorShape, bytes: number, memory: Memory): Tensor | undefined {
  const target = memory.locationOf(shape.name);
  if (target === undefined) return undefined;
  const wrong = wrongShape(shape, target, bytes);
  if (wrong !== undefined) return memory.refuse(wrong);
  return tensorOfShape(shape, target);
}
