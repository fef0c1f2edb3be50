import { interchangeableThreads } from '../program/interchangeable-threads.js';
import type { Proposition } from '../program/program.js';
import { holds, mayHold } from '../program/proposition.js';
import { BOUND, exceeded, type Undecided } from '../program/undecided.js';
import { overlap } from '../semantics/cells.js';
import { type Bits, bitsOf, has, NONE } from './bits.js';
import { ThreadExchange } from './exchange-threads.js';
import { foreseesDeadEnd } from './foresee.js';
import { enabledIn, execute, initialStates, type Step } from './machine.js';
import type { MachineContext } from './machine-context.js';
import { isFenceSc } from './moral-strength.js';
import { outcomesOf } from './outcomes.js';
import { nextSteps, overtakes } from './reduction.js';
import type { Forgotten, State } from './state.js';
import type { ExploreOptions } from './walk-states.js';

/** Which propositions some outcome satisfies; of the others it is known that none does, unless something was left. */
export interface Sought {
  readonly reached: ReadonlySet<Proposition>;
  readonly states: number;
  readonly incomplete: Undecided | undefined;
}

/**
 * Looks for outcomes that satisfy each of some propositions, of a plain program: a run that can no longer lead to one
 * that is still sought is left, and states that differ by an exchange of like threads only are one.
 */
export function seek(
  context: MachineContext,
  propositions: readonly Proposition[],
  { mostStates, deadline }: ExploreOptions,
): Sought {
  const { program } = context.structure;
  const { filter } = program;
  const groups = interchangeableThreads(program, filter === undefined ? propositions : [filter, ...propositions]);
  const exchange = new ThreadExchange(context.structure, groups);
  const sought = new Set(propositions);
  const reached = new Set<Proposition>();
  const seen = new Set<string>();
  const oneScope = fencesMeet(context);
  const alone = soleStores(context);
  let incomplete: Undecided | undefined;
  let stack: State[] = [...initialStates(context)];
  const mayLead = (state: State): boolean => {
    // What stands for other values as well is looked at to its end, which says so.
    if (state.open !== undefined) return true;
    const valueOf = (thread: number, register: string): bigint | undefined => {
      const { run } = state.view(thread);
      // A thread that may go round a loop more often than the bound allows has no last values.
      return run.cut === false ? run.registers.get(register)?.bits : undefined;
    };
    const may = (proposition: Proposition): boolean =>
      mayHold(proposition, (one) => (one.kind === 'register' ? valueOf(one.thread, one.register) : undefined));
    return (filter === undefined || may(filter)) && [...sought].some(may);
  };
  for (let state = stack.pop(); state !== undefined && sought.size > 0; state = stack.pop()) {
    const over = exceeded(deadline);
    if (over !== undefined) return { reached, states: seen.size, incomplete: over };
    if (seen.size > mostStates)
      return { reached, states: seen.size, incomplete: { kind: 'states', most: mostStates, what: 'states' } };
    const steps = soleStore(state, alone) ?? nextSteps(state);
    if (steps.length === 0) {
      if (context.structure.threads.some((_, thread) => state.view(thread).run.cut === true)) incomplete ??= BOUND;
      if (state.open !== undefined) incomplete ??= { kind: 'value', what: state.open };
      const trapped = context.structure.threads.some((_, thread) => state.view(thread).run.trapped === true);
      for (const outcome of trapped ? [] : outcomesOf(state)) {
        const holdsHere = (one: Proposition): boolean => holds(one, ({ name }) => outcome.get(name) ?? 0n);
        for (const proposition of sought) if (holdsHere(proposition)) reached.add(proposition);
      }
      const before = sought.size;
      for (const proposition of reached) sought.delete(proposition);
      if (sought.size < before)
        stack = stack.filter((left) => mayLead(left) && !foreseesDeadEnd(left, left.fences, mayLead));
    }
    for (const { event, states } of [...steps].reverse()) {
      for (const next of states) {
        if (!mayLead(next) || foreseesDeadEnd(next, [event.id], mayLead)) continue;
        const key = exchange.key(next, forgottenIn(next, oneScope));
        if (seen.has(key)) continue;
        seen.add(key);
        stack.push(next);
      }
    }
  }
  return { reached, states: seen.size, incomplete: incomplete ?? context.open };
}

/** Stores to locations that nothing else writes. */
function soleStores({ writes, analysis }: MachineContext): Bits {
  const places = (write: number) => analysis.targets.get(write) ?? [];
  const isAlone = (write: number): boolean =>
    !writes.some(({ id }) => id !== write && places(id).some((x) => places(write).some((y) => overlap(x, y))));
  return bitsOf(writes.flatMap(({ id, partner }) => (partner === undefined && isAlone(id) ? [id] : [])));
}

/**
 * A store to a location that nothing else writes, by itself, once all before it in its thread is executed: what reads
 * that location may take the store from then on, and may still not, as if the store came later.
 */
function soleStore(state: State, alone: Bits): readonly Step[] | undefined {
  const store = enabledIn(state).find((event) => has(alone, event.id) && !overtakes(state, event));
  return store === undefined ? undefined : [{ event: store, states: execute(state, store) }];
}

/** Whether every fence.sc is in the scope of every other. */
function fencesMeet({ events, structure }: MachineContext): boolean {
  const gpus = new Set(structure.threads.map(({ thread }) => thread.placement.gpu));
  return events.filter(isFenceSc).every(({ scope }) => scope === 'sys' || (scope === 'gpu' && gpus.size === 1));
}

/**
 * What no longer matters to a plain program: also what threads that have ended have learned, and what their fences hand
 * on, where no write of a release pattern does so and a later fence.sc tells as much.
 */
function forgottenIn(state: State, oneScope: boolean): Forgotten {
  const { structure, events } = state.context;
  const over = structure.threads.reduce((all, _, thread) => {
    const { run, runs } = state.view(thread);
    const left = [...runs].some(([id, { executed }]) => executed !== false && !state.isDone(id));
    return run.ended === true && !left ? all | bitsOf(runs.keys()) : all;
  }, NONE);
  const inPatterns = [...state.packets.values()].reduce((all, heads) => all | heads, NONE);
  const told = (fence: number): boolean =>
    oneScope &&
    [...state.released].some(([other, more]) => {
      const less = state.released.get(fence) ?? NONE;
      const covers = (less & ~more) === NONE && (more !== less || other > fence);
      return other !== fence && covers && isFenceSc(state.context.event(other));
    });
  const heads = [...state.released.keys()].filter((id) => {
    const event = events[id];
    if (event === undefined || !has(over, id) || has(inPatterns, id)) return false;
    return !isFenceSc(event) || told(id);
  });
  return { ...state.forgotten(), learners: over, heads: bitsOf(heads) };
}
