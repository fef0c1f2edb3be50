import { expect } from 'vitest';
import type { LitmusFile } from '../../../src/syntax/litmus-ast.js';
import { parseLitmus } from '../../../src/syntax/parse-litmus.js';
import { printSyntaxJson } from '../../../src/syntax/print-json.js';
import { printLitmus } from '../../../src/syntax/print-litmus.js';
import type { Judge } from '../judge.js';

const syntaxOf = (file: LitmusFile): unknown =>
  JSON.parse(printSyntaxJson({ ...file, source: { path: '', text: '' } }));

export const readsBack: Judge = {
  name: 'it is printed so that it reads back the same',
  every: 1,
  judge({ syntax }, count) {
    const { value, diagnostics } = parseLitmus({ path: 'x', text: printLitmus(syntax) });
    expect(diagnostics).toEqual([]);
    expect(value === undefined ? undefined : syntaxOf(value)).toEqual(syntaxOf(syntax));
    count('printed');
  },
};
