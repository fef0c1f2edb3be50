import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { answerLines, builtInModel, solver } from '../support.js';

/** What is said of a kernel, and of the mistakes in it. */
function said(top: string, body: string): readonly string[] {
  const module = `.version 9.0\n.target sm_90\n.address_size 64\n${top}
.visible .entry k(.param .u64 out)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [out];\n${body}\nret; }\n`;
  const text = 'PTX t\n{ .global .u32 o[4]; }\nlaunch K "k.ptx" (o) @ grid 1, block 1\nrequire (o == 12)\n';
  const { value = [], diagnostics } = loadTests({
    ...{ path: 'k.litmus', text },
    modules: { 'k.ptx': { path: 'k.ptx', text: module } },
  });
  const [program] = value;
  return program === undefined
    ? diagnostics.map(({ message, hint }) => `${message}: ${hint}`)
    : answerLines(checkTest(solver, program, builtInModel('ptx-9.4'), { follow: true }));
}

/** ptxas takes lists of variables, as of registers. */
describe('one directive that declares several variables', () => {
  const SUM =
    'st.shared.u32 [a], 5; st.shared.u32 [b + 4], 7; ld.shared.u32 %r1, [a]; ld.shared.u32 %r2, [b + 4]; ' +
    'add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1;';

  it('in a body', () => {
    expect(said('', `.shared .align 8 .b32 a, b[2];\n${SUM}`)).toEqual(['met']);
  });

  it('at the top of a module', () => {
    expect(said('.shared .align 8 .b32 a, b[2];', SUM)).toEqual(['met']);
  });

  it('at the top of a module, one of which has a value, is a mistake', () => {
    const load = 'ld.global.u32 %r1, [g]; st.global.u32 [%rd1], %r1;';
    const wrong = ['one of several variables has a value: declare it by itself'];
    expect(said('.global .u32 g = 12;', load)).toEqual(['met']);
    expect(said('.global .u32 g[2] = {12, 1};', load)).toEqual(['met']);
    expect(said('.global .u32 f, g = 12;', load)).toEqual(wrong);
    expect(said('.global .u32 g = 12, f;', load)).toEqual(wrong);
    expect(said('.global .u32 g[2] = {12, 1}, f;', load)).toEqual(wrong);
  });
});
