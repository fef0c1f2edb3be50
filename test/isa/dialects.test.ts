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

describe('bar.cta of the Dat3M dialect, as its tests use it', () => {
  const test = (declarations: string, rows: readonly (readonly [string, string])[]): string => `PTX t
{ x = 0; ${declarations} }
P0 @ cta 0, gpu 0 | P1 @ cta 0, gpu 0;
${rows.map((row) => `${row.join(' | ')};`).join('\n')}
exists (P1:r0 == 1)
`;
  const synced = (first: string, second: string): readonly (readonly [string, string])[] => [
    ['st.weak x, 1', `bar.cta.sync ${second}`],
    [`bar.cta.${first}`, 'ld.weak r0, x'],
  ];
  it('takes counts and names from registers, that hold a number or what was loaded', async () => {
    const inRegisters = 'P0:r8 = 3; P0:r9 = 2; P1:r8 = 3; P1:r9 = 2;';
    expect(await isReachable(test(inRegisters, synced('sync 1, r8, r9', '1, r8, r9')))).toBe(true);
    expect(
      await isReachable(test(inRegisters.replace('P1:r8 = 3', 'P1:r8 = 4'), synced('sync 1, r8, r9', '1, r8, r9'))),
    ).toBe(false);
    expect(
      await isReachable(
        test(
          inRegisters.replace('P1:r9 = 2', 'P1:r9 = 3').replace('P0:r9 = 2', 'P0:r9 = 3'),
          synced('sync 1, r8, r9', '1, r8, r9'),
        ),
      ),
    ).toBe(false);
    const loaded = [['ld.weak r9, n', 'ld.weak r9, n'], ...synced('sync 1, 3, r9', '1, 3, r9')] as const;
    expect(await isReachable(test('n = 2;', loaded))).toBe(true);
    expect(await isReachable(test('n = 3;', loaded))).toBe(false);
    const named = [['ld.weak r8, n', 'ld.weak r8, n'], ...synced('sync 1, r8', '1, r8')] as const;
    expect(await isReachable(test('n = 7;', named))).toBe(true);
  });
  it('arrives without waiting', async () => {
    const stale = (text: string): string => text.replace('r0 == 1', 'r0 == 0');
    expect(await isReachable(stale(test('', synced('arrive 1, 3, 2', '1, 3, 2'))))).toBe(false);
    expect(await isReachable(test('P0:r9 = 2;', synced('arrive 1, 3, r9', '1, 3, 2')))).toBe(true);
    expect(await isReachable(test('', synced('arrive 1', '1')))).toBe(true);
  });
  it('names more barriers than a CTA of PTX has', async () => {
    expect(await isReachable(test('', synced('sync 1, 20', '1, 20')))).toBe(true);
    expect(await isReachable(test('', synced('sync 1, 20', '1, 21')))).toBe(false);
    expect(await isReachable(test('P0:r8 = 20; P1:r8 = 20;', synced('sync 1, r8', '1, r8')))).toBe(true);
  });
  it('asks for all threads that have it in their text, and for no other', async () => {
    // Whoever goes around it is waited for in vain.
    const around = [
      ['st.weak x, 1', 'ld.weak r8, y'],
      ['bar.cta.sync 1', 'beq r8, 0, LC01'],
      ['', 'bar.cta.sync 1'],
      ['', 'LC01:'],
      ['', 'ld.weak r0, x'],
    ] as const;
    expect(await isReachable(test('y = 0;', around))).toBe(false);
    // Whoever does not have it need not end before.
    const third = `PTX t
{ x = 0; y = 0; }
P0 @ cta 0, gpu 0 | P1 @ cta 0, gpu 0 | P2 @ cta 0, gpu 0;
bar.cta.sync 1 | bar.cta.sync 1 | LC00:;
st.relaxed.cta y, 1 | ld.weak r0, x | ld.relaxed.cta r0, y;
 | | bne r0, 1, LC00;
exists (P2:r0 == 1)
`;
    expect(await isReachable(third)).toBe(true);
  });
  it('meets the same one again, also where another has more of them', async () => {
    const twice = [
      ['bar.cta.sync 1', 'bar.cta.sync 1'],
      ['bar.cta.sync 2', 'st.weak x, 1'],
      ['', 'ld.weak r0, x'],
    ] as const;
    expect(await isReachable(test('', twice))).toBe(true);
  });
});

describe('red of the Dat3M dialect', () => {
  const text = (order: string, type = ''): string => `PTX t
{ x = 0; f = 0; }
P0 @ cta 0, gpu 0 | P1 @ cta 1, gpu 0;
st.weak x, 1 | ld.acquire.gpu r0, f;
red.${order}.gpu.add${type} f, 1 | ld.weak r1, x;
exists (P1:r0 == 1 /\\ P1:r1 == 0)
`;
  it('takes every order: it releases, and acquires nothing', async () => {
    expect(await isReachable(text('acq_rel'))).toBe(false);
    expect(await isReachable(text('release'))).toBe(false);
    expect(await isReachable(text('acquire'))).toBe(true);
    const acquiring = text('release').replace('ld.acquire.gpu r0, f;\n', 'red.acq_rel.gpu.add f, 1;\n');
    expect(await isReachable(acquiring.replace('P1:r0 == 1', 'f == 2'))).toBe(true);
  });
  it('has no such order in PTX', () => {
    expect(diagnosticsOf(text('acq_rel', '.u32'))).toContain('red has no .acq_rel');
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
