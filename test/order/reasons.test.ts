import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { quoteOf } from '../../src/diagnostics/source.js';
import type { ChainLink, OrderedPair } from '../../src/order/reasons.js';
import type { PlaceInLaunch } from '../../src/order/whole-run.js';
import { isOfShare } from '../shares.js';
import { KERNELS } from './kernels.js';
import { kernelTest, type SmallKernel } from './small-kernel.js';

function reasonsFor(kernel: SmallKernel): readonly OrderedPair[] {
  const { text, modules } = kernelTest(kernel);
  const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
  return (program === undefined ? undefined : wholeTest(program)?.reasons(() => undefined)) ?? [];
}

const named = (name: string): SmallKernel => {
  const kernel = KERNELS.find((one) => one.name === name);
  if (kernel === undefined) throw new Error(`no kernel ${name}`);
  return kernel;
};

const kindsOf = (pairs: readonly OrderedPair[]): readonly string[] => [
  ...new Set(pairs.map(({ chain }) => chain.map(({ kind }) => kind).join(' '))),
];

const nameOf = ({ launch, cta, tid }: PlaceInLaunch): string => `${launch} ${cta} ${tid}`;
/** What comes behind all that was done, and no thread by itself. */
const OF_ALL: readonly ChainLink['kind'][] = ['grid-start', 'grid-wait', 'mbarrier', 'matrix-group'];

const placed = (place: PlaceInLaunch | undefined): string =>
  place === undefined ? 'nobody' : `tid ${place.tid}: ${quoteOf(place.span)}`;

describe('what orders accesses to the same bytes', () => {
  it.each([
    ['lanes behind a barrier of the warp', ['warp-barrier']],
    ['arrivals and a wait', ['cta-barrier']],
    ['arrivals at an mbarrier', ['mbarrier']],
    ['relaxed arrivals behind fences', ['mbarrier']],
    ['a cluster behind its barrier', ['cluster-barrier']],
    ['one after the other', ['grid-start']],
    ['a dependent grid that waits', ['grid-wait']],
    ['a bulk copy', ['mbarrier']],
    ['a bulk copy over what was written, behind a fence of each', ['proxy-fence cta-barrier', 'mbarrier']],
    ['a count, read behind a barrier', ['cta-barrier']],
  ] as const)('is told of %s', (name, kinds) => {
    expect(kindsOf(reasonsFor(named(name)))).toEqual(kinds);
  });

  it('is nothing where nothing orders them', () => {
    expect(reasonsFor(named('lanes without one'))).toEqual([]);
  });

  it('names two threads, where they meet, and the bytes', () => {
    const [pair] = reasonsFor(named('lanes behind a barrier of the warp'));
    expect(pair?.bytes).toMatch(/^s\[\d+\]$/);
    expect(pair?.threads.map(placed)).toEqual(['tid 1: st.shared.u32 [%r3], %r1', 'tid 0: ld.shared.u32 %r6, [%r5]']);
    const [link] = pair?.chain ?? [];
    expect([link?.from, link?.to].map(placed)).toEqual(['tid 1: bar.warp.sync -1', 'tid 0: bar.warp.sync -1']);
  });

  it('leads from the one to the other, link by link', () => {
    const kinds = new Set<ChainLink['kind']>();
    for (const kernel of KERNELS.filter(({ name }) => name.includes('fence') || isOfShare(name, 12, 'chains')))
      for (const { threads, chain } of reasonsFor(kernel)) {
        let at = nameOf(threads[0]);
        for (const { kind, from, to } of chain) {
          // A launch that has ended, or a phase that is complete, is behind all that was there before.
          if (from === undefined) expect(OF_ALL, kernel.name).toContain(kind);
          else expect(nameOf(from), kernel.name).toBe(at);
          if (kind === 'proxy-fence') expect(to && nameOf(to), kernel.name).toBe(at);
          at = nameOf(to ?? threads[1]);
          kinds.add(kind);
        }
        expect(at, kernel.name).toBe(nameOf(threads[1]));
      }
    expect([...kinds]).toEqual(expect.arrayContaining(['cta-barrier', 'warp-barrier', 'mbarrier', 'poll']));
  });
});
