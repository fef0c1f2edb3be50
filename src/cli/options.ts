import type { Argv } from 'yargs';
import { MOST_STATES } from '../check/check-operationally.js';
import { CYCLE_SYNTAX } from '../generate/cycle-syntax.js';
import { FAMILIES, type Family } from '../generate/families.js';
import { MOST_EVENTS } from '../generate/generate-tests.js';
import { SCOPES } from '../program/placement.js';
import { THEMES } from '../report/graph/themes.js';
import { REPORTER_NAMES } from '../report/reporters/reporters.js';
import { BASELINE_REPORTERS } from './baseline-command.js';
import { ENGINES } from './check-run.js';
import { FORMATS } from './convert-command.js';
import { UsageError } from './exit-codes.js';
import { PLAIN_ORDERS } from './gen-command.js';
import { GRAPH_FORMATS, GRAPH_SUBJECTS } from './graph-command.js';

/** The options of each command, with their defaults. */

const COLOR = { choices: ['auto', 'always', 'never'] as const, default: 'auto' as const, describe: 'colours' };
const PROGRESS = { type: 'boolean', default: true, describe: 'a counter while a terminal watches' } as const;
const TEXT_OR_JSON = {
  alias: 'f',
  choices: ['text', 'json'] as const,
  default: 'text' as const,
  describe: 'how to print the results',
} as const;
const DEFAULT_MODEL = 'ptx-9.4';
const DEFAULT_UNROLL = 3;
const DEFAULT_TIMEOUT_SECONDS = 60;

const number =
  (name: string, least: number) =>
  (value: unknown): number => {
    if (Array.isArray(value)) throw new UsageError(`--${name} is given more than once`);
    const read = Number(value);
    if (!Number.isFinite(read) || read < least)
      throw new UsageError(`--${name} takes a number of at least ${least}, found "${String(value)}"`);
    return read;
  };
const whole =
  (name: string, least: number) =>
  (value: unknown): number => {
    const read = number(name, least)(value);
    if (!Number.isInteger(read)) throw new UsageError(`--${name} takes a whole number, found "${String(value)}"`);
    return read;
  };

export function checkOptions(command: Argv) {
  return command
    .positional('paths', {
      type: 'string',
      array: true,
      describe: 'files, folders, globs, @list, or - for standard input',
      default: [] as string[],
    })
    .option('model', {
      alias: 'm',
      type: 'string',
      array: true,
      nargs: 1,
      default: [DEFAULT_MODEL],
      describe: 'a built-in model or a .cat file; may be repeated',
    })
    .option('include', {
      alias: 'I',
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'a folder in which models look for included files',
    })
    .option('variant', {
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'a value of a choice that the ISA leaves open, such as proxy-fence=lenient',
    })
    .option('variants', { type: 'boolean', default: false, describe: 'say which verdicts depend on such a choice' })
    .option('engine', {
      alias: 'e',
      choices: ENGINES,
      default: 'axiomatic' as const,
      describe: 'the axioms, the operational machine, or both and whether they agree',
    })
    .option('reporter', {
      alias: 'f',
      type: 'string',
      array: true,
      nargs: 1,
      default: ['text'],
      describe: `how to print the results: ${REPORTER_NAMES.join(', ')}; name=file writes a file; may be repeated`,
    })
    .option('states', { type: 'boolean', default: false, describe: 'list all final states' })
    .option('witnesses', {
      coerce: whole('witnesses', 0),
      requiresArg: true,
      describe: 'executions to show for each condition (default 1 for a single test)',
    })
    .option('condition', {
      type: 'string',
      requiresArg: true,
      describe: "a condition in place of the tests' own, such as 'exists (P1:r0 == 1)'",
    })
    .option('unroll', {
      coerce: whole('unroll', 1),
      requiresArg: true,
      default: DEFAULT_UNROLL,
      describe: 'how often a loop body is executed at most',
    })
    .option('timeout', {
      coerce: number('timeout', 0.001),
      requiresArg: true,
      default: DEFAULT_TIMEOUT_SECONDS,
      describe: 'seconds for each test',
    })
    .option('emit-smt2', { type: 'string', requiresArg: true, describe: 'a folder for the queries in SMT-LIB' })
    .option('color', COLOR)
    .option('quiet', { alias: 'q', type: 'boolean', default: false, describe: 'print problems only' })
    .option('verbose', { alias: 'v', type: 'boolean', default: false, describe: 'print every test in full' })
    .option('watch', {
      alias: 'w',
      type: 'boolean',
      default: false,
      describe: 'check again what an edit of a test or of a model touches',
    })
    .option('progress', PROGRESS);
}

export function genOptions(command: Argv) {
  return command
    .positional('cycles', {
      type: 'string',
      array: true,
      describe: "cycles such as 'PodWW Rel.gpu Rfe Acq.gpu PodRR Fre'; without any, tests are drawn at random",
      default: [] as string[],
    })
    .option('count', { coerce: whole('count', 1), requiresArg: true, default: 20, describe: 'how many tests to draw' })
    .option('seed', {
      coerce: whole('seed', 0),
      requiresArg: true,
      default: 1,
      describe: 'the same seed draws the same tests',
    })
    .option('family', {
      choices: FAMILIES,
      array: true,
      nargs: 1,
      default: [] as Family[],
      describe: 'draw from this family only; may be repeated',
    })
    .option('events', {
      coerce: whole('events', 2),
      requiresArg: true,
      default: MOST_EVENTS,
      describe: 'the most events of a cycle to draw, or accesses of a program',
    })
    .option('order', {
      choices: Object.keys(PLAIN_ORDERS),
      requiresArg: true,
      default: 'weak',
      describe: 'of the events of a given cycle that have no annotation',
    })
    .option('scope', {
      choices: SCOPES,
      requiresArg: true,
      default: 'gpu' as const,
      describe: 'the scope that goes with --order relaxed',
    })
    .option('place', {
      type: 'string',
      requiresArg: true,
      describe:
        'where the threads of a given cycle are: same-cta, one-cluster, two-ctas, two-gpus, or such as 01.2_3__4',
    })
    .option('shared', {
      type: 'boolean',
      default: false,
      describe: 'locations of a given cycle in shared memory, where one cluster holds their threads',
    })
    .option('out', {
      alias: 'o',
      type: 'string',
      requiresArg: true,
      describe: 'a folder for the tests, a file each; without it one test is printed, several are listed',
    })
    .epilogue(CYCLE_SYNTAX);
}

export function simulateOptions(command: Argv) {
  return command
    .positional('path', { type: 'string', demandOption: true, describe: 'a file, or - for standard input' })
    .option('find', {
      type: 'string',
      requiresArg: true,
      describe:
        "print the shortest run to a condition, such as 'P1:r0 == 1', or to a deadlock, a race or undefined behaviour",
    })
    .option('step', { type: 'boolean', default: false, describe: 'choose the steps by hand' })
    .option('random', {
      coerce: whole('random', 1),
      requiresArg: true,
      describe: 'so many runs at random, with how often each ended how',
    })
    .option('seed', { coerce: whole('seed', 0), requiresArg: true, default: 1, describe: 'of the random runs' })
    .option('trace', {
      type: 'string',
      requiresArg: true,
      describe: 'a file for the run found, in the Informal Trace Format',
    })
    .option('variant', {
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'a value of a choice that the ISA leaves open',
    })
    .option('unroll', {
      coerce: whole('unroll', 1),
      requiresArg: true,
      default: DEFAULT_UNROLL,
      describe: 'how often a loop body is executed at most',
    })
    .option('states', {
      coerce: whole('states', 1),
      requiresArg: true,
      default: MOST_STATES,
      describe: 'states to explore at most',
    })
    .option('timeout', {
      coerce: number('timeout', 0.001),
      requiresArg: true,
      default: DEFAULT_TIMEOUT_SECONDS,
      describe: 'seconds',
    });
}

export function modelOptions(command: Argv) {
  return command
    .positional('name', { type: 'string', describe: 'a built-in model or a .cat file' })
    .option('list', { type: 'boolean', default: false, describe: 'list the models, sets and relations' })
    .option('axioms', { type: 'boolean', default: false, describe: 'print only the names of its axioms' })
    .option('include', {
      alias: 'I',
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'a folder for included files',
    });
}

export function convertOptions(command: Argv) {
  return command
    .positional('paths', { type: 'string', array: true, demandOption: true, describe: 'files, folders, globs, or -' })
    .option('to', { choices: FORMATS, default: 'litmus' as const, describe: 'the format' });
}

/** What every command that decides something takes. */
function decidingOptions(command: Argv) {
  return command
    .option('include', {
      alias: 'I',
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'a folder in which models look for included files',
    })
    .option('variant', {
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'a value of a choice that the ISA leaves open',
    })
    .option('unroll', {
      coerce: whole('unroll', 1),
      requiresArg: true,
      default: DEFAULT_UNROLL,
      describe: 'how often a loop body is executed at most',
    })
    .option('timeout', {
      coerce: number('timeout', 0.001),
      requiresArg: true,
      default: DEFAULT_TIMEOUT_SECONDS,
      describe: 'seconds for each test',
    });
}

function oneModel(command: Argv) {
  return decidingOptions(command).option('model', {
    alias: 'm',
    type: 'string',
    requiresArg: true,
    default: DEFAULT_MODEL,
    describe: 'a built-in model or a .cat file',
  });
}

function oneTest(command: Argv) {
  return oneModel(command)
    .positional('path', { type: 'string', demandOption: true, describe: 'a file, or - for standard input' })
    .option('condition', {
      type: 'string',
      requiresArg: true,
      describe: "a condition in place of the test's own, such as 'exists (P1:r0 == 1)'",
    });
}

export function explainOptions(command: Argv) {
  return oneTest(command).option('color', COLOR);
}

export function adviseOptions(command: Argv) {
  return oneTest(command).option('reporter', TEXT_OR_JSON).option('color', COLOR);
}

export function graphOptions(command: Argv) {
  return oneTest(command)
    .option('format', {
      choices: GRAPH_FORMATS,
      default: 'ascii' as const,
      describe: 'text, the input of Graphviz, or a picture',
    })
    .option('of', {
      choices: GRAPH_SUBJECTS,
      default: 'all' as const,
      describe: 'what allowed outcomes have, what forbidden ones would need, or both',
    })
    .option('theme', { choices: THEMES, default: 'herd' as const, describe: 'colours' })
    .option('show-rel', {
      type: 'string',
      requiresArg: true,
      describe: 'relations in place of the usual ones, such as po,rf,sync; rel- reduced, rel+ closed',
    })
    .option('hide-rel', { type: 'string', requiresArg: true, default: '', describe: 'relations to leave out' })
    .option('out', {
      alias: 'o',
      type: 'string',
      requiresArg: true,
      describe: 'a file, or a folder where there are several pictures',
    });
}

export function diffOptions(command: Argv) {
  return decidingOptions(command)
    .positional('paths', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'files, folders, globs, @list, or -',
    })
    .option('model', {
      alias: 'm',
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'two of them: built-in models or .cat files',
    })
    .option('synthesize', { type: 'boolean', default: false, describe: 'look for a small test that tells them apart' })
    .option('events', {
      coerce: whole('events', 2),
      requiresArg: true,
      default: 6,
      describe: 'of --synthesize: the most events of a cycle',
    })
    .option('tests', {
      coerce: whole('tests', 1),
      requiresArg: true,
      default: 9000,
      describe: 'of --synthesize: the most tests to compare',
    })
    .option('seconds', {
      coerce: number('seconds', 0.1),
      requiresArg: true,
      default: 60,
      describe: 'of --synthesize: the longest search',
    })
    .option('seed', {
      coerce: whole('seed', 0),
      requiresArg: true,
      default: 1,
      describe: 'of --synthesize: the same seed draws the same tests',
    })
    .option('family', {
      choices: FAMILIES,
      array: true,
      nargs: 1,
      default: [] as Family[],
      describe: 'of --synthesize: draw from this family only; may be repeated',
    })
    .option('reporter', TEXT_OR_JSON)
    .option('color', COLOR)
    .option('progress', PROGRESS);
}

export function baselineWriteOptions(command: Argv) {
  return oneModel(command)
    .positional('paths', { type: 'string', array: true, demandOption: true, describe: 'files, folders, globs, @list' })
    .option('out', {
      alias: 'o',
      type: 'string',
      requiresArg: true,
      demandOption: true,
      describe: 'the baseline, a text file; tests are recorded by their paths from its folder',
    })
    .option('progress', PROGRESS);
}

export function baselineCheckOptions(command: Argv) {
  return command
    .positional('file', { type: 'string', demandOption: true, describe: 'a baseline' })
    .option('model', {
      alias: 'm',
      type: 'string',
      requiresArg: true,
      describe: 'a model in place of the recorded one',
    })
    .option('variant', {
      type: 'string',
      array: true,
      nargs: 1,
      describe: 'values of open choices in place of the recorded ones',
    })
    .option('include', {
      alias: 'I',
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'a folder in which models look for included files',
    })
    .option('timeout', {
      coerce: number('timeout', 0.001),
      requiresArg: true,
      default: DEFAULT_TIMEOUT_SECONDS,
      describe: 'seconds for each test',
    })
    .option('reporter', {
      alias: 'f',
      choices: BASELINE_REPORTERS,
      default: 'text' as const,
      describe: 'how to print what is not as recorded',
    })
    .option('color', COLOR)
    .option('progress', PROGRESS);
}

export function compareOptions(command: Argv) {
  return oneModel(command)
    .positional('logs', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'logs of herd7 or litmus7, histograms of hardware, JSON of check',
    })
    .option('tests', {
      alias: 't',
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      describe: 'where the tests are that the logs name; may be repeated',
    })
    .option('reporter', TEXT_OR_JSON)
    .option('color', COLOR)
    .option('verbose', {
      alias: 'v',
      type: 'boolean',
      default: false,
      describe: 'also what is allowed and was not observed',
    })
    .option('progress', PROGRESS);
}

/** The options that a builder defines, and whether each may be repeated. */
function optionsOf(build: (command: Argv) => unknown): ReadonlyMap<string, { readonly repeated: boolean }> {
  const options = new Map<string, { readonly repeated: boolean }>();
  const recorder: Argv = new Proxy({} as Argv, {
    get: (_, method) => (name: unknown, settings: { readonly array?: boolean } | undefined) => {
      if (method === 'option' && typeof name === 'string') options.set(name, { repeated: settings?.array === true });
      return recorder;
    },
  });
  build(recorder);
  return options;
}

const ALL: readonly ((command: Argv) => unknown)[] = [
  adviseOptions,
  baselineCheckOptions,
  baselineWriteOptions,
  checkOptions,
  compareOptions,
  convertOptions,
  diffOptions,
  explainOptions,
  genOptions,
  graphOptions,
  modelOptions,
  simulateOptions,
];

/** The names of all options, for suggestions: yargs has none for options. */
export function optionNames(): readonly string[] {
  return [...new Set(['help', 'version', 'no-progress', ...ALL.flatMap((build) => [...optionsOf(build).keys()])])];
}

/** A command whose options are given once each, but for those that may be repeated: yargs would make a list of them. */
export function once<T>(build: (command: Argv) => Argv<T>): (command: Argv) => Argv<T> {
  return (command) =>
    build(command).check((given: Readonly<Record<string, unknown>>) => {
      for (const [name, { repeated }] of optionsOf(build)) {
        const value = given[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())] ?? given[name];
        if (!repeated && Array.isArray(value)) throw new UsageError(`--${name} is given more than once`);
      }
      return true;
    });
}
