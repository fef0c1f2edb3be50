import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { definitionOf, type NameUse, nameAt, namesOf, whyNotRenamed } from '../../src/language/names.js';
import { parseModule } from '../../src/syntax/parse-module.js';
import { litmusPaths, MODULES } from './texts.js';

const TEST = `PTX names // P9 is in a comment
{ .global .u32 x = 0; .global .u64 p = &x; P1:%r2 = 7; .shared .u32 s[4] @ cta 0; }
P0 @ cta 0 {
  .reg .u32 r<2>;
  .reg .pred q;
loop:
  ld.relaxed.gpu.global.u32 %r0, [x]; // x again
  setp.ne.u32 q, %r0, %tid.x;
  @q bra loop;
  st.shared.u32 [s+4], r1;
}
P1 @ cta 1 {
loop:
  mov.u32 r0, r2;
  bra loop;
}
forbid (P0:r0 == 1 /\\ P1:r0 == 0 /\\ x == 3 /\\ s@cta0[1] == 0) as x
locations [x; P1:r2;]
`;

const place = ({ start, end }: NameUse, text: string): string => {
  const lines = text.slice(0, start).split('\n');
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1} ${text.slice(start, end)}`;
};

/** All that is the same as what stands at the n-th occurrence of a text. */
function sameAs(text: string, part: string, path = 'a.litmus', skip = 0): readonly string[] {
  let at = -1;
  for (let i = 0; i <= skip; i++) at = text.indexOf(part, at + 1);
  const names = namesOf(path, text);
  const use = nameAt(names, at);
  return use === undefined ? [] : names.filter(({ key }) => key === use.key).map((one) => place(one, text));
}

describe('the names of a test', () => {
  it('are locations where they are declared, accessed and asked for, whatever a name of a condition is', () => {
    expect(sameAs(TEST, 'x = 0')).toEqual(['2:16 x', '2:41 x', '7:35 x', '17:37 x', '18:12 x']);
    expect(sameAs(TEST, 's[4]')).toEqual(['2:69 s', '10:18 s', '17:47 s']);
  });

  it('are registers of their thread, with or without a percent sign', () => {
    expect(sameAs(TEST, '%r0')).toEqual(['4:13 r', '7:29 %r0', '8:18 %r0', '17:12 r0']);
    expect(sameAs(TEST, 'r0, r2')).toEqual(['14:11 r0', '17:26 r0']);
    expect(sameAs(TEST, '%r2 = 7')).toEqual(['2:47 %r2', '14:15 r2', '18:18 r2']);
  });

  it('are labels of their body', () => {
    expect(sameAs(TEST, 'loop')).toEqual(['6:1 loop', '9:10 loop']);
    expect(sameAs(TEST, 'loop;', 'a.litmus', 1)).toEqual(['13:1 loop', '15:7 loop']);
  });

  it('are none in comments, of special registers, and of words', () => {
    const names = namesOf('a.litmus', TEST).map(({ name }) => name);
    for (const word of ['P9', 'again', 'tid', 'forbid', 'u32', 'global', 'as']) expect(names).not.toContain(word);
  });

  it('are defined where they are declared, or else where they come first', () => {
    const names = namesOf('a.litmus', TEST);
    const defined = (name: string): string | undefined => {
      const use = names.findLast((one) => one.name === name);
      const definition = use && definitionOf(names, use);
      return definition && place(definition, TEST);
    };
    expect(defined('q')).toBe('5:14 q');
    expect(defined('x')).toBe('2:16 x');
    expect(defined('r2')).toBe('2:47 %r2');
  });

  it('are not renamed to what there is, to what is no name, nor one of many that are declared together', () => {
    const names = namesOf('a.litmus', TEST);
    const of = (name: string): NameUse => names.find((one) => one.name === name) as NameUse;
    expect(whyNotRenamed(names, of('x'), 'p')).toBe('there is a location p already');
    expect(whyNotRenamed(names, of('x'), '2x')).toBe('"2x" is no name of a location');
    expect(whyNotRenamed(names, of('q'), '%laneid')).toBe('"%laneid" is no name of a register');
    expect(whyNotRenamed(names, of('r0'), 'value')).toContain('declare it by itself first');
    expect(whyNotRenamed(names, of('q'), 'x')).toBeUndefined();
  });

  it('are those of each test of a file', () => {
    const two = `${TEST}${TEST}`;
    expect(sameAs(two, 'loop', 'a.litmus', 4)).toEqual(['24:1 loop', '27:10 loop']);
  });
});

describe('the names of a module', () => {
  const MODULE = `.version 8.0
.target sm_90
.global .u32 counter;
.visible .entry k(.param .u64 k_param_0) {
  .reg .b64 %rd<3>;
  .reg .b32 %v;
  ld.param.u64 %rd1, [k_param_0];
$L1:
  atom.global.add.u32 %v, [counter], 1;
  bra $L1;
}
`;
  it('are its variables, and of each kernel the parameters, registers and labels', () => {
    expect(sameAs(MODULE, 'counter', 'k.ptx')).toEqual(['3:14 counter', '9:28 counter']);
    expect(sameAs(MODULE, 'k_param_0', 'k.ptx')).toEqual(['4:31 k_param_0', '7:23 k_param_0']);
    expect(sameAs(MODULE, '$L1', 'k.ptx')).toEqual(['8:1 $L1', '10:7 $L1']);
    expect(sameAs(MODULE, '%v', 'k.ptx')).toEqual(['6:13 %v', '9:23 %v']);
  });
});

describe('the names of a model', () => {
  const MODEL = `"mine" (* sync in a comment *)
let sync = po & rf
let f(sync, b) = sync ; b
let rec cause = f(sync, cause) and other = cause
acyclic cause | sync as cause
`;
  it('are its definitions; parameters belong to their function, and names of axioms to nobody', () => {
    expect(sameAs(MODEL, 'sync = po', 'm.cat')).toEqual(['2:5 sync', '4:19 sync', '5:17 sync']);
    expect(sameAs(MODEL, 'sync, b', 'm.cat')).toEqual(['3:7 sync', '3:18 sync']);
    expect(sameAs(MODEL, 'cause =', 'm.cat')).toEqual(['4:9 cause', '4:25 cause', '4:44 cause', '5:9 cause']);
  });
});

/** The text with every name that may be renamed as another one. */
function allRenamed(path: string, text: string): string {
  const names = namesOf(path, text);
  const free = names.filter((use) => whyNotRenamed(names, use, `${use.name}_new`) === undefined);
  return [...free].reverse().reduce((changed, { end }) => `${changed.slice(0, end)}_new${changed.slice(end)}`, text);
}

describe('renaming every name of a text', () => {
  it.each(litmusPaths(12))('leaves what is said of the text as it was: %s', (path) => {
    const text = readFileSync(path, 'utf8');
    const said = (of: string): readonly string[] =>
      loadTests({ path, text: of }).diagnostics.map(({ code, message }) => `${code} ${message.replaceAll('_new', '')}`);
    // A kernel test names what is in its module.
    if (/^\s*launch\b/m.test(text)) return;
    const renamed = allRenamed(path, text);
    expect(said(renamed)).toEqual(said(text));
    const shape = (of: string): unknown =>
      loadTests({ path, text: of }).value?.map(({ threads, observed }) => [
        threads.map(({ statements }) => statements.map(({ operation }) => operation.kind)),
        observed.map(({ name }) => name.replaceAll('_new', '')),
      ]);
    expect(shape(renamed)).toEqual(shape(text));
  });

  it.each(MODULES)('leaves a module as readable as it was: %s', (path) => {
    const text = readFileSync(path, 'utf8');
    const { value } = parseModule({ path, text: allRenamed(path, text) });
    expect(value?.entries.length).toBe(parseModule({ path, text }).value?.entries.length);
  });
});

describe('the file of names', () => {
  it('has nothing to do with what is typed: no prefix of a test throws', () => {
    const text = readFileSync(join(litmusPaths(1)[0] ?? ''), 'utf8');
    for (let length = 0; length < text.length; length++)
      expect(() => namesOf('a.litmus', text.slice(0, length))).not.toThrow();
  });
});
