import type { SatSolver } from '../../src/axiomatic/solver/solver.js';
import type { Model } from '../../src/cat/model.js';
import { UNDEFINED } from '../../src/check/compare-engines.js';
import { type CrossCheck, crossCheck } from '../../src/check/cross-check.js';
import type { Findings } from '../../src/check/findings.js';
import { loadTests, parseTests } from '../../src/check/load-tests.js';
import type { GeneratedTest } from '../../src/generate/generate-tests.js';
import { describeUndecided } from '../../src/program/undecided.js';
import { RACE_FLAG } from '../../src/program/undefined-rules.js';
import type { LitmusFile } from '../../src/syntax/litmus-ast.js';
import { type Budget, enumerate, type Reference, termsOf } from '../reference/enumerate.js';

/** What the comparison of the axioms, the machine and the reference runs with. */
export interface Comparison {
  readonly solver: SatSolver;
  readonly model: Model;
  readonly inOrder: Model;
  /** In milliseconds, for the engines. */
  readonly timeout: number;
  /** More states than that the machine does not visit. */
  readonly mostStates?: number;
  /** What the reference may take; `none` leaves it out. */
  readonly budget?: Partial<Budget> | 'none';
}

export type Verdict =
  | {
      readonly kind: 'agree';
      /** Both find undefined behavior, and then nothing else counts. */
      readonly isUndefined: boolean;
      readonly loadBuffering: boolean;
      /** Of some question only what was found within the bound of rounds was compared. */
      readonly withinBound: boolean;
    }
  /** The engines agree; the reference has no answer. */
  | { readonly kind: 'without-reference'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'disagreement'; readonly between: 'engines' | 'reference'; readonly what: string };

/**
 * Compares the outcomes, races, undefined behavior, deadlocks and traps that the three find in a test. Of launches the
 * reference judges the threads written out.
 */
export function compareThree(
  { text, module, asThreads }: Pick<GeneratedTest, 'text' | 'module' | 'asThreads'>,
  { solver, model, inOrder, timeout, mostStates, budget }: Comparison,
): Verdict {
  const modules = module === undefined ? {} : { [module.path]: module };
  const { value } = loadTests({ path: 'generated.litmus', text, modules });
  const [file] = parseTests({ path: 'generated.litmus', text: asThreads ?? text }).value ?? [];
  const [program] = value ?? [];
  if (program === undefined || file === undefined) return { kind: 'unknown', why: 'it is refused' };
  const engines = crossCheck(solver, program, model, inOrder, {
    unroll: 3,
    timeout,
    clock: () => performance.now(),
    ...(mostStates === undefined ? {} : { mostStates }),
  });
  if (engines.verdict === 'unknown')
    return { kind: 'unknown', why: engines.undecided === undefined ? '' : describeUndecided(engines.undecided) };
  if (engines.verdict === 'disagreement') return { kind: 'disagreement', between: 'engines', what: describe(engines) };
  const found = engines.axioms;
  if (found === undefined) return { kind: 'unknown', why: 'no findings' };
  const loadBuffering = engines.needLoadBuffering.length > 0;
  const isUndefined = found.undefinedBy !== undefined;
  const open = found.open.length > 0 || engines.notCompared.some(({ why }) => why !== UNDEFINED);
  if (budget === 'none') return { kind: 'agree', isUndefined, loadBuffering, withinBound: open };
  const reference = enumerate(file, termsOf(file), budget);
  if (reference.kind !== 'answer')
    return { kind: 'without-reference', why: reference.kind === 'unsupported' ? reference.feature : reference.kind };
  const what = differences(found, reference, namesOf(file));
  if (what.length > 0) return { kind: 'disagreement', between: 'reference', what: what.join('\n') };
  return { kind: 'agree', isUndefined, loadBuffering, withinBound: open || reference.cut };
}

function describe({ differences: list }: CrossCheck): string {
  const state = (one: CrossCheck['differences'][number]): string =>
    one.state === undefined ? JSON.stringify(one.rules ?? '') : [...one.state].map((pair) => pair.join('=')).join(' ');
  return list.map((one) => `${one.only} only: ${one.kind} ${state(one)}`).join('\n');
}

/** The names under which the engines keep what the reference observes, in its order. */
function namesOf(file: LitmusFile): readonly string[] {
  return termsOf(file).map((term) => {
    switch (term.kind) {
      case 'register':
        return `${/^\d/.test(term.thread) ? 'P' : ''}${term.thread}:${term.register}`;
      case 'location':
        return term.index === undefined ? term.name : `${term.name}[${term.index}]`;
      default:
        return '';
    }
  });
}

/** What one side finds and the other does not; of what was cut at a bound only what was found counts. */
export function differences(
  axioms: Findings,
  reference: Extract<Reference, { kind: 'answer' }>,
  names: readonly string[],
): readonly string[] {
  const cutAxioms = axioms.open.length > 0;
  const found: string[] = [];
  const compare = (what: string, ours: boolean, theirs: boolean): void => {
    if (ours && !theirs && !reference.cut) found.push(`axioms only: ${what}`);
    if (theirs && !ours && !cutAxioms) found.push(`reference only: ${what}`);
  };
  compare('undefined', axioms.undefinedBy !== undefined, reference.undefined);
  if (found.length > 0) return axioms.undefinedBy === undefined ? found : [`${found[0]} (${axioms.undefinedBy.rule})`];
  if (axioms.undefinedBy !== undefined || reference.undefined) return [];
  compare('race', axioms.raised.has(RACE_FLAG), reference.race);
  compare('deadlock', axioms.deadlock !== undefined, reference.deadlock);
  const ours = new Set(
    [...axioms.outcomes.values()].map(({ state }) => names.map((name) => state.get(name) ?? '?').join(',')),
  );
  for (const outcome of ours)
    if (!reference.outcomes.has(outcome)) compare(`${names.join(',')} = ${outcome}`, true, false);
  for (const outcome of reference.outcomes)
    if (!ours.has(outcome)) compare(`${names.join(',')} = ${outcome}`, false, true);
  return found;
}
