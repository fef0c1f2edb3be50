import type { Aspect, Difference, NotCompared } from '../check/compare-engines.js';
import type { CrossCheck } from '../check/cross-check.js';
import type { TestResult } from '../check/result.js';
import { describeUndecided } from '../program/undecided.js';
import { FINDING_WORDS, ruleSentence } from '../program/undefined-rules.js';
import { describeExecution } from './describe-execution.js';
import { describeRun } from './describe-run.js';
import { shownState, stateLine } from './describe-state.js';
import type { Style } from './text.js';
import { plural } from './words.js';

/** Whether the two engines agree on a test; where they do not, what each side has to show. */
export function reportCrossCheck({ program, crossCheck }: TestResult, style: Style): readonly string[] {
  if (crossCheck === undefined) return [];
  const { verdict, needLoadBuffering, differences, notCompared, undecided, exploration } = crossCheck;
  const states = exploration === undefined ? '' : ` (${plural(exploration.states, 'state')} of the machine)`;
  const name = (difference: Difference): string => nameOf(program, difference);
  switch (verdict) {
    case 'unknown':
      return [`  engines: ${style.unsure('not compared')}: ${undecided && describeUndecided(undecided)}`];
    case 'agree': {
      const open = partsOf(notCompared).map((part) => `    ${style.unsure('not compared')}: ${part}`);
      if (needLoadBuffering.length === 0) return [`  engines: ${style.good('agree')}${states}`, ...open];
      const outcomes = needLoadBuffering.length === 1 ? '1 outcome needs' : `${needLoadBuffering.length} outcomes need`;
      return [
        `  engines: ${style.good('agree')}, and ${outcomes} load buffering across synchronization${states}`,
        ...needLoadBuffering.map((one) => `    ${name(one)}`),
        ...open,
      ];
    }
    case 'disagreement':
      return [
        `  engines: ${style.bad('DISAGREE')}: the model or the machine is wrong; if the model is ours, please ` +
          'report it',
        ...differences.flatMap((difference) => [
          `    only ${difference.only === 'axioms' ? 'the axioms allow' : 'the machine does'}: ${name(difference)}`,
          ...shown(difference),
        ]),
      ];
  }
}

const ASPECTS: Readonly<Record<Aspect, string>> = {
  outcome: 'final states',
  race: 'races',
  uninitialized: 'reads of uninitialized memory',
  undefined: 'undefined behavior',
  deadlock: 'deadlocks',
  trap: 'traps',
  verdict: 'verdicts',
};

/** By reason, what was not compared. */
function partsOf(notCompared: readonly NotCompared[]): readonly string[] {
  const reasons = new Set(notCompared.map(({ why }) => why));
  const what = (reason: string): string =>
    notCompared.flatMap(({ of, why }) => (why === reason ? ASPECTS[of] : [])).join(', ');
  return [...reasons].map((reason) => `${what(reason)} (${reason})`);
}

function shown({ execution, run }: Difference): readonly string[] {
  const lines = execution !== undefined ? describeExecution(execution) : run !== undefined ? describeRun(run) : [];
  return lines.map((line) => `      ${line}`);
}

function nameOf(program: TestResult['program'], { kind, state, rules, claim }: Difference): string {
  switch (kind) {
    case 'outcome':
      return stateLine(program, state ?? new Map());
    case 'race':
    case 'uninitialized':
      return FINDING_WORDS[kind];
    case 'deadlock':
      return 'a thread that waits for ever';
    case 'trap':
      return 'a trap';
    case 'verdict':
      return claim ?? '';
    case 'undefined':
      return (
        'undefined behavior: ' +
        [rules?.axioms, ...(rules?.machine ?? [])]
          .flatMap((rule) => (rule === undefined ? [] : ruleSentence(rule)))
          .join('; ')
      );
  }
}

/** What a suite says of the comparison of one test. */
export interface ReportedCrossCheck {
  readonly verdict: CrossCheck['verdict'];
  /** They agree but for outcomes that need load buffering across synchronization. */
  readonly loadBuffering: boolean;
  /** Why something was not compared, or nothing was. */
  readonly reasons: readonly string[];
  /** Of the machine; null where it was not run. */
  readonly states: number | null;
}

export const reportedCrossCheck = (crossCheck: CrossCheck): ReportedCrossCheck => ({
  verdict: crossCheck.verdict,
  loadBuffering: crossCheck.needLoadBuffering.length > 0,
  reasons:
    crossCheck.undecided === undefined
      ? [...new Set(crossCheck.notCompared.map(({ why }) => why))]
      : [describeUndecided(crossCheck.undecided)],
  states: crossCheck.exploration?.states ?? null,
});

/** The part of a suite's last line about the engines. */
export function summarizeCrossChecks(checks: readonly ReportedCrossCheck[]): readonly string[] {
  if (checks.length === 0) return [];
  const count = (verdict: CrossCheck['verdict']): number => checks.filter((one) => one.verdict === verdict).length;
  const unknown = checks.filter(({ verdict }) => verdict === 'unknown');
  const partly = checks.filter(({ verdict, reasons }) => verdict !== 'unknown' && reasons.length > 0);
  const buffering = checks.filter(({ loadBuffering }) => loadBuffering).length;
  const states = checks.flatMap((one) => one.states ?? []).sort((a, b) => a - b);
  const parts = [
    `${count('agree')} agree${buffering === 0 ? '' : ` (${buffering} but for load buffering across synchronization)`}`,
    `${count('disagreement')} disagree`,
    ...(partly.length === 0 ? [] : [`${partly.length} compared in part${countedReasons(partly)}`]),
    ...(count('unknown') === 0 ? [] : [`${count('unknown')} not compared${countedReasons(unknown)}`]),
  ];
  return [
    `engines: ${parts.join(', ')}; states of the machine: median ${states[Math.floor(states.length / 2)] ?? 0}, ` +
      `most ${states[states.length - 1] ?? 0}`,
  ];
}

/** How many tests each reason holds for, the most frequent first. */
function countedReasons(checks: readonly ReportedCrossCheck[]): string {
  const counts = new Map<string, number>();
  for (const { reasons } of checks) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const told = sorted.slice(0, MOST_REASONS).map(([reason, count]) => `${count} ${reason}`);
  return ` (${[...told, ...(sorted.length > MOST_REASONS ? ['…'] : [])].join('; ')})`;
}

const MOST_REASONS = 4;

/** For the JSON report. */
export function jsonCrossCheck({ program, crossCheck }: TestResult): unknown {
  if (crossCheck === undefined) return undefined;
  const { verdict, needLoadBuffering, differences, notCompared, undecided, exploration } = crossCheck;
  const json = ({ kind, only, state, rules, claim, run }: Difference): unknown => ({
    kind,
    only,
    state: state === undefined ? null : Object.fromEntries(shownState(program, state)),
    rules: rules ?? null,
    claim: claim ?? null,
    run: run === undefined ? null : describeRun(run),
  });
  return {
    verdict,
    reason: undecided === undefined ? null : describeUndecided(undecided),
    states: exploration?.states ?? null,
    needLoadBuffering: needLoadBuffering.map(json),
    differences: differences.map(json),
    notCompared: notCompared.map(({ of, why }) => ({ of, reason: why })),
  };
}
