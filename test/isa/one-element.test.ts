import { describe, expect, it } from 'vitest';
import { check, diagnosticsOf } from '../support.js';

const test = (body: string): string => `PTX t
{ .global .align 16 .b32 x[4] = {7, 8, 9, 10}; .shared .b32 s; }
P0 { .reg .b32 r<4>; .reg .b64 d<4>; .reg .b128 q; ${body} }
exists (P0:r1 == 7)
`;
const is7 = async (body: string): Promise<boolean | undefined> => (await check(test(body))).conditions[0]?.reachable;

describe('one element in braces', () => {
  it('is the scalar, where it is loaded and stored', async () => {
    expect(await is7('ld.global.b32 {r1}, [x];')).toBe(true);
    expect(await is7('ld.global.b32 {r1}, [x + 4];')).toBe(false);
    expect(await is7('mov.b32 r0, 7; st.shared.b32 [s], {r0}; ld.shared.b32 {r1}, [s];')).toBe(true);
    expect(await is7('st.relaxed.gpu.global.b32 [x], {5}; ld.acquire.gpu.global.b32 {r1}, [x];')).toBe(false);
  });

  it('is the scalar in accesses of 128 bits', async () => {
    expect(await is7('ld.global.b128 {q}, [x]; st.global.b128 [x], {q}; ld.global.b32 r1, [x];')).toBe(true);
  });

  it('is a mistake where ptxas refuses it', () => {
    const needed = 'a vector operand needs .v2, .v4 or .v8';
    expect(diagnosticsOf(test('atom.global.add.u32 {r1}, [x], r0;'))).toContain(needed);
    expect(diagnosticsOf(test('atom.global.add.u32 r1, [x], {r0};'))).toContain(needed);
    expect(diagnosticsOf(test('red.global.add.u32 [x], {r0};'))).toContain(needed);
    expect(diagnosticsOf(test('multimem.st.global.u32 [x], {r0};'))).toContain(needed);
    expect(diagnosticsOf(test('ld.global.b32 {r0, r1}, [x];'))).toContain(needed);
    expect(diagnosticsOf(test('ld.global.v2.b32 {r1}, [x];'))).toContain('.v2 needs a vector of 2: {a, b}');
    // ptxas 13.0 takes these, and makes four elements of one.
    expect(diagnosticsOf(test('mov.b32 {r0}, r1;'))).toContain('mov packs or unpacks 2 or 4 elements');
    expect(diagnosticsOf(test('mov.b32 r0, {r1};'))).toContain('mov packs or unpacks 2 or 4 elements');
    expect(diagnosticsOf(test('mov.b32 {r0}, {r1};'))).toContain('error');
    expect(diagnosticsOf(test('mov.u32 {r0}, r1;'))).toContain('error');
  });
});
