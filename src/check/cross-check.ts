import type { SatSolver } from '../axiomatic/solver/solver.js';
import { combineModels } from '../cat/combine-models.js';
import type { Model } from '../cat/model.js';
import type { Exploration } from '../operational/explore.js';
import type { Program } from '../program/program.js';
import { BOUND, type Undecided } from '../program/undecided.js';
import { findingOf } from '../program/undefined-rules.js';
import { checkOperationally, exploreProgram } from './check-operationally.js';
import { checkTest } from './check-test.js';
import { type Comparison, compareEngines, type Difference, type NotCompared, ofMachine } from './compare-engines.js';
import { compareVerdicts } from './compare-verdicts.js';
import { type Findings, findingsOf } from './findings.js';
import { DEFAULT_LIMITS, DEFAULT_UNROLL, deadlineOf, type Limits } from './limits.js';
import type { TestResult } from './result.js';

/** The comparison of the axioms with the operational machine on one test. */
export interface CrossCheck {
  readonly verdict: 'agree' | 'disagreement' | 'unknown';
  /**
   * What the axioms allow and the in-order axiom removes: it needs load buffering across synchronization, which the
   * machine does not have.
   */
  readonly needLoadBuffering: readonly Difference[];
  readonly differences: readonly Difference[];
  /** Where they agree, what was not compared all the same, or within a limit only. */
  readonly notCompared: readonly NotCompared[];
  /** Why it is unknown. */
  readonly undecided: Undecided | undefined;
  readonly exploration: Exploration | undefined;
  /** All that the axioms find, without the axiom that makes them the machine's. */
  readonly axioms: Findings | undefined;
}

/** What a comparison of the two engines may take. */
export interface CrossCheckOptions extends Partial<Limits> {
  /** How often a loop body is executed at most; 3 if not given. */
  readonly unroll?: number;
  readonly mostStates?: number;
  /** What the axioms say of the test's conditions and expectations, if that is known. */
  readonly checked?: TestResult;
}

const MOST_OUTCOMES = 20_000;

/**
 * Compares the outcomes, races, deadlocks, traps and undefined behavior that the axioms allow with those that the
 * operational machine shows, and what each says of the conditions and expectations of the test. The machine executes
 * synchronizing operations in order: `inOrder`, added to the model, makes the two equal.
 *
 * @example
 * ```ts
 * const { verdict } = crossCheck(solver, program, model, loadInOrder());
 * ```
 */
export function crossCheck(
  solver: SatSolver,
  program: Program,
  model: Model,
  inOrder: Model,
  given: CrossCheckOptions = {},
): CrossCheck {
  const options = { ...DEFAULT_LIMITS, unroll: DEFAULT_UNROLL, ...given };
  const deadline = deadlineOf(options);
  const unknown = (undecided: Undecided, exploration?: Exploration): CrossCheck => ({
    verdict: 'unknown',
    needLoadBuffering: [],
    differences: [],
    notCompared: [],
    undecided,
    exploration,
    axioms: undefined,
  });
  const machine = exploreProgram(program, model, options);
  if ('kind' in machine) return unknown(machine);
  const ask = (asked: Model): Findings =>
    findingsOf(solver, program, asked, {
      // The machine says the same, or else they disagree.
      ...{ unroll: options.unroll, deadline, mostOutcomes: MOST_OUTCOMES, confirmed: false },
    });
  const isUndefined = [...machine.findings.keys()].some((rule) => findingOf(rule) === 'undefined');
  if (machine.incomplete !== undefined && machine.incomplete.kind !== 'bound' && !isUndefined)
    return unknown(ofMachine(machine.incomplete), machine);
  const plain = ask(model);
  const open = undecidedBy(plain, machine.incomplete?.kind === 'bound');
  if (open !== undefined) return unknown(open, machine);
  const found = compareEngines(plain, machine);
  const ordered = found.differences.length === 0 ? undefined : ask(combineModels(model, inOrder));
  const left = ordered === undefined ? found : withoutBuffering(found, compareEngines(ordered, machine));
  const verdicts = verdictsOf(solver, program, model, options, machine).map(([axioms, other]) =>
    compareVerdicts(axioms, other, ordered),
  );
  const all = [left, ...verdicts];
  const differences = distinctClaims(all.flatMap((one) => one.differences));
  const openOrdered = ordered === undefined ? undefined : undecidedBy(ordered, machine.incomplete?.kind === 'bound');
  if (openOrdered !== undefined && !differences.some(({ only }) => only === 'machine'))
    return unknown(openOrdered, machine);
  return {
    verdict: differences.length > 0 ? 'disagreement' : 'agree',
    needLoadBuffering: differences.length > 0 ? [] : found.differences,
    differences,
    notCompared: distinct(all.flatMap((one) => one.notCompared)),
    undecided: undefined,
    exploration: machine,
    axioms: plain,
  };
}

/** What the in-order axiom leaves of what the axioms alone find, with all that the machine alone does. */
function withoutBuffering(plain: Comparison, ordered: Comparison): Comparison {
  return {
    differences: [
      ...plain.differences.filter(({ only }) => only === 'machine'),
      ...ordered.differences.filter(({ only }) => only === 'axioms'),
    ],
    notCompared: [...plain.notCompared, ...ordered.notCompared],
  };
}

/** What both say of the test: the machine by all that it can do, and by its search for conditions alone. */
function verdictsOf(
  solver: SatSolver,
  program: Program,
  model: Model,
  options: CrossCheckOptions & Limits,
  machine: Exploration,
): readonly (readonly [axioms: TestResult, machine: TestResult])[] {
  if (program.conditions.length + program.expectations.length === 0) return [];
  const axioms = options.checked ?? checkTest(solver, program, model, options);
  const results = [true, false].map((states) => checkOperationally(program, model, { ...options, states }, machine));
  return results.map((one) => [axioms, one]);
}

/** A verdict of which the machine says the same in both ways is one difference. */
const distinctClaims = (list: readonly Difference[]): readonly Difference[] =>
  list.filter(({ claim }, i) => claim === undefined || list.findIndex((one) => one.claim === claim) === i);

const distinct = (list: readonly NotCompared[]): readonly NotCompared[] => [
  ...new Map(list.map((one) => [`${one.of}: ${one.why}`, one])).values(),
];

/**
 * A reason, if what the axioms end with, or whether it is defined, is undecided by anything else than the bound. Within
 * the unrolling bound the machine stops where the axioms do.
 */
function undecidedBy({ open, outcomes }: Findings, machineStoppedAtBound: boolean): Undecided | undefined {
  const whole = open.filter(({ of }) => of === 'everything' || of === 'definedness' || of === 'outcomes');
  const other = whole.find(({ undecided }) => undecided.kind !== 'bound');
  if (other !== undefined) return other.undecided;
  return open.some(({ of }) => of === 'outcomes') && !machineStoppedAtBound && outcomes.size === 0 ? BOUND : undefined;
}
