import { constant, type Operand } from '../program/operation.js';
import {
  COLUMNS,
  type TensorInstruction,
  type TensorMemoryOfCta,
  type TensorUse,
  WORD_BYTES,
} from '../program/tensor-memory.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { B32 } from './typed-operands.js';
import { exchanged, nextLane } from './warp-exchange.js';

/**
 * Accesses of tcgen05 instructions to tensor memory (PTX ISA 9.7.18.1). A warp of which the test shows one lane
 * accesses all of its lanes; the lanes of a band that the test does not show are not told apart.
 */
export const BLACKWELL = { ptx: '8.6', target: 'sm_100a' };
export const GROUP = { group: ['cta_group::1', 'cta_group::2'] } as const;
export const groupOf = (group: string): 1 | 2 => (group === 'cta_group::2' ? 2 : 1);

/** `[taddr]`, an address in tensor memory: 32 bits. */
export function tensorAddress(at: InstructionDecoder, operand: OperandSyntax | undefined): Operand | undefined {
  if (operand === undefined) return undefined;
  if (operand.kind !== 'address') return at.refuse(operand, 'expected [taddr], an address in tensor memory');
  const { base, offset, span } = operand;
  if (typeof base === 'bigint' || (!operand.percent && at.decoder.isLocation(base)))
    return at.refuse(operand, 'an address in tensor memory is in a register, such as [%taddr]');
  const value = at.value({ kind: 'name', name: base, offset: 0n, span }, B32);
  return value === undefined || offset === 0n ? value : at.of(32).add(value, constant(BigInt.asUintN(32, offset)));
}

/** What an access needs beside its place. */
export interface TensorAccessOf extends Partial<TensorUse> {
  readonly instruction: TensorInstruction;
  readonly action: 'read' | 'write';
  readonly columns: Operand;
  /** What is stored, and what takes what is loaded: all columns as one value. */
  readonly value?: Operand;
  readonly target?: string;
  /** Of an accumulator of a pair of CTAs: in both. */
  readonly rows?: Operand;
  /** By those lanes alone where it holds. */
  readonly where?: Operand;
}

/** Where an address has its lane, the band of lanes that this is in, and its column. */
export const PARTS = { lane: 16, band: 20, column: 0xffff } as const;

/** Accesses columns of one band from an address on: all words of it, or the one of a lane that the test shows. */
export function accessBand(
  at: InstructionDecoder,
  memory: TensorMemoryOfCta,
  address: Operand,
  band: Operand,
  { columns, action, value, target, where = constant(1), ...use }: TensorAccessOf,
  word?: number,
): void {
  const [narrow, of] = [at.of(32), at.of(64)];
  const words = at.decoder.thread.tensorMemory?.words ?? 1;
  const column = narrow.and(address, constant(PARTS.column));
  const start = narrow.add(column, narrow.multiply(band, constant(COLUMNS)));
  const offset = of.multiply(narrow.convert(start, 64), constant(WORD_BYTES * words));
  const place = of.add(offset, constant(memory.base + BigInt(WORD_BYTES * (word ?? 0))));
  const bytes = narrow.multiply(columns, constant(WORD_BYTES * (word === undefined ? words : 1)));
  at.emitWhere(where, {
    ...{ kind: 'tensor', action, role: undefined, group: undefined, shape: '', dataKind: '' },
    ...use,
    address: { base: place, offset: 0n, window: 'tensor' },
    bytes,
    value,
    target,
  });
}

/** Undefined where the columns are not in tensor memory, or not among those that the test allocates. */
export function requireColumns(
  at: InstructionDecoder,
  memory: TensorMemoryOfCta,
  address: Operand,
  columns: Operand,
): void {
  const of = at.of(32);
  const end = of.add(of.and(address, constant(PARTS.column)), columns);
  const allocated = memory.allocations?.reduce((sum, one) => sum + one.columns, 0) ?? COLUMNS;
  const fits = of.lessOrEqual(end, constant(Math.min(allocated, COLUMNS)));
  at.require(fits, 'tensor-memory-address');
}

/** All tcgen05 instructions of a kernel name one CTA group. */
export function requireOneGroup(at: InstructionDecoder): void {
  if (at.decoder.thread.tensorMemory?.mixesGroups(at.placement) === true) at.require(constant(0), 'mixed-cta-groups');
}

/** All lanes of the warp come to the instruction, with the same value. */
export function agree(at: InstructionDecoder, value: Operand): void {
  const { lanes } = at.placement;
  if (lanes === 1) return;
  const other = exchanged(at, value, nextLane(at, lanes));
  at.require(at.of(32).equal(other, value), 'lanes-differ');
}

/** Accesses columns of all lanes, in each CTA of the group, or in the own one only. */
export function accessAllLanes(
  at: InstructionDecoder,
  address: Operand,
  what: TensorAccessOf,
  group = what.group ?? 1,
): void {
  const { tensorMemory, placement } = at.decoder.thread;
  for (const memory of tensorMemory?.ofGroup(placement, group) ?? []) {
    requireColumns(at, memory, address, what.columns);
    for (const band of memory.bands) accessBand(at, memory, address, constant(band), what);
  }
}
