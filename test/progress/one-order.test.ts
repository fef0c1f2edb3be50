import { describe, expect, it } from 'vitest';
import { isInOneOrder } from '../../src/axiomatic/looping/one-order.js';
import { checkTest } from '../../src/check/check-test.js';
import { builtInModel, programOf, solver } from '../support.js';

const test = (store: string, load: string, declared = ''): string =>
  `PTX order\n{ .global .u32 x = 0; .global .u32 y = 0; ${declared} }\nP0 @ cta 0 { ${store} }\n` +
  `P1 @ cta 1 { ${load} }\nexpect no-deadlock\n`;
const STORE = 'st.relaxed.gpu.global.u32 [x], 1;';
const LOAD = 'ld.relaxed.gpu.global.u32 r0, [x];';

describe('executions that are interleavings', () => {
  const CASES: readonly (readonly [what: string, text: string, isOne: boolean])[] = [
    ['one place, strong accesses', test(STORE, LOAD), true],
    ['another place for one thread alone', test(`${STORE} st.weak.global.u32 [y], 1;`, LOAD), true],
    ['a weak access', test(STORE, 'ld.weak.global.u32 r0, [x];'), false],
    ['a scope that is too narrow', test(STORE, 'ld.relaxed.cta.global.u32 r0, [x];'), false],
    [
      'two places',
      test(`${STORE} ld.relaxed.gpu.global.u32 r0, [y];`, `${LOAD} st.relaxed.gpu.global.u32 [y], 1;`),
      false,
    ],
    ['a part of the place', test(STORE, 'ld.relaxed.gpu.global.u16 h0, [x];'), false],
    ['another name of the place', test(STORE, 'ld.relaxed.gpu.global.u32 r0, [z];', 'z @ generic aliases x;'), false],
    ['a vector', test(STORE, 'ld.relaxed.gpu.global.v2.b16 {h0, h1}, [x];'), false],
  ];
  for (const [what, text, isOne] of CASES)
    it(`are ${isOne ? 'all' : 'not known to be all'} with ${what}`, () =>
      expect(isInOneOrder(programOf(text))).toBe(isOne));

  it('are not all where a thread waits for a part of what is stored: the test is undefined', () => {
    const wait = 'L: ld.relaxed.gpu.global.u16 h0, [x]; setp.eq.u16 p, h0, 0; @p bra L;';
    const { undefinedBy } = checkTest(solver, programOf(test(STORE, wait)), builtInModel('ptx-9.4'));
    expect(undefinedBy?.rule).toBeDefined();
  });
});
