import { locate } from './accesses.js';
import { type Family, visible } from './compile.js';
import type { Piece, Place } from './copies.js';
import { begin, multicast, placeOf, tellsMbarriers } from './copying.js';
import { Unsupported } from './launch.js';
import type { Machine } from './machine.js';
import { CLUSTER, GENERIC, type Segment, SHARED } from './memory.js';
import type { Instruction } from './module.js';
import type { Operand } from './operands.js';
import type { Thread } from './threads.js';

/** A tensor map as a test declares it; sizes in elements, innermost first, strides in bytes. */
export interface TensorMap {
  readonly name: string;
  readonly location: string;
  readonly offset: number;
  readonly elementSize: number;
  readonly dims: readonly number[];
  readonly strides: readonly number[];
  readonly box: readonly number[];
}

/** A map whose location has been found: the number of its segment. */
export interface PlacedMap extends TensorMap {
  readonly segment: number;
}

/** The first word of a descriptor, which says which map it is. */
export const DESCRIPTOR = 0x7ec50000;

function mapAt(machine: Machine, thread: Thread, address: number, at: Instruction): PlacedMap {
  const segment = locate(machine, thread, { space: GENERIC, address, size: 128, align: 64 }, at);
  const word = segment.read(machine.memory.offset, 4) as number;
  return machine.maps[word - DESCRIPTOR] ?? machine.fail('no-tensor-map', at);
}

/** A run of bytes of a tile in global memory, or outside of the tensor (`undefined`), and where it is in the tile. */
interface Run {
  readonly global: number | undefined;
  readonly tile: number;
  readonly size: number;
}

function runsOf({ dims, strides, box, elementSize, offset }: PlacedMap, start: readonly number[]): readonly Run[] {
  const runs: Run[] = [];
  const rows = box.slice(1).reduce((all, one) => all * one, 1);
  const width = box[0]! * elementSize;
  for (let row = 0; row < rows; row++) {
    let rest = row;
    let address = offset;
    let isIn = true;
    for (let axis = 1; axis < box.length; axis++) {
      const place = start[axis]! + (rest % box[axis]!);
      rest = Math.floor(rest / box[axis]!);
      isIn &&= place >= 0 && place < dims[axis]!;
      address += place * strides[axis - 1]!;
    }
    const from = Math.min(Math.max(start[0]!, 0), start[0]! + box[0]!);
    const to = Math.max(Math.min(start[0]! + box[0]!, dims[0]!), from);
    const before = (from - start[0]!) * elementSize;
    const inside = isIn ? (to - from) * elementSize : 0;
    const after = isIn ? width - before - inside : width;
    const tile = row * width;
    if (isIn && before > 0) runs.push({ global: undefined, tile, size: before });
    if (inside > 0) runs.push({ global: address + from * elementSize, tile: tile + before, size: inside });
    if (after > 0) runs.push({ global: undefined, tile: tile + width - after, size: after });
  }
  return runs;
}

/** Tiles alone, without reductions; swizzles are not followed: they only say which byte is where in the tile. */
export const tensorCopy: Family = (at, compiler) => {
  const { words } = at;
  const isLoad = words.indexOf('global') > words.findIndex((word) => word.startsWith('shared'));
  if (words.includes('reduce') || words.some((word) => /^(im2col|tile::)/.test(word)))
    throw new Unsupported(`${at.opcode} is not known`);
  const [first, second, third] = at.operands;
  const described = isLoad ? second : first;
  const tile = compiler.address(isLoad ? first : second);
  const descriptor = compiler.address(described);
  const coordinates = coordinatesOf(described).map((one) => compiler.source(one, 32));
  const isMulticast = words.includes('multicast::cluster');
  const object = isLoad ? compiler.address(third) : undefined;
  const maskSlot = isMulticast ? compiler.source(at.operands[3], 16) : -1;
  const space = words.includes('shared::cta') ? SHARED : CLUSTER;
  return visible((thread, machine) => {
    const map = mapAt(machine, thread, descriptor(thread), at);
    const start = coordinates.map((slot) => thread.regs[slot] as number);
    const size = map.box.reduce((all, one) => all * one, map.elementSize);
    const place = placeOf(machine, thread, { space, address: tile(thread), size, align: 128 }, at);
    const global = machine.memory.globals[map.segment]!;
    const runs = runsOf(map, start);
    if (object === undefined) {
      const pieces = outgoing(runs, place, global);
      const parts = begin(machine, thread, thread.copies.bulk, true);
      machine.copies.push({ at, reduction: undefined, pieces, unread: pieces.length, ...parts });
      return;
    }
    const mask = isMulticast ? (thread.regs[maskSlot] as number) & 0xffff : undefined;
    const barrier = placeOf(machine, thread, { space, address: object(thread), size: 8 }, at);
    const pieces = incoming(runs, multicast(place, thread, mask), global);
    const told = multicast(barrier, thread, mask);
    const parts = tellsMbarriers(machine, thread, told, size, at);
    machine.copies.push({ at, reduction: undefined, pieces, unread: pieces.length, ...parts });
  });
};

function coordinatesOf(operand: Operand | undefined): readonly Operand[] {
  if (operand?.kind !== 'address' || operand.coordinates.length === 0)
    throw new Unsupported('a tensor has coordinates');
  return operand.coordinates;
}

function incoming(runs: readonly Run[], to: readonly Place[], segment: Segment): Piece[] {
  return runs.map(({ global, tile, size }) => ({
    from: global === undefined ? undefined : { segment, offset: global },
    to: to.map((place) => ({ segment: place.segment, offset: place.offset + tile })),
    size,
  }));
}

function outgoing(runs: readonly Run[], { segment, offset }: Place, target: Segment): Piece[] {
  return runs.flatMap(({ global, tile, size }) => {
    if (global === undefined) return [];
    return [{ from: { segment, offset: offset + tile }, to: [{ segment: target, offset: global }], size }];
  });
}
