import { type ExpectedFinding, isOutline, type LaunchFacts, type Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { isNamed } from './asked-threads.js';
import { expectationResult } from './expectation-result.js';
import { mayCountRegistersUnlike } from './register-counts.js';
import { type ExpectationResult, foundNothing, foundSomething } from './result.js';

/** Of a kernel test not all threads of which were run: how many were. */
export interface Selection {
  readonly run: number;
  readonly of: number;
}

/** Whether the answers about a kernel test speak of some threads of its launches only; undefined if of all. */
export function selectionOf({ launches }: Pick<Program, 'launches'>): Selection | undefined {
  if (launches.every(({ choice }) => choice === 'whole' || choice === 'symmetric')) return undefined;
  const run = launches.reduce(
    (sum, { choice, run: own, threads }) => sum + (choice === 'whole' ? threads : own.filter(isNamed).length),
    0,
  );
  const of = launches.reduce((sum, { threads }) => sum + threads, 0);
  return run === of ? undefined : { run, of };
}

/** What holds for a selection is said so. */
export const describeSelection = ({ run, of }: Selection): string => `for the threads run (${run} of ${of})`;

/** Whether threads of a launch are not there, which may write what others read. */
export const lacksThreads = ({ launches }: Pick<Program, 'launches'>): boolean =>
  launches.some(({ choice, run, threads }) => ['exactly', 'shown', 'part'].includes(choice) && run.length < threads);

/** What a finding, or that there is none, does not tell of threads that the engines do not look at together. */
interface Unknown {
  readonly finding: ExpectedFinding;
  /** Whether an answer says what is not known. */
  readonly isTold: (answer: ExpectationResult) => boolean;
  readonly what: string;
}

/** A thread that is not there may write what is read without a value: that it is read so is not known. */
const WRITTEN_BEFORE: Unknown = {
  ...({ finding: 'uninitialized', isTold: foundSomething } as const),
  what: 'threads that are not run may write first what is read there',
};

/** Whether all warps of a warpgroup execute setmaxnreg alike, engines know of some programs only. */
const WARPGROUPS: Unknown = {
  ...({ finding: 'undefined', isTold: foundNothing } as const),
  what: 'whether all warps of a warpgroup execute setmaxnreg alike is told of a launch that is followed alone',
};

/** Answers without those that the engines cannot give of the threads of a program. */
export function withoutUnknown<Of extends { readonly expectations: readonly ExpectationResult[] }>(
  answers: Of,
  program: Pick<Program, 'launches' | 'threads'>,
): Of {
  const unknown = [
    ...(lacksThreads(program) ? [WRITTEN_BEFORE] : []),
    ...(mayCountRegistersUnlike(program) ? [WARPGROUPS] : []),
  ];
  if (unknown.length === 0) return answers;
  const expectations = answers.expectations.map((one) => {
    const open = unknown.find(({ finding, isTold }) => one.expectation.finding === finding && isTold(one));
    const undecided = open && ({ kind: 'coverage', what: open.what } as const);
    return undecided === undefined ? one : expectationResult(one.expectation, { happens: undefined, undecided });
  });
  return { ...answers, expectations };
}

/**
 * What is not known of threads that are not there: of launches of too many; and, where one cancels the CTA of others
 * (PTX ISA, clusterlaunchcontrol.try_cancel), of these.
 */
export function leftOut(program: Pick<Program, 'launches' | 'threads' | 'unknown'>): Undecided | undefined {
  const part = program.launches.find(({ choice }) => choice === 'part');
  return notThere(program) ?? (part && tooMany(part));
}

/** The same of a program that is run, and not decided: a part of a launch may be looked at. */
export function notThere({
  launches,
  threads,
  unknown,
}: Pick<Program, 'launches' | 'threads' | 'unknown'>): Undecided | undefined {
  const outline = launches.find(isOutline);
  if (outline !== undefined) return unknown ?? tooMany(outline);
  return launches.some(({ choice }) => choice !== 'exactly') && threads.some(requests)
    ? { kind: 'coverage', what: 'which CTAs of the launch are canceled is open (clusterlaunchcontrol.try_cancel)' }
    : undefined;
}

const tooMany = ({ name, threads }: LaunchFacts): Undecided => ({
  kind: 'coverage',
  what:
    `${name} has ${threads} threads: so many are not decided together; launch a smaller block, or give more by ` +
    '--max-threads',
});

const requests = ({ launched, statements }: Program['threads'][number]): boolean =>
  launched !== undefined &&
  statements.some(({ operation }) => operation.kind === 'async' && operation.source.kind === 'response');
