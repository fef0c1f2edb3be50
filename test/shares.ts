import { createHash } from 'node:crypto';

/** `SWEEP=all`, as the nightly run has it: no test is left out of any question. */
export const SWEEP_ALL = process.env['SWEEP'] === 'all';

/**
 * Whether a test is one of every so many that are asked a question. That is decided by a hash of its name and of the
 * question, so that a new test moves no other in or out, and the shares of two questions are not the same tests.
 */
export function isOfShare(name: string, every: number, question: string): boolean {
  return SWEEP_ALL || shareOf(name, every, question) === 0;
}

/** How many cases of a law that draws them at random: half of them, but for the nightly run. */
export const halfOf = (cases: number): number => (SWEEP_ALL ? cases : Math.ceil(cases / 2));

/** In which of so many shares a test is. */
export const shareOf = (name: string, shares: number, question: string): number =>
  createHash('sha256').update(`${question}\n${name}`).digest().readUInt32BE() % shares;
