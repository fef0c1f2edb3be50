import type { SatSolver } from '../../src/axiomatic/solver/solver.js';
import type { Model } from '../../src/cat/model.js';
import { checkTest } from '../../src/check/check-test.js';
import { type Findings, findingsOf } from '../../src/check/findings.js';
import { loadTests, parseTests } from '../../src/check/load-tests.js';
import type { Random } from '../../src/generate/random.js';
import { outcomeKey } from '../../src/operational/outcomes.js';
import { RACE_FLAG } from '../../src/program/undefined-rules.js';
import { printLitmus } from '../../src/syntax/print-litmus.js';
import { LAWS, type Law } from './laws.js';

export interface LawSetting {
  readonly solver: SatSolver;
  readonly model: Model;
  /** In milliseconds, for each of the two tests. */
  readonly timeout: number;
}

export type LawVerdict =
  | { readonly kind: 'holds' }
  | { readonly kind: 'nothing-to-change' }
  /** One of the two is undefined, or was not decided. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'broken'; readonly what: string; readonly changed: string };

/** What was found of a test, by which law. */
export interface LawCheck {
  readonly law: Law;
  readonly verdict: LawVerdict;
}

/** Checks, of the laws that change something in a test, the one that has been checked least often, and counts it. */
export function checkRarestLaw(
  checked: Map<string, number>,
  text: string,
  random: Random,
  setting: LawSetting,
): LawCheck {
  const rarestFirst = [...LAWS].sort((a, b) => (checked.get(a.name) ?? 0) - (checked.get(b.name) ?? 0));
  for (const law of rarestFirst) {
    const verdict = checkLaw(law, text, random, setting);
    if (verdict.kind === 'nothing-to-change') continue;
    if (verdict.kind !== 'unknown') checked.set(law.name, (checked.get(law.name) ?? 0) + 1);
    return { law, verdict };
  }
  throw new Error('no law changes anything, not even nothing');
}

/** Changes a test by a law and compares what the axioms find before and after. */
export function checkLaw(law: Law, text: string, random: Random, { solver, model, timeout }: LawSetting): LawVerdict {
  const [file] = parseTests({ path: 'law.litmus', text }).value ?? [];
  const after = file === undefined ? undefined : law.change(file, random);
  if (after === undefined) return { kind: 'nothing-to-change' };
  const changed = printLitmus(after);
  if (law.outcomes === 'shown') return checkShown(changed, { solver, model, timeout });
  const [before, later] = [text, changed].map((one) => {
    const [program] = loadTests({ path: 'law.litmus', text: one }).value ?? [];
    if (program === undefined) return undefined;
    const start = performance.now();
    return findingsOf(solver, program, model, {
      unroll: 3,
      deadline: { remaining: () => start + timeout - performance.now() },
      mostOutcomes: 5000,
    });
  });
  if (before === undefined || later === undefined) return { kind: 'unknown' };
  if (before.open.length > 0 || later.open.length > 0) return { kind: 'unknown' };
  if (law.outcomes === 'same' && (before.undefinedBy === undefined) !== (later.undefinedBy === undefined))
    return {
      kind: 'broken',
      what: `undefined by ${before.undefinedBy?.rule} before, by ${later.undefinedBy?.rule} after`,
      changed,
    };
  if (before.undefinedBy !== undefined || later.undefinedBy !== undefined) return { kind: 'unknown' };
  const what =
    law.outcomes === 'same'
      ? [...missing(later, before), ...missing(before, later), ...flags(before, later)]
      : missing(later, before);
  return what.length === 0 ? { kind: 'holds' } : { kind: 'broken', what: what.join('\n'), changed };
}

function checkShown(text: string, { solver, model, timeout }: LawSetting): LawVerdict {
  const [program] = loadTests({ path: 'law.litmus', text }).value ?? [];
  if (program === undefined) return { kind: 'unknown' };
  const { states, conditions } = checkTest(solver, program, model, {
    unroll: 3,
    timeout,
    clock: () => performance.now(),
    states: true,
    reasons: false,
  });
  if (states === undefined || states.incomplete !== undefined) return { kind: 'unknown' };
  const all = new Set(states.list.map(({ state }) => outcomeKey(state)));
  const shown = conditions.flatMap(({ witnesses, counterexample }) => [
    ...witnesses,
    ...(counterexample === undefined ? [] : [counterexample]),
  ]);
  const wrong = shown.map(({ finalState }) => outcomeKey(finalState)).filter((key) => !all.has(key));
  return wrong.length === 0 ? { kind: 'holds' } : { kind: 'broken', what: wrong.join('\n'), changed: text };
}

/** What the first can end with and the second cannot, by the names that both have. */
function missing(from: Findings, to: Findings): readonly string[] {
  const names = (findings: Findings): readonly string[] =>
    [...findings.outcomes.values()].flatMap(({ state }) => [...state.keys()]);
  const known = new Set(names(to));
  const shown = (findings: Findings): ReadonlySet<string> => {
    const both = new Set(names(from).filter((name) => known.has(name)));
    return new Set(
      [...findings.outcomes.values()].map(({ state }) =>
        [...state]
          .filter(([name]) => both.has(name))
          .map((pair) => pair.join('='))
          .sort()
          .join(' '),
      ),
    );
  };
  if (from.outcomes.size === 0) return [];
  if (to.outcomes.size === 0) return ['no outcome at all'];
  const there = shown(to);
  return [...shown(from)].filter((state) => !there.has(state));
}

function flags(before: Findings, after: Findings): readonly string[] {
  const told = ({ raised, deadlock }: Findings): string =>
    `race: ${raised.has(RACE_FLAG)}, deadlock: ${deadlock !== undefined}`;
  return told(before) === told(after) ? [] : [`${told(before)} before, ${told(after)} after`];
}
