import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { WholeRun } from '../../src/order/whole-run.js';
import { endValue } from '../end-value.js';
import { kernelModule } from '../kernel-module.js';

/** A kernel of one pointer, with the number of the thread in `%r1` and the address of its element in `%rd2`. */
const module = (body: string): string =>
  kernelModule({
    declared: '.shared .align 16 .u32 s[64];',
    body: `mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n${body}`,
  });

function followed(
  body: string,
  place: string,
): { readonly run: WholeRun; readonly x: readonly (bigint | undefined)[] } {
  const listed = Array.from({ length: 64 }, (_, i) => `x[${i}];`).join(' ');
  const text =
    `PTX followed\n{ .global .align 16 .u32 x[64] = 0; }\nlaunch K "k.ptx" (x) @ ${place}\n` +
    `expect no-race\nlocations [${listed}]\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: module(body) } };
  const { value, diagnostics } = loadTests({ path: 'k.litmus', text, modules });
  const [program] = value ?? [];
  const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
  if (program === undefined || run === undefined) throw new Error(renderDiagnostics(diagnostics));
  return { run, x: program.observed.map((one) => endValue(run, one)) };
}

const rulesOf = ({ findings }: WholeRun): readonly string[] =>
  findings.map(({ rule, thread: { cta, tid } }) => `${rule} ${cta}.${tid}`);

describe('a followed launch', () => {
  it('has the values of each lane', () => {
    const own = 'mul.lo.u32 %r2, %r1, %r1; st.global.u32 [%rd2], %r2;';
    expect(followed(own, 'grid 1, block 40').x.slice(36, 41)).toEqual([1296n, 1369n, 1444n, 1521n, 0n]);
  });

  it('hands each lane the word of another, by its own number', () => {
    const body = 'add.u32 %r2, %r1, 100; shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; st.global.u32 [%rd2], %r3;';
    const { x } = followed(body, 'grid 1, block 32');
    expect(x.slice(0, 4)).toEqual([101n, 100n, 103n, 102n]);
    const up = 'shfl.sync.up.b32 %r3, %r1, 2, 0, -1; st.global.u32 [%rd2], %r3;';
    expect(followed(up, 'grid 1, block 32').x.slice(0, 5)).toEqual([0n, 1n, 0n, 1n, 2n]);
  });

  it('has one vote for all lanes of a warp, and one or for all threads of a barrier', () => {
    const vote = 'setp.gt.u32 %p1, %r1, 33; vote.sync.ballot.b32 %r2, %p1, -1; st.global.u32 [%rd2], %r2;';
    expect(followed(vote, 'grid 1, block 64').x.slice(31, 33)).toEqual([0n, 0xffff_fffcn]);
    const any = 'setp.eq.u32 %p1, %r1, 63; bar.red.popc.u32 %r2, 0, %p1; st.global.u32 [%rd2], %r2;';
    expect(followed(any, 'grid 1, block 64').x[0]).toBe(1n);
  });

  it('brings lanes together again where their ways join', () => {
    const body =
      'mov.u32 %r2, 0; and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra E; add.u32 %r2, %r2, 7; E: ' +
      'shfl.sync.idx.b32 %r4, %r2, 1, 31, -1; st.global.u32 [%rd2], %r4;';
    const { run, x } = followed(body, 'grid 1, block 32');
    expect([run.open, x[0], x[31]]).toEqual([undefined, 7n, 7n]);
  });

  it('lets warps that have exited out of a barrier', () => {
    const body = 'setp.ge.u32 %p1, %r1, 32; @%p1 ret; bar.sync 0; st.global.u32 [%rd2], 1;';
    const { run, x } = followed(body, 'grid 1, block 64');
    expect([run.open, rulesOf(run), x[31], x[32]]).toEqual([undefined, [], 1n, 0n]);
  });

  it('finds what one thread does wrong, whichever it is', () => {
    const outside = 'setp.ne.u32 %p1, %r1, 37; @%p1 bra E; st.global.u32 [%rd1+256], 1; E:';
    expect(rulesOf(followed(outside, 'grid 1, block 64').run)).toEqual(['outside-memory 0.37']);
    const vector = 'setp.ne.u32 %p1, %r1, 5; @%p1 bra E; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd2]; E:';
    expect(rulesOf(followed(vector, 'grid 1, block 32').run)).toEqual(['outside-memory 0.5']);
    const mask = 'shfl.sync.idx.b32 %r3, %r1, 0, 31, 0x7fffffff;';
    expect(rulesOf(followed(mask, 'grid 1, block 32').run)).toEqual(['outside-membermask 0.31']);
    const trap = 'setp.ne.u32 %p1, %r1, 9; @%p1 bra E; trap; E:';
    expect(rulesOf(followed(trap, 'grid 1, block 32').run)).toEqual(['trap 0.9']);
  });

  it('finds the barrier at which threads wait for ever', () => {
    const body = 'setp.ge.u32 %p1, %r1, 32; @%p1 bra E; bar.sync 1, 64; E:';
    const { run } = followed(body, 'grid 1, block 64');
    expect(new Set(rulesOf(run).map((one) => one.split(' ')[0]))).toEqual(new Set(['deadlock']));
    expect(run.findings).toHaveLength(32);
  });

  it('finds lanes that go round an aligned barrier, and none where they have left', () => {
    const round = 'setp.eq.u32 %p1, %r1, 3; @%p1 bra E; bar.sync 0; E: st.global.u32 [%rd2], 1;';
    expect(rulesOf(followed(round, 'grid 1, block 32').run)[0]).toMatch(/^aligned-divergence/);
    const left = 'setp.eq.u32 %p1, %r1, 3; @%p1 ret; bar.sync 0; st.global.u32 [%rd2], 1;';
    expect(rulesOf(followed(left, 'grid 1, block 32').run)).toEqual([]);
  });

  it.each([
    ['a clock decides', 'mov.u32 %r2, %clock; setp.eq.u32 %p1, %r2, 0; @%p1 bar.sync 0;', /open value/],
    ['loops wait', 'L: ld.weak.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;', /waits for others/],
    ['warps may be renumbered', 'mov.u32 %r2, %warpid; st.global.u32 [%rd2], %r2;', /%warpid/],
    ['nobody says how many', 'mov.u32 %r2, %nwarpid; st.global.u32 [%rd2], %r2;', /%nwarpid/],
  ])('stops where %s', (_, body, why) => {
    expect(followed(body, 'grid 1, block 32').run.open?.what).toMatch(why);
  });
});
