import { constant, type Operand } from '../program/operation.js';
import { COLUMNS, type PairStep } from '../program/tensor-memory.js';
import { WEAK } from './emit-async.js';
import { type Instruction, instruction, SYNC } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { accessAllLanes, agree, BLACKWELL, GROUP, groupOf, requireOneGroup } from './tcgen05.js';
import { B32, place, value } from './typed-operands.js';
import { together } from './warp-exchange.js';

/** tcgen05.alloc, dealloc and relinquish_alloc_permit (PTX ISA 9.7.18.7): a warp does each of them once. */
const OF_WARP = { slots: { ...GROUP, ...SYNC }, required: ['group', 'sync', 'aligned'], since: BLACKWELL } as const;
const SIZES: readonly bigint[] = [32n, 64n, 128n, 256n, 512n];

/** Of a pair of CTAs a warp of each does it (PTX ISA 9.7.18.5). */
function beginInPair(at: InstructionDecoder, group: string, step: PairStep): void {
  if (groupOf(group) === 2) at.emit({ kind: 'pair-step', step });
}

const isNever = (where: Operand): boolean => where.kind === 'constant' && where.value === 0n;

/** Of columns: a power of 2 from 32 to 512. */
function requireSize(at: InstructionDecoder, count: Operand): void {
  const of = at.of(32);
  const bit = at.of(1);
  const power = of.equal(of.countOnes(count), constant(1));
  const inRange = bit.and(of.lessOrEqual(constant(32), count), of.lessOrEqual(count, constant(COLUMNS)));
  const value = bit.and(power, inRange);
  at.require(value, 'tensor-memory-size');
}

/** What is given back is what one alloc gave out, where the test shows any. */
function requireAllocation(at: InstructionDecoder, address: Operand, count: Operand): void {
  const { allocations } = at.decoder.thread.tensorMemory?.of(at.placement) ?? {};
  if (allocations === undefined) return;
  const of = at.of(32);
  const bit = at.of(1);
  const value = allocations
    .map(({ column, columns }) => bit.and(of.equal(address, constant(column)), of.equal(count, constant(columns))))
    .reduce((any, one) => bit.or(any, one), constant(0));
  at.require(value, 'dealloc-of-no-allocation');
}

export const ALLOCATION_INSTRUCTIONS = {
  /** A weak store of where the columns begin, which is known beforehand; from here on they are used. */
  'tcgen05.alloc': instruction({
    ...OF_WARP,
    slots: { ...OF_WARP.slots, space: ['shared::cta'], type: ['b32'] },
    required: [...OF_WARP.required, 'type'],
    operands: '[dst], columns',
    typed: () => [place('shared::cta'), value(B32)],
    decode: (at, { group }, [address, count]) => {
      const { tensorMemory } = at.decoder.thread;
      const given = tensorMemory?.allocation(at.placement, at.span.start);
      if (tensorMemory === undefined) return;
      if (given === undefined)
        return void at.refuse(
          at.operands[1],
          'how many columns this gives out is not known before it is executed',
          'write a number, or a register that is set once, by mov, to a number',
        );
      if (count.kind === 'constant' && !SIZES.includes(count.value))
        return void at.refuse(at.operands[1], `tcgen05.alloc takes ${SIZES.join(', ')} columns`);
      if (given.column + given.columns > COLUMNS || given.columns === 0)
        return void at.refuse(
          undefined,
          `the allocations of this CTA are more than the ${COLUMNS} columns of tensor memory`,
          'one that waits for columns to be given back is not understood: allocate less',
        );
      requireOneGroup(at);
      agree(at, count);
      requireSize(at, count);
      beginInPair(at, group, 'alloc');
      const where = at.isFirstLane;
      if (isNever(where)) return;
      const column = constant(given.column);
      at.emitWhere(where, { kind: 'store', type: B32, values: [column], address, proxy: 'generic', ...WEAK });
      const columns = constant(given.columns);
      accessAllLanes(at, column, { instruction: 'alloc', group: groupOf(group), action: 'write', columns, where }, 1);
    },
  }),
  /** Like a write of all that is given back, by each CTA of a pair in its own tensor memory. */
  'tcgen05.dealloc': instruction({
    ...OF_WARP,
    slots: { ...OF_WARP.slots, type: ['b32'] },
    required: [...OF_WARP.required, 'type'],
    operands: 'taddr, columns',
    typed: () => [value(B32), value(B32)],
    decode: (at, { group }, [start, columns]) => {
      if (columns.kind === 'constant' && columns.value % 32n !== 0n)
        return void at.refuse(at.operands[1], 'tcgen05.dealloc takes a multiple of 32 columns');
      requireOneGroup(at);
      agree(at, start);
      agree(at, columns);
      requireSize(at, columns);
      requireAllocation(at, start, columns);
      beginInPair(at, group, 'dealloc');
      const where = at.isFirstLane;
      if (isNever(where)) return;
      accessAllLanes(at, start, { instruction: 'dealloc', group: groupOf(group), action: 'write', columns, where }, 1);
    },
  }),
  'tcgen05.relinquish_alloc_permit': instruction({
    ...OF_WARP,
    operands: '',
    decode: (at, { group }) => {
      requireOneGroup(at);
      together(at);
      beginInPair(at, group, 'relinquish_alloc_permit');
      at.emitWhere(at.isFirstLane, { kind: 'tensor-step', step: 'relinquish_alloc_permit' });
    },
  }),
} as const satisfies Record<string, Instruction>;
