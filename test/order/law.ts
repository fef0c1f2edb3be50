import { expect } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { foundNothing, type TestResult } from '../../src/check/result.js';
import { isEveryRun, isLikeEvery, mayHappen, type WholeRun } from '../../src/order/whole-run.js';
import type { Observable } from '../../src/program/program.js';
import { SWEEP_ALL } from '../shares.js';
import { builtInModel, solver } from '../support.js';

/** What is asked of a launch besides what it asks itself. */
export const EXPECT = ['race', 'undefined', 'deadlock', 'trap', 'uninitialized']
  .map((one) => `expect no-${one}`)
  .join('\n');

/** What the engines find in no more time a run is not held against. In milliseconds. */
const TIMEOUT = SWEEP_ALL ? 20_000 : 6_000;

/**
 * Holds a run of all threads against all executions that the engines find: it is every run where it says so, and does
 * nothing that they rule out. Gives what it says; undefined where the threads are not followed.
 */
export function holdToEngines(
  source: Parameters<typeof loadTests>[0],
  told: string,
  /** What the engines are asked about, if not about all threads; and whether of all final states. */
  { judged, states: areStatesAsked = true }: { readonly judged?: typeof source; readonly states?: boolean } = {},
):
  | {
      readonly isDecided: boolean;
      readonly isLike: boolean;
      /** Threads wait for ever in each execution, or in those of some cases. */
      readonly isWaiting: boolean;
      readonly isRacing: boolean;
      readonly open: string | undefined;
    }
  | undefined {
  const [program] = loadTests(source, {}, 'answers').value ?? [];
  const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
  if (program === undefined || run === undefined) return undefined;
  const model = builtInModel('ptx-9.4');
  const isDecided = isEveryRun(run);
  const isLike = isLikeEvery(run);
  const [all = program] = (judged === undefined ? loadTests(source, {}, 'all threads') : loadTests(judged)).value ?? [];
  const { expectations, states } = checkTest(solver, all, model, {
    ...{ follow: false, states: areStatesAsked, timeout: TIMEOUT },
    clock: () => performance.now(),
  });
  holdFindings(run, expectations, told);
  // What locks protect takes other runs where it is asked for at the end.
  const bare = { ...source, text: source.text.replace(/^locations .*$/m, '') };
  const [unasked] = loadTests(bare, {}, 'answers').value ?? [];
  const plain = unasked && wholeTest(unasked)?.follow(() => undefined);
  if (plain !== undefined) holdFindings(plain, expectations, told);
  if (isLike) {
    // Where threads wait for ever in every execution, none has a final state.
    if (run.states.length === 0) expect(states?.list ?? [], told).toEqual([]);
    const known = program.observed.filter((one) => run.states.every((state) => state(one) !== undefined));
    const stateOf = (of: (one: Observable) => bigint | undefined): string =>
      known.map((one) => `${one.name}=${of(one)}`).join(' ');
    const ends = new Set(run.states.map((state) => stateOf(state)));
    if (states?.incomplete === undefined && states !== undefined && states.list.length > 0) {
      const found = new Set(states.list.map(({ state }) => stateOf((one) => state.get(one.name))));
      expect([...found].sort(), told).toEqual([...ends].sort());
    }
  }
  // Where the engines find the test undefined it has no final states.
  if (states?.incomplete === undefined && states !== undefined && states.list.length > 0)
    for (const { state } of run.ends()) {
      const known = program.observed.filter((one) => state(one) !== undefined);
      const isFound = states.list.some((found) => known.every((one) => found.state.get(one.name) === state(one)));
      expect(isFound, `${told}\n${known.map((one) => `${one.name}=${state(one)}`).join(' ')}`).toBe(true);
    }
  const isRacing = run.conflicts.some(({ isCertain }) => isCertain);
  return { isDecided, isLike, isWaiting: isLike && run.findings.length > 0, isRacing, open: run.open?.what };
}

/** What a run says of all executions, and what it has itself, is so for the engines. */
function holdFindings(run: WholeRun, expectations: TestResult['expectations'], told: string): void {
  const found = (finding: string): string | undefined =>
    expectations.find((one) => one.expectation.finding === finding)?.outcome;
  if (isLikeEvery(run)) {
    expect(run.unconfirmed, told).toBeUndefined();
    for (const one of expectations) {
      const { finding } = one.expectation;
      const isDone =
        (finding === 'uninitialized' && run.uninitialized.length > 0) ||
        run.findings.some(({ rule }) => rule === finding);
      if (!isDone && !mayHappen(finding, run))
        expect(one.undecided !== undefined || foundNothing(one), told).toBe(true);
    }
  }
  // A prefix of an execution is one of some execution.
  if (run.conflicts.some(({ isCertain }) => isCertain)) expect(found('race'), told).not.toBe('met');
  const isMixed = run.conflicts.some(({ kind, isCertain, isPartial }) => kind === 'race' && isCertain && isPartial);
  if (isMixed) expect(found('undefined'), told).not.toBe('met');
  for (const { rule } of run.findings)
    expect(found(rule === 'trap' || rule === 'deadlock' ? rule : 'undefined'), told).not.toBe('met');
  if (run.uninitialized.length > 0) expect(found('uninitialized'), told).not.toBe('met');
}
