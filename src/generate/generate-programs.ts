import type { ProgramFamily } from './families.js';
import { drawGridProgram } from './grid-programs.js';
import { drawLaunches } from './launch-programs.js';
import { drawPollProgram } from './poll-programs.js';
import { drawProgram } from './programs.js';
import { Random } from './random.js';

/** A program that no cycle describes, drawn at random. */
export interface DrawnProgram {
  /** What it was drawn to have. */
  readonly themes: readonly string[];
  /** The test after its header. */
  readonly body: string;
  /** Of a launch: the module beside the test. */
  readonly module?: { readonly path: string; readonly text: string };
  /** Of a launch: its threads, written out, after the header. */
  readonly asThreads?: string;
}

interface ProgramOptions {
  readonly seed: number;
  /** Accesses of all threads together, at most; those of loops and of load buffering come on top. */
  readonly mostAccesses: number;
}

/** How a program of each family is drawn. */
const DRAW: Readonly<Record<ProgramFamily, (random: Random, mostAccesses: number, name: string) => DrawnProgram>> = {
  program: drawProgram,
  grid: drawGridProgram,
  poll: drawPollProgram,
  launch: drawLaunches,
};

/** Programs without end, the same ones for the same seed; some are alike. */
export function* generatePrograms(
  family: ProgramFamily,
  { seed, mostAccesses }: ProgramOptions,
): Generator<DrawnProgram & { readonly name: string }, never> {
  const random = new Random(seed);
  for (let number = 1; ; number++) {
    const name = `${family}-${seed}-${number}`;
    yield { name, ...DRAW[family](random, mostAccesses, name) };
  }
}
