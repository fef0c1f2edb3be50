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
}

export interface EncodedModel {
  readonly checks: readonly EncodedCheck[];
  /** The inferred definitions of the model that hold of something in some execution. */
  readonly inferred: readonly string[];
}

/** The checks of a model as formulas over the executions of a program. */
export function encodeModel(model: Model, encoding: ExecutionEncoding): EncodedModel {
  const { builder } = encoding;
  const { checks, used } = evaluateModel(model, symbolicAlgebra(builder, encoding.executedEvents), (name) =>
    encoding.base(name),
  );
  // What relates nothing in any execution cannot have mattered.
  const inferred = [...model.inferred.keys()].filter((name) => {
    const value = used.get(name);
    return value !== undefined && !value.value.may.isEmpty();
  });
  const encoded = checks.map(({ check, value }) => {
    const parts = testFormulas(encoding, check, value);
    const holds = builder.all(parts);
    return check.negated ? { check, holds: not(holds), parts: [not(holds)] } : { check, holds, parts };
  });
  return { checks: encoded, inferred };
}

/** The test holds if each of these does. */
function testFormulas(
  { builder, executedEvents }: ExecutionEncoding,
  check: Check,
  value: SymbolicValue,
): readonly Formula[] {
  if (value.kind === 'set') return [...value.value.may].map((event) => not(value.value.at(event)));
  const relation = value.value;
  switch (check.test) {
    case 'acyclic':
      return [symbolicAcyclic(builder, executedEvents, relation)];
    case 'irreflexive': {
      const loops: Formula[] = [];
      for (let event = 0; event < relation.size; event++)
        if (relation.may.has(event, event)) loops.push(not(relation.at(event, event)));
      return loops;
    }
    case 'empty':
      return [...relation.may].map(([a, b]) => not(relation.at(a, b)));
  }
}
