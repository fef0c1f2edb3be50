import type { CandidateExecution, FinalState } from '../execution/candidate-execution.js';
import type { Exploration } from '../operational/explore.js';
import type { Run } from '../operational/walk-states.js';
import { describeUndecided, type Undecided } from '../program/undecided.js';
import { FLAGS, findingOf } from '../program/undefined-rules.js';
import { lacksThreads } from './answer-scope.js';
import type { Findings, OpenQuestion } from './findings.js';

/** What the engines find of a test: `verdict` is what they say of one of its conditions or expectations. */
export type Aspect = 'outcome' | 'race' | 'uninitialized' | 'undefined' | 'deadlock' | 'trap' | 'verdict';

/** Something that one engine finds and the other does not. */
export interface Difference {
  readonly kind: Aspect;
  readonly only: 'axioms' | 'machine';
  /** Of an outcome. */
  readonly state: FinalState | undefined;
  /** Of undefined behavior: the rules that were found, on either side. */
  readonly rules: { readonly axioms: string | undefined; readonly machine: readonly string[] } | undefined;
  /** Of a verdict: what `only` says and the other engine denies. */
  readonly claim: string | undefined;
  /** What shows it: an execution of the axioms, or a run of the machine. */
  readonly execution: CandidateExecution | undefined;
  readonly run: Run | undefined;
}

/** What was not compared, or within a limit only, and why. */
export interface NotCompared {
  readonly of: Aspect;
  readonly why: string;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  readonly notCompared: readonly NotCompared[];
}

/** Where some execution is undefined, it means nothing what the others end with. */
export const UNDEFINED = 'the test is undefined';

const OPEN_AS: Readonly<Record<Exclude<Aspect, 'verdict'>, OpenQuestion['of']>> = {
  outcome: 'outcomes',
  race: 'flags',
  uninitialized: 'flags',
  undefined: 'definedness',
  deadlock: 'deadlock',
  trap: 'trap',
};

export function differenceOf(
  kind: Aspect,
  only: Difference['only'],
  more: Partial<Omit<Difference, 'kind' | 'only'>> = {},
): Difference {
  return {
    kind,
    only,
    state: undefined,
    rules: undefined,
    claim: undefined,
    execution: undefined,
    run: undefined,
    ...more,
  };
}

/** The reason of the machine, as one that names it. */
export const ofMachine = (reason: Undecided): Undecided => ({
  kind: 'machine',
  what: `the machine: ${describeUndecided(reason)}`,
});

/**
 * Compares what each engine finds, of all that an answer may say. Within the unrolling bound the machine stops where
 * the axioms do; where an engine is undecided by anything else, what it has not found may still be there.
 */
export function compareEngines(axioms: Findings, machine: Exploration): Comparison {
  const differences: Difference[] = [];
  const notCompared: NotCompared[] = [];
  const leave = (of: Aspect, reason: Undecided): void => {
    const why = describeUndecided(reason);
    if (!notCompared.some((other) => other.of === of && other.why === why)) notCompared.push({ of, why });
  };
  const openOf = (kind: Exclude<Aspect, 'verdict'>): Undecided | undefined =>
    axioms.open.find(({ of }) => of === OPEN_AS[kind] || of === 'everything')?.undecided;
  /** What only one side has found, unless the other may have missed it. `isFound`: both have. */
  const one = (kind: Exclude<Aspect, 'verdict'>, found: Difference | undefined, isFound: boolean): void => {
    const ours = openOf(kind);
    // Whether threads go on for ever is asked beyond the bound.
    const isDeadlock = kind === 'deadlock';
    const theirs = isDeadlock ? machine.openDeadlock : machine.incomplete;
    if (found !== undefined) {
      const missedBy = found.only === 'axioms' ? theirs : ours;
      if (missedBy === undefined || (missedBy.kind === 'bound' && !isDeadlock)) differences.push(found);
      else leave(kind, found.only === 'axioms' ? ofMachine(missedBy) : missedBy);
    } else if (!isFound) {
      if (ours !== undefined) leave(kind, ours);
      else if (theirs !== undefined) leave(kind, ofMachine(theirs));
    }
  };
  compareUndefined(axioms, machine, one);
  if (axioms.undefinedBy !== undefined) {
    for (const of of ['outcome', 'race', 'uninitialized', 'deadlock', 'trap'] as const)
      notCompared.push({ of, why: UNDEFINED });
    return { differences, notCompared };
  }
  if (differences.length > 0) return { differences, notCompared };
  const both = (
    kind: 'race' | 'uninitialized' | 'deadlock' | 'trap',
    execution: CandidateExecution | undefined,
    run: Run | undefined,
  ) => {
    const found = onlyOne(execution, run);
    one(kind, found === undefined ? undefined : differenceOf(kind, found, { execution, run }), execution !== undefined);
  };
  // Of some threads of a launch nothing is said of what others may have written.
  const isSelection = lacksThreads(machine.context.structure.program);
  for (const kind of isSelection ? (['race'] as const) : (['race', 'uninitialized'] as const))
    both(kind, axioms.raised.get(FLAGS[kind]), machine.findings.get(FLAGS[kind])?.run);
  both('deadlock', axioms.deadlock, machine.deadlock);
  both('trap', axioms.trap, machine.trap);
  for (const found of outcomeDifferences(axioms, machine)) one('outcome', found, true);
  one('outcome', undefined, false);
  return { differences, notCompared };
}

const onlyOne = (execution: unknown, run: unknown): Difference['only'] | undefined =>
  (execution === undefined) === (run === undefined) ? undefined : execution === undefined ? 'machine' : 'axioms';

function compareUndefined(
  { undefinedBy }: Findings,
  machine: Exploration,
  one: (kind: 'undefined', found: Difference | undefined, isFound: boolean) => void,
): void {
  const rules = [...machine.findings].filter(([rule]) => findingOf(rule) === 'undefined');
  const found = rules.map(([rule]) => rule);
  const both = { axioms: undefinedBy?.rule, machine: found };
  if (undefinedBy === undefined && rules.length > 0)
    one('undefined', differenceOf('undefined', 'machine', { rules: both, run: rules[0]?.[1].run }), false);
  else if (undefinedBy !== undefined && !found.includes(undefinedBy.rule))
    one('undefined', differenceOf('undefined', 'axioms', { rules: both, execution: undefinedBy.execution }), false);
  else one('undefined', undefined, undefinedBy !== undefined);
}

function outcomeDifferences(axioms: Findings, machine: Exploration): readonly Difference[] {
  const ours = [...axioms.outcomes].filter(([key]) => !machine.outcomes.has(key));
  const theirs = [...machine.outcomes].filter(([key]) => !axioms.outcomes.has(key));
  return [
    ...ours.map(([, { state, execution }]) => differenceOf('outcome', 'axioms', { state, execution })),
    ...theirs.map(([, { outcome, run }]) => differenceOf('outcome', 'machine', { state: outcome, run })),
  ];
}
