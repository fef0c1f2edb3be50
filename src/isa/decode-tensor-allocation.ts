import type { DataType } from '../program/data-type.js';
import { PREDICATE } from '../program/data-type.js';
import { RANK_FIELD } from '../program/locations.js';
import type { Guard, Operand } from '../program/operation.js';
import { COLUMNS } from '../program/tensor-memory.js';
import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import { together } from './decode-matrix.js';
import { objectAddress } from './decode-mbarrier.js';
import { type Decoder, guardOf } from './decoder.js';
import { constant, Steps } from './steps.js';
import { accessAllLanes, agree, groupOf, requireOneGroup } from './tensor-access.js';

/** tcgen05.alloc, dealloc, relinquish_alloc_permit and commit (PTX ISA 9.7.18.7, 9.7.18.12). */
const WORD: DataType = { kind: 'b', width: 32 };
const register = (name: string): Operand => ({ kind: 'register', name });

const SIZES: readonly bigint[] = [32n, 64n, 128n, 256n, 512n];

/** `tcgen05.alloc`: a weak store of where the columns begin, which is known beforehand; from here on they are used. */
export function decodeAlloc(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { group }: { readonly group: string },
): void {
  const [destination, columns] = instruction.operands;
  const at = decoder.address(destination, 'shared::cta');
  const count = decoder.value(columns, WORD);
  const given = decoder.tensorMemory?.allocation(decoder.placement, instruction.span.start);
  if (at === undefined || count === undefined || given === undefined) return;
  if (count.kind === 'constant' && !SIZES.includes(count.value))
    return void decoder.refuse(columns?.span ?? instruction.span, `tcgen05.alloc takes ${SIZES.join(', ')} columns`);
  if (given.column + given.columns > COLUMNS || given.columns === 0)
    return void decoder.refuse(
      instruction.span,
      `the allocations of this CTA are more than the ${COLUMNS} columns of tensor memory`,
      'one that waits for columns to be given back is not understood: allocate less',
    );
  const steps = new Steps(decoder, instruction);
  requireOneGroup(steps);
  agree(steps, count);
  requireSize(steps, count);
  if (decoder.placement.lane > decoder.placement.firstLane) return;
  decoder.emit(instruction, {
    kind: 'store',
    type: WORD,
    values: [constant(given.column)],
    address: at.address,
    ...{ order: 'weak', scope: undefined, proxy: 'generic', volatile: false, mmio: false },
  });
  accessAllLanes(
    steps,
    constant(given.column),
    {
      ...{ instruction: 'alloc', role: undefined, group: groupOf(group), shape: '', dataKind: '', action: 'write' },
      columns: constant(given.columns),
    },
    1,
  );
}

/** Of columns: a power of 2 from 32 to 512. */
function requireSize(steps: Steps, count: Operand): void {
  const of = steps.of(32);
  const bit = steps.of(1);
  const power = of.equal(of.countOnes(count), constant(1));
  const inRange = bit.and(of.lessOrEqual(constant(32), count), of.lessOrEqual(count, constant(COLUMNS)));
  const value = bit.and(power, inRange);
  steps.decoder.emit(steps.instruction, { kind: 'require', value, rule: 'tensor-memory-size' });
}

/** `tcgen05.dealloc`: like a write of all that is given back, by each CTA of a pair in its own tensor memory. */
export function decodeDealloc(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { group }: { readonly group: string },
): void {
  const [base, columns] = instruction.operands;
  const address = decoder.value(base, WORD);
  const count = decoder.value(columns, WORD);
  if (address === undefined || count === undefined) return;
  if (count.kind === 'constant' && count.value % 32n !== 0n)
    return void decoder.refuse(columns?.span ?? instruction.span, 'tcgen05.dealloc takes a multiple of 32 columns');
  const steps = new Steps(decoder, instruction);
  requireOneGroup(steps);
  agree(steps, address);
  agree(steps, count);
  requireSize(steps, count);
  requireAllocation(steps, address, count);
  if (decoder.placement.lane > decoder.placement.firstLane) return;
  const what = { instruction: 'dealloc', role: undefined, group: groupOf(group), shape: '', dataKind: '' } as const;
  accessAllLanes(steps, address, { ...what, action: 'write', columns: count }, 1);
}

/** What is given back is what one alloc gave out, where the test shows any. */
function requireAllocation(steps: Steps, address: Operand, count: Operand): void {
  const { allocations } = steps.decoder.tensorMemory?.of(steps.decoder.placement) ?? {};
  if (allocations === undefined) return;
  const of = steps.of(32);
  const bit = steps.of(1);
  const value = allocations
    .map(({ column, columns }) => bit.and(of.equal(address, constant(column)), of.equal(count, constant(columns))))
    .reduce((any, one) => bit.or(any, one));
  steps.decoder.emit(steps.instruction, { kind: 'require', value, rule: 'dealloc-of-no-allocation' });
}

export function decodeRelinquish(decoder: Decoder, instruction: InstructionSyntax): void {
  const steps = new Steps(decoder, instruction);
  requireOneGroup(steps);
  together(steps);
  // The warp does it once.
  if (decoder.placement.lane > decoder.placement.firstLane) return;
  decoder.emit(instruction, { kind: 'tensor-step', step: 'relinquish_alloc_permit' });
}

/** `tcgen05.commit`: an arrival when all earlier mma, cp and shift of the thread and its CTA group are complete. */
export function decodeTensorCommit(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { group, multicast }: { readonly group: string; readonly multicast?: string },
): void {
  const [, mask] = instruction.operands;
  if ((mask === undefined) !== (multicast === undefined))
    return void decoder.refuse(
      mask?.span ?? instruction.span,
      'a mask of CTAs goes with .multicast::cluster, and that with a mask',
    );
  if (mask !== undefined && mask.kind !== 'name') return void decoder.refuse(mask.span, 'the mask is in a register');
  const object = objectAddress(decoder, instruction, 0, 'shared::cluster');
  const bits = mask === undefined ? undefined : decoder.value(mask, { kind: 'u', width: 16 });
  if (object === undefined || (mask !== undefined && bits === undefined)) return;
  const steps = new Steps(decoder, instruction);
  requireOneGroup(steps);
  const family = `tcgen05.cta_group::${groupOf(group)}` as const;
  const arrive = (base: Operand, offset: bigint, guard?: Guard): void =>
    decoder.emit(
      instruction,
      { kind: 'mbarrier', action: 'async_arrive', family, object: { ...object, base, offset }, increment: false },
      guard,
    );
  if (bits === undefined) return arrive(object.base, object.offset);
  const of = steps.of(64);
  const field = ((1n << BigInt(RANK_FIELD.width)) - 1n) << BigInt(RANK_FIELD.shift);
  const whole = of.add(object.base, constant(BigInt.asUintN(64, object.offset)));
  for (let rank = 0; rank < decoder.placement.clusterSize; rank++) {
    const chosen = steps.of(1).element(bits, 16, rank);
    const base = of.or(
      of.and(whole, constant(BigInt.asUintN(64, ~field))),
      constant(BigInt(rank) << BigInt(RANK_FIELD.shift)),
    );
    arrive(base, 0n, both(steps, chosen));
  }
}

/** A guard that holds where that of the instruction does, and a value is 1 as well. */
function both(steps: Steps, value: Operand): Guard {
  const { decoder, instruction } = steps;
  const own = guardOf(instruction);
  const bit = steps.of(1);
  const holds = own === undefined ? constant(1) : register(own.register);
  const given = own?.negated === true ? bit.not(holds) : holds;
  const name = decoder.temporary(PREDICATE, instruction.span);
  const arithmetic = { name: 'and', signed: false, width: 1, resultWidth: 1 } as const;
  decoder.emitAlways(instruction, {
    kind: 'compute',
    target: name,
    type: PREDICATE,
    arithmetic,
    operands: [value, given],
  });
  return { register: name, negated: false };
}
