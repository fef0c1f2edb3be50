import type { Model } from '../cat/model.js';
import { relationsOfModel } from '../cat/relations-of-model.js';
import { isUniversal } from '../check/decide-condition.js';
import type { TestResult } from '../check/result.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { namedRelations } from '../execution/named-relations.js';
import type { Relation } from '../relation/relation.js';

/** An execution worth a picture, and what stands out in it. */
export interface Subject {
  readonly kind: 'witness' | 'forbidden';
  /** Of the condition. */
  readonly name: string | undefined;
  readonly title: string;
  readonly execution: CandidateExecution;
  /** The events that it is about: the two that race, those that break a rule. */
  readonly marked: readonly number[];
  /** The cycle that an axiom excludes. */
  readonly cycle: readonly { readonly from: number; readonly to: number; readonly relation: string }[];
  /** The relations of the vocabulary and of the model, on this execution. */
  readonly named: ReadonlyMap<string, Relation>;
}

/** For each condition of a test an execution that shows its verdict, and for what is forbidden the nearest one. */
export function drawable(
  model: Model,
  { conditions, expectations, undefinedBy, program }: TestResult,
): readonly Subject[] {
  const subject = (
    {
      kind = 'witness',
      name,
      cycle = [],
      marked = [],
    }: Pick<Partial<Subject>, 'kind' | 'cycle' | 'marked'> & Pick<Subject, 'name'>,
    execution: CandidateExecution | undefined,
    title: string,
  ): readonly Subject[] =>
    execution === undefined
      ? []
      : [{ kind, name, title, execution, marked, cycle, named: relationsBy(model, execution) }];
  const whole = (
    name: string,
    execution: CandidateExecution | undefined,
    marked: readonly number[],
    rest = name,
  ): readonly Subject[] => subject({ name, marked }, execution, `${program.name}: ${rest}`);
  if (undefinedBy !== undefined) {
    const { witness, events, sentence } = undefinedBy;
    return whole('undefined', witness, events, `undefined, ${sentence}`);
  }
  return [
    ...expectations.flatMap(({ witness, events, expectation }) => whole(expectation.finding, witness, events)),
    ...conditions.flatMap(({ condition, witnesses, counterexample, forbiddenBy, race }): readonly Subject[] => {
      const { name, quantifier } = condition;
      const test = `${program.name}${name === undefined ? '' : `, ${name}`}`;
      const [failure] = forbiddenBy?.failures ?? [];
      const shown = isUniversal(quantifier) && counterexample !== undefined ? counterexample : witnesses[0];
      const forbidden = { kind: 'forbidden', name, cycle: failure?.explanation.steps ?? [] } as const;
      return [
        ...subject({ name, marked: race?.events ?? [] }, shown, `${test}: allowed by ${model.name}`),
        ...subject(forbidden, forbiddenBy?.execution, `${test}: forbidden by ${model.name}, ${failure?.axiom}`),
      ];
    }),
  ];
}

function relationsBy(model: Model, execution: CandidateExecution): ReadonlyMap<string, Relation> {
  return new Map([...namedRelations(execution), ...relationsOfModel(model, execution)]);
}
