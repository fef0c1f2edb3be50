import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Claims } from '../../../src/axiomatic/confirmation/claims.js';
import { encodeExecution } from '../../../src/axiomatic/encoding/encode-execution.js';
import { FALSE, FormulaBuilder, TRUE } from '../../../src/axiomatic/formula/formula.js';
import { encodeWithFewPlaces } from '../../../src/axiomatic/session/rule-out-places.js';
import type { Model } from '../../../src/cat/model.js';
import { buildEvents } from '../../../src/semantics/build-events.js';
import { builtInModel, programOf, ROOT, solver } from '../../support.js';

/** Of the operations on the mbarrier objects of a test, how many places are left open, and were before. */
function openPlaces(file: string, model: Model | undefined): { readonly before: number; readonly left: number } {
  const program = programOf(readFileSync(join(ROOT, 'litmus/kernels', file), 'utf8'));
  const structure = buildEvents(program, { bound: 4, spinRounds: 2, failingCasWrites: false });
  if ('kind' in structure) throw new Error('no events');
  const opens: number[] = [];
  const options = { deadline: { remaining: () => 1e12 }, claims: new Claims(undefined) };
  encodeWithFewPlaces(solver, model, options, (ruledOut) => {
    const options = { thinAir: false, keepsThreads: true, ruledOut };
    const encoding = encodeExecution(new FormulaBuilder(), structure, options);
    if ('kind' in encoding) throw new Error('no encoding');
    const open = encoding.mbarriers.candidates().filter(({ formula }) => {
      const isConstant = formula === TRUE || formula === FALSE;
      return !isConstant && encoding.builder.node(formula).kind === 'variable';
    });
    opens.push(open.length);
    return encoding;
  });
  return { before: opens[0] ?? 0, left: opens.at(-1) ?? 0 };
}

describe('the places of operations on mbarrier objects', () => {
  it('are mostly known beforehand in a pipeline that waits for each stage', () => {
    const file = 'gemm+2-stages+3-iterations+tensor-loop.litmus';
    for (const model of [undefined, builtInModel('ptx-9.4')]) {
      const { before, left } = openPlaces(file, model);
      expect(before).toBeGreaterThan(40);
      expect(left).toBeLessThan(20);
    }
  });

  it('stay open where nobody waits', () => {
    const { before, left } = openPlaces('gemm+2-stages+2-iterations+empty-parity-0.litmus', builtInModel('ptx-9.4'));
    expect(left).toBeGreaterThan(before / 4);
  });
});
