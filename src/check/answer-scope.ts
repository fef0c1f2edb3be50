import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { expectationResult } from './expectation-result.js';
import { type ExpectationResult, foundSomething } from './result.js';

/** Of a kernel test not all threads of which were run: how many were. */
export interface Selection {
  readonly run: number;
  readonly of: number;
}

/** Whether the answers about a kernel test speak of some threads of its launches only; undefined if of all. */
export function selectionOf({ launches }: Pick<Program, 'launches'>): Selection | undefined {
  if (launches.every(({ choice }) => choice === 'whole' || choice === 'symmetric')) return undefined;
  const run = launches.reduce(
    (sum, { choice, run: own, threads }) => sum + (choice === 'whole' ? threads : own.length),
    0,
  );
  const of = launches.reduce((sum, { threads }) => sum + threads, 0);
  return run === of ? undefined : { run, of };
}

/** What holds for a selection is said so. */
export const describeSelection = ({ run, of }: Selection): string => `for the threads run (${run} of ${of})`;

/** In a selection another thread may write what is read without a value: that it is read so is not known. */
export function withoutUninitialized<Of extends { readonly expectations: readonly ExpectationResult[] }>(
  answers: Of,
  program: Pick<Program, 'launches'>,
): Of {
  if (selectionOf(program) === undefined) return answers;
  const undecided: Undecided = {
    kind: 'coverage',
    what: 'threads that are not run may write first what is read there',
  };
  const expectations = answers.expectations.map((one) =>
    one.expectation.finding === 'uninitialized' && foundSomething(one)
      ? expectationResult(one.expectation, { happens: undefined, undecided })
      : one,
  );
  return { ...answers, expectations };
}

/**
 * What the engines do not know of a launch about all of its threads: what those do that are not there; and what is done
 * where one cancels the CTA of others (PTX ISA, clusterlaunchcontrol.try_cancel), for theirs is no part of the launch.
 */
export function leftOut({ launches, threads }: Pick<Program, 'launches' | 'threads'>): Undecided | undefined {
  const cut = launches.find(
    ({ choice, run, threads }) => ['auto', 'whole', 'asked'].includes(choice) && run.length < threads,
  );
  const isOfAll = launches.some(({ choice }) => choice !== 'named' && choice !== 'exactly');
  if (cut === undefined)
    return isOfAll && threads.some(requests)
      ? { kind: 'coverage', what: 'which CTAs of the launch are canceled is open (clusterlaunchcontrol.try_cancel)' }
      : undefined;
  const what = `${cut.name} has ${cut.threads} threads: so many are not decided together`;
  return {
    kind: 'coverage',
    what: `${what}; launch a smaller block, give more by --max-threads, or name some (run tid)`,
  };
}

const requests = ({ launched, statements }: Program['threads'][number]): boolean =>
  launched !== undefined &&
  statements.some(({ operation }) => operation.kind === 'async' && operation.source.kind === 'response');
