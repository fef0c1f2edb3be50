import type { DataType } from '../program/data-type.js';
import { PREDICATE } from '../program/data-type.js';
import { constant, type Operand, register } from '../program/operation.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import { leaveOpen, together } from './decode-matrix.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { readMatrix } from './matrix-descriptors.js';
import { dimensionsOf, elementBits } from './matrix-shapes.js';

/**
 * wgmma (PTX ISA, Asynchronous Warpgroup Level Matrix Instructions). One thread stands for the warpgroup. Matrices in
 * shared memory are read through the async proxy; registers are in flight from an operation to the wait for its group.
 */
const DESCRIPTOR: DataType = { kind: 'b', width: 64 };
const WORD: DataType = { kind: 'b', width: 32 };
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
    at.result(touched(name), PREDICATE, constant(1));
    at.hidden(touched(name), PREDICATE);
  }
}

export function decodeFence(at: InstructionDecoder): void {
  together(at);
  at.hidden(FENCED, PREDICATE);
  at.result(FENCED, PREDICATE, constant(1));
  for (const name of at.decoder.thread.fragments) {
    at.hidden(touched(name), PREDICATE);
    at.result(touched(name), PREDICATE, constant(0));
    at.hidden(shapeOf(name), COUNT);
    at.result(shapeOf(name), COUNT, constant(0));
  }
}

export function decodeCommit(at: InstructionDecoder): void {
  together(at);
  at.emit({ kind: 'group', action: 'commit', family: 'wgmma' });
  const committed = at.hidden(COMMITTED, COUNT);
  at.result(COMMITTED, COUNT, at.of(COUNT.width).add(committed, constant(1)));
}

export function decodeWait(at: InstructionDecoder): void {
  const [count] = at.operands;
  if (count?.kind !== 'number' || count.value < 0n || count.value > 7n)
    return void at.refuse(count, 'wgmma.wait_group takes a number from 0 to 7');
  together(at);
  const of = at.of(COUNT.width);
  const pending = constant(count.value);
  at.emit({
    ...{ kind: 'group', action: 'wait', family: 'wgmma', pending: Number(count.value), readsOnly: false },
  });
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

export function decodeMultiplyAsync(
  at: InstructionDecoder,
  { shape, type, typeA, typeB }: Readonly<Record<'shape' | 'type' | 'typeA' | 'typeB', string>>,
): void {
  const [destination, a, b, ...rest] = at.operands;
  const isSparse = at.qualifiers.some(({ text }) => text === 'sp');
  const accumulators = destination?.kind === 'vector' ? destination.elements : [];
  if (accumulators.length === 0) return void at.refuse(destination, 'the accumulator is a vector of registers');
  const [m, n, k] = dimensionsOf(shape);
  if (accumulators.length !== n / (type === 'f16' ? 4 : 2))
    return void at.refuse(
      destination,
      `the accumulator of .${shape} with .${type} is ${n / (type === 'f16' ? 4 : 2)} registers`,
    );
  if (a?.kind === 'vector' && a.elements.length !== 4) return void at.refuse(a, 'a fragment of A is 4 registers');
  if (!checkImmediates(at, rest.slice(isSparse ? 3 : 1), a?.kind === 'vector')) return;
  const targets = accumulators.map((one) => at.target(one, WORD, { untyped: true }));
  const fragments = a === undefined ? [] : registersOf(a);
  const read = [...accumulators, ...(a?.kind === 'vector' ? a.elements : [])].map((one) =>
    at.value(one, WORD, { untyped: true }),
  );
  const matrixA = a?.kind === 'vector' ? undefined : at.value(a, DESCRIPTOR);
  const matrixB = at.value(b, DESCRIPTOR);
  const scale = rest[isSparse ? 2 : 0];
  if (scale !== undefined && scale.kind !== 'number') at.predicate(scale);
  if (matrixB === undefined || (a?.kind !== 'vector' && matrixA === undefined)) return;
  if ([...targets, ...read].some((one) => one === undefined)) return;
  together(at);
  const bit = at.of(1);
  const count = at.of(COUNT.width);
  const number = shapeNumber(`${shape}.${typeA}.${typeB}`);
  let fenced: Operand = at.hidden(FENCED, PREDICATE);
  for (const name of [...(targets as string[]), ...fragments])
    fenced = bit.and(fenced, bit.not(at.hidden(touched(name), PREDICATE)));
  for (const name of targets as string[]) {
    const last = at.hidden(shapeOf(name), COUNT);
    fenced = bit.and(fenced, bit.or(count.equal(last, constant(0)), count.equal(last, constant(number))));
  }
  at.require(fenced, 'missing-wgmma-fence');
  const sizeA = (m * k * elementBits(typeA)) / (isSparse ? 16 : 8);
  for (const [descriptor, bytes] of [
    [matrixA, sizeA],
    [matrixB, (k * n * elementBits(typeB)) / 8],
  ] as const)
    if (descriptor !== undefined) readMatrix(at, descriptor, bytes, 'wgmma');
  const current = count.add(at.hidden(COMMITTED, COUNT), constant(1));
  const kept = at.temporary(COUNT);
  at.result(kept, COUNT, current);
  for (const name of [...(targets as string[]), ...fragments]) {
    at.hidden(lastUsed(name), COUNT);
    at.result(lastUsed(name), COUNT, register(kept));
  }
  for (const name of targets as string[]) {
    at.hidden(shapeOf(name), COUNT);
    at.result(shapeOf(name), COUNT, constant(number));
  }
  leaveOpen(at, targets as string[], read as Operand[]);
}
