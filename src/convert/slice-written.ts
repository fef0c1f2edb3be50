import { rootsOf } from '../build/asked.js';
import { buildProgram } from '../build/build-program.js';
import { type MemoryAccess, memoryAccesses } from '../effects/memory-accesses.js';
import { whatMatters } from '../flow/slice.js';
import { objectAt } from '../flow/touched-objects.js';
import type { LocationTable, MemoryObject } from '../program/locations.js';
import { registersWritten } from '../program/operands.js';
import { isComputation, type ProgramStatement } from '../program/operation.js';
import type { Program, Thread } from '../program/program.js';
import type { Declaration, InstructionSyntax, LitmusFile, OperandSyntax, Statement } from '../syntax/litmus-ast.js';
import { parseLitmus } from '../syntax/parse-litmus.js';
import { printLitmus } from '../syntax/print-litmus.js';

/** A test with what its answers need alone. It is read again: threads that were not written out have no places yet. */
export function slicedOf(file: LitmusFile): LitmusFile {
  const { value: again } = parseLitmus({ path: file.source.path, text: printLitmus(file) });
  const program = again === undefined ? undefined : buildProgram(again, () => undefined, true).value;
  return again === undefined || program === undefined ? file : sliceWritten(again, program);
}

/**
 * A test without what its answers do not need: values that decide nothing, and plain accesses to bytes that one thread
 * alone touches and no condition asks for. `program`: what the test was read as.
 */
function sliceWritten(file: LitmusFile, program: Program): LitmusFile {
  const { threads, locations } = program;
  const { matters, registers } = whatMatters(threads, locations, rootsOf(file.clauses, threads, locations), true);
  const named = new Set(file.clauses.flatMap(({ span }) => wordsIn(span.source.text.slice(span.start, span.end))));
  const shared = sharedBytes(threads, locations);
  const isIdle = (thread: Thread, { operation }: ProgramStatement): boolean => {
    if (operation.kind !== 'load' && operation.kind !== 'store') return false;
    const object = objectAt(locations, thread, operation.address);
    return object !== undefined && !matters.has(object);
  };
  const asksForValues = file.clauses.some((one) => one.kind === 'expect' && one.expectation.endsWith('uninitialized'));
  const isWithoutValue = (thread: Thread, operation: ProgramStatement['operation']): boolean =>
    memoryAccesses(operation).some(({ address }) => objectAt(locations, thread, address)?.isUninitialized === true);
  const isNeeded = (thread: Thread, statement: ProgramStatement): boolean => {
    const { operation } = statement;
    const isAsked = registersWritten(operation).some((name) => registers[thread.index]?.has(name));
    if (isComputation(operation)) return isAsked;
    if (isAsked || !isIdle(thread, statement) || !isPlain(operation) || shared(thread, statement)) return true;
    return asksForValues && isWithoutValue(thread, operation);
  };
  const bodies = file.threads.map((syntax, index): readonly Statement[] => {
    const thread = threads[index];
    if (thread === undefined) return syntax.statements;
    const byPlace = new Map<number, ProgramStatement[]>();
    for (const one of thread.statements) byPlace.set(one.span.start, [...(byPlace.get(one.span.start) ?? []), one]);
    return syntax.statements.flatMap((statement): readonly Statement[] => {
      if (statement.kind !== 'instruction') return [statement];
      const made = byPlace.get(statement.span.start) ?? [];
      if (made.length > 0 && !made.some((one) => isNeeded(thread, one))) return [];
      const [only] = made;
      const isStore = made.length === 1 && only?.operation.kind === 'store' && isIdle(thread, only);
      return [isStore ? withoutValue(statement) : statement];
    });
  });
  const words = new Set(bodies.flat().flatMap((one) => (one.kind === 'registers' ? [] : wordsOf(one))));
  return {
    ...file,
    threads: file.threads.map((thread, i) => ({
      ...thread,
      statements: (bodies[i] ?? []).flatMap((one): readonly Statement[] => {
        if (one.kind !== 'registers') return [one];
        const names = one.names.filter(({ name, count }) => count !== undefined || words.has(name));
        return names.length === 0 ? [] : [{ ...one, names }];
      }),
    })),
    declarations: file.declarations.filter(
      (one) =>
        one.kind !== 'location' ||
        words.has(one.name) ||
        named.has(one.name) ||
        file.declarations.some((other) => other !== one && wordsOf(other).includes(one.name)),
    ),
  };
}

const wordsIn = (text: string): readonly string[] => text.match(/[\w$]+/g) ?? [];
const wordsOf = (part: Statement | Declaration): readonly string[] =>
  wordsIn(JSON.stringify(part, (key, value) => (/span$/i.test(key) || typeof value === 'bigint' ? undefined : value)));

const isPlain = (operation: ProgramStatement['operation']): boolean =>
  (operation.kind === 'load' || operation.kind === 'store') && operation.order === 'weak';

/** A store of zeros. */
function withoutValue({ operands, ...rest }: InstructionSyntax): InstructionSyntax {
  const zero = (operand: OperandSyntax): OperandSyntax =>
    operand.kind === 'vector'
      ? { ...operand, elements: operand.elements.map(zero) }
      : { kind: 'number', value: 0n, span: operand.span };
  return { ...rest, operands: operands.map((operand, i) => (i === 0 ? operand : zero(operand))) };
}

interface Bytes {
  readonly object: MemoryObject;
  readonly start: number;
  readonly end: number;
}

/** Whether another thread may touch the bytes of an access as well. */
function sharedBytes(
  threads: readonly Thread[],
  locations: LocationTable,
): (thread: Thread, statement: ProgramStatement) => boolean {
  const rangeOf = (thread: Thread, { address, bytes, tile, multicast }: MemoryAccess): Bytes | 'anywhere' => {
    const object = objectAt(locations, thread, address);
    const range = locations.ranges.find((one) => one.object === object);
    const isPlain = tile === undefined && multicast === undefined && bytes?.kind === 'constant';
    if (!isPlain || object === undefined || range === undefined || address.base.kind !== 'constant') return 'anywhere';
    const start = Number(address.base.value + address.offset - range.base);
    return { object, start, end: start + Number(bytes.value) };
  };
  const rangesOf = (thread: Thread, { operation }: ProgramStatement): readonly (Bytes | 'anywhere')[] =>
    memoryAccesses(operation).map((access) => rangeOf(thread, access));
  const all = threads.flatMap((thread) =>
    thread.statements.flatMap((statement) => rangesOf(thread, statement).map((range) => ({ thread, range }))),
  );
  const isUnclear = all.some(({ range }) => range === 'anywhere');
  return (thread, statement) =>
    isUnclear ||
    rangesOf(thread, statement).some(
      (own) =>
        own !== 'anywhere' &&
        all.some(
          ({ thread: other, range }) =>
            other !== thread &&
            range !== 'anywhere' &&
            range.object === own.object &&
            range.start < own.end &&
            own.start < range.end,
        ),
    );
}
