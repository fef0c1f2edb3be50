import { describe, expect, it } from 'vitest';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { enumerate, type Options, type Reference, termsOf } from './enumerate.js';

/**
 * The reference against answers that the PTX ISA gives itself (chapter "Memory Consistency Model", its examples, and
 * the texts of the barrier and mbarrier instructions), or that follow from its definitions by hand.
 */
type Answer = Extract<Reference, { kind: 'answer' }>;

function run(text: string, options?: Options): Reference {
  const { value, diagnostics } = parseLitmus({ path: 'test', text: `PTX test\n${text}` });
  expect(diagnostics).toEqual([]);
  return enumerate(value!, termsOf(value!), {}, options);
}

function answer(text: string, options?: Options): Answer {
  const result = run(text, options);
  if (result.kind !== 'answer') throw new Error(JSON.stringify(result));
  return result;
}

const outcomes = (text: string, options?: Options): readonly string[] => [...answer(text, options).outcomes].sort();
const flags = (text: string): readonly string[] => {
  const found = answer(text);
  return (['race', 'undefined', 'deadlock', 'trap', 'cut'] as const).filter((flag) => found[flag]);
};

const XY = '{ .global .u32 x; .global .u32 y; }';
const XF = '{ .global .u32 x; .global .u32 f; }';

describe('examples of the chapter on memory consistency', () => {
  const increments = (
    first: string,
  ): string => `{ .global .u32 x; } P0 @ cta 0 { atom.${first}.global.inc.u32 r0, [x], 9; }
    P1 @ cta 1 { atom.gpu.global.inc.u32 r0, [x], 9; } locations [x;]`;
  it('adds up increments that are morally strong, and may lose one of others', () => {
    expect(outcomes(increments('gpu'))).toEqual(['2']);
    expect(outcomes(increments('cta'))).toEqual(['1', '2']);
    expect(flags(increments('cta'))).toEqual(['race']);
  });

  const loadBuffering = (
    second: string,
  ): string => `${XY} P0 @ cta 0 { ld.global.u32 r, [x]; st.global.u32 [y], ${second}; }
    P1 @ cta 1 { ld.global.u32 r, [y]; st.global.u32 [x], ${second}; } locations [P0:r; P1:r;]`;
  it('makes no value out of thin air, and buffers loads without dependencies', () => {
    expect(outcomes(loadBuffering('r'))).toEqual(['0,0']);
    expect(outcomes(loadBuffering('1'))).toContain('1,1');
  });

  it('keeps two reads of one location coherent', () => {
    const test = `{ .global .u32 x; } P0 @ cta 0 { st.relaxed.sys.global.u32 [x], 1; }
      P1 @ cta 1 { ld.relaxed.sys.global.u32 r0, [x]; ld.relaxed.sys.global.u32 r1, [x]; } locations [P1:r0; P1:r1;]`;
    expect(outcomes(test)).toEqual(['0,0', '0,1', '1,1']);
  });

  it('passes messages through fences', () => {
    const test = `${XF} P0 @ cta 0 { st.global.u32 [x], 1; fence.sys; st.relaxed.sys.global.u32 [f], 1; }
      P1 @ cta 1 { ld.relaxed.sys.global.u32 r0, [f]; fence.sys; ld.global.u32 r1, [x]; } locations [P1:r0; P1:r1;]`;
    expect(outcomes(test)).toEqual(['0,0', '0,1', '1,1']);
  });

  const alias = (between: string): string => `{ .global .u32 x; .global .u32 y aliases x; }
    P0 @ cta 0 { st.global.u32 [x], 1; ${between} ld.global.u32 r, [y]; } locations [P0:r;]`;
  it('needs an alias fence between two addresses of one location', () => {
    expect(outcomes(alias('fence.proxy.alias;'))).toEqual(['1']);
    expect(outcomes(alias(''))).toEqual(['0', '1']);
    expect(flags(alias(''))).toEqual([]);
  });

  const storeBuffering = (
    fence: string,
  ): string => `${XY} P0 @ cta 0 { st.global.u32 [x], 1; ${fence}; ld.global.u32 r, [y]; }
    P1 @ cta 1 { st.global.u32 [y], 1; ${fence}; ld.global.u32 r, [x]; } locations [P0:r; P1:r;]`;
  it('forbids store buffering through fence.sc alone', () => {
    expect(outcomes(storeBuffering('fence.sc.sys'))).toEqual(['0,1', '1,0', '1,1']);
    expect(outcomes(storeBuffering('fence.acq_rel.sys'))).toContain('0,0');
    expect(outcomes(storeBuffering('fence.sc.cta'))).toContain('0,0');
  });

  const reduction = (
    add: string,
  ): string => `${XF} P0 @ cta 0 { st.global.u32 [x], 42; st.release.gpu.global.u32 [f], 1; }
    P1 @ cta 1 { ${add}.sys.global.add.u32 ${add === 'red' ? '' : 'r0,'} [f], 1; fence.acquire.gpu;
      ld.weak.global.u32 r1, [x]; } locations [P1:r1; f;] filter (f == 2)`;
  it('acquires through atom and not through red', () => {
    expect(outcomes(reduction('red'))).toContain('0,2');
    expect(outcomes(reduction('atom'))).not.toContain('0,2');
  });
});

describe('bytes', () => {
  const racing = (more: string): string => `{ .global .u16 x; } P0 @ cta 0 { st.weak.global.u16 [x], 0x0101; ${more} }
    P1 @ cta 1 { ld.weak.global.u16 r, [x]; } locations [P1:r;]`;
  it('tears scalars only when asked to, whatever else looks at their bytes', () => {
    for (const more of ['', 'ld.weak.global.u8 q, [x];']) {
      expect(outcomes(racing(more))).toEqual(['0', '257']);
      expect(outcomes(racing(more), { tearing: true })).toEqual(['0', '1', '256', '257']);
    }
  });

  it('calls a race of mixed sizes undefined', () => {
    const test = (size: string): string => `{ .global .u32 x; } P0 @ cta 0 { st.weak.global.${size} [x], 1; }
      P1 @ cta 1 { ld.weak.global.u32 r, [x]; } locations [P1:r;]`;
    expect(flags(test('u16'))).toEqual(['race', 'undefined']);
    expect(flags(test('u32'))).toEqual(['race']);
  });

  it('reads bytes of several ordered writes', () => {
    const test = `{ .global .u32 x; }
      P0 @ cta 0 { st.global.u32 [x], 0x01020304; st.global.u8 [x+1], 7; ld.global.u16 r, [x]; }
      locations [P0:r; x;]`;
    expect(outcomes(test)).toEqual([`${0x0704},${0x01020704}`]);
  });
});

describe('dependencies', () => {
  const reader = 'P1 @ cta 1 { ld.relaxed.gpu.global.u32 r, [y]; st.relaxed.gpu.global.u32 [x], r; }';
  const writer = (body: string): string => `{ .global .u32 x; .global .u32 y; .global .u32 z; }
    P0 @ cta 0 { ld.relaxed.gpu.global.u32 r, [x]; setp.eq.u32 p, r, 0; ${body} } ${reader} locations [P0:r; P1:r;]`;
  it('end control where the ways of a branch join', () => {
    expect(outcomes(writer('@p bra L; st.global.u32 [z], 1; L: st.relaxed.gpu.global.u32 [y], 1;'))).toContain('1,1');
    expect(outcomes(writer('@p bra L; st.relaxed.gpu.global.u32 [y], 1; L: exit;'))).toEqual(['0,0']);
  });
  it('keep what follows a loop behind what decides whether it is left', () => {
    const poll = (from: string, to: string): string =>
      `{ L: ld.relaxed.gpu.global.u32 r, [${from}]; setp.eq.u32 p, r, 0; @p bra L;
        st.relaxed.gpu.global.u32 [${to}], 1; }`;
    const both = `${XY} P0 @ cta 0 ${poll('x', 'y')} P1 @ cta 1 ${poll('y', 'x')} locations [P0:r; P1:r;]`;
    expect(outcomes(both)).toEqual([]);
    expect(flags(both)).toEqual(['deadlock']);
  });
  it('go on through registers that differ at the join', () => {
    expect(
      outcomes(writer('mov.u32 v, 1; @p bra L; mov.u32 v, 1; L: st.relaxed.gpu.global.u32 [y], v;')),
    ).not.toContain('1,1');
  });
  it('hold everything that follows an exit under a guard', () => {
    expect(outcomes(writer('@p exit; st.relaxed.gpu.global.u32 [y], 1;'))).toEqual(['0,0']);
  });
  it('pass through the count of an arrival', () => {
    const test = `{ .shared .b64 m = mbarrier(2); .global .u32 x; .global .u32 y; }
      P0 @ cta 0 { ld.relaxed.gpu.global.u32 r, [x]; add.u32 n, r, 1;
        mbarrier.arrive.relaxed.cta.shared.b64 _, [m], n; }
      P1 @ cta 1 { ld.relaxed.gpu.global.u32 r, [y]; st.relaxed.gpu.global.u32 [x], r; }
      P2 @ cta 0 { mbarrier.test_wait.parity.relaxed.cta.shared.b64 p, [m], 0; @p st.relaxed.gpu.global.u32 [y], 1; }
      locations [P0:r; P1:r; P2:p;]`;
    expect(outcomes(test)).toEqual(['0,0,0']);
  });
});

describe('execution barriers', () => {
  const reader = 'P1 @ cta 0 { bar.sync 0; ld.shared.u32 r, [d]; }';
  it('order what comes before them, and wait for no thread that has exited', () => {
    const test = `{ .shared .u32 d; } P0 @ cta 0 { st.shared.u32 [d], 1; bar.sync 0; }
      ${reader} P2 @ cta 0 { exit; } locations [P1:r;]`;
    expect(outcomes(test)).toEqual(['1']);
    expect(flags(test)).toEqual([]);
  });
  it('wait for ever if a count is too large', () => {
    expect(flags('{} P0 @ cta 0 { barrier.sync 0, 64; } P1 @ cta 0 { exit; } locations [P0:r;]')).toEqual(['deadlock']);
  });
  it('leave undefined a second arrival, a mixture with red, parts of a warp, bad numbers and bad counts', () => {
    const bodies = [
      ['bar.arrive 2, 96; bar.arrive 2, 96;', 'bar.sync 2, 96;'],
      ['bar.sync 0;', 'bar.red.or.pred q, 0, p;'],
      ['bar.sync 16;', 'bar.sync 16;'],
      ['bar.sync 0, 48;', 'bar.sync 0, 48;'],
      ['bar.sync 0, 64;', 'bar.sync 0, 96;'],
    ];
    for (const [one, other] of bodies)
      expect(flags(`{ P0:n = 16; } P0 @ cta 0 { ${one} } P1 @ cta 0 { ${other} }`)).toContain('undefined');
  });
  it('are not met again by a warp of which one lane only is there again', () => {
    const test = `{} P0 @ cta 0, warp 0 { bar.arrive 1, 64; bar.warp.sync 3; }
      P1 @ cta 0, warp 0 { bar.arrive 1, 64; barrier.arrive 1, 96; }`;
    expect(flags(test)).toEqual(['deadlock']);
    expect(flags(test.replace('barrier.arrive 1, 96', 'barrier.sync 1, 64'))).toContain('undefined');
  });
  it('let no lane see what comes after an arrival that waits for it', () => {
    const test = (wait: string): string => `{ .global .u32 f; }
      P0 @ cta 0, warp 0 { bar.arrive 1, 64; st.relaxed.cta.global.u32 [f], 1; }
      P1 @ cta 0, warp 0 { ld.relaxed.cta.global.u32 r, [f]; ${wait} bar.arrive 1, 64; }
      P2 @ cta 0, warp 1 { bar.sync 1, 64; } locations [P1:r;]`;
    expect(outcomes(test('setp.eq.u32 p, r, 7; @p exit;'))).toEqual(['0']);
    // Without a dependency the load may return later.
    expect(outcomes(test(''))).toEqual(['0', '1']);
  });
  it('if aligned, must be the same for all lanes of a warp, and no lane may run out of them', () => {
    const warp = (one: string, other: string): string =>
      `{} P0 @ cta 0, warp 0 { mov.u32 r, 1; ${one} } P1 @ cta 0, warp 0 { mov.u32 r, 0; ${other} }`;
    expect(flags(warp('bar.sync 0;', 'bar.sync 0;'))).toEqual([]);
    expect(flags(warp('barrier.sync 0;', 'barrier.sync 0, 32;'))).toContain('undefined');
    expect(flags(warp('bar.sync 0;', 'bar.sync 0, 32;'))).toEqual(['undefined']);
    expect(flags(warp('bar.sync 0;', 'bar.sync 1;'))).toEqual(['undefined']);
    expect(flags(warp('bar.sync r;', 'bar.sync r;'))).toEqual(['undefined']);
    expect(flags(warp('barrier.sync 0;', 'barrier.sync 1;'))).toEqual(['deadlock']);
    expect(flags(warp('bar.sync 0;', ''))).toEqual(['undefined']);
    expect(flags(warp('bar.sync 0;', 'exit;'))).toEqual([]);
    expect(flags(warp('bar.sync 0;', 'L: bra L;'))).toEqual(['deadlock']);
    expect(flags(warp('bar.sync 0;', 'bar.warp.sync 3;'))).toEqual(['undefined']);
    expect(flags(warp('barrier.sync 0;', 'bar.warp.sync 3;'))).toEqual(['deadlock']);
    expect(flags(warp('bar.sync 0;', 'bar.warp.sync 2; bar.sync 0;'))).toEqual([]);
    expect(flags(warp('bar.sync 0;', 'barrier.sync 1;'))).toEqual(['undefined']);
  });
  it('of a reduction take a predicate of each thread, and popc counts those that are true', () => {
    const test = (form: string, a: number, b: number): string => `{ P0:a = ${a}; P1:a = ${b}; }
      P0 @ cta 0 { setp.eq.u32 p, a, 1; bar.red.${form} r, 0, p; }
      P1 @ cta 0 { setp.eq.u32 p, a, 1; bar.red.${form} r, 0, !p; } locations [P0:r; P1:r;]`;
    const count = (a: number, b: number): readonly string[] => outcomes(test('popc.u32', a, b));
    expect([count(1, 0), count(1, 1), count(0, 1)]).toEqual([['2,2'], ['1,1'], ['0,0']]);
    expect(outcomes(test('and.pred', 1, 0))).toEqual(['1,1']);
    expect(outcomes(test('or.pred', 0, 1))).toEqual(['0,0']);
  });
  it('of a cluster order nothing by a relaxed arrival, unless a release fence of that reach comes before', () => {
    const test = (arrive: string): string => `{ .global .u32 x; }
      P0 @ cta 0, cluster 0 { st.global.u32 [x], 1; ${arrive}; barrier.cluster.wait; }
      P1 @ cta 1, cluster 0 { barrier.cluster.arrive; barrier.cluster.wait; ld.global.u32 r, [x]; } locations [P1:r;]`;
    expect(outcomes(test('barrier.cluster.arrive'))).toEqual(['1']);
    expect(outcomes(test('barrier.cluster.arrive.relaxed'))).toEqual(['0', '1']);
    expect(outcomes(test('fence.release.cluster; barrier.cluster.arrive.relaxed'))).toEqual(['1']);
    expect(outcomes(test('fence.release.cta; barrier.cluster.arrive.relaxed'))).toEqual(['0', '1']);
  });
  it('of a warp wait for all lanes of their mask', () => {
    const test = (mask: number): string =>
      `{} P0 @ cta 0, warp 0 { exit; } P1 @ cta 0, warp 0 { bar.warp.sync ${mask}; }`;
    expect([1, 2, 3].map((mask) => flags(test(mask)))).toEqual([['undefined'], [], ['deadlock']]);
  });
});

describe('mbarrier objects', () => {
  const message = (arrive: string, wait: string): string => `{ .shared .b64 m = mbarrier(1); .shared .u32 d; }
    P0 @ cta 0 { st.shared.u32 [d], 1; ${arrive}.shared.b64 _, [m]; }
    P1 @ cta 0 { W: ${wait}.shared.b64 p, [m], 0; @!p bra W; ld.shared.u32 r, [d]; } locations [P1:r;]`;
  it('pass messages by release and acquire', () => {
    const test = message('mbarrier.arrive', 'mbarrier.try_wait.parity');
    expect(outcomes(test)).toEqual(['1']);
    expect(flags(test)).toEqual([]);
    expect(outcomes(message('mbarrier.arrive.relaxed.cta', 'mbarrier.try_wait.parity'))).toEqual(['0', '1']);
    expect(outcomes(message('fence.release.cta; mbarrier.arrive.relaxed.cta', 'mbarrier.try_wait.parity'))).toEqual([
      '1',
    ]);
  });
  it('keep the phase open while arrivals or transactions are pending', () => {
    const test = (bytes: number): string => `{ .shared .b64 m = mbarrier(1); }
      P0 @ cta 0 { mbarrier.arrive.expect_tx.shared.b64 t, [m], 16;
        W: mbarrier.test_wait.shared.b64 p, [m], t; @!p bra W; }
      P1 @ cta 0 { mbarrier.complete_tx.relaxed.cta.shared.b64 [m], ${bytes}; }`;
    expect([16, 8].map((bytes) => flags(test(bytes)))).toEqual([[], ['deadlock']]);
  });
  it('do not justify undefined behavior by what it gives', () => {
    const test = `{ .global .u32 g; .shared .b64 m = mbarrier(2) @ cta 0; }
      P0 @ cta 0 { ld.relaxed.gpu.global.u32 r, [g]; add.u32 n, r, 1; mbarrier.arrive.relaxed.cta.shared.b64 _, [m];
        mbarrier.arrive.relaxed.cta.shared.b64 _, [m], n; }
      P1 @ cta 0 { mbarrier.test_wait.parity.relaxed.cta.shared.b64 p, [m], 0;
        @p st.relaxed.gpu.global.u32 [g], 1; } locations [P0:r; g;]`;
    expect(flags(test)).toEqual([]);
  });
  it('leave undefined more arrivals than are pending, and any operation before init', () => {
    expect(flags('{ .shared .b64 m = mbarrier(1); } P0 @ cta 0 { mbarrier.arrive.shared.b64 _, [m], 2; }')).toEqual([
      'undefined',
    ]);
    const undefinedFor = (instruction: string, initial = ''): void =>
      expect(flags(`{ .shared .b64 m${initial}; } P0 @ cta 0 { ${instruction} }`)).toContain('undefined');
    undefinedFor('mbarrier.arrive.shared.b64 _, [m];');
    undefinedFor('mbarrier.arrive.shared.b64 _, [m], 0;', ' = mbarrier(1)');
    undefinedFor('mbarrier.test_wait.parity.shared.b64 p, [m], 2;', ' = mbarrier(1)');
  });
});

describe('loops', () => {
  const poll = (
    store: string,
    load: string,
  ): string => `{ .global .u32 f; } P0 @ cta 0 { st.${store}.global.u32 [f], 1; }
    P1 @ cta 1 { L: ld.${load}.global.u32 r, [f]; setp.eq.u32 p, r, 0; @p bra L; } locations [P1:r;]`;
  it('come to see a write only if both sides are strong and wide enough', () => {
    expect(flags(poll('relaxed.gpu', 'relaxed.gpu'))).toEqual([]);
    expect(flags(poll('weak', 'relaxed.gpu'))).toContain('deadlock');
    expect(flags(poll('relaxed.cta', 'relaxed.gpu'))).toContain('deadlock');
    expect(flags(poll('relaxed.gpu', 'relaxed.cta'))).toContain('deadlock');
    expect(outcomes(poll('weak', 'weak'))).toEqual(['1']);
  });
  it('of compare-and-swap need no bound', () => {
    const body = `{ again: ld.relaxed.gpu.global.u32 r0, [c]; add.u32 r2, r0, 1;
      atom.relaxed.gpu.global.cas.b32 r1, [c], r0, r2; setp.ne.u32 p, r1, r0; @p bra again; }`;
    const test = `{ .global .u32 c; } P0 @ cta 0 ${body} P1 @ cta 1 ${body} locations [c;]`;
    expect(outcomes(test)).toEqual(['2']);
    expect(flags(test)).toEqual([]);
  });
  it('that write back what they read may overwrite a write with which they are not atomic', () => {
    const test = (scope: string): string => `{ .global .u32 f; } P0 @ cta 0 { st.relaxed.${scope}.global.u32 [f], 1;
        red.relaxed.gpu.global.add.u32 [f], 1; red.relaxed.gpu.global.add.u32 [f], 1; }
      P1 @ cta 1 { L: atom.relaxed.gpu.global.add.u32 r, [f], 0; setp.eq.u32 p, r, 0; @p bra L; } locations [f;]`;
    expect(outcomes(test('gpu'))).toEqual(['3']);
    expect(outcomes(test('cta'))).toEqual(['2', '3']);
  });
  it('that a neighbor of the warp keeps from arriving hang', () => {
    const test = `{ .global .u32 f; }
      P0 @ cta 0, cluster 0, warp 0 { barrier.cluster.arrive; st.relaxed.cta.global.u32 [f], 1; barrier.cluster.wait; }
      P1 @ cta 0, cluster 0, warp 0 { S: ld.relaxed.cta.global.u32 r, [f]; setp.eq.u32 p, r, 0; @p bra S;
        barrier.cluster.arrive; barrier.cluster.wait; }`;
    expect(flags(test)).toEqual(['deadlock']);
  });
});

describe('grids', () => {
  const two = (order: string, first: string, second: string, also = ''): string =>
    `{ .global .u32 x; .global .u32 y; ${order} } P0 @ cta 0, grid 0 { ${first} }
     P1 @ cta 0, grid 1 { ${second} } ${also} locations [P1:r;]`;
  const ST = 'st.global.u32 [x], 1;';
  const LD = 'ld.global.u32 r, [x];';
  const GO = 'griddepcontrol.launch_dependents;';
  const WAIT = 'griddepcontrol.wait;';
  it('in a stream follow each other, others race', () => {
    expect(outcomes(two('grid 1 after 0;', ST, LD))).toEqual(['1']);
    expect(flags(two('grid 1 after 0;', ST, LD))).toEqual([]);
    expect(flags(two('', ST, LD))).toEqual(['race']);
  });
  it('of a stream reach over one of which no thread is shown', () => {
    expect(flags(two('grid 2 after 0; grid 1 after 2;', ST, LD))).toEqual([]);
    expect(flags(two('grid 2 dependent on 0; grid 1 after 2;', ST, LD))).toEqual(['race']);
  });
  it('that depend begin with the first trigger of each CTA, which releases what a fence before it releases', () => {
    const fenced = `${ST} fence.acq_rel.gpu; ${GO}`;
    const late = `bar.sync 0; fence.acq_rel.gpu; ${GO}`;
    const test = (first: string, second: string): string =>
      two('grid 1 dependent on 0;', first, LD, `P2 @ cta 0, grid 0 { ${second} }`);
    expect(flags(two('grid 1 dependent on 0;', fenced, LD))).toEqual([]);
    expect(flags(test(fenced, ''))).toEqual([]);
    expect(flags(test(fenced, GO))).toEqual(['race']);
    expect(flags(test(`${ST} ${late}`, late))).toEqual([]);
    expect(flags(test(`${ST} ${late}`, `bar.sync 0; ${GO}`))).toEqual(['race']);
  });
  it('that wait see all of those before them', () => {
    expect(flags(two('grid 1 dependent on 0;', `${GO} ${ST}`, `${WAIT} ${LD}`))).toEqual([]);
    expect(outcomes(two('grid 1 dependent on 0;', `${GO} ${ST}`, `${WAIT} ${LD}`))).toEqual(['1']);
    expect(flags(two('grid 1 dependent on 0;', `${GO} ${ST}`, `${LD}`))).toEqual(['race']);
  });
  it('that nothing triggers begin at the end of the primary, which nothing makes visible', () => {
    const test = (trigger: string): string => `{ .global .u32 x; grid 1 dependent on 0; }
      P0 @ cta 0, grid 0 { ${trigger} ld.relaxed.gpu.global.u32 r, [x]; }
      P1 @ cta 0, grid 1 { st.relaxed.gpu.global.u32 [x], 1; } locations [P0:r;]`;
    expect(outcomes(test(''))).toEqual(['0']);
    expect(outcomes(test(GO))).toEqual(['0', '1']);
    expect(flags(two('grid 1 dependent on 0;', ST, LD))).toEqual(['race']);
  });
  it('are not promised to begin before the end of the primary', () => {
    const poll = `${GO} L: ld.relaxed.gpu.global.u32 a, [x]; setp.eq.u32 p, a, 0; @p bra L;`;
    expect(flags(two('grid 1 dependent on 0;', poll, 'st.relaxed.gpu.global.u32 [x], 1;'))).toEqual(['deadlock']);
    expect(flags(two('', poll, 'st.relaxed.gpu.global.u32 [x], 1;'))).toEqual([]);
    expect(flags(two('grid 1 after 0;', poll, 'st.relaxed.gpu.global.u32 [x], 1;'))).toEqual(['deadlock']);
  });
  it('do not begin by a trigger that depends on what they store', () => {
    const test = (guard: string): string => `{ .global .u32 x; grid 1 dependent on 0; }
      P0 @ cta 0, grid 0 { ld.relaxed.gpu.global.u32 r, [x]; setp.eq.u32 p, r, 1; ${guard} ${GO} }
      P1 @ cta 0, grid 1 { st.relaxed.gpu.global.u32 [x], 1; } locations [P0:r;]`;
    expect(outcomes(test('@p'))).toEqual(['0']);
    expect(outcomes(test(''))).toEqual(['0', '1']);
  });
  it('begin by a trigger that need not wait for an acquire before it', () => {
    const test = `{ .global .u32 x; grid 1 dependent on 0; }
      P0 @ cta 0, grid 0 { ld.acquire.gpu.global.u32 r, [x]; ${GO} }
      P1 @ cta 0, grid 1 { st.release.gpu.global.u32 [x], 1; } locations [P0:r;]`;
    expect(outcomes(test)).toEqual(['0', '1']);
    expect(outcomes(test.replace(GO, `fence.acq_rel.gpu; ${GO}`))).toEqual(['0']);
  });
  it('have CTAs, and shared memory, of their own', () => {
    const both = `{ .shared .u32 s; } P0 @ cta 0, grid 0 { st.shared.u32 [s], 1; bar.sync 0; }
      P1 @ cta 0, grid 1 { bar.sync 0; ld.shared.u32 r, [s]; } locations [P1:r;]`;
    expect(outcomes(both)).toEqual(['0']);
  });
});

it('knows lanes that are at an aligned barrier by two instructions', () => {
  const body = (number: number): string => `{ P0:a = ${number}; P1:a = 1; }
    P0, P1 @ cta 0, warp 0 { setp.eq.u32 p, a, 1; @p bra A; bar.sync 1; bra E; A: bar.sync 1; E: }`;
  expect([flags(body(1)), flags(body(0))]).toEqual([[], ['undefined']]);
  // Also where the one body is written twice.
  const code = '{ setp.eq.u32 p, a, 1; @p bra A; bar.sync 1; bra E; A: bar.sync 1; E: }';
  const twice = body(0).replace(/P0, P1 @.*$/s, `P0 @ cta 0, warp 0 ${code} P1 @ cta 0, warp 0 ${code}`);
  expect(flags(twice)).toEqual(['undefined']);
});

it('knows traps', () => {
  const test = (value: number): string => `{ .global .u32 x; }
    P0 @ cta 0 { ld.relaxed.gpu.global.u32 r, [x]; setp.eq.u32 p, r, 1; @p trap; }
    P1 @ cta 1 { st.relaxed.gpu.global.u32 [x], ${value}; } locations [P0:r;]`;
  expect([flags(test(1)), flags(test(2))]).toEqual([['trap'], []]);
  expect(outcomes(test(1))).toEqual(['0']);
});

it('compares addresses', () => {
  expect(outcomes(`${XY} P0 @ cta 0 { mov.u64 r, x; } filter (P0:r == &x)`)[0]).toMatch(/^(\d+),\1$/);
});

it('refuses what it does not know', () => {
  const body = (instruction: string): Reference => run(`{ .global .u32 x; } P0 @ cta 0 { ${instruction} }`);
  for (const one of [
    'ld.global.nc.u32 r, [x];',
    'fence.proxy.async;',
    'mov.u32 r, %tid.x;',
    'ld.relaxed.global.u32 r, [x];',
  ]) {
    expect(body(one).kind).toBe('unsupported');
  }
});
