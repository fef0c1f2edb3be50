import { describe, expect, it } from 'vitest';
import { kernelCode, standingOf } from '../../../src/advise/kernel/kernel-code.js';
import { placesIn } from '../../../src/advise/kernel/places.js';
import { parseTests } from '../../../src/check/load-tests.js';
import { positionOf } from '../../../src/diagnostics/source.js';

const MODULE = `.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.reg .pred %p<9>;
.loc 1 1 1
ld.param.u64 %rd1, [a];
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
mov.u32 %r3, 0;
L:
.loc 1 2 1
st.global.u32 [%rd1], %r3;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p1, %r3, %r1;
@%p1 bra L;
.loc 1 3 1
setp.eq.u32 %p2, %r2, 0;
@%p2 bra E;
.loc 1 4 1
st.global.u32 [%rd1+4], %r3;
E:
.loc 1 5 1
st.global.u32 [%rd1+8], %r3;
ret;
}
.file 1 "k.cu"
`;
const TEST = 'PTX t\n{ .global .u32 a[4]; }\nlaunch K "k.ptx" :: k (a, 2) @ grid 1, block 32 { }\n';

const codeOf = (): ReturnType<typeof kernelCode> => {
  const [file] =
    parseTests({ path: 't.litmus', text: TEST, modules: { 'k.ptx': { path: 'k.ptx', text: MODULE } } }).value ?? [];
  if (file === undefined) throw new Error('not a test');
  return kernelCode(file);
};

describe('the code of a kernel', () => {
  it('says of each line how many loops are around it, and whether all threads of a CTA come there', () => {
    const stores = codeOf().instructions.filter(({ operations }) => operations.some(({ kind }) => kind === 'store'));
    expect(stores.map(({ standings }) => standingOf(standings))).toEqual([
      { depth: 1, isUniform: true },
      { depth: 0, isUniform: false },
      { depth: 0, isUniform: true },
    ]);
  });

  it('knows what its loops count by, and the numbers that registers hold', () => {
    const code = codeOf();
    const [inLoop] = code.instructions.filter(({ operations }) => operations.some(({ kind }) => kind === 'store'));
    expect(inLoop?.counters).toEqual(['r3']);
    // Another instruction writes it too.
    expect(code.numberOf('r3')).toBeUndefined();
  });

  it('has places before accesses, around branches, and behind loops', () => {
    const lines = placesIn(codeOf()).map(({ spots: [{ span }] }) => positionOf(span.source, span.start).lineText);
    expect(lines).toEqual([
      ...['st.global.u32 [%rd1], %r3;', '@%p1 bra L;', 'setp.eq.u32 %p2, %r2, 0;', '@%p2 bra E;'],
      ...['st.global.u32 [%rd1+4], %r3;', 'st.global.u32 [%rd1+8], %r3;', 'ret;'],
    ]);
  });
});
