import type { CandidateExecution, FinalState } from '../../execution/candidate-execution.js';
import type { Program } from '../../program/program.js';
import type { Undecided } from '../../program/undecided.js';
import { evaluator, FALSE, not, TRUE } from '../formula/formula.js';
import type { ConsistentExecutions } from './consistent-executions.js';

export interface Enumeration {
  readonly states: readonly { readonly state: FinalState; readonly execution: CandidateExecution }[];
  /** Why there may be more. */
  readonly incomplete: Undecided | undefined;
}

/** All final states, each with one execution, by blocking each one found. */
export function enumerateStates(executions: ConsistentExecutions): Enumeration {
  const { encoding, options } = executions;
  const { builder, universe } = encoding;
  const observed = universe.structure.program.observed.flatMap((observable) => encoding.observable(observable));
  const bits = [...new Set(observed)].filter((bit) => bit !== TRUE && bit !== FALSE);
  const solver = executions.context.solver('enumeration');
  for (const formula of [...executions.base(), ...executions.extentFormulas('ended')]) solver.add(formula);
  const states: { state: FinalState; execution: CandidateExecution }[] = [];
  for (;;) {
    const result = solver.check(options.deadline);
    if (typeof result === 'object') return { states, incomplete: result.unknown };
    if (result === 'unsat') {
      options.claims.add(solver, []);
      break;
    }
    if (states.length >= options.mostStates)
      return { states, incomplete: { kind: 'states', most: options.mostStates, what: 'final states' } };
    const assigned = solver.assignment();
    const { execution } = executions.verified(assigned, () => true);
    states.push({ state: execution.finalState, execution });
    if (bits.length === 0) break;
    const truth = evaluator(builder, assigned);
    solver.add(builder.any(bits.map((bit) => (truth(bit) ? not(bit) : bit))));
  }
  // Of executions beyond the bound nothing is new where no value is asked for.
  const isAll = states.length > 0 && universe.structure.program.observed.length === 0;
  return {
    states: inOrder(universe.structure.program, states),
    incomplete: isAll ? undefined : executions.boundReason(),
  };
}

/** By the values of what is observed, the first one first: not by how a solver came upon them. */
function inOrder<T extends { readonly state: FinalState }>({ observed }: Program, states: readonly T[]): readonly T[] {
  return [...states].sort((a, b) => {
    for (const { name } of observed) {
      const [x, y] = [a.state.get(name) ?? 0n, b.state.get(name) ?? 0n];
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  });
}
