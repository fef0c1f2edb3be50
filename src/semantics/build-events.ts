import { cutOperand } from '../effects/memory-accesses.js';
import { WHOLE } from '../events/chunks.js';
import { type EventStructure, makeEvents } from '../events/events.js';
import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { type UnrolledThread, unrollThread } from '../unroll/unroll.js';
import { chunksOfCopies } from './copy-chunks.js';

export interface UnrollOptions {
  /** How often a loop body is executed at most; of a loop that only waits: `spinRounds`. */
  readonly bound: number;
  readonly spinRounds: number;
  readonly failingCasWrites: boolean;
}

/** Unrolls a program (see unrollThread); a reason instead, if it is too large. */
export function buildEvents(
  program: Program,
  { bound, spinRounds, failingCasWrites }: UnrollOptions,
): EventStructure | Undecided {
  const threads: UnrolledThread[] = [];
  for (const thread of program.threads) {
    const unrolled = unrollThread(program, thread, bound, spinRounds);
    if (unrolled === undefined)
      return { kind: 'size', what: `${thread.name} is too large when its loops are unrolled ${bound} times` };
    threads.push(unrolled);
  }
  const whole = makeEvents(program, threads, failingCasWrites, () => WHOLE);
  if (!hasRegions(program) || 'kind' in whole) return whole;
  const chunks = chunksOfCopies(whole);
  return 'kind' in chunks ? chunks : makeEvents(program, threads, failingCasWrites, chunks);
}

/** Whether some instruction accesses more bytes than a scalar or a vector has: how it is cut depends on the others. */
const hasRegions = ({ threads }: Program): boolean =>
  threads.some(({ statements }) => statements.some(({ operation }) => cutOperand(operation) !== undefined));

/** Whether some instruction copies memory: its write takes from its read what no register holds. */
export function makesCopies({ threads }: Program): boolean {
  return threads.some(({ statements }) =>
    statements.some(({ operation }) => operation.kind === 'async' || operation.kind === 'tensormap-copy'),
  );
}
