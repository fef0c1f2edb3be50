import { describe, expect, it } from 'vitest';
import { check, diagnosticsOf } from '../support.js';

/** A barrier of the Dat3M dialect in columns; `first` and `second` are the operands on the two sides. */
const columns = (first: string, second: string, declarations = 'x = 0;'): string => `PTX t
{ ${declarations} }
P0 @ cta 0, gpu 0 | P1 @ cta 0, gpu 0;
st.weak x, 1 | bar.cta.sync ${second};
bar.cta.sync ${first} | ld.weak r0, x;
exists (P1:r0 == 1)
`;

const isReachable = async (text: string): Promise<boolean | undefined> => (await check(text)).conditions[0]?.reachable;

describe('bar.cta of the Dat3M dialect', () => {
  it('meets the barriers of its instance only', async () => {
    expect(await isReachable(columns('1', '1'))).toBe(true);
    expect(await isReachable(columns('1', '2'))).toBe(false);
  });
  it('with the name of a barrier, meets those of that name', async () => {
    expect(await isReachable(columns('1, 3', '1, 3'))).toBe(true);
    expect(await isReachable(columns('1, 3', '1, 4'))).toBe(false);
    expect(await isReachable(columns('1, 3', '2, 3'))).toBe(true);
  });
  it('counts threads of the test', async () => {
    expect(await isReachable(columns('1, 3, 2', '1, 3, 2'))).toBe(true);
    expect(await isReachable(columns('1, 3, 3', '1, 3, 3'))).toBe(false);
  });
});

describe('bar.cta elsewhere', () => {
  it('is that of PTX: a number and a count of threads', async () => {
    expect(await isReachable(columns('1, 64', '1, 64', '.global .u32 x = 0;'))).toBe(true);
    expect(await isReachable(columns('1, 32', '1, 32', '.global .u32 x = 0;'))).toBe(true);
    expect(diagnosticsOf(columns('1, 3', '1, 3', '.global .u32 x = 0;'))).toContain('a multiple of the warp size');
  });
});

describe('the numbers of CTAs', () => {
  it('are no larger than a grid is', () => {
    const text =
      'PTX t\n{ .global .u32 x = 0; }\nP0 @ cta 9007199254740993 { st.weak.global.u32 [x], 1; }\nexists (x == 1)\n';
    expect(diagnosticsOf(text)).toContain('is too large');
  });
});

describe('a name where an address may be meant', () => {
  const text = (declaration: string, condition: string): string =>
    `PTX t\n{ .global .u32 z = 7; ${declaration} P0:rd1 = &z; }\nP0 { add.u64 rd2, rd1, 4; }\nexists (${condition})\n`;
  it('is an address in a declaration of PTX, which must be wide enough', async () => {
    expect(await isReachable(text('.global .u64 p = z;', 'p == &z'))).toBe(true);
    expect(diagnosticsOf(text('.global .u32 p = z;', 'p == 0'))).toContain('the address of z does not fit into .u32');
  });
  it('is an address in a condition after &, and a warning says so where it is left out', async () => {
    expect(await isReachable(text('', 'P0:rd2 == &z+4'))).toBe(true);
    expect(diagnosticsOf(text('', 'P0:rd2 == z'))).toContain('write &z for its address');
  });
});
