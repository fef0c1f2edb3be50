import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { type IGrammar, INITIAL, parseRawGrammar, Registry } from 'vscode-textmate';
import { GRAMMARS } from '../../editor/vscode/grammars.js';
import { litmusPaths } from './texts.js';

const require = createRequire(import.meta.url);
const oniguruma = require('vscode-oniguruma') as typeof import('vscode-oniguruma');

/** The grammars as VS Code reads them. */
async function grammarOf(name: keyof typeof GRAMMARS): Promise<IGrammar> {
  const wasm = readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM({ data: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length) }).catch(() => {});
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(JSON.stringify(GRAMMARS[name]), 'g.json'),
  });
  const grammar = await registry.loadGrammar(String((GRAMMARS[name] as { scopeName: string }).scopeName));
  if (grammar === null) throw new Error(`no grammar ${String(name)}`);
  return grammar;
}

/** `word: class` of all words that have one. */
function classes(grammar: IGrammar, text: string): readonly string[] {
  let state = INITIAL;
  return text.split('\n').flatMap((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    return tokens.flatMap(({ startIndex, endIndex, scopes }) => {
      const word = line.slice(startIndex, endIndex);
      return scopes.length < 2 || word.trim() === '' ? [] : [`${word}: ${scopes.at(-1)?.replace(/\.[^.]*$/, '')}`];
    });
  });
}

describe('the colors of a text', () => {
  it('tell instructions, qualifiers, types, registers, names and words of a test apart', async () => {
    const grammar = await grammarOf('litmus.tmLanguage.json');
    const found = classes(grammar, 'P0 @ cta 0 {\n  @p ld.relaxed.gpu.u32 %r0, [x]; // c\n}\nforbid (P0:r0 == 1)');
    expect(found).toEqual(
      expect.arrayContaining([
        ...['P0: entity.name.label', 'cta: keyword.control', '0: constant.numeric', 'ld: support.function'],
        ...['.relaxed: storage.modifier', '.u32: storage.type', '%r0: variable.parameter', 'x: variable.other'],
        ...['// c: comment.line', 'forbid: keyword.control', '==: keyword.operator'],
      ]),
    );
  });

  it('of a comment go on over lines', async () => {
    const grammar = await grammarOf('model.tmLanguage.json');
    const found = classes(grammar, '"m" (* let\nlet *)\nlet a = [W] ; po^-1');
    expect(found).toContain('let: keyword.control');
    expect(found.filter((one) => one.startsWith('let:'))).toHaveLength(1);
    expect(found).toEqual(expect.arrayContaining(['W: storage.type', '^-1: keyword.operator', 'a: variable.other']));
  });

  it('leave no word of a test without a class', async () => {
    const grammar = await grammarOf('litmus.tmLanguage.json');
    for (const path of litmusPaths(60)) {
      let state = INITIAL;
      for (const line of readFileSync(path, 'utf8').split('\n')) {
        const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
        state = ruleStack;
        const plain = tokens
          .filter(({ scopes }) => scopes.length === 1)
          .map(({ startIndex, endIndex }) => line.slice(startIndex, endIndex));
        expect(plain.join(' '), line).not.toMatch(/[A-Za-z]/);
      }
    }
  });
});
