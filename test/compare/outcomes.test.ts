import { describe, expect, it } from 'vitest';
import { judgeLog, type LogVerdict } from '../../src/compare/compare-logs.js';
import { readObservations } from '../../src/compare/observations.js';
import { outcomePage } from '../../src/report/outcome-page.js';
import { outcomeSummary, reportOutcomes } from '../../src/report/outcome-tables.js';
import { PLAIN } from '../../src/report/text.js';
import { builtInModel, litmus, programOf, solver } from '../support.js';

const SB = litmus(
  '.global .u32 x = 0; .global .u32 y = 0;',
  [
    'st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [y];',
    'st.relaxed.gpu.global.u32 [y], 1; ld.relaxed.gpu.global.u32 r1, [x];',
  ],
  'exists (P0:r0 == 0 /\\ P1:r1 == 0)',
);
/** 5 is in nobody's store. */
const LOG = `Test test Allowed
Histogram (3 states)
90 :>0:r0=1; 1:r1=1;
7 :>0:r0=0; 1:r1=0;
2 :>0:r0=5; 1:r1=1;
Ok
`;
const SETTINGS = { model: 'ptx-9.4', beyond: 'sc', marks: new Map([['test', ['ptxas has moved <it>']]]) };

function verdict(): LogVerdict {
  const [seen] = readObservations({ path: 'log', text: LOG }).value ?? [];
  if (seen === undefined) throw new Error('no test');
  return judgeLog(solver, builtInModel('ptx-9.4'), programOf(SB), seen, {
    ...{ unroll: 3, timeout: 60_000, clock: () => performance.now() },
    outcomes: { stronger: builtInModel('sc') },
  });
}

describe('the outcomes of a test', () => {
  const judged = verdict();

  it('are those of the model, of the machine and of the log, those that were seen most first', () => {
    const rows = judged.outcomes?.rows.map((row) => [
      [...row.values.values()].join(' '),
      ...[row.allowed, row.reached, row.count, row.isBeyond],
    ]);
    expect(rows).toEqual([
      ['1 1', true, true, 90, false],
      ['0 0', true, true, 7, true],
      ['5 1', false, false, 2, true],
      ['0 1', true, true, undefined, false],
      ['1 0', true, true, undefined, false],
    ]);
  });

  it('are told in three columns, with what is wrong and what is odd', () => {
    const text = reportOutcomes([judged], SETTINGS, PLAIN);
    expect(text).toContain('forbidden  not reached         2');
    expect(text).toContain('P0:r0 = 5; P1:r1 = 1;   beyond sc, VIOLATION: observed and forbidden');
    expect(text).toContain('note: ptxas has moved <it>');
    const isBrief = { ...SETTINGS, marks: new Map(), isBrief: true };
    const right = { ...judged, outcomes: { rows: judged.outcomes?.rows.slice(0, 2) ?? [], machine: undefined } };
    expect(reportOutcomes([right], isBrief, PLAIN)).not.toContain('90');
  });

  it('are counted: what was observed of what is allowed, and of what is weak', () => {
    expect(outcomeSummary([judged], SETTINGS)).toEqual([
      '4 outcomes allowed by ptx-9.4, 2 observed (50 %); of the 2 others the machine reaches 2',
      '1 outcome allowed by ptx-9.4 and forbidden by sc, 1 observed (100 %)',
      '1 outcome observed and forbidden; 0 observed and not reached by the machine',
      '1 test of which ptxas has left something else than they say',
    ]);
  });

  it('are a page, in which texts of tests are no markup', () => {
    const page = outcomePage([{ path: 'a<b>.log', verdicts: [judged] }], SETTINGS);
    expect(page).toContain('<h1>a&lt;b&gt;.log</h1>');
    expect(page).toContain('ptxas has moved &lt;it&gt;');
    expect(page.match(/<tr class="wrong">/g)).toHaveLength(1);
    expect(page.match(/<tr class="weak">/g)).toHaveLength(1);
  });
});
