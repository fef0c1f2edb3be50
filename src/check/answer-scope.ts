import type { Program } from '../program/program.js';

/** Of a kernel test not all threads of which were run: how many were. */
export interface Selection {
  readonly run: number;
  readonly of: number;
}

/** Whether the answers about a kernel test speak of some threads of its launches only; undefined if of all. */
export function selectionOf({ launches }: Pick<Program, 'launches'>): Selection | undefined {
  if (launches.every(({ choice, isAboutAll }) => choice === 'whole' || isAboutAll === true)) return undefined;
  const run = launches.reduce((sum, launch) => sum + launch.run.length, 0);
  const of = launches.reduce((sum, { threads }) => sum + threads, 0);
  return run === of ? undefined : { run, of };
}

/** Whether threads are neither run nor represented: one that waits for them waits for ever, and only here. */
export const leavesOut = ({ launches }: Pick<Program, 'launches'>): boolean =>
  launches.some(({ run, threads }) => run.reduce((sum, { represents }) => sum + 1 + represents, 0) < threads);

/** What holds for a selection is said so. */
export const describeSelection = ({ run, of }: Selection): string => `for the threads run (${run} of ${of})`;
