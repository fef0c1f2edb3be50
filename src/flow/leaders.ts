import { registersWritten } from '../program/operands.js';
import type { Operand, Operation, ProgramStatement } from '../program/operation.js';
import { type Body, reachable, targetOf } from './graph.js';

/** What a register tells of an election: not 0 for the elected lane alone, or 0 for it alone. */
type Tells = 'elected' | 'others';

const opposite = (tells: Tells): Tells => (tells === 'elected' ? 'others' : 'elected');

/**
 * The statements that the lane which elect.sync takes executes by itself: what it counts there, such as an arrival, it
 * counts once, however many lanes a thread stands for. They are those on its way after a branch on a register that
 * tells whether it was taken, up to where the ways join.
 */
export function statementsOfLeaders(
  body: Body,
  successors: readonly (readonly number[])[],
  joins: readonly number[],
): ReadonlySet<number> {
  const { statements } = body;
  const tells = registersThatTell(statements);
  if (tells.size === 0) return new Set();
  return new Set(
    statements.flatMap(({ operation, guard }, at) => {
      const told = guard === undefined ? undefined : tells.get(guard.register);
      if (guard === undefined || told === undefined) return [];
      const isLeader = (told === 'elected') !== guard.negated;
      if (operation.kind !== 'branch') return isLeader ? [at] : [];
      const [taken, next] = [targetOf(body, at) ?? statements.length, at + 1].map((from) =>
        reachable([from], joins[at] ?? statements.length, successors),
      );
      const [own, others] = isLeader ? [taken, next] : [next, taken];
      return [...(own ?? [])].filter((statement) => others?.has(statement) !== true);
    }),
  );
}

/** Registers are followed whose writers all tell the same, numbers for all lanes apart that a guarded one replaces. */
function registersThatTell(statements: readonly ProgramStatement[]): ReadonlyMap<string, Tells> {
  const tells = new Map<string, Tells>();
  const results = new Set<string>();
  for (const { operation } of statements)
    if (operation.kind === 'barrier' && operation.reduction?.operation === 'elect')
      results.add(operation.reduction.target);
  const mixed = new Set<string>();
  const toldAt = ({ operation, guard }: ProgramStatement): Tells | undefined => {
    if (operation.kind !== 'compute') return undefined;
    if (guard === undefined) return toldBy(operation, tells, results);
    const under = tells.get(guard.register);
    return under === undefined ? undefined : valueUnder(operation, under, guard.negated);
  };
  for (let size = -1; size !== tells.size && results.size > 0; ) {
    size = tells.size;
    for (const statement of statements) {
      const [told, [register = '']] = [toldAt(statement), registersWritten(statement.operation)];
      if (told !== undefined && !mixed.has(register)) tells.set(register, told);
    }
    if (size !== tells.size) continue;
    // What is written otherwise as well tells nothing; then neither does what was computed from it.
    const wrong = statements.flatMap((statement) =>
      registersWritten(statement.operation).filter((register) => {
        const told = tells.get(register);
        return told !== undefined && toldAt(statement) !== told && !isFirst(statement, told);
      }),
    );
    if (wrong.length === 0) break;
    for (const register of wrong) mixed.add(register);
    tells.clear();
    size = -1;
  }
  return tells;
}

/** A number for all lanes, which one for those that are told apart replaces. */
function isFirst({ operation, guard }: ProgramStatement, told: Tells): boolean {
  if (operation.kind !== 'compute' || operation.arithmetic.name !== 'move' || guard !== undefined) return false;
  const [value] = operation.operands;
  return value?.kind === 'constant' && (value.value === 0n) === (told === 'elected');
}

/** What a constant tells that is put into a register under a guard that tells. */
function valueUnder(
  { arithmetic, operands }: Extract<Operation, { kind: 'compute' }>,
  under: Tells,
  negated: boolean,
): Tells | undefined {
  const [value] = operands;
  if (arithmetic.name !== 'move' || value?.kind !== 'constant') return undefined;
  const who = negated ? opposite(under) : under;
  return value.value === 0n ? opposite(who) : who;
}

function toldBy(
  { arithmetic, operands }: Extract<Operation, { kind: 'compute' }>,
  tells: ReadonlyMap<string, Tells>,
  results: ReadonlySet<string>,
): Tells | undefined {
  const [a, b, c] = operands;
  const of = (operand: Operand | undefined): Tells | undefined =>
    operand?.kind === 'register' ? tells.get(operand.name) : undefined;
  const is = (operand: Operand | undefined, value: bigint): boolean =>
    operand?.kind === 'constant' && operand.value === value;
  switch (arithmetic.name) {
    case 'shift-right':
      // The predicate above the word (elections.ts).
      return a?.kind === 'register' && results.has(a.name) && is(b, 32n) ? 'elected' : undefined;
    case 'move':
    case 'convert':
      return of(a);
    case 'and':
      return of(a) === 'elected' || of(b) === 'elected' ? 'elected' : undefined;
    case 'not':
      return arithmetic.width === 1 && of(a) !== undefined ? opposite(of(a) as Tells) : undefined;
    case 'equal': {
      const told = is(b, 0n) ? of(a) : is(a, 0n) ? of(b) : undefined;
      return told === undefined ? undefined : opposite(told);
    }
    case 'select': {
      const told = of(a);
      if (told === undefined || b?.kind !== 'constant' || c?.kind !== 'constant') return undefined;
      return is(c, 0n) && !is(b, 0n) ? told : is(b, 0n) && !is(c, 0n) ? opposite(told) : undefined;
    }
    default:
      return undefined;
  }
}
