import type { DataType } from '../program/data-type.js';
import { RANK_FIELD } from '../program/locations.js';
import { constant, type Operand, type Operation } from '../program/operation.js';
import { COLUMNS } from '../program/tensor-memory.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { objectAddress } from './mbarrier.js';
import { accessAllLanes, agree, groupOf, requireOneGroup } from './tensor-access.js';
import { together } from './warp-exchange.js';

/** tcgen05.alloc, dealloc, relinquish_alloc_permit and commit (PTX ISA 9.7.18.7, 9.7.18.12). */
const WORD: DataType = { kind: 'b', width: 32 };

const SIZES: readonly bigint[] = [32n, 64n, 128n, 256n, 512n];

/** `tcgen05.alloc`: a weak store of where the columns begin, which is known beforehand; from here on they are used. */
export function decodeAlloc(at: InstructionDecoder, { group }: { readonly group: string }): void {
  const [destination, columns] = at.operands;
  const found = at.address(destination, 'shared::cta');
  const count = at.value(columns, WORD);
  const given = at.decoder.thread.tensorMemory?.allocation(at.placement, at.span.start);
  if (found === undefined || count === undefined || given === undefined) return;
  if (count.kind === 'constant' && !SIZES.includes(count.value))
    return void at.refuse(columns, `tcgen05.alloc takes ${SIZES.join(', ')} columns`);
  if (given.column + given.columns > COLUMNS || given.columns === 0)
    return void at.refuse(
      undefined,
      `the allocations of this CTA are more than the ${COLUMNS} columns of tensor memory`,
      'one that waits for columns to be given back is not understood: allocate less',
    );
  requireOneGroup(at);
  agree(at, count);
  requireSize(at, count);
  if (at.placement.lane > at.placement.firstLane) return;
  at.emit({
    kind: 'store',
    type: WORD,
    values: [constant(given.column)],
    address: found.address,
    ...{ order: 'weak', scope: undefined, proxy: 'generic', volatile: false, mmio: false },
  });
  accessAllLanes(
    at,
    constant(given.column),
    {
      ...{ instruction: 'alloc', role: undefined, group: groupOf(group), shape: '', dataKind: '', action: 'write' },
      columns: constant(given.columns),
    },
    1,
  );
}

/** Of columns: a power of 2 from 32 to 512. */
function requireSize(at: InstructionDecoder, count: Operand): void {
  const of = at.of(32);
  const bit = at.of(1);
  const power = of.equal(of.countOnes(count), constant(1));
  const inRange = bit.and(of.lessOrEqual(constant(32), count), of.lessOrEqual(count, constant(COLUMNS)));
  const value = bit.and(power, inRange);
  at.require(value, 'tensor-memory-size');
}

/** `tcgen05.dealloc`: like a write of all that is given back, by each CTA of a pair in its own tensor memory. */
export function decodeDealloc(at: InstructionDecoder, { group }: { readonly group: string }): void {
  const [base, columns] = at.operands;
  const address = at.value(base, WORD);
  const count = at.value(columns, WORD);
  if (address === undefined || count === undefined) return;
  if (count.kind === 'constant' && count.value % 32n !== 0n)
    return void at.refuse(columns, 'tcgen05.dealloc takes a multiple of 32 columns');
  requireOneGroup(at);
  agree(at, address);
  agree(at, count);
  requireSize(at, count);
  requireAllocation(at, address, count);
  if (at.placement.lane > at.placement.firstLane) return;
  const what = { instruction: 'dealloc', role: undefined, group: groupOf(group), shape: '', dataKind: '' } as const;
  accessAllLanes(at, address, { ...what, action: 'write', columns: count }, 1);
}

/** What is given back is what one alloc gave out, where the test shows any. */
function requireAllocation(at: InstructionDecoder, address: Operand, count: Operand): void {
  const { allocations } = at.decoder.thread.tensorMemory?.of(at.placement) ?? {};
  if (allocations === undefined) return;
  const of = at.of(32);
  const bit = at.of(1);
  const value = allocations
    .map(({ column, columns }) => bit.and(of.equal(address, constant(column)), of.equal(count, constant(columns))))
    .reduce((any, one) => bit.or(any, one));
  at.require(value, 'dealloc-of-no-allocation');
}

export function decodeRelinquish(at: InstructionDecoder): void {
  requireOneGroup(at);
  together(at);
  // The warp does it once.
  if (at.placement.lane > at.placement.firstLane) return;
  at.emit({ kind: 'tensor-step', step: 'relinquish_alloc_permit' });
}

/** `tcgen05.commit`: an arrival when all earlier mma, cp and shift of the thread and its CTA group are complete. */
export function decodeTensorCommit(
  at: InstructionDecoder,
  { group, multicast }: { readonly group: string; readonly multicast?: string },
): void {
  const [, mask] = at.operands;
  if ((mask === undefined) !== (multicast === undefined))
    return void at.refuse(mask, 'a mask of CTAs goes with .multicast::cluster, and that with a mask');
  if (mask !== undefined && mask.kind !== 'name') return void at.refuse(mask, 'the mask is in a register');
  const object = objectAddress(at, 0, 'shared::cluster');
  const bits = mask === undefined ? undefined : at.value(mask, { kind: 'u', width: 16 });
  if (object === undefined || (mask !== undefined && bits === undefined)) return;
  requireOneGroup(at);
  const family = `tcgen05.cta_group::${groupOf(group)}` as const;
  const arriveAt = (base: Operand, offset: bigint): Operation => ({
    ...{ kind: 'mbarrier', action: 'async_arrive', family, object: { ...object, base, offset }, increment: false },
  });
  if (bits === undefined) return at.emit(arriveAt(object.base, object.offset));
  const of = at.of(64);
  const field = ((1n << BigInt(RANK_FIELD.width)) - 1n) << BigInt(RANK_FIELD.shift);
  const whole = of.add(object.base, constant(BigInt.asUintN(64, object.offset)));
  for (let rank = 0; rank < at.placement.clusterSize; rank++) {
    const chosen = at.of(1).element(bits, 16, rank);
    const base = of.or(
      of.and(whole, constant(BigInt.asUintN(64, ~field))),
      constant(BigInt(rank) << BigInt(RANK_FIELD.shift)),
    );
    at.emitWhere(chosen, arriveAt(base, 0n));
  }
}
