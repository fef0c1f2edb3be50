import type { Observable } from '../program/program.js';
import { holds } from '../program/proposition.js';
import type { Cell } from '../semantics/cells.js';
import { membersOf, NONE } from './bits.js';
import { bytesOf, wholeWrites } from './read-and-write.js';
import { INITIAL, type State } from './state.js';

/** The values of a test's observables by their names. */
export type Outcome = ReadonlyMap<string, bigint>;

/** An outcome as one string, by which outcomes are told apart. */
export function outcomeKey(outcome: Outcome): string {
  return [...outcome].map(([name, value]) => `${name}=${value}`).join(' ');
}

/**
 * The final states of a run in which every thread is at its end; none of another, and none that the test's filter
 * leaves out. The final memory is any coherence-maximal write of each cell, and of two writes of the same bytes one in
 * all of them.
 */
export function outcomesOf(state: State): readonly Outcome[] {
  const { structure } = state.context;
  if (!structure.threads.every((_, thread) => state.view(thread).run.ended === true)) return [];
  const { filter } = structure.program;
  const outcomes = new Map<string, Outcome>();
  for (const memory of finalMemories(state)) {
    const outcome: Outcome = new Map(
      structure.program.observed.map((observable) => [observable.name, valueOf(state, memory, observable)]),
    );
    const isTaken = filter === undefined || holds(filter, ({ name }) => outcome.get(name) ?? 0n);
    if (isTaken) outcomes.set(outcomeKey(outcome), outcome);
  }
  return [...outcomes.values()];
}

/** By observed cell, the write that is left there. */
function finalMemories(state: State): readonly ReadonlyMap<Cell, number>[] {
  let memories: readonly ReadonlyMap<Cell, number>[] = [new Map()];
  for (const cell of state.context.cells) {
    if (!state.context.structure.program.observed.some((observable) => isPart(cell, observable))) continue;
    const writes = state.writesTo(cell);
    const last = writes.filter(
      (write) => !membersOf(state.after.get(write) ?? NONE).some((later) => writes.includes(later)),
    );
    const left = last.length === 0 ? [INITIAL] : last;
    memories = memories.flatMap((memory) =>
      left.filter((write) => fitsWith(state, memory, cell, write)).map((write) => new Map(memory).set(cell, write)),
    );
  }
  return memories;
}

/** No other write of the same bytes is left in a part of them. */
function fitsWith(state: State, memory: ReadonlyMap<Cell, number>, cell: Cell, write: number): boolean {
  const at = write === INITIAL ? undefined : state.locationOf(write);
  if (at === undefined) return true;
  const others = [...memory].filter(([{ object }]) => object === cell.object).map(([, other]) => other);
  return wholeWrites(state, others, at).every((other) => other === write);
}

function isPart({ object, offset, bytes }: Cell, observable: Observable): boolean {
  if (observable.kind === 'register' || observable.object !== object) return false;
  return offset >= observable.offset && offset + bytes <= observable.offset + observable.type.width / 8;
}

function valueOf(state: State, memory: ReadonlyMap<Cell, number>, observable: Observable): bigint {
  if (observable.kind === 'register')
    return state.view(observable.thread).run.registers.get(observable.register)?.bits ?? 0n;
  const parts = [...memory].filter(([cell]) => isPart(cell, observable));
  return parts.reduce(
    (value, [cell, write]) => value | (bytesOf(state, write, cell) << BigInt(8 * (cell.offset - observable.offset))),
    0n,
  );
}
