import { isComputation, type Operation, type ProgramStatement } from '../program/operation.js';
import type { Program, Thread } from '../program/program.js';
import { registersRead, registersWritten } from '../program/registers-used.js';
import { findJoins, type Join } from './joins.js';
import { silentAtomics } from './silent-atomics.js';
import type { Edge, Node } from './unroll.js';

/** What keeps a loop from being one that only waits, in words for the user, and where. */
export interface Obstacle {
  readonly statement: ProgramStatement;
  readonly why: string;
}

/**
 * The backward branches that only wait: the statements between label and branch change no memory on a round that goes
 * on, use no barrier, are entered at the label only, and carry no register that matters from one round to the next or
 * out of an earlier one. In an execution that leaves such a loop the earlier rounds can be removed: that takes reads,
 * fences and writes of what was there already away, and with them only constraints.
 */
export function findSpinLoops(program: Program, thread: Thread): ReadonlySet<number> {
  return new Set(
    backwardBranches(thread).flatMap(({ from, target }) =>
      obstacleOf(program, thread, target, from) === undefined ? [from] : [],
    ),
  );
}

/** The backward branches of a thread. */
export function backwardBranches(thread: Thread): readonly { readonly from: number; readonly target: number }[] {
  return thread.statements.flatMap(({ operation }, from) => {
    if (operation.kind !== 'branch') return [];
    const target = thread.labels.get(operation.label) ?? thread.statements.length;
    return target <= from ? [{ from, target }] : [];
  });
}

/** Why a loop does more than wait; undefined, if it does not. */
export function obstacleOf(program: Program, thread: Thread, target: number, from: number): Obstacle | undefined {
  const body = thread.statements.slice(target, from + 1);
  const end = body[body.length - 1];
  if (end === undefined) return undefined;
  const entered = thread.statements.find(({ operation }, index) => {
    if (operation.kind !== 'branch' || (index >= target && index <= from)) return false;
    const to = thread.labels.get(operation.label) ?? thread.statements.length;
    return to > target && to <= from;
  });
  if (entered !== undefined) return { statement: entered, why: 'enters the loop in its middle' };
  // Other backward branches inside would be loops of their own.
  const inner = body
    .slice(0, -1)
    .find(
      ({ operation }, i) =>
        operation.kind === 'branch' && (thread.labels.get(operation.label) ?? thread.statements.length) <= target + i,
    );
  if (inner !== undefined) return { statement: inner, why: 'is a loop inside of the loop' };
  const silent = silentAtomics(program, thread, target, from);
  const effect = body.find(({ operation }) => !isHarmless(operation) && !silent.has(operation));
  if (effect !== undefined)
    return { statement: effect, why: 'may change memory, or meet others, in a round that goes on' };
  const [carried] = carriedRegisters(program, thread, target, from);
  const setting = body.find(({ operation }) => carried !== undefined && registersWritten(operation).includes(carried));
  return setting === undefined
    ? undefined
    : { statement: setting, why: `sets ${carried}, which a later round or what follows the loop takes up` };
}

function isHarmless(operation: Operation): boolean {
  return (
    isComputation(operation) ||
    operation.kind === 'load' ||
    operation.kind === 'fence' ||
    operation.kind === 'proxy-fence' ||
    operation.kind === 'branch' ||
    operation.kind === 'exit' ||
    operation.kind === 'trap' ||
    // A wait changes nothing, and nobody else can know that one in an earlier round returned True.
    (operation.kind === 'mbarrier' && operation.action === 'wait')
  );
}

/**
 * Registers that one round hands to the next, or to what follows the loop: those written in the body that are read, or
 * still there where the loop can be left, before this round has surely written them.
 */
function carriedRegisters(program: Program, thread: Thread, target: number, from: number): readonly string[] {
  const body = thread.statements.slice(target, from + 1);
  const written = new Set(body.flatMap(({ operation }) => registersWritten(operation)));
  const surely = new Set<string>();
  const carried: string[] = [];
  const idle = idleBranches(thread, target, from);
  /** What comes before this place in the body is not executed in every round. */
  let conditional = 0;
  for (const [i, { operation, guard }] of body.entries()) {
    const read = [...registersRead(operation), ...(guard === undefined ? [] : [guard.register])];
    if (guard !== undefined && operation.kind !== 'branch' && operation.kind !== 'exit' && operation.kind !== 'trap')
      read.push(...registersWritten(operation));
    // Registers of our own are written where they are read; of a clock any later value will do.
    carried.push(
      ...read.filter(
        (register) => written.has(register) && !surely.has(register) && !/^#(\d|clock|globaltimer)/.test(register),
      ),
    );
    if (leaves(thread, operation, target, from))
      carried.push(...[...written].filter((register) => !surely.has(register)));
    if (operation.kind === 'branch' && guard !== undefined)
      conditional = Math.max(conditional, idle.get(target + i)?.node ?? body.length);
    if (guard === undefined && i >= conditional)
      for (const register of registersWritten(operation)) surely.add(register);
  }
  const matter = registersThatMatter(program, thread, idle);
  return carried.filter((register) => matter.has(register));
}

/**
 * The registers that something other than arithmetic uses, at least in the end: not those that only a delay is computed
 * with.
 */
function registersThatMatter(program: Program, thread: Thread, idle: ReadonlyMap<number, Join>): ReadonlySet<string> {
  const matter = new Set(
    program.observed.flatMap((one) => (one.kind === 'register' && one.thread === thread.index ? [one.register] : [])),
  );
  for (const [index, { operation, guard }] of thread.statements.entries()) {
    if (guard !== undefined && !isComputation(operation) && !idle.has(index)) matter.add(guard.register);
    if (!isComputation(operation)) for (const register of registersRead(operation)) matter.add(register);
  }
  // A register that matters makes those matter that it is computed from; the set grows while it is gone through.
  for (const register of matter) {
    for (const [index, { registers }] of idle) {
      const guard = thread.statements[index]?.guard;
      if (guard !== undefined && registers.has(register)) matter.add(guard.register);
    }
    for (const { operation, guard } of thread.statements) {
      if (!isComputation(operation) || operation.target !== register) continue;
      for (const operand of [...registersRead(operation), ...(guard === undefined ? [] : [guard.register])])
        matter.add(operand);
    }
  }
  return matter;
}

/** Whether a loop is left because time goes by: a branch out of it depends on a clock (PTX ISA, %clock). */
export function isTimed(thread: Thread, target: number, from: number): boolean {
  const body = thread.statements.slice(target, from + 1);
  const timed = new Set(['#clock', '#globaltimer']);
  for (let size = 0; size !== timed.size; ) {
    size = timed.size;
    for (const { operation } of body)
      if (isComputation(operation) && registersRead(operation).some((register) => timed.has(register)))
        timed.add(operation.target);
  }
  return body.some(({ operation, guard }) => {
    if (guard === undefined || !timed.has(guard.register)) return false;
    if (operation.kind === 'exit' || operation.kind === 'trap') return true;
    if (operation.kind !== 'branch') return false;
    const to = thread.labels.get(operation.label) ?? thread.statements.length;
    return to > from || operation === body.at(-1)?.operation;
  });
}

/** The branches inside of a loop between whose ways nothing is done but to compute, by index; where the ways join. */
function idleBranches(thread: Thread, target: number, from: number): ReadonlyMap<number, Join> {
  const size = from + 1 - target;
  const incoming: Edge[][] = Array.from({ length: size }, () => []);
  const away: Edge[] = [];
  const body = thread.statements.slice(target, from + 1);
  body.forEach(({ operation, guard }, id) => {
    const to =
      operation.kind === 'branch' ? (thread.labels.get(operation.label) ?? thread.statements.length) - target : -1;
    const leaves = operation.kind === 'exit' || operation.kind === 'trap';
    if (operation.kind === 'branch') (to > id && to < size ? incoming[to] : away)?.push({ from: id, when: 'taken' });
    if (leaves) away.push({ from: id, when: 'taken' });
    const goesOn = (operation.kind !== 'branch' && !leaves) || guard !== undefined;
    if (goesOn) (id + 1 < size ? incoming[id + 1] : away)?.push({ from: id, when: 'next' });
  });
  const nodes = body.map(
    (statement, id): Node => ({ id, statement, index: target + id, incoming: incoming[id] ?? [] }),
  );
  const joins = [...findJoins(nodes, [], away)].filter(([, { isIdle }]) => isIdle);
  return new Map(joins.map(([id, join]) => [target + id, join]));
}

/** Whether control can leave the loop here: by a branch out of it, by exit, or past the branch at its end. */
function leaves(thread: Thread, operation: Operation, target: number, from: number): boolean {
  if (operation.kind === 'exit' || operation.kind === 'trap') return true;
  if (operation.kind !== 'branch') return false;
  const to = thread.labels.get(operation.label) ?? thread.statements.length;
  return to < target || to > from || operation === thread.statements[from]?.operation;
}
