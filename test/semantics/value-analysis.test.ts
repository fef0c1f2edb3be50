import { describe, expect, it } from 'vitest';
import { check } from '../support.js';

/** Two threads that read where no memory is, and go on with what they find. */
const outside = (then: string): string =>
  'PTX outside\n{ .global .u64 d = 0x3fe0000000000000; }\nP0, P1 @ cta 0, 1 {\n' +
  `  .reg .b64 rd1; ld.global.f64 fd1, [rd1]; ${then}\n}\nexpect no-undefined\npermit (d == 0)\n`;

describe('what is read outside of all memory', () => {
  it.each([
    ['is added and exchanged', 'add.f64 fd2, fd1, 0d3FF0000000000000; atom.global.exch.b64 fd3, [d], fd2;'],
    ['is doubled and added', 'add.f64 fd2, fd1, fd1; atom.global.add.f64 fd3, [d], fd2;'],
    ['is stored and read', 'add.f64 fd2, fd1, 0d3FF0000000000000; st.global.f64 [d], fd2; ld.global.f64 fd3, [d];'],
  ])('may be anything, so that the test is undefined where it %s', async (_, then) => {
    const { expectations } = await check(outside(then), 'ptx-9.4');
    expect(expectations[0]?.outcome).toBe('broken');
  });
});
