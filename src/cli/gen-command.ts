import { once } from 'node:events';
import { join } from 'node:path';
import { UsageError } from '../diagnostics/usage-error.js';
import { writeText } from '../files/write-text.js';
import { CYCLE_SYNTAX } from '../generate/cycle-syntax.js';
import { FAMILIES } from '../generate/families.js';
import { type GeneratedTest, generateTests, MOST_EVENTS, testOfCycle } from '../generate/generate-tests.js';
import { SCOPES } from '../program/placement.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { anyNumber, count, flag, oneOf, someOf, text } from './option.js';

/** The orders that both reads and writes have. */
const PLAIN_ORDERS = { weak: 'weak', relaxed: 'rlx', volatile: 'vol' } as const;
const POSITIONALS = {
  cycles: anyNumber("cycles such as 'PodWW Rel.gpu Rfe Acq.gpu PodRR Fre'; without any, tests are drawn at random"),
};
const OPTIONS = {
  count: { ...count('count', 1, 'how many tests to draw'), default: 20 },
  seed: { ...count('seed', 0, 'the same seed draws the same tests'), default: 1 },
  family: someOf(FAMILIES, 'draw from this family only; may be repeated'),
  events: {
    ...count('events', 2, 'the most events of a cycle to draw, or accesses of a program'),
    default: MOST_EVENTS,
  },
  order: {
    ...oneOf(['weak', 'relaxed', 'volatile'], 'weak', 'of the events of a given cycle that have no annotation'),
    requiresArg: true,
  },
  scope: { ...oneOf(SCOPES, 'gpu', 'the scope that goes with --order relaxed'), requiresArg: true },
  place: text(
    'where the threads of a given cycle are: same-cta, one-cluster, two-ctas, two-gpus, or such as 01.2_3__4',
  ),
  shared: flag('locations of a given cycle in shared memory, where one cluster holds their threads'),
  out: text(
    'a folder for the tests, a file each, or - for standard output, one after the other; without it one test is ' +
      'printed, several are listed',
    'o',
  ),
};
type GenArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const genCommand = defineCommand({
  usage: 'gen [cycles..]',
  describe: 'make tests, from cycles as diy does or at random',
  positionals: POSITIONALS,
  options: OPTIONS,
  epilogue: CYCLE_SYNTAX,
  run: runGen,
});

/**
 * Makes litmus tests, from cycles that are given or drawn at random. Without `--out` one test is printed in full, and
 * several are listed.
 */
async function runGen(args: GenArguments): Promise<ExitCode> {
  const made = args.cycles.length > 0 ? args.cycles.map((cycle) => given(cycle, args)) : drawn(args);
  // How a lone - reaches commands (command-line.ts).
  if (args.out === '@-') return print(made);
  const tests = [...made];
  if (args.out !== undefined) {
    for (const test of tests) write(args.out, test);
    process.stdout.write(`${tests.length} ${tests.length === 1 ? 'test' : 'tests'} in ${args.out}\n`);
  } else if (tests.length === 1) {
    process.stdout.write(tests.map(printable).join(''));
  } else {
    process.stdout.write(
      tests.map(({ name, family, cycle }) => `${family.padEnd(9)}${name}\n         ${cycle}\n`).join(''),
    );
  }
  return EXIT_CODES.good;
}

function write(folder: string, { name, text, module }: GeneratedTest): void {
  writeText(join(folder, `${name}.litmus`), text);
  if (module !== undefined) writeText(join(folder, module.path), module.text);
}

/** A test names its module by a path, so that one text cannot hold both. */
function printable({ text, module }: GeneratedTest): string {
  if (module === undefined) return text;
  throw new UsageError('a test of family launch has a module beside it: name a folder for both, as in -o DIR');
}

function given(cycle: string, { order, scope, place, shared }: GenArguments): GeneratedTest {
  const plain = PLAIN_ORDERS[order];
  const test = testOfCycle(cycle, {
    plain: plain === 'rlx' ? `rlx.${scope}` : plain,
    shared,
    ...(place === undefined ? {} : { places: place }),
  });
  if ('cannot' in test) throw new UsageError(`${cycle}: ${test.cannot}`);
  return test;
}

/** One after the other, as fast as somebody takes them. */
async function print(tests: Iterable<GeneratedTest>): Promise<ExitCode> {
  for (const test of tests)
    if (!process.stdout.write(`${printable(test).trimEnd()}\n\n`)) await once(process.stdout, 'drain');
  return EXIT_CODES.good;
}

function* drawn({ count, seed, family, events }: GenArguments): Generator<GeneratedTest> {
  if (count === 0) return;
  let made = 0;
  for (const test of generateTests({
    seed,
    mostEvents: events,
    ...(family.length === 0 ? {} : { families: family }),
  })) {
    yield test;
    made += 1;
    if (made === count) return;
  }
}
