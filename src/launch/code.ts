import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { registersRead, registersWritten } from '../program/operands.js';
import { isComputation, type ProgramStatement } from '../program/operation.js';
import type { Register } from '../program/program.js';
import { statementsOfLeaders } from './leaders.js';
import { immediatePostdominators } from './postdominators.js';

/** The statements of a kernel, decoded, with what holds of them for every thread. */
export interface Code {
  readonly statements: readonly ProgramStatement[];
  /** Instructions that have no meaning here, by the statement that stands for them: a thread may not come there. */
  readonly refused: ReadonlyMap<number, Diagnostic>;
  readonly registers: ReadonlyMap<string, Register>;
  /** The places of the registers in the states of a walk. */
  readonly indexOf: ReadonlyMap<string, number>;
  readonly names: readonly string[];
  /** By statement: where a branch goes. The number of statements is the end. */
  readonly targets: readonly (number | undefined)[];
  /** By statement: where all ways from it come together again. */
  readonly joins: readonly number[];
  /** Statements that an elected lane executes by itself. */
  readonly ofLeaders: ReadonlySet<number>;
  /** Statements that a branch goes back to. */
  readonly headers: ReadonlySet<number>;
  /** Branches between whose ways nothing is done that matters: such as how long a waiting loop sleeps. */
  readonly idleBranches: ReadonlySet<number>;
  /** The registers, by their places, whose values matter at a statement. */
  readonly liveAt: (statement: number) => readonly number[];
  /** The registers that are written between a header and the last branch back to it. */
  readonly writtenInLoop: (header: number) => ReadonlySet<number>;
}

export function analyzeCode(
  statements: readonly ProgramStatement[],
  labels: ReadonlyMap<string, number>,
  registers: ReadonlyMap<string, Register>,
  refused: ReadonlyMap<number, Diagnostic>,
  /** Registers that are asked for at the end. */
  asked: ReadonlySet<string>,
): Code {
  const names = [...registers.keys()];
  const indexOf = new Map(names.map((name, index) => [name, index]));
  const targets = statements.map(({ operation }) =>
    operation.kind === 'branch' ? (labels.get(operation.label) ?? statements.length) : undefined,
  );
  const last = new Map<number, number>();
  targets.forEach((target, from) => {
    if (target !== undefined && target <= from) last.set(target, from);
  });
  const successors = statements.map((_, index) => successorsOf(statements, targets, index));
  const joins = immediatePostdominators(successors);
  const { live, idle } = whatMatters(statements, successors, joins, indexOf, asked);
  const lists = new Map<number, readonly number[]>();
  return {
    statements,
    refused,
    registers,
    indexOf,
    names,
    targets,
    joins,
    ofLeaders: statementsOfLeaders(statements, targets, successors, joins),
    idleBranches: idle,
    headers: new Set(last.keys()),
    liveAt: (statement) => {
      const known = lists.get(statement) ?? live.list(statement);
      lists.set(statement, known);
      return known;
    },
    writtenInLoop: (header) =>
      new Set(
        statements
          .slice(header, (last.get(header) ?? header) + 1)
          .flatMap(({ operation }) => registersWritten(operation))
          .flatMap((name) => indexOf.get(name) ?? []),
      ),
  };
}

function successorsOf(
  statements: readonly ProgramStatement[],
  targets: readonly (number | undefined)[],
  index: number,
): readonly number[] {
  const statement = statements[index];
  const kind = statement?.operation.kind;
  const next =
    statement?.guard === undefined && (kind === 'branch' || kind === 'exit' || kind === 'trap') ? [] : [index + 1];
  if (kind === 'branch') return [...next, targets[index] ?? statements.length];
  return kind === 'exit' || kind === 'trap' ? [...next, statements.length] : next;
}

type Live = ReturnType<typeof liveRegisters>;

/**
 * A branch matters if one of its ways does something, or writes a register that matters where they come together: and
 * then so does what it is taken by. Found by marking more and more branches.
 */
function whatMatters(
  statements: readonly ProgramStatement[],
  successors: readonly (readonly number[])[],
  joins: readonly number[],
  indexOf: ReadonlyMap<string, number>,
  asked: ReadonlySet<string>,
): { readonly live: Live; readonly idle: ReadonlySet<number> } {
  const regions = new Map<number, readonly number[]>();
  statements.forEach(({ operation, guard }, index) => {
    if (operation.kind !== 'branch' || guard === undefined) return;
    const join = joins[index] ?? statements.length;
    const region = regionOf(successors, index, join);
    const isQuiet = region.every((one) => {
      const kind = statements[one]?.operation;
      return one !== index && kind !== undefined && (isComputation(kind) || kind.kind === 'branch');
    });
    if (isQuiet && !hasLoop(successors, region)) regions.set(index, region);
  });
  const idle = new Set(regions.keys());
  for (;;) {
    const live = liveRegisters(statements, successors, indexOf, idle, asked);
    const mattering = [...idle].filter((index) => {
      const after = new Set(live.list(joins[index] ?? statements.length));
      return (regions.get(index) ?? []).some((one) =>
        registersWritten(statements[one]?.operation ?? NOTHING).some((name) => after.has(indexOf.get(name) ?? -1)),
      );
    });
    if (mattering.length === 0) return { live, idle };
    for (const index of mattering) idle.delete(index);
  }
}

const NOTHING = { kind: 'exit' } as const;

/** Whether a way leads from a statement of a region back to it within the region. */
function hasLoop(successors: readonly (readonly number[])[], region: readonly number[]): boolean {
  const left = new Set(region);
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    // What leads nowhere within the rest is on no loop.
    for (const one of left) if (!(successors[one] ?? []).some((next) => left.has(next))) left.delete(one);
  }
  return left.size > 0;
}

/** The statements on the ways from a branch to where they come together. */
function regionOf(successors: readonly (readonly number[])[], branch: number, join: number): readonly number[] {
  const seen = new Set<number>();
  const pending = [...(successors[branch] ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === join || seen.has(next)) continue;
    seen.add(next);
    pending.push(...(successors[next] ?? []));
  }
  return [...seen];
}

/**
 * The registers that something other than arithmetic uses in the end, or that are asked for then, before each
 * statement: those that only a delay or a register like them is computed from are not among them.
 */
function liveRegisters(
  statements: readonly ProgramStatement[],
  successors: readonly (readonly number[])[],
  indexOf: ReadonlyMap<string, number>,
  idle: ReadonlySet<number>,
  asked: ReadonlySet<string>,
): { readonly list: (statement: number) => readonly number[] } {
  const words = Math.ceil(indexOf.size / 32);
  const rows = statements.map(() => new Uint32Array(words));
  const placed = (names: readonly string[]): readonly number[] => names.flatMap((name) => indexOf.get(name) ?? []);
  const facts = statements.map(({ operation, guard }, index) => ({
    reads: placed([...registersRead(operation), ...(guard === undefined || idle.has(index) ? [] : [guard.register])]),
    writes: placed(registersWritten(operation)),
    isGuarded: guard !== undefined,
    isComputed: isComputation(operation),
  }));
  const end = new Uint32Array(words);
  for (const register of placed([...asked])) end[register >> 5] = (end[register >> 5] ?? 0) | (1 << (register & 31));
  const after = new Uint32Array(words);
  for (let changed = true; changed; ) {
    changed = false;
    for (let index = statements.length - 1; index >= 0; index--) {
      const fact = facts[index];
      const row = rows[index];
      if (fact === undefined || row === undefined) continue;
      after.fill(0);
      for (const next of successors[index] ?? []) {
        const other = rows[next] ?? end;
        for (let word = 0; word < words; word++) after[word] = (after[word] ?? 0) | (other[word] ?? 0);
      }
      const has = (register: number): boolean => (((after[register >> 5] ?? 0) >>> (register & 31)) & 1) === 1;
      const matters = !fact.isComputed || fact.writes.some(has);
      if (!fact.isGuarded)
        for (const register of fact.writes)
          after[register >> 5] = (after[register >> 5] ?? 0) & ~(1 << (register & 31));
      if (matters)
        for (const register of fact.reads) after[register >> 5] = (after[register >> 5] ?? 0) | (1 << (register & 31));
      for (let word = 0; word < words; word++)
        if (row[word] !== after[word]) {
          row.set(after);
          changed = true;
          break;
        }
    }
  }
  return {
    list: (statement) => {
      const row = rows[statement] ?? end;
      const list: number[] = [];
      for (let register = 0; register < indexOf.size; register++)
        if ((((row[register >> 5] ?? 0) >>> (register & 31)) & 1) === 1) list.push(register);
      return list;
    },
  };
}

/** Where a statement of a kernel stands; behind the end, where the last one does. */
export function spanAt({ statements }: Code, at: number): ProgramStatement['span'] {
  const span = (statements[at] ?? statements.at(-1))?.span;
  if (span === undefined) throw new Error('a kernel without instructions has no jumps');
  return span;
}
