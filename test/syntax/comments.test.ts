import { describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { parseCat } from '../../src/syntax/parse-cat.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { parseNvlitmus } from '../../src/syntax/parse-nvlitmus.js';

/** Some of each kind, shorter and longer than what is read as one blank for speed. */
const COMMENTS = ['c', 'let c; assert } "', 'c'.repeat(100)].flatMap((words) => [
  `(* ${words} (* ${words} *) *)`,
  `/* ${words} */`,
  `// ${words}\n`,
]);

describe('a comment', () => {
  it.each(COMMENTS)('means nothing in a model: %j', (comment) => {
    const text = '"title" @let rec a = po@ | (rf;@a)@ acyclic @a | co as order@';
    const [{ value, diagnostics }, plain] = [comment, ' '].map((one) =>
      parseCat({ path: 'a.cat', text: text.replaceAll('@', one) }),
    ) as [ReturnType<typeof parseCat>, ReturnType<typeof parseCat>];
    expect(renderDiagnostics(diagnostics)).toBe('');
    expect(value?.title).toBe('title');
    expect(withoutSpans(value)).toEqual(withoutSpans(plain.value));
  });

  it('is no part of the name of an axiom without one', () => {
    const { value } = parseCat({ path: 'a.cat', text: 'acyclic po (* why *) | // what\n rf' });
    expect(value?.statements).toMatchObject([{ name: 'acyclic po | rf' }]);
  });

  it('that others stand in says that a definition is inferred', () => {
    const text =
      '(* no *) let a = po // and\n (* inferred: as (* here *)\n said *) let b = rf /* inferred: no */ let c = co';
    const { value } = parseCat({ path: 'a.cat', text });
    expect(value?.statements.map((one) => 'inferred' in one && one.inferred)).toEqual([
      undefined,
      'as (* here *) said',
      undefined,
    ]);
  });

  it.each(COMMENTS)('means nothing in a test of nvlitmus: %j', (comment) => {
    const text = '@.global x;@ d0.b0.t0@ {@ ld r0,@ [x]@;@ }@ check (@r0 ==@ 0)@ as a;@';
    const [read, plain] = [comment, ' '].map((one) =>
      parseNvlitmus({ path: 'a.test', text: text.replaceAll('@', one) }),
    );
    expect(renderDiagnostics(read?.diagnostics ?? [])).toBe('');
    expect(withoutSpans(read?.value)).toEqual(withoutSpans(plain?.value));
  });

  it.each(COMMENTS)('ends the name of a test: %j', (comment) => {
    const { diagnostics } = parseLitmus({ path: 'a.litmus', text: `PTX a ${comment} b { } P0 { } exists (true)` });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining('found "b", expected a quoted string'),
    ]);
  });

  it.each([
    ['PTX a { } (* (* *) P0 { exists (true)', '1:11', 'this comment is never closed by *)'],
    ['PTX a (* (* { *) *) { } P0 { exists (true)', '1:28', 'this { is never closed'],
    ['PTX a { } /* P0 { exists (true)', '1:11', 'this comment is never closed by */'],
    ['PTX a "why { } P0 { } exists (true)', '1:7', 'this quote is never closed'],
    ['PTX a "//" { } } P0 { } // "', '1:16', 'this } closes nothing'],
  ])('that is not closed is told of: %s', (text, place, message) => {
    const { diagnostics } = parseLitmus({ path: 'a.litmus', text });
    expect(renderDiagnostics(diagnostics)).toContain(`a.litmus:${place} error L0001: ${message}`);
  });
});

const withoutSpans = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, one) =>
      key.toLowerCase().endsWith('span') || key === 'source' ? undefined : typeof one === 'bigint' ? `${one}` : one,
    ),
  );
