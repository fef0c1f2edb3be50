import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { builtInModel, solver } from '../support.js';

const MODULE = `.version 8.0
.target sm_90
.address_size 64
.global .u32 _ZN3app7counterE = 5;
.global .u64 _ZN3app5whereE = generic(_ZN3app7counterE);
.visible .entry add(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.global.u64 %rd2, [_ZN3app5whereE];
  red.relaxed.sys.global.add.u32 [_ZN3app7counterE], 1;
  ld.relaxed.sys.u32 %r1, [%rd2];
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry set()
{
  st.global.u32 [_ZN3app7counterE], 9;
  ret;
}
`;

const loaded = (
  declared: string,
  places: readonly string[],
  clauses: string,
  wanted: Parameters<typeof loadTests>[2] = 'answers',
) => {
  const [first, second] = places;
  const text =
    `PTX k\n{ .global .u32 a; ${declared} }\nlaunch A "k.ptx" :: add (&a) @ ${first}\n` +
    `launch B "k.ptx" :: set () @ ${second}\n${clauses}\n`;
  return loadTests({ path: 'k.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: MODULE } } }, {}, wanted);
};

const TWO = ['grid 1, block 1', 'grid 1, block 1, gpu 1'];
const messages = (...given: Parameters<typeof loaded>): readonly string[] =>
  loaded(...given).diagnostics.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));

describe('the global variables of a module that several GPUs launch', () => {
  it('exist once on each, and point to those beside them', () => {
    const clauses = 'require (counter@gpu0 == 6 /\\ counter@gpu1 == 9 /\\ a == 6)\nexpect no-race';
    for (const wanted of ['answers', 'threads'] as const) {
      const [program] = loaded('', TWO, clauses, wanted).value ?? [];
      if (program === undefined) throw new Error('not read');
      const { conditions, expectations } = checkTest(solver, program, builtInModel('ptx-9.4'), {
        follow: wanted === 'answers',
      });
      expect(conditions.map(({ expectation }) => expectation)).toEqual(['met']);
      expect(expectations.map(({ outcome }) => outcome)).toEqual(['met']);
    }
  });

  it('are one where one GPU launches it', () => {
    const one = ['grid 1, block 1, gpu 1', 'grid 1, block 1, gpu 1'];
    const [program] = loaded('', one, 'expect no-race\nlocations [counter;]').value ?? [];
    if (program === undefined) throw new Error('not read');
    const { expectations } = checkTest(solver, program, builtInModel('ptx-9.4'));
    expect(expectations.map(({ outcome }) => outcome)).toEqual(['broken']);
    expect(messages('', one, 'exists (counter@gpu1 == 1)')).toEqual(['no location counter@gpu1 in this test']);
  });

  it('are named with their GPU, and begin as the module says', () => {
    expect(messages('', TWO, 'exists (counter == 1)')).toEqual([
      'counter exists once on each GPU that launches it: write counter@gpu0',
    ]);
    const [why] = messages('.global .u32 _ZN3app7counterE = 7;', TWO, 'expect no-race');
    expect(why).toContain('_ZN3app7counterE exists once on each GPU');
  });
});
