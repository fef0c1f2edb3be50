import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Family } from '../generate/families.js';
import { type GeneratedTest, generateTests, testOfCycle } from '../generate/generate-tests.js';
import { EXIT_CODES, type ExitCode, UsageError } from './exit-codes.js';

export interface GenArguments {
  readonly cycles: readonly string[];
  readonly count: number;
  readonly seed: number;
  readonly family: readonly Family[];
  readonly events: number;
  readonly order: string;
  readonly scope: string;
  readonly place: string | undefined;
  readonly shared: boolean;
  readonly out: string | undefined;
}

/**
 * Makes litmus tests, from cycles that are given or drawn at random. A file holds one test, so without `--out` one test
 * is printed in full, and several are listed.
 */
export function runGen(args: GenArguments): ExitCode {
  const tests = args.cycles.length > 0 ? args.cycles.map((cycle) => given(cycle, args)) : drawn(args);
  if (args.out !== undefined) {
    mkdirSync(args.out, { recursive: true });
    for (const { name, text } of tests) writeFileSync(join(args.out, `${name}.litmus`), text);
    process.stdout.write(`${tests.length} ${tests.length === 1 ? 'test' : 'tests'} in ${args.out}\n`);
  } else if (tests.length === 1) {
    process.stdout.write(tests[0]?.text ?? '');
  } else {
    process.stdout.write(
      tests.map(({ name, family, cycle }) => `${family.padEnd(9)}${name}\n         ${cycle}\n`).join(''),
    );
  }
  return EXIT_CODES.good;
}

function given(cycle: string, { order, scope, place, shared }: GenArguments): GeneratedTest {
  const plain = PLAIN_ORDERS[order as keyof typeof PLAIN_ORDERS];
  const test = testOfCycle(cycle, {
    plain: plain === 'rlx' ? `rlx.${scope}` : plain,
    shared,
    ...(place === undefined ? {} : { places: place }),
  });
  if ('cannot' in test) throw new UsageError(`${cycle}: ${test.cannot}`);
  return test;
}

/** The orders that both reads and writes have. */
export const PLAIN_ORDERS = { weak: 'weak', relaxed: 'rlx', volatile: 'vol' } as const;

function drawn({ count, seed, family, events }: GenArguments): readonly GeneratedTest[] {
  const tests: GeneratedTest[] = [];
  if (count === 0) return tests;
  for (const test of generateTests({
    seed,
    mostEvents: events,
    ...(family.length === 0 ? {} : { families: family }),
  })) {
    tests.push(test);
    if (tests.length === count) break;
  }
  return tests;
}
