import type { Options } from 'yargs';
import { UsageError } from '../diagnostics/usage-error.js';
import { readShard } from '../suite/shard.js';
import { SOLVERS, type SolverName } from '../suite/start-solver.js';

/** The options that several commands take. */

/** Where results are kept if no folder is given. */
export const DEFAULT_CACHE = '.ptx-litmus-cache';
const DEFAULT_UNROLL = 3;
const DEFAULT_TIMEOUT_SECONDS = 60;
export const DEFAULT_MODEL = 'ptx-9.4';

/** A number of at least so much, given once. */
export const number =
  (name: string, least: number) =>
  (value: unknown): number => {
    if (Array.isArray(value)) throw new UsageError(`--${name} is given more than once`);
    const read = Number(value);
    if (!Number.isFinite(read) || read < least)
      throw new UsageError(`--${name} takes a number of at least ${least}, found "${String(value)}"`);
    return read;
  };

/** A whole number of at least so much, given once. */
export const whole =
  (name: string, least: number) =>
  (value: unknown): number => {
    const read = number(name, least)(value);
    if (!Number.isInteger(read)) throw new UsageError(`--${name} takes a whole number, found "${String(value)}"`);
    return read;
  };

export const COLOR = {
  color: { choices: ['auto', 'always', 'never'], default: 'auto', describe: 'colors' },
} as const satisfies Record<string, Options>;

export const PROGRESS = {
  progress: { type: 'boolean', default: true, describe: 'a counter while a terminal watches' },
} as const satisfies Record<string, Options>;

/** How a suite is reported that is not `check`'s; a log in NDJSON is for `merge`. */
export const REPORT_OR_LOG = {
  reporter: { alias: 'f', choices: ['text', 'json', 'ndjson'], default: 'text', describe: 'how to print the results' },
} as const satisfies Record<string, Options>;

export const TEXT_OR_JSON = {
  reporter: { alias: 'f', choices: ['text', 'json'], default: 'text', describe: 'how to print the results' },
} as const satisfies Record<string, Options>;

/** What every command takes that decides the tests of a suite. */
export const SUITE = {
  jobs: {
    alias: 'j',
    coerce: whole('jobs', 1),
    requiresArg: true,
    describe: 'how many processes decide tests (default: one for each core; none of their own for a few tests)',
  },
  shard: {
    coerce: readShard,
    requiresArg: true,
    describe: 'only the i-th of n parts of the tests, such as 2/8; `merge` joins what the parts report',
  },
  cache: {
    type: 'string',
    describe: `keep what is decided in a folder, ${DEFAULT_CACHE} if none is given, and decide only what has changed`,
  },
  times: { type: 'boolean', default: true, describe: 'times in reports: with --no-times equal runs print the same' },
  ...PROGRESS,
} as const satisfies Record<string, Options>;

export const INCLUDE = {
  include: {
    alias: 'I',
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'a folder in which models look for included files, and kernel tests for modules',
  },
} as const satisfies Record<string, Options>;

export const VARIANT = {
  variant: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'a value of a choice that the ISA leaves open',
  },
} as const satisfies Record<string, Options>;

export const WITHOUT = {
  without: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'an axiom of the model that is left out; may be repeated',
  },
} as const satisfies Record<string, Options>;

export const UNROLL = {
  unroll: {
    coerce: whole('unroll', 1),
    requiresArg: true,
    default: DEFAULT_UNROLL,
    describe: 'how often a loop body is executed at most',
  },
} as const satisfies Record<string, Options>;

export const TIMEOUT = {
  timeout: {
    coerce: number('timeout', 0.001),
    requiresArg: true,
    default: DEFAULT_TIMEOUT_SECONDS,
    describe: 'seconds for each test',
  },
} as const satisfies Record<string, Options>;

export const MEMORY = {
  memory: {
    coerce: whole('memory', 64),
    requiresArg: true,
    describe: 'MiB that the process may have; beyond that a test is unknown',
  },
} as const satisfies Record<string, Options>;

export const SOLVER = {
  solver: {
    choices: SOLVERS,
    requiresArg: true,
    default: 'confirmed' as SolverName,
    describe: 'what decides: our own search, every refutation of which z3 confirms; the search alone; or z3 alone',
  },
} as const satisfies Record<string, Options>;

export const MODEL = {
  model: {
    alias: 'm',
    type: 'string',
    requiresArg: true,
    default: DEFAULT_MODEL,
    describe: 'a built-in model or a .cat file',
  },
} as const satisfies Record<string, Options>;

export const MAX_THREADS = {
  'max-threads': {
    type: 'number',
    requiresArg: true,
    describe: 'how many threads of a kernel test `run auto` chooses at most (default: 12)',
  },
} as const satisfies Record<string, Options>;

/** What every command that decides something takes. */
export const DECIDING = {
  ...INCLUDE,
  ...MAX_THREADS,
  ...VARIANT,
  ...UNROLL,
  ...TIMEOUT,
  ...MEMORY,
  ...SOLVER,
} as const;

export const UNDER_ONE_MODEL = { ...DECIDING, ...MODEL } as const;

/** The arguments of commands about one test. */
export const ONE_TEST = {
  positionals: { path: { type: 'string', demandOption: true, describe: 'a file, or - for standard input' } },
  options: {
    ...UNDER_ONE_MODEL,
    condition: {
      type: 'string',
      requiresArg: true,
      describe: "a condition in place of the test's own, such as 'exists (P1:r0 == 1)'",
    },
  },
} as const;
