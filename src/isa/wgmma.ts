import type { DataType } from '../program/data-type.js';
import { PREDICATE } from '../program/data-type.js';
import { constant, type Operand, register } from '../program/operation.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import { type Instruction, instruction, SYNC } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { readMatrix } from './matrix-descriptors.js';
import { leaveOpen } from './matrix-product.js';
import { dimensionsOf, elementBits, WGMMA_SHAPES } from './matrix-shapes.js';
import { B32, B64, each, literal, result, value } from './typed-operands.js';
import { together } from './warp-exchange.js';

/**
 * wgmma (PTX ISA, Asynchronous Warpgroup Level Matrix Instructions). One thread stands for the warpgroup. Matrices in
 * shared memory are read through the async proxy; registers are in flight from an operation to the wait for its group.
 */
const COUNT: DataType = { kind: 'u', width: 16 };
/** Hidden registers: whether a fence was executed, how many groups are committed, how many are known complete. */
const FENCED = '#wgmma.fenced';
const COMMITTED = '#wgmma.committed';
const COMPLETE = '#wgmma.complete';
/** Of a register that they use: accessed since the last fence; the last group to use it, plus 1; its shape. */
const touched = (name: string): string => `#wgmma.touched.${name}`;
const lastUsed = (name: string): string => `#wgmma.used.${name}`;
const shapeOf = (name: string): string => `#wgmma.shape.${name}`;

/** The registers that hold accumulators, or fragments of A, of some operation of a thread. */
export function wgmmaRegisters(statements: readonly { readonly kind: string }[]): ReadonlySet<string> {
  const names = statements.flatMap((statement) => {
    if (statement.kind !== 'instruction') return [];
    const { mnemonic, operands } = statement as InstructionSyntax;
    return mnemonic === 'wgmma' ? operands.flatMap(registersOf) : [];
  });
  return new Set(names);
}

const registersOf = (operand: OperandSyntax): readonly string[] =>
  operand.kind === 'vector' ? operand.elements.flatMap((one) => (one.kind === 'name' ? [one.name] : [])) : [];

/** After an instruction that is no wgmma: the registers of such operations that it accesses must not be in flight. */
export function noticeRegisters(at: InstructionDecoder, accessed: ReadonlySet<string>): void {
  for (const name of accessed) {
    if (!at.decoder.thread.fragments.has(name)) continue;
    const used = at.hidden(lastUsed(name), COUNT);
    const over = at.of(COUNT.width).lessOrEqual(used, at.hidden(COMPLETE, COUNT));
    at.require(over, 'register-in-flight');
    at.keep(touched(name), PREDICATE, constant(1));
  }
}

function decodeFence(at: InstructionDecoder): void {
  together(at);
  at.keep(FENCED, PREDICATE, constant(1));
  for (const name of at.decoder.thread.fragments) {
    at.keep(touched(name), PREDICATE, constant(0));
    at.keep(shapeOf(name), COUNT, constant(0));
  }
}

function decodeCommit(at: InstructionDecoder): void {
  together(at);
  at.emit({ kind: 'group', action: 'commit', family: 'wgmma' });
  const committed = at.hidden(COMMITTED, COUNT);
  at.result(COMMITTED, COUNT, at.of(COUNT.width).add(committed, constant(1)));
}

const UP_TO_SEVEN = literal((n) => n >= 0n && n <= 7n, 'wgmma.wait_group takes a number from 0 to 7');

function decodeWait(at: InstructionDecoder): void {
  const count = UP_TO_SEVEN.read(at, at.operands[0]);
  if (count === undefined) return;
  together(at);
  const of = at.of(COUNT.width);
  const pending = constant(count);
  at.emit({ kind: 'group', action: 'wait', family: 'wgmma', pending: Number(count), readsOnly: false });
  const committed = at.hidden(COMMITTED, COUNT);
  const over = of.select(of.less(committed, pending), constant(0), of.subtract(committed, pending));
  at.result(COMPLETE, COUNT, of.maximum(at.hidden(COMPLETE, COUNT), over));
}

/** Kinds of an operation that may follow each other on one accumulator without a fence: of one shape. */
const shapeNumber = (shape: string): number =>
  [...shape].reduce((sum, character) => (31 * sum + character.charCodeAt(0)) % 65_521, 7) + 1;

/** Scales of A and B are 1 or -1, then come 0 or 1 for each matrix in shared memory that may be transposed. */
function checkImmediates(at: InstructionDecoder, operands: readonly OperandSyntax[], hasFragment: boolean): boolean {
  const wrong = operands.find((operand, i) => {
    const allowed = i < 2 ? [1n, -1n] : [0n, 1n];
    return operand.kind !== 'number' || !allowed.includes(operand.value);
  });
  const isComplete = operands.length <= 2 || operands.length === (hasFragment ? 3 : 4);
  if (wrong === undefined && isComplete) return true;
  at.refuse(
    wrong,
    'scales of A and B are 1 or -1, transpositions 0 or 1, the latter for matrices in shared memory only',
  );
  return false;
}

/** Whether accumulator and fragment of A have as many registers as they must. */
function checkRegisters(at: InstructionDecoder, shape: string, type: string): boolean {
  const [destination, a] = at.operands;
  const found = destination?.kind === 'vector' ? destination.elements.length : 0;
  const count = dimensionsOf(shape)[1] / (type === 'f16' ? 4 : 2);
  if (found === 0) at.refuse(destination, 'the accumulator is a vector of registers');
  else if (found !== count) at.refuse(destination, `the accumulator of .${shape} with .${type} is ${count} registers`);
  else if (a?.kind === 'vector' && a.elements.length !== 4) at.refuse(a, 'a fragment of A is 4 registers');
  else return true;
  return false;
}

/** Registers in flight, of an operation of a kind: a fence has covered what accessed them, or one of that kind did. */
function requireFence(
  at: InstructionDecoder,
  targets: readonly string[],
  others: readonly string[],
  kind: number,
): void {
  const bit = at.of(1);
  const count = at.of(COUNT.width);
  let fenced: Operand = at.hidden(FENCED, PREDICATE);
  for (const name of [...targets, ...others]) fenced = bit.and(fenced, bit.not(at.hidden(touched(name), PREDICATE)));
  for (const name of targets) {
    const last = at.hidden(shapeOf(name), COUNT);
    fenced = bit.and(fenced, bit.or(count.equal(last, constant(0)), count.equal(last, constant(kind))));
  }
  at.require(fenced, 'missing-wgmma-fence');
}

/** Notes that registers are in flight until the next group is complete. */
function noteUse(at: InstructionDecoder, targets: readonly string[], others: readonly string[], kind: number): void {
  const next = at.of(COUNT.width).add(at.hidden(COMMITTED, COUNT), constant(1));
  const kept = at.temporary(COUNT);
  at.result(kept, COUNT, next);
  for (const name of [...targets, ...others]) at.keep(lastUsed(name), COUNT, register(kept));
  for (const name of targets) at.keep(shapeOf(name), COUNT, constant(kind));
}

function decodeMultiplyAsync(
  at: InstructionDecoder,
  { shape, type, typeA, typeB }: Readonly<Record<'shape' | 'type' | 'typeA' | 'typeB', string>>,
  isSparse: boolean,
): void {
  const [destination, a, b, ...rest] = at.operands;
  if (!checkRegisters(at, shape, type)) return;
  if (!checkImmediates(at, rest.slice(isSparse ? 3 : 1), a?.kind === 'vector')) return;
  const accumulators = destination?.kind === 'vector' ? destination.elements : [];
  const fragments = a?.kind === 'vector' ? a.elements : [];
  const targets = each(at, accumulators, result(B32, { untyped: true }));
  const read = each(at, [...accumulators, ...fragments], value(B32, { untyped: true }));
  const matrixA = a?.kind === 'vector' ? undefined : at.value(a, B64);
  const matrixB = at.value(b, B64);
  const scale = rest[isSparse ? 2 : 0];
  if (scale !== undefined && scale.kind !== 'number') at.predicate(scale);
  if (matrixB === undefined || (a?.kind !== 'vector' && matrixA === undefined)) return;
  if (targets === undefined || read === undefined) return;
  together(at);
  const used = [targets, a === undefined ? [] : registersOf(a)] as const;
  const kind = shapeNumber(`${shape}.${typeA}.${typeB}`);
  requireFence(at, ...used, kind);
  const [m, n, k] = dimensionsOf(shape);
  const isOne = (one: OperandSyntax | undefined): boolean => one?.kind === 'number' && one.value === 1n;
  const transposed = rest.slice(isSparse ? 5 : 3).map(isOne);
  const readOne = (descriptor: Operand, extent: number, depth: number, type: string, isTransposed?: boolean): void => {
    const bits = elementBits(type);
    const shape = { extent: constant(extent), depth, bits, isTransposed: constant(isTransposed === true ? 1 : 0) };
    readMatrix(at, descriptor, (extent * depth * bits) / 8, 'wgmma', { shape });
  };
  if (matrixA !== undefined) readOne(matrixA, m, isSparse ? k / 2 : k, typeA, transposed[0]);
  readOne(matrixB, n, k, typeB, transposed.at(-1));
  noteUse(at, ...used, kind);
  leaveOpen(at, targets, read);
}

const WARPGROUP = { ptx: '8.0', target: 'sm_90a' };
/** Matrices of shared memory, or of registers and shared memory. */
const asynchronous = (isSparse: boolean): Instruction =>
  instruction({
    slots: {
      ...SYNC,
      shape: Array.from({ length: 32 }, (_, i) =>
        ['k8', 'k16', 'k32', 'k64', 'k128', 'k256'].map((k) => `m64n${8 * (i + 1)}${k}`),
      ).flat(),
      finite: ['satfinite'],
      combination: ['and'],
      operation: ['popc'],
      type: ['f16', 'f32', 's32'],
      typeA: ['f16', 'bf16', 'tf32', 'e4m3', 'e5m2', 's8', 'u8', 'b1'],
      typeB: ['f16', 'bf16', 'tf32', 'e4m3', 'e5m2', 's8', 'u8', 'b1'],
    },
    required: ['sync', 'aligned', 'shape', 'type', 'typeA', 'typeB'],
    operands: 'd, a, b-desc{, sp-meta, sp-sel}, scale-d{, imm-scale-a, imm-scale-b{, imm-trans-a}, imm-trans-b}',
    destination: true,
    rules: [WGMMA_SHAPES(isSparse)],
    since: WARPGROUP,
    decode: (at, qualifiers) => decodeMultiplyAsync(at, qualifiers, isSparse),
  });
const group = (operands: string, decode: (at: InstructionDecoder) => void): Instruction =>
  instruction({
    slots: SYNC,
    required: ['sync'],
    operands,
    since: WARPGROUP,
    decode,
  });

export const WGMMA_INSTRUCTIONS = {
  'wgmma.fence': group('', decodeFence),
  'wgmma.commit_group': group('', decodeCommit),
  'wgmma.wait_group': group('N', decodeWait),
  'wgmma.mma_async': asynchronous(false),
  'wgmma.mma_async.sp': asynchronous(true),
} as const satisfies Record<string, Instruction>;
