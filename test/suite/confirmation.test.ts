import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { builtInModel, programOf, ROOT, solver } from '../support.js';

it('what nobody confirms is counted, and a strict answer that rests on it is unknown', () => {
  const file = 'classic/MP+rel.gpu+acq.gpu.litmus';
  const program = programOf(readFileSync(join(ROOT, 'litmus', file), 'utf8'), file);
  const [plain, strict] = [false, true].map((one) =>
    checkTest(solver, program, builtInModel('ptx-9.4'), { strict: one }),
  );
  expect(plain?.confirmation).toEqual({ z3: 0, proof: 0, open: 2 });
  expect(plain?.conditions.map(({ expectation }) => expectation)).toContain('met');
  const open = strict?.conditions.filter(({ undecided }) => undecided?.kind === 'unconfirmed');
  // What an execution shows stands.
  expect(open?.map(({ condition }) => condition.quantifier)).toEqual(['forbid', '~exists']);
});
