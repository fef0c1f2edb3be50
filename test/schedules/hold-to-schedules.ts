import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { isLikeEvery, mayHappen, type WholeRun } from '../../src/order/whole-run.js';
import type { Program } from '../../src/program/program.js';
import { endValue } from '../end-value.js';
import { type Found, type Options, runSchedules } from './run.js';

/** What was held against each other; and what schedules have seen that the run of all threads rules out. */
export interface Held {
  /** Why there was nothing to hold; undefined if there was. */
  readonly skipped: string | undefined;
  /** Every execution is like the followed run. */
  readonly isLike: boolean;
  readonly isRacing: boolean;
  readonly wrong: readonly string[];
}

/** Holds one followed run of all threads of a kernel test against runs of the interpreter here, in random schedules. */
export function holdToSchedules(
  source: { readonly text: string; readonly modules: Readonly<Record<string, { path: string; text: string }>> },
  options: Options,
): Held {
  const nothing = (skipped: string): Held => ({ skipped, isLike: false, isRacing: false, wrong: [] });
  const [program] = loadTests({ path: 'k.litmus', ...source }, {}, 'answers').value ?? [];
  const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
  if (program === undefined || run === undefined) return nothing('not followed');
  const modules = Object.fromEntries(Object.entries(source.modules).map(([name, { text }]) => [name, text]));
  const found = runSchedules({ text: source.text, modules }, options);
  if (found.unsupported !== undefined) return nothing(found.unsupported);
  const isLike = isLikeEvery(run);
  const wrong = isLike ? [...ruledOut(run, found), ...otherValues(run, program, found)] : [];
  return { skipped: undefined, isLike, isRacing: found.races.size > 0, wrong };
}

/** That a CTA must have started is said in the CUDA guide alone (Distributed Shared Memory), and in no model. */
const NOT_ASKED = 'shared-memory-of-cta-not-started';

/** What the run says never happens, and a schedule has seen. */
function ruledOut(run: WholeRun, found: Found): readonly string[] {
  const wrong: string[] = [];
  if (!mayHappen('race', run))
    for (const [lines, note] of found.raceNotes) wrong.push(`a race of lines ${lines}: ${note}`);
  if (!mayHappen('undefined', run))
    for (const [rule, place] of found.undefinedAt)
      if (rule !== NOT_ASKED) wrong.push(`undefined by ${rule} at ${place}`);
  const mayWait = run.findings.some(({ rule }) => rule === 'deadlock');
  if (found.deadlocks > 0 && !mayWait) wrong.push(`a deadlock at ${[...found.waiting].join(', ')}`);
  if (run.states.length === 0 && found.finals.length > 0) wrong.push('an end, where threads wait for ever');
  if (found.traps > 0) wrong.push('a trap');
  return wrong;
}

/** Values at the end that a schedule has, and the run says are others in every execution. */
function otherValues(run: WholeRun, program: Program, { finals }: Found): readonly string[] {
  const known = program.observed.flatMap((one) => {
    const value = one.kind === 'register' ? undefined : endValue(run, one);
    return one.kind === 'register' || value === undefined ? [] : [{ one, value }];
  });
  return finals.flatMap((final) => {
    const memory = new Map(final.split(' ').map((part) => part.split('=') as [string, string]));
    return known.flatMap(({ one, value }) => {
      const { object, offset, type } = one;
      const words = memory.get(object.name)?.split(',') ?? [];
      const seen = words[(8 * offset) / type.width];
      return seen === undefined || type.width !== object.elementType.width || BigInt(seen) === value
        ? []
        : [`${one.name} is ${seen}, and not ${value}`];
    });
  });
}
