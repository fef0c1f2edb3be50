import type { DataType } from '../program/data-type.js';
import { PREDICATE } from '../program/data-type.js';
import type { Operand } from '../program/operation.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import { leaveOpen, together } from './decode-matrix.js';
import type { Decoder } from './decoder.js';
import { readMatrix } from './matrix-descriptors.js';
import { dimensionsOf, elementBits } from './matrix-shapes.js';
import { constant, Steps } from './steps.js';

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
const register = (name: string): Operand => ({ kind: 'register', name });

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

function state(decoder: Decoder, name: string, type: DataType): Operand {
  if (decoder.instruction !== undefined) decoder.hidden(name, type, decoder.instruction.span);
  return register(name);
}

/** After an instruction that is no wgmma: the registers of such operations that it accesses must not be in flight. */
export function noticeRegisters(decoder: Decoder, instruction: InstructionSyntax, accessed: ReadonlySet<string>): void {
  const steps = new Steps(decoder, instruction);
  for (const name of accessed) {
    if (!decoder.fragments.has(name)) continue;
    const used = state(decoder, lastUsed(name), COUNT);
    const over = steps.of(COUNT.width).lessOrEqual(used, state(decoder, COMPLETE, COUNT));
    decoder.emit(instruction, { kind: 'require', value: over, rule: 'register-in-flight' });
    steps.result(touched(name), PREDICATE, constant(1));
    state(decoder, touched(name), PREDICATE);
  }
}

export function decodeFence(decoder: Decoder, instruction: InstructionSyntax): void {
  const steps = new Steps(decoder, instruction);
  together(steps);
  state(decoder, FENCED, PREDICATE);
  steps.result(FENCED, PREDICATE, constant(1));
  for (const name of decoder.fragments) {
    state(decoder, touched(name), PREDICATE);
    steps.result(touched(name), PREDICATE, constant(0));
    state(decoder, shapeOf(name), COUNT);
    steps.result(shapeOf(name), COUNT, constant(0));
  }
}

export function decodeCommit(decoder: Decoder, instruction: InstructionSyntax): void {
  const steps = new Steps(decoder, instruction);
  together(steps);
  decoder.emit(instruction, { kind: 'group', action: 'commit', family: 'wgmma' });
  const committed = state(decoder, COMMITTED, COUNT);
  steps.result(COMMITTED, COUNT, steps.of(COUNT.width).add(committed, constant(1)));
}

export function decodeWait(decoder: Decoder, instruction: InstructionSyntax): void {
  const [count] = instruction.operands;
  if (count?.kind !== 'number' || count.value < 0n || count.value > 7n)
    return void decoder.refuse(count?.span ?? instruction.span, 'wgmma.wait_group takes a number from 0 to 7');
  const steps = new Steps(decoder, instruction);
  together(steps);
  const of = steps.of(COUNT.width);
  const pending = constant(count.value);
  decoder.emit(instruction, {
    ...{ kind: 'group', action: 'wait', family: 'wgmma', pending: Number(count.value), readsOnly: false },
  });
  const committed = state(decoder, COMMITTED, COUNT);
  const over = of.select(of.less(committed, pending), constant(0), of.subtract(committed, pending));
  steps.result(COMPLETE, COUNT, of.maximum(state(decoder, COMPLETE, COUNT), over));
}

/** Kinds of an operation that may follow each other on one accumulator without a fence: of one shape. */
const shapeNumber = (shape: string): number =>
  [...shape].reduce((sum, character) => (31 * sum + character.charCodeAt(0)) % 65_521, 7) + 1;

/** Scales of A and B are 1 or -1, then come 0 or 1 for each matrix in shared memory that may be transposed. */
function checkImmediates(
  decoder: Decoder,
  instruction: InstructionSyntax,
  operands: readonly OperandSyntax[],
  hasFragment: boolean,
): boolean {
  const wrong = operands.find((operand, i) => {
    const allowed = i < 2 ? [1n, -1n] : [0n, 1n];
    return operand.kind !== 'number' || !allowed.includes(operand.value);
  });
  const isComplete = operands.length <= 2 || operands.length === (hasFragment ? 3 : 4);
  if (wrong === undefined && isComplete) return true;
  decoder.refuse(
    wrong?.span ?? instruction.span,
    'scales of A and B are 1 or -1, transpositions 0 or 1, the latter for matrices in shared memory only',
  );
  return false;
}

export function decodeMultiplyAsync(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { shape, type, typeA, typeB }: Readonly<Record<'shape' | 'type' | 'typeA' | 'typeB', string>>,
): void {
  const [destination, a, b, ...rest] = instruction.operands;
  const isSparse = instruction.qualifiers.some(({ text }) => text === 'sp');
  const accumulators = destination?.kind === 'vector' ? destination.elements : [];
  if (accumulators.length === 0)
    return void decoder.refuse(destination?.span ?? instruction.span, 'the accumulator is a vector of registers');
  const [m, n, k] = dimensionsOf(shape);
  if (accumulators.length !== n / (type === 'f16' ? 4 : 2))
    return void decoder.refuse(
      destination?.span ?? instruction.span,
      `the accumulator of .${shape} with .${type} is ${n / (type === 'f16' ? 4 : 2)} registers`,
    );
  if (a?.kind === 'vector' && a.elements.length !== 4)
    return void decoder.refuse(a.span, 'a fragment of A is 4 registers');
  if (!checkImmediates(decoder, instruction, rest.slice(isSparse ? 3 : 1), a?.kind === 'vector')) return;
  const targets = accumulators.map((one) => decoder.target(one, WORD, { untyped: true }));
  const fragments = a === undefined ? [] : registersOf(a);
  const read = [...accumulators, ...(a?.kind === 'vector' ? a.elements : [])].map((one) =>
    decoder.value(one, WORD, { untyped: true }),
  );
  const matrixA = a?.kind === 'vector' ? undefined : decoder.value(a, DESCRIPTOR);
  const matrixB = decoder.value(b, DESCRIPTOR);
  const scale = rest[isSparse ? 2 : 0];
  if (scale !== undefined && scale.kind !== 'number') decoder.predicate(instruction, scale);
  if (matrixB === undefined || (a?.kind !== 'vector' && matrixA === undefined)) return;
  if ([...targets, ...read].some((one) => one === undefined)) return;
  const steps = new Steps(decoder, instruction);
  together(steps);
  const bit = steps.of(1);
  const count = steps.of(COUNT.width);
  const number = shapeNumber(`${shape}.${typeA}.${typeB}`);
  let fenced: Operand = state(decoder, FENCED, PREDICATE);
  for (const name of [...(targets as string[]), ...fragments])
    fenced = bit.and(fenced, bit.not(state(decoder, touched(name), PREDICATE)));
  for (const name of targets as string[]) {
    const last = state(decoder, shapeOf(name), COUNT);
    fenced = bit.and(fenced, bit.or(count.equal(last, constant(0)), count.equal(last, constant(number))));
  }
  decoder.emit(instruction, { kind: 'require', value: fenced, rule: 'missing-wgmma-fence' });
  const sizeA = (m * k * elementBits(typeA)) / (isSparse ? 16 : 8);
  for (const [descriptor, bytes] of [
    [matrixA, sizeA],
    [matrixB, (k * n * elementBits(typeB)) / 8],
  ] as const)
    if (descriptor !== undefined) readMatrix(steps, descriptor, bytes, 'wgmma');
  const current = count.add(state(decoder, COMMITTED, COUNT), constant(1));
  const kept = decoder.temporary(COUNT, instruction.span);
  steps.result(kept, COUNT, current);
  for (const name of [...(targets as string[]), ...fragments]) {
    state(decoder, lastUsed(name), COUNT);
    steps.result(lastUsed(name), COUNT, register(kept));
  }
  for (const name of targets as string[]) {
    state(decoder, shapeOf(name), COUNT);
    steps.result(shapeOf(name), COUNT, constant(number));
  }
  leaveOpen(decoder, instruction, targets as string[], read as Operand[]);
}
