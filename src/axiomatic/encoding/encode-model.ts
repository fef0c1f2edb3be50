import { evaluateModel } from '../../cat/evaluate.js';
import type { Model } from '../../cat/model.js';
import type { Check } from '../../syntax/cat-ast.js';
import { type Formula, not } from '../formula/formula.js';
import { symbolicAcyclic } from '../relations/closure.js';
import { type SymbolicValue, symbolicAlgebra } from '../relations/symbolic-algebra.js';
import type { ExecutionEncoding } from './encode-execution.js';

/** A check of the model with the formula that says that it holds. */
export interface EncodedCheck {
  readonly check: Check;
  readonly holds: Formula;
  /** What it is made of: one formula for each event or pair that must not be related, or the whole. */
  readonly parts: readonly Formula[];
  /** Where it asks whether something is empty: each event or pair that may be in it. */
  readonly members: readonly Member[];
}

/** An event, or two that are related, with the formula for that. */
interface Member {
  readonly events: readonly number[];
  readonly formula: Formula;
}

export interface EncodedModel {
  readonly checks: readonly EncodedCheck[];
  /** The inferred definitions of the model that hold of something in some execution. */
  readonly inferred: readonly string[];
}

/** The checks of a model as formulas over the executions of a program. */
export function encodeModel(model: Model, encoding: ExecutionEncoding): EncodedModel {
  const { builder } = encoding;
  const evaluation = evaluateModel(model, symbolicAlgebra(builder, encoding.executedEvents), (name) =>
    encoding.base(name),
  );
  const used = evaluation.used();
  // What relates nothing in any execution cannot have mattered.
  const inferred = [...model.inferred.keys()].filter((name) => {
    const value = used.get(name);
    return value !== undefined && !value.value.may.isEmpty();
  });
  const encoded = evaluation.checks.map(({ check, value }) => {
    const members = membersOf(check, value);
    const parts =
      value.kind === 'relation' && check.test === 'acyclic'
        ? [symbolicAcyclic(builder, encoding.executedEvents, value.value)]
        : members.map(({ formula }) => not(formula));
    const holds = builder.all(parts);
    return check.negated
      ? { check, holds: not(holds), parts: [not(holds)], members }
      : { check, holds, parts, members };
  });
  return { checks: encoded, inferred };
}

/** What there must be nothing of for a test to hold, but for that of cycles. */
function membersOf(check: Check, value: SymbolicValue): readonly Member[] {
  if (value.kind === 'set')
    return [...value.value.may].map((event) => ({ events: [event], formula: value.value.at(event) }));
  const relation = value.value;
  switch (check.test) {
    case 'acyclic':
      return [];
    case 'irreflexive':
      return Array.from({ length: relation.size }, (_, event) => event)
        .filter((event) => relation.may.has(event, event))
        .map((event) => ({ events: [event], formula: relation.at(event, event) }));
    case 'empty':
      return [...relation.may].map(([a, b]) => ({ events: [a, b], formula: relation.at(a, b) }));
  }
}
