import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Z3 } from '../../src/axiomatic/solver/z3.js';
import { checkTest } from '../../src/check/check-test.js';
import type { TestResult } from '../../src/check/result.js';
import { builtInModel, isOfShare, programOf, ROOT, solver } from '../support.js';

const LITMUS = join(ROOT, 'litmus');
/** Without FUZZ_CASES every twelfth test: z3 takes its time, and confirms refutations elsewhere. */
const EVERY = process.env['FUZZ_CASES'] === undefined ? 12 : 1;
/** Counters at addresses that were read: z3 does not end within a minute. */
const TOO_LARGE = /^compiled\/hist\./;
/** Values that may be anything, of which it enumerates many; and bodies of some hundred instructions. */
const SLOW = /^(regions\/discard\+two-loads|bodies\/carry\+mixed|warp\/shfl\.idx\+absent|compiled\/(opswitch|bits)\.)/;

const verdictsOf = ({ undefinedBy, conditions, expectations, states }: TestResult): unknown => ({
  undefinedBy: undefinedBy !== undefined,
  conditions: conditions.map(({ reachable, holds, forbiddenBy }) => [reachable, holds, forbiddenBy?.inferred]),
  expectations: expectations.map(({ outcome, inferred }) => [outcome, inferred]),
  // Of more than can be listed each solver finds others.
  states: states?.incomplete === undefined ? states?.list.map(({ state }) => [...state]) : 'some',
});

it('our solver and z3 decide the tests of litmus/ alike, with their states and the rules they rest on', async () => {
  const z3 = await Z3.start();
  const files = readdirSync(LITMUS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'))
    .sort()
    .filter((file) => isOfShare(file, EVERY))
    .filter((file) => !TOO_LARGE.test(file) && (EVERY === 1 || !SLOW.test(file)));
  expect(files.length).toBeGreaterThan(60);
  for (const file of files) {
    const program = programOf(readFileSync(join(LITMUS, file), 'utf8'), file);
    const [ours, theirs] = [solver, z3].map((one) =>
      checkTest(one, program, builtInModel('ptx-9.4'), { states: true, reasons: true, timeout: 60_000 }),
    );
    if (ours === undefined || theirs === undefined) throw new Error('no verdicts');
    expect([file, verdictsOf(ours)]).toEqual([file, verdictsOf(theirs)]);
  }
});
