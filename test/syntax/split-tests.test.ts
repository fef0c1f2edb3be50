import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { splitTests, testName } from '../../src/syntax/split-tests.js';
import { ROOT } from '../support.js';

const CLASSIC = join(ROOT, 'litmus/classic');
const texts = readdirSync(CLASSIC).map((name) => readFileSync(join(CLASSIC, name), 'utf8'));
const parts = (text: string): readonly string[] => splitTests({ path: 'all.litmus', text }).map((one) => one.text);

describe('the tests of a text', () => {
  it('begin with a header each, and lose nothing', () => {
    const lists = fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(lists, (list) => {
        const text = list.join('\n(* PTX no test *)\n/*\nPTX nor this\n*/\n// PTX nor this\n');
        const split = parts(text);
        expect(split.join('')).toBe(text);
        expect(split.map(testName)).toEqual(list.map(testName));
      }),
    );
  });

  it('are each what they are alone', () => {
    const { value: together = [] } = loadTests({ path: 'all.litmus', text: texts.join('\n') });
    const alone = texts.flatMap((text) => loadTests({ path: 'all.litmus', text }).value ?? []);
    expect(together.map(({ name, threads }) => [name, threads.length])).toEqual(
      alone.map(({ name, threads }) => [name, threads.length]),
    );
  });

  it('have their lines in the file, also where one before is broken', () => {
    const text = 'PTX one\n{ x = 0; }\nP0 { st.weak.u32 [x], 1;\nexists (x == 1)\nPTX two\n{ x = 0; }\nP0 { nope; }\n';
    const { value, diagnostics } = loadTests({ path: 'all.litmus', text });
    expect(value).toBeUndefined();
    const places = renderDiagnostics(diagnostics).match(/^all\.litmus:\d+/gm);
    expect(places).toContain('all.litmus:7');
    expect(places?.every((place) => Number(place.split(':')[1]) <= 7)).toBe(true);
  });

  it('begin behind comments on the line of their header, and not within a description', () => {
    expect(parts('/* a */ (* b *) PTX A { }\nexists (true)\n  /* c */PTX\nB { }\n')).toHaveLength(2);
    expect(parts('PTX A\n"About\nPTX and more"\n{ }\nP0 { }')).toHaveLength(1);
    expect(parts('hello\nPTX A { }')).toHaveLength(2);
  });

  it('are called what stands between PTX and the next part', () => {
    expect(testName('// PTX other\nPTX  a b \n "why" { }')).toBe('a b');
    expect(testName('PTX a{ x = 0; }')).toBe('a');
    expect(testName('PTX a (* no *) "why"')).toBe('a');
    expect(testName('/* c */ PTX\na { }')).toBe('a');
    expect(testName('nothing')).toBeUndefined();
  });
});
