import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../src/cat/resolve-model.js';
import { loadTests } from '../../src/check/load-tests.js';
import { readObservations } from '../../src/compare/observations.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import { parseCondition } from '../../src/syntax/parse-condition.js';
import { parseLog } from '../../src/syntax/parse-log.js';
import { catTexts, columns, litmusTexts, log, mutated, random, template } from '../fuzz/texts.js';

/** The test run takes a few; FUZZ_CASES more, and `npm run fuzz` goes further than reading. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 150);
/** Far beyond what any of these texts needs: a parse that takes longer hangs. */
const HANG_MS = 10_000;

/** The text is either understood or has an error with a place; nothing is thrown, and it does not take for ever. */
function survives(
  read: (text: string) => { readonly value: unknown; readonly diagnostics: Parameters<typeof renderDiagnostics>[0] },
): (text: string) => void {
  return (text) => {
    const start = performance.now();
    const { value, diagnostics } = read(text);
    const rendered = renderDiagnostics(diagnostics);
    expect(performance.now() - start).toBeLessThan(HANG_MS);
    if (value === undefined) expect(rendered).toMatch(/:\d+:\d+ error L\d{4}: /);
  };
}

const readers = {
  litmus: [[...litmusTexts, columns], survives((text) => loadTests({ path: 'fuzz.litmus', text }))],
  nvlitmus: [[template], survives((text) => loadTests({ path: 'fuzz.test', text }))],
  cat: [catTexts, survives((text) => readModel('fuzz', { path: 'fuzz.cat', text }, BASE_KINDS))],
  log: [[log], survives((text) => parseLog({ path: 'fuzz.log', text }))],
  condition: [
    ['exists (P0:r0 == 1 /\\ ~(x = 2 \\/ [y+4] != 0x3)) as a for sc', 'locations [x; P1:r0;]', 'expect no-race'],
    survives((text) => {
      const { value: clause, failure } = parseCondition({ path: 'fuzz', text });
      return { value: clause, diagnostics: failure === undefined ? [] : [failure] };
    }),
  ],
} as const;

describe('no text, however broken, makes the parser of', () => {
  for (const [name, [texts, check]] of Object.entries(readers)) {
    it(`${name} throw or hang`, () => {
      fc.assert(fc.property(mutated(texts), check), { numRuns: CASES });
      fc.assert(fc.property(random, check), { numRuns: Math.ceil(CASES / 3) });
    }, 3_600_000);
  }

  it('litmus hang on deep nesting or a long line', () => {
    const { check } = { check: readers.litmus[1] };
    check(`PTX deep\n{ x = 0; }\nP0 { st.weak x, 1; }\nexists ${'('.repeat(300)}x == 1${')'.repeat(300)}\n`);
    check(`PTX long\n{ ${'x = 0; '.repeat(3000)} }\nP0 { st.weak x, 1; }\nexists (x == 1)\n`);
    check(`PTX open\n${'{'.repeat(3000)}`);
    check(`PTX comment\n${'(*'.repeat(3000)}`);
  });

  it('litmus, logs or models read for longer than the limit, or say nothing of it', () => {
    const many = (text: string): string => text.repeat(Math.ceil((4 * 2 ** 20) / text.length));
    const head = 'PTX long\n{ x = 0; }\nP0 { st.weak x, 1; ';
    const limits = { timeout: 300 };
    const long = [
      `${head}${many('ld.weak r0, x; ')} }\nexists (x == 1)\n`,
      `PTX long\n{ ${many('x = 0; ')} }\nP0 { st.weak x, 1; }\n`,
    ];
    const wrong = [
      `${head} }\nexists (x == 1${many(' /\\ x == 1')})\n`,
      `${head} }\n${many('~')}`,
      `${head} }\n${many('{')}`,
      `${head} }\n${many('(*')}`,
      many(head),
    ];
    const codeOf = (text: string, timeout: number): string | undefined => {
      const start = performance.now();
      const { value, diagnostics } = loadTests({ path: 'long.litmus', text }, { timeout });
      expect(performance.now() - start).toBeLessThan(HANG_MS);
      expect(value).toBeUndefined();
      return diagnostics[0]?.code;
    };
    expect(long.map((text) => codeOf(text, limits.timeout))).toEqual(['L0008', 'L0008']);
    // What is wrong is told from the text alone, however slow the machine.
    expect(wrong.map((text) => codeOf(text, HANG_MS))).toEqual(['L0004', 'L0001', 'L0001', 'L0001', 'L0001']);
    expect(readObservations({ path: 'long.log', text: many(log) }, limits).diagnostics[0]?.code).toBe('L0008');
    expect(readModel('long', { path: 'long.cat', text: many('acyclic po\n') }, BASE_KINDS).diagnostics[0]?.code).toBe(
      'L0301',
    );
  });
});
