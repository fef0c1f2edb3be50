import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { builtInModel, solver } from '../support.js';

/** One warp; the tensor map of `in` is the third parameter, its address in `%rd4`; the first lane has `%p1`. */
const moduleOf = (body: string): string => `.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .align 64 .b8 p2[128])
{
  .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
  .shared .align 1024 .b8 s[1024];
  .shared .align 8 .b64 m;
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];
  mov.u64 %rd3, p2; cvta.param.u64 %rd4, %rd3;
  mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2;
  mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd1, %rd5; add.s64 %rd7, %rd2, %rd5;
${body}
  ret;
}
`;

const BOTH = ['answers', 'all threads'] as const;

/** What is said by following all threads, or by the engines: each answer once. */
function checked(
  map: string,
  body: string,
  conditions: readonly string[],
  by: readonly (typeof BOTH)[number][] = BOTH,
): readonly string[] {
  const values = Array.from({ length: 128 }, (_, i) => i).join(', ');
  const text =
    `PTX k\n{ .global .align 128 .u32 out[256] = 0; .global .align 128 .u32 in[128] = {${values}};\n` +
    `map = tensormap(${map}); }\nlaunch K "k.ptx" (out, in, map) @ grid 1, block 32\n` +
    `expect no-undefined\n${conditions.map((one) => `require (${one})\n`).join('')}`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: moduleOf(body) } };
  const results = by.map((wants) => {
    const { value, diagnostics } = loadTests({ path: 'k.litmus', text, modules }, {}, wants);
    const [program] = value ?? [];
    if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
    return checkTest(solver, program, builtInModel('ptx-9.4'));
  });
  const said = results.flatMap(({ expectations, conditions: all }) => [
    ...expectations.map(({ outcome }) => outcome),
    ...all.map(({ expectation }) => expectation),
  ]);
  return [...new Set(said)];
}

const CLEARED = [0, 128, 256, 384, 512, 640, 768, 896].map((at) => `st.shared.u32 [%r3 + ${at}], -1;`).join(' ');
/** The tile at `s`, which is then in `out`. */
const loaded = (dimensions: number, corner: string, bytes: number): string =>
  `${CLEARED} @%p1 mbarrier.init.shared::cta.b64 [m], 1; fence.proxy.async; bar.sync 0;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], ${bytes};
  @%p1 cp.async.bulk.tensor.${dimensions}d.shared::cta.global.tile.mbarrier::complete_tx::bytes
    [s], [%rd4, {${corner}}], [m];
  W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [m], 0; @!%p0 bra W;
  ${[0, 128, 256, 384].map((at) => `ld.shared.u32 %r4, [%r3 + ${at}]; st.global.u32 [%rd6 + ${at}], %r4;`).join(' ')}`;
const stored = (what: string, dimensions: number, corner: string): string =>
  `st.shared.u32 [%r3], 0x3c003c00; fence.proxy.async; bar.sync 0;
  @%p1 ${what.replace('.tensor', `.tensor.${dimensions}d.global.shared::cta`)}.tile.bulk_group [%rd4, {${corner}}], [s];
  @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;`;

// What an H200 does, too.
describe('a tile of a tensor', () => {
  it('has the chunks of its rows exchanged as its swizzle says', () => {
    const map = '.u32, in, dims {8, 16}, strides {32}, box {8, 8}, swizzle 32B';
    const at = ['out[0] == 0', 'out[4] == 4', 'out[31] == 31', 'out[32] == 36', 'out[36] == 32', 'out[63] == 59'];
    expect(checked(map, loaded(2, '0, 0', 256), at, ['answers'])).toEqual(['met']);
  });

  it('has rows of as many bytes as chunks are exchanged within', () => {
    const map = '.u32, in, dims {8, 16}, strides {32}, box {4, 4}, swizzle 64B';
    const at = ['out[0] == 0', 'out[4] == 0xffffffff', 'out[16] == 8', 'out[32] == 0xffffffff', 'out[36] == 16'];
    expect(checked(map, loaded(2, '0, 0', 64), at)).toEqual(['met']);
  });

  it('is reduced by the type of the elements of its tensor', () => {
    const map = '.f16, in, dims {64}, box {8}';
    const body = stored('cp.reduce.async.bulk.tensor.add', 1, '8');
    // 1.0 and a subnormal number that is far below it.
    expect(checked(map, body, ['in[4] == 0x3c003c00', 'in[7] == 0x3c003c00', 'in[8] == 8'])).toEqual(['met']);
  });

  it('may begin outside of its tensor, if it is loaded', () => {
    const map = '.u32, in, dims {8, 16}, strides {32}, box {8, 2}';
    const at = ['out[0] == 0', 'out[3] == 0', 'out[4] == 8', 'out[8] == 0', 'out[15] == 19', 'out[16] == 0xffffffff'];
    expect(checked(map, loaded(2, '-4, 1', 64), at)).toEqual(['met']);
  });

  it('may end outside of the tensor that it is stored to', () => {
    const body = stored('cp.async.bulk.tensor', 1, '60');
    const at = ['in[60] == 0x3c003c00', 'in[63] == 0x3c003c00', 'in[64] == 64', 'in[59] == 59'];
    expect(checked('.u32, in, dims {64}, box {8}', body, at)).toEqual(['met']);
  });
});
