import { cutOperand } from '../effects/memory-accesses.js';
import { type NodeChunks, WHOLE } from '../events/chunks.js';
import { type EventStructure, type Halts, makeEvents } from '../events/events.js';
import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { type UnrolledThread, unrollThread } from '../unroll/unroll.js';
import { chunksOfCopies } from './copy-chunks.js';

export interface UnrollOptions {
  /** How often a loop body is executed at most; of a loop that only waits: `spinRounds`. */
  readonly bound: number;
  readonly spinRounds: number;
  readonly failingCasWrites: boolean;
  /** Threads may stop for good that nothing promises to go on. */
  readonly halts?: Halts | undefined;
}

/** Unrolls a program (see unrollThread); a reason instead, if it is too large. */
export function buildEvents(
  program: Program,
  { bound, spinRounds, failingCasWrites, halts }: UnrollOptions,
): EventStructure | Undecided {
  const threads: UnrolledThread[] = [];
  for (const thread of program.threads) {
    const unrolled = unrollThread(program, thread, bound, spinRounds);
    if (unrolled === undefined)
      return { kind: 'size', what: `${thread.name} is too large when its loops are unrolled ${bound} times` };
    threads.push(unrolled);
  }
  const made = (chunks: NodeChunks): EventStructure | Undecided => {
    const structure = makeEvents(program, threads, failingCasWrites, chunks);
    return 'kind' in structure || halts === undefined ? structure : { ...structure, halts };
  };
  const whole = made(() => WHOLE);
  if (!hasRegions(program) || 'kind' in whole) return whole;
  const chunks = chunksOfCopies(whole);
  return 'kind' in chunks ? chunks : made(chunks);
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
