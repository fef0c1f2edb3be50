import { registersRead, registersWritten } from '../program/operands.js';
import { isComputation, type Operation, type ProgramStatement } from '../program/operation.js';
import type { Program, Thread } from '../program/program.js';
import { type BackEdge, type Body, backEdges, entryInside, successorsOf, targetOf } from './graph.js';
import { findJoins, type Join } from './joins.js';
import { liveRegisters, registersOf } from './liveness.js';
import { silentAtomics } from './silent-atomics.js';

/** What keeps a loop from being one that only waits, in words for the user, and where. */
export interface Obstacle {
  readonly statement: ProgramStatement;
  readonly why: string;
}

/**
 * The backward branches that only wait, and how many rounds before the last one matter to it: the statements between
 * label and branch change no memory on a round that goes on, use no barrier, are entered at the label only, and a round
 * takes up nothing that matters from an earlier one. In an execution that leaves such a loop the earlier rounds can be
 * removed: that takes reads, fences and writes of what was there already away, and with them only constraints. A loop
 * with several ways out may be left before its last round has set all registers that are used afterwards: those hold
 * what the round before has set, so that one is kept too.
 */
export function findSpinLoops(program: Program, thread: Thread): ReadonlyMap<number, 0 | 1> {
  return new Map(
    backEdges(thread).flatMap(({ from, target }) => {
      if (obstacleOf(program, thread, target, from) !== undefined) return [];
      const { out } = carriedRegisters(thread, { target, from, asked: observedRegisters(program, thread) });
      return [[from, out.length > 0 ? 1 : 0] as const];
    }),
  );
}

/** Why a loop of a thread does more than wait; undefined, if it does not. */
export function obstacleOf(program: Program, thread: Thread, target: number, from: number): Obstacle | undefined {
  const silentIn = (loop: BackEdge): ReadonlySet<Operation> => silentAtomics(program, thread, loop.target, loop.from);
  return obstacleIn(thread, { target, from, asked: observedRegisters(program, thread) }, silentIn);
}

/** A loop of some statements, and what is asked for at their end. */
interface LoopOf extends BackEdge {
  readonly asked: Iterable<string>;
}

/** The same of some statements; `silentIn`: which atomics of a loop change no memory in a round that goes on. */
function obstacleIn(
  thread: Body,
  loop: LoopOf,
  silentIn: (loop: BackEdge) => ReadonlySet<Operation>,
): Obstacle | undefined {
  const { target, from, asked } = loop;
  const body = thread.statements.slice(target, from + 1);
  const end = body[body.length - 1];
  if (end === undefined) return undefined;
  const entered = entryInside(thread, loop);
  if (entered !== undefined) return { statement: entered, why: 'enters the loop in its middle' };
  // Backward branches inside are loops of their own: their last rounds are what is left of them.
  const inner = body.slice(0, -1).find((_, i) => {
    const to = targetOf(thread, target + i) ?? Infinity;
    const own = { target: to, from: target + i, asked };
    return to <= target + i && (to < target || !leavesNothing(thread, own, silentIn));
  });
  if (inner !== undefined) return { statement: inner, why: 'is a loop inside of the loop' };
  const silent = silentIn(loop);
  const effect = body.find(({ operation }) => !isHarmless(operation) && !silent.has(operation));
  if (effect !== undefined)
    return { statement: effect, why: 'may change memory, or meet others, in a round that goes on' };
  const { on, out, set } = carriedRegisters(thread, loop);
  const [carried] = [...on, ...out.filter((register) => !set.has(register))];
  const setting = body.find(({ operation }) => carried !== undefined && registersWritten(operation).includes(carried));
  return setting === undefined
    ? undefined
    : { statement: setting, why: `sets ${carried}, which a later round or what follows the loop takes up` };
}

/** Whether a loop only waits, and nothing of its rounds but the last is there when it is left. */
const leavesNothing = (...loop: Parameters<typeof obstacleIn>): boolean =>
  obstacleIn(...loop) === undefined && carriedRegisters(loop[0], loop[1]).out.length === 0;

function isHarmless(operation: Operation): boolean {
  return (
    isComputation(operation) ||
    operation.kind === 'load' ||
    operation.kind === 'fence' ||
    operation.kind === 'proxy-fence' ||
    isWayOut(operation) ||
    // A wait changes nothing, and nobody else can know that one in an earlier round returned True.
    (operation.kind === 'mbarrier' && operation.action === 'wait')
  );
}

/** Registers that matter and that one round leaves for others. */
interface Carried {
  /** Read, or kept under a guard, before this round has surely written them: by the next round. */
  readonly on: readonly string[];
  /** Used after the loop, where it can be left before this round has surely written them. */
  readonly out: readonly string[];
  /** Those that every round that goes on has written. */
  readonly set: ReadonlySet<string>;
}

function carriedRegisters(thread: Body, { target, from, asked }: LoopOf): Carried {
  const body = thread.statements.slice(target, from + 1);
  const written = new Set(body.flatMap(({ operation }) => registersWritten(operation)));
  const set = new Set<string>();
  const [on, out]: [string[], string[]] = [[], []];
  const idle = idleBranches(thread, target, from);
  const live = liveRegisters(thread, registersOf(thread), { asked });
  /** What comes before this place in the body is not executed in every round. */
  let conditional = 0;
  for (const [i, { operation, guard }] of body.entries()) {
    const isSettled = i >= conditional && setsTheSame(body, i, written);
    const read = [...registersRead(operation), ...(guard === undefined ? [] : [guard.register])];
    const mayStay = guard !== undefined && !isSettled && !isWayOut(operation);
    if (mayStay) read.push(...registersWritten(operation));
    // Registers of our own are written where they are read; of a clock any later value will do.
    on.push(
      ...read.filter(
        (register) => written.has(register) && !set.has(register) && !/^#(\d|clock|globaltimer)/.test(register),
      ),
    );
    // What follows a way out is executed in every round that goes on.
    const outside = placesOutside(thread, target + i, target, from);
    const isForward = (targetOf(thread, target + i) ?? Infinity) > target + i;
    if (operation.kind === 'branch' && guard !== undefined && outside.length === 0 && isForward)
      conditional = Math.max(conditional, idle.get(target + i)?.node ?? body.length);
    if (isSettled || (guard === undefined && i >= conditional))
      for (const register of registersWritten(operation)) set.add(register);
    for (const place of outside)
      out.push(...[...written].filter((register) => !set.has(register) && live.has(place, register)));
  }
  const matter = registersThatMatter(asked, thread, idle);
  const mattering = (registers: readonly string[]): readonly string[] => registers.filter((one) => matter.has(one));
  return { on: mattering(on), out: mattering(out), set };
}

const isWayOut = ({ kind }: Operation): boolean => kind === 'branch' || kind === 'exit' || kind === 'trap';

/**
 * Whether a computation under a guard leaves the same in its register in every round: nothing in the loop writes what
 * it reads, nor the guard, nor elsewhere the register.
 */
function setsTheSame(body: readonly ProgramStatement[], at: number, written: ReadonlySet<string>): boolean {
  const { operation, guard } = body[at] ?? {};
  if (operation?.kind !== 'compute' || guard === undefined || written.has(guard.register)) return false;
  return (
    !registersRead(operation).some((register) => written.has(register)) &&
    body.every(({ operation: other }, i) => i === at || !registersWritten(other).includes(operation.target))
  );
}

/** Where control goes on outside of a loop from a statement of it: by a branch, an exit, or past the loop's end. */
function placesOutside(thread: Body, at: number, target: number, from: number): readonly number[] {
  const { operation, guard } = thread.statements[at] ?? {};
  const end = thread.statements.length;
  if (operation?.kind === 'exit' || operation?.kind === 'trap') return [end];
  if (operation?.kind !== 'branch') return [];
  const to = targetOf(thread, at) ?? end;
  if (at === from) return guard === undefined ? [] : [from + 1];
  return to < target || to > from ? [to] : [];
}

/** The registers that conditions ask for. */
const observedRegisters = ({ observed }: Program, { index }: Thread): readonly string[] =>
  observed.flatMap((one) => (one.kind === 'register' && one.thread === index ? [one.register] : []));

/**
 * The registers that something other than arithmetic uses, at least in the end: not those that only a delay is computed
 * with.
 */
function registersThatMatter(
  asked: Iterable<string>,
  thread: Body,
  idle: ReadonlyMap<number, Join>,
): ReadonlySet<string> {
  const matter = new Set(asked);
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
export function isTimed(thread: Body, target: number, from: number): boolean {
  const body = thread.statements.slice(target, from + 1);
  const timed = new Set(['#clock', '#globaltimer']);
  for (let size = 0; size !== timed.size; ) {
    size = timed.size;
    for (const { operation } of body)
      if (isComputation(operation) && registersRead(operation).some((register) => timed.has(register)))
        timed.add(operation.target);
  }
  return body.some(({ operation, guard }, i) => {
    if (guard === undefined || !timed.has(guard.register)) return false;
    if (operation.kind === 'exit' || operation.kind === 'trap') return true;
    const to = targetOf(thread, target + i);
    return to !== undefined && (to > from || target + i === from);
  });
}

/** The branches inside of a loop between whose ways nothing is done but to compute, by index; where the ways join. */
function idleBranches(thread: Body, target: number, from: number): ReadonlyMap<number, Join> {
  const body = thread.statements.slice(target, from + 1);
  const nowhere = body.length + 1;
  const successors = body.map((_, id) =>
    successorsOf(thread, target + id).map((to) => (to > target + id && to <= from ? to - target : nowhere)),
  );
  const operations = body.map(({ operation }) => operation);
  const joins = [...findJoins(operations, successors)].filter(([, { isIdle }]) => isIdle);
  return new Map(joins.map(([id, join]) => [target + id, join]));
}
