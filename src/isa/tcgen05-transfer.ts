import type { DataType } from '../program/data-type.js';
import { constant, type Operand, register } from '../program/operation.js';
import { BANDS, LANES_OF_BAND, type TensorMemoryOfCta } from '../program/tensor-memory.js';
import { type Instruction, instruction, SYNC } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { accessBand, agree, BLACKWELL, PARTS, requireColumns, type TensorAccessOf, tensorAddress } from './tcgen05.js';
import { B32, each, result, type TypedOperand } from './typed-operands.js';
import { together } from './warp-exchange.js';

/** tcgen05.ld and tcgen05.st, between registers of a warp and its quarter of tensor memory, and the waits for them. */

/** How many columns and registers a load or store has for each repetition (PTX ISA, tcgen05.ld, Table of shapes). */
const SHAPES: Readonly<Record<string, { readonly columns: number; readonly registers: number }>> = {
  '32x32b': { columns: 1, registers: 1 },
  '16x64b': { columns: 2, registers: 1 },
  '16x128b': { columns: 4, registers: 2 },
  '16x256b': { columns: 8, registers: 4 },
  '16x32bx2': { columns: 1, registers: 1 },
};
const MOST_REGISTERS = 128;

/** `tcgen05.ld` and `tcgen05.st`. */
function transfer(
  at: InstructionDecoder,
  { shape, number, packed }: { readonly shape: string; readonly number: string; readonly packed?: string },
  name: 'ld' | 'st',
): void {
  const { operands } = at;
  const isSplit = shape === '16x32bx2';
  const [vector, memory, second] =
    name === 'ld' ? operands : [operands.at(-1), operands[0], operands.length > 2 ? operands[1] : undefined];
  if ((second !== undefined) !== isSplit)
    return void at.refuse(second, '.16x32bx2, and no other shape, says where its second half begins');
  if (second !== undefined && second.kind !== 'number')
    return void at.refuse(second, 'where the second half begins is a number of columns');
  const per = SHAPES[shape] ?? { columns: 1, registers: 1 };
  const count = per.registers * Number(number.slice(1));
  const elements = vector?.kind === 'vector' ? vector.elements : [];
  if (count > MOST_REGISTERS || elements.length !== count)
    return void at.refuse(
      vector,
      count > MOST_REGISTERS
        ? `.${shape} has no .${number}: it would take ${count} registers`
        : `.${shape}.${number} takes ${count} registers in braces`,
    );
  const targets = name === 'ld' ? each(at, elements, result(B32, { untyped: true })) : [];
  const given = name === 'st' ? each(at, elements, REGISTER) : [];
  const address = tensorAddress(at, memory);
  const own = at.decoder.thread.tensorMemory?.of(at.placement);
  if (address === undefined || own === undefined || targets === undefined || given === undefined) return;
  agree(at, address);
  const columns = per.columns * Number(number.slice(1)) * (packed === undefined ? 1 : 2);
  const action = name === 'ld' ? 'read' : 'write';
  const use: TensorAccessOf = { instruction: name, shape, action, columns: constant(columns) };
  requireLane(at, address, shape);
  requireColumns(at, own, address, constant(columns));
  const of = at.of(32);
  const band = of.and(of.shiftRight(address, constant(PARTS.band)), constant(BANDS - 1));
  if (shape === '32x32b' && packed === undefined) return transferWords(at, own, address, band, use, { targets, given });
  if (isSplit) {
    const split = of.add(address, constant(second?.kind === 'number' ? second.value : 0n));
    requireColumns(at, own, split, constant(columns));
    accessBand(at, own, address, band, use);
    accessBand(at, own, split, of.add(band, constant(1)), use);
  } else for (const one of shape === '32x32b' ? halves(at, own, band) : [band]) accessBand(at, own, address, one, use);
  for (const target of targets) at.result(target, B32, at.open(32));
}

const REGISTER: TypedOperand<Operand> = {
  read: (at, operand) =>
    operand?.kind === 'name' ? at.value(operand, B32, { untyped: true }) : at.refuse(operand, 'expected a register'),
};

/** The bands of a quarter that begins with one: where halves are told apart, the second one as well. */
const halves = (at: InstructionDecoder, { bands }: TensorMemoryOfCta, first: Operand): readonly Operand[] =>
  bands.some((band) => band % 2 === 1) ? [first, at.of(32).add(first, constant(1))] : [first];

/** The registers of .32x32b are the columns, one after the other, of the lane of the thread. */
function transferWords(
  at: InstructionDecoder,
  own: TensorMemoryOfCta,
  address: Operand,
  first: Operand,
  use: TensorAccessOf,
  { targets, given }: { readonly targets: readonly string[]; readonly given: readonly Operand[] },
): void {
  const words = at.decoder.thread.tensorMemory?.words ?? 1;
  const count = targets.length + given.length;
  // Each part is a value of its own: all columns at once, unless the words of other lanes lie between them.
  const size = words === 1 ? count : 1;
  const word = words === 1 ? 0 : at.placement.lane % words;
  const columns = constant(size);
  const bands = halves(at, own, first);
  for (let i = 0; i < count; i += size) {
    const place = at.of(32).add(address, constant(i));
    const type: DataType = { kind: 'b', width: 32 * size };
    const found: Operand[] = [];
    for (const band of bands) {
      if (given.length > 0) {
        const value = at.of(32).concatenate(given.slice(i, i + size));
        accessBand(at, own, place, band, { ...use, columns, value }, word);
        continue;
      }
      const target = at.temporary(type);
      accessBand(at, own, place, band, { ...use, columns, target }, word);
      found.push(register(target));
    }
    const [lower, upper] = found;
    if (lower === undefined) continue;
    const isLower = at.of(32).less(at.lane, constant(LANES_OF_BAND));
    const mine = upper === undefined ? lower : at.of(type.width).select(isLower, lower, upper);
    targets.slice(i, i + size).forEach((one, n) => at.result(one, B32, at.of(32).element(mine, type.width, n)));
  }
}

/** A warp reaches the lanes of its own quarter, from the first one of a band on, or of a quarter. */
function requireLane(at: InstructionDecoder, address: Operand, shape: string): void {
  const of = at.of(32);
  const ofBand = shape.startsWith('16x') && shape !== '16x32bx2';
  const lanes = constant(ofBand ? LANES_OF_BAND - 1 : 2 * LANES_OF_BAND - 1);
  let holds = of.equal(of.and(of.shiftRight(address, constant(PARTS.lane)), lanes), constant(0));
  const { warpNumber } = at;
  if (warpNumber !== undefined) {
    const quarter = of.and(of.shiftRight(address, constant(PARTS.band + 1)), constant(3));
    holds = at.of(1).and(holds, of.equal(quarter, of.and(warpNumber, constant(3))));
  }
  at.require(holds, 'tensor-memory-lane');
}

const transferOf = (name: 'ld' | 'st'): Instruction =>
  instruction({
    slots: {
      ...SYNC,
      shape: ['32x32b', '16x64b', '16x128b', '16x256b', '16x32bx2'],
      number: ['x1', 'x2', 'x4', 'x8', 'x16', 'x32', 'x64', 'x128'],
      packed: name === 'ld' ? ['pack::16b'] : ['unpack::16b'],
      type: ['b32'],
    },
    required: ['sync', 'shape', 'number', 'type'],
    operands: name === 'ld' ? 'r, [taddr]{, half}' : '[taddr]{, half}, r',
    destination: name === 'ld',
    since: BLACKWELL,
    decode: (at, qualifiers) => transfer(at, qualifiers, name),
  });

/** For all loads, or all stores, of the thread. */
const wait = (name: 'ld' | 'st'): Instruction =>
  instruction({
    slots: SYNC,
    required: ['sync', 'aligned'],
    operands: '',
    since: BLACKWELL,
    decode: (at) => {
      together(at);
      at.emit({ kind: 'group', action: 'wait', family: `tcgen05.${name}`, pending: undefined, readsOnly: false });
    },
  });

export const TRANSFER_INSTRUCTIONS = {
  'tcgen05.ld': transferOf('ld'),
  'tcgen05.st': transferOf('st'),
  'tcgen05.wait::ld': wait('ld'),
  'tcgen05.wait::st': wait('st'),
} as const satisfies Record<string, Instruction>;
