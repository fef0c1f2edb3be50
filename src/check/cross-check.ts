import type { SatSolver } from '../axiomatic/solver/solver.js';
import { combineModels } from '../cat/combine-models.js';
import type { Model } from '../cat/model.js';
import type { CandidateExecution, FinalState } from '../execution/candidate-execution.js';
import type { Exploration, Run } from '../operational/explore.js';
import type { Program } from '../program/program.js';
import { BOUND, describeUndecided, type Undecided } from '../program/undecided.js';
import { RACE_FLAG } from '../program/undefined-rules.js';
import { exploreProgram } from './check-operationally.js';
import { type Findings, findingsOf } from './findings.js';
import { DEFAULT_LIMITS, DEFAULT_UNROLL, deadlineOf, type Limits } from './limits.js';

/** Something that one engine finds and the other does not. */
export interface Difference {
  readonly kind: 'outcome' | 'race' | 'undefined' | 'deadlock';
  readonly only: 'axioms' | 'machine';
  /** Of an outcome. */
  readonly state: FinalState | undefined;
  /** Of undefined behavior: the rules that were found, on either side. */
  readonly rules: { readonly axioms: string | undefined; readonly machine: readonly string[] } | undefined;
  /** What shows it: an execution of the axioms, or a run of the machine. */
  readonly execution: CandidateExecution | undefined;
  readonly run: Run | undefined;
}

/** The comparison of the axioms with the operational machine on one test. */
export interface CrossCheck {
  readonly verdict: 'agree' | 'disagreement' | 'unknown';
  /**
   * What the axioms allow and the in-order axiom removes: it needs load buffering across synchronization, which the
   * machine does not have.
   */
  readonly needLoadBuffering: readonly Difference[];
  readonly differences: readonly Difference[];
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
}

const MOST_OUTCOMES = 20_000;

/**
 * Compares the outcomes, races, deadlocks and undefined behavior that the axioms allow with those that the operational
 * machine shows. The machine executes synchronizing operations in order: `inOrder`, added to the model, makes the two
 * equal.
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
    undecided,
    exploration,
    axioms: undefined,
  });
  const machine = exploreProgram(program, model, options);
  if ('kind' in machine) return unknown(machine);
  const ask = (asked: Model): Findings | Undecided => {
    const found = findingsOf(solver, program, asked, {
      // The machine says the same, or else they disagree.
      ...{ unroll: options.unroll, deadline, mostOutcomes: MOST_OUTCOMES, confirmed: false },
    });
    return undecidedBy(found, machine.incomplete?.kind === 'bound') ?? found;
  };
  const isUndefined = [...machine.findings.keys()].some((rule) => rule !== RACE_FLAG);
  if (machine.incomplete !== undefined && machine.incomplete.kind !== 'bound' && !isUndefined)
    return unknown(ofMachine(machine.incomplete), machine);
  const plain = ask(model);
  if ('kind' in plain) return unknown(plain, machine);
  const differences = compare(plain, machine);
  // What is undefined by another rule than those found so far may be so by this one too.
  if (machine.incomplete !== undefined && machine.incomplete.kind !== 'bound' && differences.length > 0)
    return unknown(ofMachine(machine.incomplete), machine);
  if (differences.length === 0)
    return {
      verdict: 'agree',
      needLoadBuffering: [],
      differences,
      undecided: undefined,
      exploration: machine,
      axioms: plain,
    };
  const ordered = ask(combineModels(model, inOrder));
  if ('kind' in ordered) return unknown(ordered, machine);
  const left = [
    ...differences.filter(({ only }) => only === 'machine'),
    ...compare(ordered, machine).filter(({ only }) => only === 'axioms'),
  ];
  if (left.length > 0)
    return {
      verdict: 'disagreement',
      needLoadBuffering: [],
      differences: left,
      undecided: undefined,
      exploration: machine,
      axioms: plain,
    };
  return {
    verdict: 'agree',
    needLoadBuffering: differences,
    differences: [],
    undecided: undefined,
    exploration: machine,
    axioms: plain,
  };
}

const ofMachine = (reason: Undecided): Undecided => ({
  kind: 'machine',
  what: `the machine: ${describeUndecided(reason)}`,
});

/**
 * Within the unrolling bound the machine stops where the axioms do; a reason, if they are undecided by anything else.
 */
function undecidedBy({ open, outcomes }: Findings, machineStoppedAtBound: boolean): Undecided | undefined {
  const other = open.find(({ undecided }) => undecided.kind !== 'bound');
  if (other !== undefined) return other.undecided;
  return open.some(({ of }) => of === 'outcomes') && !machineStoppedAtBound && outcomes.size === 0 ? BOUND : undefined;
}

function compare(axioms: Findings, machine: Exploration): readonly Difference[] {
  const rules = [...machine.findings].filter(([rule]) => rule !== RACE_FLAG);
  const found = rules.map(([rule]) => rule);
  const of = (kind: Difference['kind'], only: Difference['only'], more: Partial<Difference>): Difference => ({
    kind,
    only,
    state: undefined,
    rules: undefined,
    execution: undefined,
    run: undefined,
    ...more,
  });
  const { undefinedBy } = axioms;
  if (undefinedBy === undefined && found.length > 0)
    return [of('undefined', 'machine', { rules: { axioms: undefined, machine: found }, run: rules[0]?.[1].run })];
  if (undefinedBy !== undefined)
    return found.includes(undefinedBy.rule)
      ? []
      : [
          of('undefined', 'axioms', {
            rules: { axioms: undefinedBy.rule, machine: found },
            execution: undefinedBy.execution,
          }),
        ];
  const differences: Difference[] = [];
  const one = (kind: 'race' | 'deadlock', execution: CandidateExecution | undefined, run: Run | undefined): void => {
    if (execution !== undefined && run === undefined) differences.push(of(kind, 'axioms', { execution }));
    if (execution === undefined && run !== undefined) differences.push(of(kind, 'machine', { run }));
  };
  one('race', axioms.raised.get(RACE_FLAG), machine.findings.get(RACE_FLAG)?.run);
  one('deadlock', axioms.deadlock, machine.deadlock);
  for (const [key, { state, execution }] of axioms.outcomes)
    if (!machine.outcomes.has(key)) differences.push(of('outcome', 'axioms', { state, execution }));
  for (const [key, { outcome, run }] of machine.outcomes)
    if (!axioms.outcomes.has(key)) differences.push(of('outcome', 'machine', { state: outcome, run }));
  return differences;
}
