import { callersOf, type Span, userLine } from '../../diagnostics/source.js';
import { type Body, backEdges, reachable, successorsIn } from '../../flow/graph.js';
import { settingOf } from '../../follow/setting.js';
import type { Code } from '../../kernel/code.js';
import { LANE, WARP } from '../../kernel/decode-kernel.js';
import { type PlannedLaunch, planLaunches } from '../../kernel/plan-launches.js';
import { registersRead, registersWritten } from '../../program/operands.js';
import type { Operation, ProgramStatement } from '../../program/operation.js';
import type { LitmusFile } from '../../syntax/litmus-ast.js';

/** Who comes to a place of a kernel. */
export interface Standing {
  /** How many loops are around it. */
  readonly depth: number;
  /** All threads of a CTA come there, or none of them, as far as the code says. */
  readonly isUniform: boolean;
}

/** An instruction of a kernel, in all copies that a compiler made of one line. */
export interface KernelInstruction {
  readonly spans: readonly [Span, ...Span[]];
  /** What the first copy does: statements of one instruction. */
  readonly operations: readonly Operation[];
  /** By copy. */
  readonly standings: readonly Standing[];
  /** Registers that the loops around it count by. */
  readonly counters: readonly string[];
}

/** The code of a kernel, and what stands in it, in the order of the text. */
export interface KernelCode {
  readonly planned: readonly PlannedLaunch[];
  readonly instructions: readonly KernelInstruction[];
  /** The number that a register holds, where one instruction alone writes it. */
  readonly numberOf: (register: string) => bigint | undefined;
}

interface Found {
  readonly copies: Map<number, { readonly span: Span; readonly standing: Standing }>;
  readonly operations: readonly Operation[];
  readonly counters: readonly string[];
}

/** The instructions of the kernels that a test launches. */
export function kernelCode(file: LitmusFile): KernelCode {
  const plan = planLaunches(file);
  const setting = settingOf(file, plan, () => undefined);
  const found = new Map<string, Found>();
  const numbers = new Map<string, bigint | undefined>();
  for (const { planned, ranks } of setting.launches) {
    const [rank] = ranks;
    if (rank === undefined) continue;
    collect(found, rank.code, planned);
    for (const [register, number] of numbersIn(rank.code))
      numbers.set(register, numbers.has(register) && numbers.get(register) !== number ? undefined : number);
  }
  const instructions = [...found.values()].flatMap(({ copies, ...rest }): readonly KernelInstruction[] => {
    const inOrder = [...copies.values()].sort((a, b) => a.span.start - b.span.start);
    const [first, ...others] = inOrder.map(({ span }) => span);
    const standings = inOrder.map(({ standing }) => standing);
    return first === undefined ? [] : [{ spans: [first, ...others], standings, ...rest }];
  });
  return {
    planned: plan.launches,
    instructions: instructions.sort((a, b) => a.spans[0].start - b.spans[0].start),
    numberOf: (register) => numbers.get(register),
  };
}

/** Of copies that stand in different places, what holds of all. */
export const standingOf = (all: readonly Standing[]): Standing => ({
  depth: Math.max(...all.map(({ depth }) => depth)),
  isUniform: all.every(({ isUniform }) => isUniform),
});

function collect(found: Map<string, Found>, code: Code, planned: PlannedLaunch): void {
  const { statements } = code;
  const divergent = divergentIn(code, successorsIn(bodyOf(code)), planned);
  const edges = backEdges(bodyOf(code));
  statements.forEach(({ span }, at) => {
    // What is decoded from no text of a module is no instruction of a user.
    if (span.source.compiledFrom === undefined) return;
    const key = `${span.source.path} ${originOf(span)}`;
    const depth = edges.filter(({ from, target }) => target <= at && at <= from).length;
    const one: Found = found.get(key) ?? {
      copies: new Map(),
      operations: statements.filter(({ span: { start } }) => start === span.start).map(({ operation }) => operation),
      counters: edges
        .filter(({ from, target }) => target <= at && at <= from)
        .flatMap(({ from, target }) => countersIn(statements.slice(target, from + 1))),
    };
    found.set(key, one);
    const known = one.copies.get(span.start)?.standing;
    const standing = { depth, isUniform: !divergent.has(at) };
    one.copies.set(span.start, { span, standing: known === undefined ? standing : standingOf([known, standing]) });
  });
}

/** Registers to which a number is added, and those that it is added to. */
const countersIn = (loop: readonly ProgramStatement[]): readonly string[] => [
  ...new Set(
    loop.flatMap(({ operation }) => {
      if (operation.kind !== 'compute' || operation.arithmetic.name !== 'add') return [];
      const [a, b] = operation.operands;
      return a?.kind === 'register' && b?.kind === 'constant' ? [a.name, operation.target] : [];
    }),
  ),
];

const bodyOf = ({ statements, targets }: Code): Body => ({
  statements,
  labels: new Map(
    statements.flatMap(({ operation }, at) =>
      operation.kind === 'branch' ? [[operation.label, targets[at] ?? statements.length] as const] : [],
    ),
  ),
});

/** Predefined registers that differ between the threads of a CTA. */
const OF_THREADS = /^%?(?:tid|laneid|warpid|lanemask)\b/;

/**
 * Statements that some threads of a CTA may come to and others not: between a branch on what differs between them and
 * where its ways come together.
 */
function divergentIn(
  { statements, joins }: Code,
  successors: readonly (readonly number[])[],
  { special }: PlannedLaunch,
): ReadonlySet<number> {
  const varying = new Set([...[...special].filter((name) => OF_THREADS.test(name)), LANE, WARP]);
  const divergent = new Set<number>();
  for (let size = -1; size !== varying.size + divergent.size; ) {
    size = varying.size + divergent.size;
    statements.forEach(({ operation, guard }, at) => {
      const isGuarded = guard !== undefined && varying.has(guard.register);
      if (isGuarded && (successors[at]?.length ?? 0) > 1)
        for (const one of reachable(successors[at] ?? [], joins[at] ?? statements.length, successors))
          divergent.add(one);
      if (isGuarded || divergent.has(at) || isOpen(operation) || registersRead(operation).some((r) => varying.has(r)))
        for (const register of registersWritten(operation)) varying.add(register);
    });
  }
  return divergent;
}

/** Its result may differ between threads that do it alike. */
const isOpen = ({ kind }: Operation): boolean => kind === 'atomic' || kind === 'open' || kind === 'mbarrier';

/**
 * The line that a user wrote, with the calls from there that led to the instruction, and the opcode; an instruction of
 * no line is by itself.
 */
export function originOf({ source, start, end }: Span): string {
  const line = source.compiledFrom?.(start);
  if (line === undefined) return String(start);
  const own = userLine(line);
  const frames = callersOf(line).map(({ file, line: number, column }) => `${file}:${number}:${column}`);
  const opcode = /^[\w.:]*/.exec(source.text.slice(start, end))?.[0] ?? '';
  return [...frames.slice(0, callersOf(line).indexOf(own) + 1), opcode].join(' ');
}

/** The line that a user wrote; an instruction of no line is by itself. */
export function lineOf({ source, start }: Span): string {
  const line = source.compiledFrom?.(start);
  if (line === undefined) return `${source.path} ${start}`;
  const { file, line: number } = userLine(line);
  return `${source.path} ${file}:${number}`;
}

/** The registers that one statement writes, a number that is known. */
function numbersIn({ statements }: Code): ReadonlyMap<string, bigint | undefined> {
  const found = new Map<string, bigint | undefined>();
  for (const { operation, guard } of statements)
    for (const register of registersWritten(operation))
      found.set(register, found.has(register) || guard !== undefined ? undefined : movedBy(operation));
  return found;
}

/** What a move of a number writes. */
function movedBy(operation: ProgramStatement['operation']): bigint | undefined {
  if (operation.kind !== 'compute' || operation.arithmetic.name !== 'move') return undefined;
  const [operand] = operation.operands;
  return operand?.kind === 'constant' ? operand.value : undefined;
}
