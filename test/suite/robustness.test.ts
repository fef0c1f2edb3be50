import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../src/cat/resolve-model.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import { parseCondition } from '../../src/syntax/parse-condition.js';
import { parseLog } from '../../src/syntax/parse-log.js';
import { ROOT } from '../support.js';

/** `npm run fuzz` sets FUZZ_CASES=20000; the test run takes a few hundred. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 150);
/** Far beyond what any of these texts needs: a parse that takes longer hangs. */
const HANG_MS = 10_000;

const litmusTexts = readdirSync(join(ROOT, 'litmus'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.litmus'))
  .map((file) => readFileSync(join(ROOT, 'litmus', file), 'utf8'));
const catTexts = ['sc', 'ptx-6.0', 'ptx-7.5'].map((name) => readFileSync(join(ROOT, 'models', `${name}.cat`), 'utf8'));
const columns =
  'PTX c\n"two columns"\n{ x = 0; t @ texture aliases x; 0:r1 = &x; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n ' +
  'st.weak x, 1 | LC0: ;\n fence.sc.gpu | atom.relaxed.gpu.exch r0, x, 1 ;\n | bne r0, 1, LC0 ;\nexists (1:r0 = ' +
  '1 /\\ [x] = 1)\n';
const template =
  '.global x;\n.surfref s virtually aliases x;\nd0.b0.t0 {\n  $0 [x], 1;\n  ld r0, [x] == 1;\n}\npermit (r0 == ' +
  '$1 && !(r0 != 1)) as a;\n$$\nst | 1\nst.weak | 0x1\n';
const log =
  'Test MP Allowed\nStates 2\n1:r0=0; 1:r1=0;\n1:r0=1; 1:r1=1;\nNo\nWitnesses\nPositive: 0 Negative: ' +
  '2\nCondition exists (1:r0=1)\nObservation MP Never 0 2\nTime MP 0.02\n';

/** Words that mean something somewhere, so that mutations come near to being right. */
const WORDS = (
  'PTX { } ; | @ cta gpu warp P0 P1 0: exists forall ~exists filter locations expect race as for /\\ \\/ == != ( ) ' +
  '[ ] .global .u32 .b128 aliases mbarrier(1) ? & -1 0x ld.acquire.gpu st.weak atom cas red.add fence.sc bar.sync 0 ' +
  'bra L L: @p @!p %r1 {r0,r1} let rec and acyclic irreflexive empty flag ~ include "x" show rf co po ^-1 * + (* *) ' +
  '// /* */ $$ $0 d0.b0.t0 Test States Histogram'
).split(' ');
const piece = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constant('\n'),
  fc.constant('9'.repeat(60)),
  fc.constant('('.repeat(40)),
);

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}
const edit = fc.record({
  at: fc.nat(),
  remove: fc.oneof(fc.nat(3), fc.nat(60)),
  insert: fc.oneof(
    fc.constant(''),
    piece,
    fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(' ')),
  ),
});
const mutated = (texts: readonly string[]) =>
  fc.tuple(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 4 })).map(([text, edits]) =>
    edits.reduce((now: string, { at, remove, insert }: Edit) => {
      const place = at % (now.length + 1);
      return now.slice(0, place) + insert + now.slice(place + remove);
    }, text),
  );
const random = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(' '));

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
      const { clause, failure } = parseCondition({ path: 'fuzz', text });
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
});
