import type { FinalState } from '../execution/candidate-execution.js';
import type { ExpectedFinding } from '../program/program.js';
import { holds } from '../program/proposition.js';
import { describeUndecided } from '../program/undecided.js';
import { FLAGS } from '../program/undefined-rules.js';
import { type Comparison, type Difference, differenceOf, type NotCompared, UNDEFINED } from './compare-engines.js';
import type { Findings } from './findings.js';
import { type ConditionResult, type ExpectationResult, foundSomething, type TestResult } from './result.js';

type Verdicts = Pick<TestResult, 'conditions' | 'expectations'>;

/**
 * Compares what both engines say of each condition and expectation of a test. `inOrder`: what the axioms find with the
 * in-order axiom, where that was asked; a verdict that rests on what it removes differs rightly.
 */
export function compareVerdicts(axioms: Verdicts, machine: Verdicts, inOrder: Findings | undefined): Comparison {
  const differences: Difference[] = [];
  const notCompared: NotCompared[] = [];
  const of = (one: Compared): void => {
    if ('why' in one) notCompared.push({ of: 'verdict', why: one.why });
    else if (one.ours !== one.theirs && !(one.ours && isRemoved(one.isFound, inOrder)))
      differences.push(differenceOf('verdict', one.ours ? 'axioms' : 'machine', { claim: one.claim }));
  };
  axioms.conditions.forEach((condition, i) => {
    const other = machine.conditions[i];
    if (other !== undefined) for (const one of comparedConditions(condition, other)) of(one);
  });
  axioms.expectations.forEach((expectation, i) => {
    const other = machine.expectations[i];
    if (other !== undefined) of(comparedExpectation(expectation, other));
  });
  return { differences, notCompared };
}

/** Something that each engine says is or is not there; `isFound`: whether it is among what the axioms find. */
type Compared =
  | { readonly why: string }
  | {
      readonly claim: string;
      readonly ours: boolean;
      readonly theirs: boolean;
      readonly isFound: (findings: Findings) => boolean;
    };

const isRemoved = (isFound: (findings: Findings) => boolean, inOrder: Findings | undefined): boolean =>
  inOrder !== undefined && !isFound(inOrder);

function comparedConditions(axioms: ConditionResult, machine: ConditionResult): readonly Compared[] {
  const { proposition } = axioms.condition;
  const satisfies = (state: FinalState): boolean => holds(proposition, ({ name }) => state.get(name) ?? 0n);
  const open = [axioms, machine].find(({ holds }) => holds === undefined);
  const parts = (['reachable', 'avoidable'] as const).flatMap((what): Compared | readonly Compared[] => {
    const [ours, theirs] = [axioms[what], machine[what]];
    // The verdict may follow from the other one.
    if (ours === undefined || theirs === undefined) return [];
    const wanted = what === 'reachable';
    return {
      claim: `${wanted ? 'satisfied' : 'not satisfied'}: ${textOf(axioms)}`,
      ours,
      theirs,
      isFound: ({ outcomes }) => [...outcomes.values()].some(({ state }) => satisfies(state) === wanted),
    };
  });
  return [...parts, ...(open === undefined ? [] : [{ why: whyNot(open) ?? UNDEFINED }])];
}

const textOf = ({ condition: { span } }: ConditionResult): string => span.source.text.slice(span.start, span.end);
const whyNot = ({ undecided }: ConditionResult | ExpectationResult): string | undefined =>
  undecided === undefined ? undefined : describeUndecided(undecided);

const FOUND: Readonly<Record<ExpectedFinding, (findings: Findings) => boolean>> = {
  race: ({ raised }) => raised.has(FLAGS.race),
  uninitialized: ({ raised }) => raised.has(FLAGS.uninitialized),
  undefined: ({ undefinedBy }) => undefinedBy !== undefined,
  deadlock: ({ deadlock }) => deadlock !== undefined,
  trap: ({ trap }) => trap !== undefined,
};

function comparedExpectation(axioms: ExpectationResult, machine: ExpectationResult): Compared {
  const { finding } = axioms.expectation;
  const open = [axioms, machine].find(({ outcome }) => outcome === 'undecided');
  if (open !== undefined) return { why: whyNot(open) ?? UNDEFINED };
  return { claim: finding, ours: foundSomething(axioms), theirs: foundSomething(machine), isFound: FOUND[finding] };
}
