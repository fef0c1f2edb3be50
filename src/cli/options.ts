import { readShard } from '../suite/shard.js';
import { SOLVERS } from '../suite/start-solver.js';
import { count, oneOf, quantity, text, texts, theOne } from './option.js';

/** The options that several commands take. */

/** Where results are kept if no folder is given. */
export const DEFAULT_CACHE = '.ptx-litmus-cache';
const DEFAULT_UNROLL = 3;
const DEFAULT_TIMEOUT_SECONDS = 60;
export const DEFAULT_MODEL = 'ptx-9.4';

export const COLOR = { color: oneOf(['auto', 'always', 'never'], 'auto', 'colors') };

export const PROGRESS = {
  progress: { type: 'boolean', default: true, describe: 'a counter while a terminal watches' },
} as const;

/** How a suite is reported that is not `check`'s; a log in NDJSON is for `merge`. */
export const REPORT_OR_LOG = {
  reporter: oneOf(['text', 'json', 'ndjson'], 'text', 'how to print the results', 'f'),
};

export const TEXT_OR_JSON = { reporter: oneOf(['text', 'json'], 'text', 'how to print the results', 'f') };

/** What every command takes that decides the tests of a suite. */
export const SUITE = {
  jobs: count(
    'jobs',
    1,
    'how many processes decide tests (default: one for each core; none of their own for a few tests)',
    'j',
  ),
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
} as const;

export const INCLUDE = {
  include: texts('a folder in which models look for included files, and kernel tests for modules', 'I'),
  'nvcc-args': text('what nvcc is given for programs (.cu) that launches name, such as "-arch=sm_100a -DN=4"'),
};

export const VARIANT = { variant: texts('a value of a choice that the ISA leaves open') };

export const WITHOUT = { without: texts('an axiom of the model that is left out; may be repeated') };

export const UNROLL = {
  unroll: { ...count('unroll', 1, 'how often a loop body is executed at most'), default: DEFAULT_UNROLL },
};

export const TIMEOUT = {
  timeout: { ...quantity('timeout', 0.001, 'seconds for each test'), default: DEFAULT_TIMEOUT_SECONDS },
};

export const MEMORY = {
  memory: count('memory', 64, 'MiB that the process may have; beyond that a test is unknown'),
};

export const SOLVER = {
  solver: {
    ...oneOf(
      SOLVERS,
      'confirmed',
      'what decides: our own search, its refutations confirmed by a check of the proof or, if long, by z3; the same ' +
        'with z3 for all; the search alone; or z3 alone',
    ),
    requiresArg: true,
  },
};

export const MODEL = { model: { ...text('a built-in model or a .cat file', 'm'), default: DEFAULT_MODEL } };

export const MAX_THREADS = {
  'max-threads': {
    type: 'number',
    requiresArg: true,
    describe: 'how many threads of launches are decided together, where following them is not enough (default: 32)',
  },
} as const;

export const FORWARD_PROGRESS = {
  'forward-progress': text(
    'what is promised to threads where a test does not say it: fair (default), obe, hsa, hsa-obe, lobe, unfair, ' +
      'cuda, or by level, such as gpu=obe,cta=fair',
  ),
} as const;

export const AT = {
  at: text('of a test with ranges the one with these values, such as n=3,block=32'),
} as const;

/** What every command that decides something takes. */
export const DECIDING = {
  ...INCLUDE,
  ...MAX_THREADS,
  ...FORWARD_PROGRESS,
  ...AT,
  ...VARIANT,
  ...UNROLL,
  ...TIMEOUT,
  ...MEMORY,
  ...SOLVER,
};

export const UNDER_ONE_MODEL = { ...DECIDING, ...MODEL };

/** The arguments of commands about one test. */
export const ONE_TEST = {
  positionals: { path: theOne('a file, or - for standard input') },
  options: {
    ...UNDER_ONE_MODEL,
    condition: text("a condition in place of the test's own, such as 'exists (P1:r0 == 1)'"),
  },
};
