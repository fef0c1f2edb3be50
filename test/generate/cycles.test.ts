import { describe, expect, it } from 'vitest';
import { printCycle } from '../../src/generate/cycle.js';
import { type CycleOptions, testOfCycle } from '../../src/generate/generate-tests.js';
import { parseCycle } from '../../src/generate/parse-cycle.js';
import { SHAPES } from '../../src/generate/shapes.js';
import { drawTests } from './draw-tests.js';

function made(cycle: string, options?: CycleOptions) {
  const test = testOfCycle(cycle, options);
  if ('cannot' in test) throw new Error(test.cannot);
  return test;
}

const RELAXED = { plain: 'rlx.gpu' };

/**
 * The instructions of each thread, without state space and type, and the condition: what one would write on a
 * blackboard.
 */
function sketch(cycle: string, options?: CycleOptions): readonly string[] {
  const { text } = made(cycle, options);
  const threads = [...text.matchAll(/^P\d @[^\n]*\{\n(.*?)^\}/gms)].map(([, body = '']) =>
    body
      .trim()
      .split(/;?\n\s*/)
      .map((line) => line.replace(/;$/, '').replace(/\.global|\.(shared::(cta|cluster))|\.[ub](32|64)/g, ''))
      .join('; '),
  );
  return [...threads, /^exists .*$/m.exec(text)?.[0] ?? ''];
}

describe('a given cycle', () => {
  it('gives the test that one would write by hand', () => {
    expect(made('PodWW Rel.gpu Rfe Acq.cta PodRR Fre').text).toBe(`PTX MP+rel.gpu+acq.cta+two-ctas
"weak PodWW rel.gpu Rfe acq.cta PodRR weak Fre"
{
  .global .u32 x = 0;
  .global .u32 y = 0;
}
P0 @ cta 0, cluster 0, gpu 0 {
  st.weak.global.u32 [x], 1;
  st.release.gpu.global.u32 [y], 1;
}
P1 @ cta 1, cluster 1, gpu 0 {
  ld.acquire.cta.global.u32 r0, [y];
  ld.weak.global.u32 r1, [x];
}
exists (P1:r0 == 1 /\\ P1:r1 == 0)
locations [P1:r0; P1:r1; x; y;]
`);
  });

  const CLASSIC: readonly (readonly [cycle: string, ...expected: string[]])[] = [
    [
      'PodWW Rfe PodRR Fre',
      'st.weak [x], 1; st.weak [y], 1',
      'ld.weak r0, [y]; ld.weak r1, [x]',
      'exists (P1:r0 == 1 /\\ P1:r1 == 0)',
    ],
    [
      'PodWR Fre PodWR Fre',
      'st.weak [x], 1; ld.weak r0, [y]',
      'st.weak [y], 1; ld.weak r0, [x]',
      'exists (P0:r0 == 0 /\\ P1:r0 == 0)',
    ],
    [
      'PodRW Rfe PodRW Rfe',
      'ld.weak r0, [x]; st.weak [y], 1',
      'ld.weak r0, [y]; st.weak [x], 1',
      'exists (P0:r0 == 1 /\\ P1:r0 == 1)',
    ],
    [
      'Rfe PodRR Fre Rfe PodRR Fre',
      'st.weak [x], 1',
      'ld.weak r0, [x]; ld.weak r1, [y]',
      'st.weak [y], 1',
      'ld.weak r0, [y]; ld.weak r1, [x]',
      'exists (P1:r0 == 1 /\\ P1:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0)',
    ],
    [
      'Rfe PodRW Rfe PodRR Fre',
      'st.weak [x], 1',
      'ld.weak r0, [x]; st.weak [y], 1',
      'ld.weak r0, [y]; ld.weak r1, [x]',
      'exists (P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0)',
    ],
    [
      'PodWW Rfe PodRW Rfe PodRR Fre',
      'st.weak [x], 1; st.weak [y], 1',
      'ld.weak r0, [y]; st.weak [z], 1',
      'ld.weak r0, [z]; ld.weak r1, [x]',
      'exists (P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0)',
    ],
    [
      'PodWW Coe PodWW Coe',
      'st.weak [x], 2; st.weak [y], 1',
      'st.weak [y], 2; st.weak [x], 1',
      'exists (x == 2 /\\ y == 2)',
    ],
    [
      'PodWW Rfe PodRW Coe',
      'st.weak [x], 2; st.weak [y], 1',
      'ld.weak r0, [y]; st.weak [x], 1',
      'exists (P1:r0 == 1 /\\ x == 2)',
    ],
    [
      'PodWW Coe PodWR Fre',
      'st.weak [x], 1; st.weak [y], 1',
      'st.weak [y], 2; ld.weak r0, [x]',
      'exists (P1:r0 == 0 /\\ y == 2)',
    ],
    ['Rfe PosRR Fre', 'st.weak [x], 1', 'ld.weak r0, [x]; ld.weak r1, [x]', 'exists (P1:r0 == 1 /\\ P1:r1 == 0)'],
    ['PosRW Coe Rfe', 'ld.weak r0, [x]; st.weak [x], 1', 'st.weak [x], 2', 'exists (P0:r0 == 2 /\\ x == 2)'],
  ];
  for (const [cycle, ...expected] of CLASSIC) it(cycle, () => expect(sketch(cycle)).toEqual(expected));

  it('takes fences, dependencies and atomic operations', () => {
    expect(sketch('Fence.sc.gpu dWR Fre fence.acq_rel.cta-fence.sc.sysdWR Fre', RELAXED).slice(0, 2)).toEqual([
      'st.relaxed.gpu [x], 1; fence.acq_rel.cta; fence.sc.sys; ld.relaxed.gpu r0, [y]',
      'st.relaxed.gpu [y], 1; fence.sc.gpu; ld.relaxed.gpu r0, [x]',
    ]);
    expect(sketch('DpDatadW Rfe DpCtrldW Rfe')).toEqual([
      'ld.weak r0, [x]; setp.eq %p0, r0, 1; @%p0 st.weak [y], 1',
      'ld.weak r0, [y]; xor %s0, r0, r0; add %s0, %s0, 1; st.weak [x], %s0',
      'exists (P0:r0 == 1 /\\ P1:r0 == 1)',
    ]);
    expect(sketch('DpAddrdR Fre PodWW Rfe')[1]).toBe(
      'ld.weak r0, [y]; xor %s0, r0, r0; cvt %rd0, %s0; mov %rd1, x; add %rd1, %rd1, %rd0; ld.weak r1, [%rd1]',
    );
    expect(sketch('PodWW red.rel.gpu Rfe Rmw Rfe add.acq.gpu PodRR Fre')).toEqual([
      'st.weak [x], 1; red.release.gpu.add [y], 1',
      'atom.relaxed.gpu.exch r0, [y], 2',
      'atom.acquire.gpu.add r0, [y], 0; ld.weak r1, [x]',
      'exists (P1:r0 == 1 /\\ P2:r0 == 2 /\\ P2:r1 == 0 /\\ y == 2)',
    ]);
  });

  it('takes hand-overs as edges', () => {
    expect(sketch('Fence.acq_rel.cta-arrive.rlx.cta>spin.try_wait.acq.cta sWR Fre', { places: 'same-cta' })).toEqual([
      'st.weak [x], 1; fence.acq_rel.cta; mbarrier.arrive.relaxed.cta _, [bar1]',
      'wait0:; mbarrier.try_wait.parity.acquire.cta %p0, [bar1], 0; @!%p0 bra wait0; ld.weak r0, [x]',
      'exists (P1:r0 == 0)',
    ]);
    expect(sketch('bar.sync>bar.sync sWR Fre', { places: 'same-cta' })).toEqual([
      'st.weak [x], 1; bar.sync 1',
      'bar.sync 1; ld.weak r0, [x]',
      'exists (P1:r0 == 0)',
    ]);
    expect(sketch('g2s tx>try_wait.acq.cta sWR Fre', { places: 'same-cta' })).toEqual([
      'mbarrier.arrive.expect_tx.release.cta _, [bar1], 16; cp.async.bulk.mbarrier::complete_tx::bytes [x], ' +
        '[src1_tile], 16, [bar1]',
      'mbarrier.try_wait.parity.acquire.cta %p0, [bar1], 0; selp r0, 1, 0, %p0; ld.weak r1, [x]',
      'exists (P1:r0 == 1 /\\ P1:r1 == 0)',
    ]);
    // Without the branch, the copy could be in flight while its source is written.
    expect(sketch('PodWW Rel.cta Rfe Acq.cta branch dRR cp.async.wait_all Fre')[1]).toBe(
      'ld.acquire.cta r0, [y]; setp.ne %p0, r0, 1; @%p0 bra skip0; cp.async.ca [t0], [x], 4; cp.async.wait_all; ' +
        'ld.weak r1, [t0]; skip0:',
    );
    expect(made('s2s tx>spin.try_wait.acq.cluster sWR Fre').name).toBe(
      'MP+s2s-tx+spin.try_wait.acq.cluster+one-cluster',
    );
    expect(made('bar.sync>bar.sync dWR Nop cbar.rel>cbar.rel dRR Fre').name).toBe(
      'ISA2+bar.sync+bar.sync-cbar.rel+cbar.rel+three-ctas',
    );
  });

  it('has the name of its shape', () => {
    for (const [name, cycle] of Object.entries(SHAPES)) expect(made(cycle, RELAXED).name.split('+rlx')[0]).toBe(name);
    expect(made('Rfe Amo.add.acq_rel.gpu Rfe PodRR Fre PodWW').name).toBe(
      'MP-chain+weak+add.acq_rel.gpu+weak+three-ctas',
    );
    expect(made('PodWW Rel.gpu Coi Rlx.gpu Rfe Acq.gpu PodRR Fre').name).toBe(
      'MP+rel.gpu-pos-rlx.gpu+acq.gpu+two-ctas',
    );
  });

  it('is one test, from wherever it is told', () => {
    const tokens = 'PodWW Rel.gpu Rfe PodRW Coe Fence.sc.gpudWR Rlx.gpu Fre'.split(' ');
    const texts = tokens.map((_, i) => made([...tokens.slice(i), ...tokens.slice(0, i)].join(' ')).text);
    expect(new Set(texts).size).toBe(1);
  });

  it('may be placed', () => {
    const places = (place: string) =>
      [...made('PodWW Rfe PodRW Rfe PodRR Fre', { places: place }).text.matchAll(/^P\d @ (.*) \{/gm)].map(
        (match) => match[1],
      );
    expect(places('same-cta')).toEqual(Array(3).fill('cta 0, cluster 0, gpu 0'));
    expect(places('three-gpus')).toEqual([
      'cta 0, cluster 0, gpu 0',
      'cta 1, cluster 1, gpu 1',
      'cta 2, cluster 2, gpu 2',
    ]);
    expect(places('02.1')).toEqual(['cta 0, cluster 0, gpu 0', 'cta 1, cluster 0, gpu 0', 'cta 0, cluster 0, gpu 0']);
    expect(places('0_1__2')).toEqual(['cta 0, cluster 0, gpu 0', 'cta 1, cluster 1, gpu 0', 'cta 2, cluster 2, gpu 1']);
  });

  it('is printed as it is read', () => {
    for (const { cycle } of drawTests(400, 2)) {
      const parsed = parseCycle(cycle);
      expect('cannot' in parsed ? parsed.cannot : printCycle(parsed)).toBe(cycle);
    }
  });
});

describe('a mistake in a cycle', () => {
  const MISTAKES: readonly (readonly [cycle: string, message: string, options?: CycleOptions])[] = [
    ['', 'an empty cycle: it takes edges such as PodWW Rfe PodRR Fre'],
    ['PodWX Rfe', 'unknown edge or annotation PodWX: did you mean "PodWR"?'],
    ['PodWW Ref PodRR Fre', 'unknown edge or annotation Ref: did you mean "Rfe"?'],
    ['PodWW Rell.gpu Rfe PodRR Fre', 'unknown edge or annotation Rell.gpu: did you mean "rel.gpu"?'],
    ['Pod** Rfe', 'Pod**: wildcards are not expanded; write R or W, s or d'],
    ['Fence.sc.gup dWR Fre PodWR Fre', 'unknown step fence.sc.gup: did you mean "fence.sc.gpu"?'],
    [
      'Fence.sc.gpu Fre PodWR Fre',
      'Fence.sc.gpu needs its ends, as in "Fence.sc.gpu dRW": s or d (same or different location), then the ' +
        'directions of the two events',
    ],
    ['arive.rel.cta>try_wait.acq.cta sWR Fre', 'unknown hand-over arive.rel.cta: did you mean "arrive.rel.cta"?'],
    ['arrive.rel.cta>cbar.rel sWR Fre', 'arrive.rel.cta>cbar.rel: arrive.rel.cta is not what cbar.rel waits for'],
    [
      'tx>try_wait.acq.cta sWR Fre',
      'tx>try_wait.acq.cta: tx follows an access that tells an mbarrier of its end (g2s, s2s, reduce.s2s, ' +
        'st.async, red.async), found weak',
    ],
    ['PodWW Rfe PodWR Fre', 'Rfe ends in a read, and PodWR begins with a write'],
    ['PodWW Acq.gpu Rfe PodRR Fre', 'acq.gpu cannot be a write'],
    [
      'PodWW Rel.gpu Rlx.gpu Rfe PodRR Fre',
      'two annotations of one event: Rel.gpu and Rlx.gpu; annotations stand between edges',
    ],
    ['Rfe PodRR Fri', 'a cycle needs two edges to another thread (Rfe, Fre, Coe or a hand-over), found one'],
    [
      'PodWW Rfe PosRR Fre',
      'one edge alone changes the location (d), so the cycle does not come back to the first location: use none ' +
        'or several',
    ],
    [
      'Rfe Amo.min.rlx.gpu Rfe PodRR Fre PodWW',
      'unknown atomic edge Amo.min.rlx.gpu: it is one of Amo.exch, Amo.add, Amo.cas, with order and scope, as in ' +
        'Amo.add.acq_rel.gpu',
    ],
    ['DpDatadR Fre PodWW Rfe', 'a data dependency leads to a write'],
    [
      'arrive.rel.cta>try_wait.acq.cta sWR Fre',
      'arrive.rel.cta>try_wait.acq.cta: the mbarrier is in the CTA of P1, and P0 is in another cluster',
      { places: 'two-gpus' },
    ],
    [
      'cp.async PodWW Rfe PodRR s2g Fre',
      'x would have to lie in the shared memory of several CTAs',
      { places: 'one-cluster' },
    ],
    ['s2g PodWW Rfe PodRR s2g Fre', 'one access needs x in global memory, another one in shared memory'],
  ];
  for (const [cycle, message, options] of MISTAKES) {
    it(`${cycle}: ${message}`, () => expect(testOfCycle(cycle, options)).toEqual({ cannot: message }));
  }

  it('names the placements there are', () => {
    expect(testOfCycle('PodWW Rfe PodRR Fre', { places: 'far' })).toEqual({
      cannot:
        'no placement far of 2 threads; it is same-cta, one-cluster, two-ctas, two-gpus, or such as 0_1 (01 ' +
        'share a CTA, 0.1 a cluster, 0_1 a GPU, 0__1 nothing)',
    });
  });
});
