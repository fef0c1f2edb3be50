import { describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { ModuleFile } from '../../src/syntax/module-ast.js';
import { parseModule } from '../../src/syntax/parse-module.js';

const HEAD = '.version 9.0\n.target sm_90a // not sm_90\n.address_size 64\n';

function moduleOf(text: string): ModuleFile {
  const { value, diagnostics } = parseModule({ path: 'm.ptx', text });
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics));
  return value;
}

describe('a PTX module', () => {
  it('has a version and a target', () => {
    const { version, target, entries } = moduleOf(HEAD);
    expect([version, target, entries]).toEqual(['9.0', 'sm_90a', []]);
  });

  it('has kernels with parameters, bounds and bodies', () => {
    const { entries } = moduleOf(`${HEAD}
      .visible .entry k(
        .param .u64 .ptr .global .align 16 k_param_0, /* a comment; with { */
        .param .align 8 .b8 k_param_1[24]
      )
      .maxntid 128, 1, 1
      .minnctapersm 2
      .reqnctapercluster 2, 1, 1
      .explicitcluster
      { .reg .b32 %r<2>; { mov.u32 %r1, 1; } // }
        ret; }
      .weak .entry empty() { ret; }
      .extern .entry declared(.param .u32 a);`);
    expect(entries.map(({ name }) => name)).toEqual(['k', 'empty']);
    const [kernel] = entries;
    expect(kernel?.parameters.map(({ name, elements }) => [name, elements])).toEqual([
      ['k_param_0', undefined],
      ['k_param_1', 24],
    ]);
    expect(kernel?.parameters[0]?.directives.map(({ name }) => name)).toContain('ptr');
    expect([...(kernel?.bounds ?? [])]).toEqual([
      ['maxntid', [128, 1, 1]],
      ['minnctapersm', [2]],
      ['reqnctapercluster', [2, 1, 1]],
      ['explicitcluster', []],
    ]);
    const { source, start, end } = kernel?.body ?? expect.unreachable('no kernel');
    expect(source.text.slice(start, end).trim()).toMatch(/^\.reg[\s\S]*ret;$/);
  });

  it('has functions, declared and defined', () => {
    const { functions } = moduleOf(`${HEAD}
      .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
      .func (.param .b32 r) f (.param .b32 a) .noinline { st.param.b32 [r], 1; ret; }`);
    expect(functions.map(({ name, isDefined }) => [name, isDefined])).toEqual([
      ['vprintf', false],
      ['f', true],
    ]);
    expect(functions[1]?.text).toMatch(/^\.func \(.param .b32 r\) f .*\{ st\.param\.b32 \[r\], 1; ret; \}$/);
  });

  it('has variables, with the text of their initial values', () => {
    const { variables } = moduleOf(`${HEAD}
      .visible .global .align 4 .u32 count = 3;
      .const .align 4 .b8 table[8] = {1, 2, 0xff};
      .global .align 8 .u64 pointer = generic(count);
      .global .attribute(.managed) .align 4 .u32 managed;
      .extern .shared .align 16 .b8 dynamic[];`);
    const shown = variables.map(({ variable, isExternal, initial }) => [variable.name, isExternal, initial]);
    expect(shown).toEqual([
      ['count', false, '3'],
      ['table', false, '{1, 2, 0xff}'],
      ['pointer', false, 'generic(count)'],
      ['managed', false, undefined],
      ['dynamic', true, undefined],
    ]);
    expect(variables[4]?.variable.elements).toBe(0);
  });

  it('passes over what says nothing of what is executed', () => {
    const text = `${HEAD}.file 1 "a { b; .entry"\n.section .debug_str { .b8 65; }\n.pragma "nounroll";\n`;
    expect(moduleOf(text).entries).toEqual([]);
  });

  it('of twelve thousand lines is read in linear time', () => {
    const kernel = (n: number): string => `.entry k${n}(.param .u64 a) {\n${'  add.s32 %r1, %r1, 1;\n'.repeat(50)}}\n`;
    const text = HEAD + Array.from({ length: 240 }, (_, n) => kernel(n)).join('');
    expect(text.split('\n').length).toBeGreaterThan(12_000);
    expect(moduleOf(text).entries).toHaveLength(240);
  });

  it.each([
    ['.entry k() { ret; ', /expected a brace that closes this one/],
    ['.global .u32 x', /expected a semicolon or a body/],
    ['.global .u32 x = 3', /expected a semicolon behind the initial value/],
    ['entry k() { }', /expected a directive such as/],
    ['.entry k(.param u32 a) { }', /this kernel cannot be read: found "a"/],
    ['.global .u32 = 3;', /this variable cannot be read/],
    ['.texture t;', /\.texture is no directive/],
    ['.global .u32 x { }', /expected .entry or .func/],
  ])('that is none is refused, with the place: %s', (text, message) => {
    const { value, diagnostics } = parseModule({ path: 'm.ptx', text });
    expect(value).toBeUndefined();
    expect(renderDiagnostics(diagnostics)).toMatch(message);
  });
});
