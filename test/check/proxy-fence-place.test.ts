import { describe, expect, it } from 'vitest';
import { checkOperationally } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';
import { proxies } from '../order/proxies.js';
import { builtInModel, checkProgram, programOf, solver } from '../support.js';

/**
 * What the choice proxy-fence says of who executes fence.proxy.async between a generic store and an asynchronous read
 * of it (docs/decisions/proxy-fence-place.md). Each test: the place of the issuer, and the two bodies; whether the copy
 * may miss the store, by value. Both engines, where both run it.
 */
const VALUES = ['strict', 'lenient', 'thread', 'writer'] as const;
type Stale = Readonly<Record<(typeof VALUES)[number], boolean>>;

const STORE = 'st.weak.global.u32 [src], 9;';
const FENCE = 'fence.proxy.async.global;';
const ALIAS_FENCE = 'fence.proxy.alias;';
const SEND = 'st.release.gpu.global.u32 [flag], 1;';
const RECEIVE = 'again: ld.acquire.gpu.global.u32 r9, [flag]; setp.eq.u32 p7, r9, 0; @p7 bra again;';
const copyOf = (source: string): string =>
  `cp.async.bulk.global.shared::cta.bulk_group [out], [${source}], 16; cp.async.bulk.commit_group; ` +
  'cp.async.bulk.wait_group 0; ld.weak.global.u32 r0, [out];';
const SHARED_STORE = 'st.weak.shared.u32 [tile], 9;';
const SHARED_FENCE = 'fence.proxy.async.shared::cta;';
const BARRIER = 'bar.sync 0;';
/** A copy of the stored bytes, in CTA 1, after the flag. */
const GLOBAL_COPY =
  'mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16; ' +
  'cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [SOURCE], 16, [bar]; ' +
  'wait: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p0, [bar], 0; @!p0 bra wait; ' +
  'ld.weak.shared.u32 r0, [tile];';

const program = (cta: number, writer: string, issuer: string) =>
  programOf(`PTX t
{ .global .align 16 .u32 src[4]; .global .align 16 .u32 other[4] aliases src; .global .align 16 .u32 out[4];
  .global .u32 flag = 0; .shared .align 16 .u32 tile[4]; .shared .b64 bar = mbarrier(1); }
P0 @ cta 0, gpu 0 { ${writer} }
P1 @ cta ${cta}, gpu 0 { ${issuer} }
exists (P1:r0 != 9)
`);

const TABLE: readonly (readonly [what: string, cta: number, writer: string, issuer: string, stale: Stale])[] = [
  [
    'by the writer before a barrier of its CTA',
    ...([0, `${SHARED_STORE} ${SHARED_FENCE} ${BARRIER}`, `${BARRIER} ${copyOf('tile')}`] as const),
    { strict: false, lenient: false, thread: false, writer: false },
  ],
  [
    'by the issuer behind it',
    ...([0, `${SHARED_STORE} ${BARRIER}`, `${BARRIER} ${SHARED_FENCE} ${copyOf('tile')}`] as const),
    { strict: false, lenient: false, thread: false, writer: true },
  ],
  [
    'by both',
    ...([0, `${SHARED_STORE} ${SHARED_FENCE} ${BARRIER}`, `${BARRIER} ${SHARED_FENCE} ${copyOf('tile')}`] as const),
    { strict: false, lenient: false, thread: false, writer: false },
  ],
  [
    'by the writer after it has handed over',
    ...([0, `${SHARED_STORE} ${BARRIER} ${SHARED_FENCE}`, `${BARRIER} ${copyOf('tile')}`] as const),
    { strict: true, lenient: true, thread: true, writer: true },
  ],
  [
    'by the writer, in another CTA',
    ...([1, `${STORE} ${FENCE} ${SEND}`, `${RECEIVE} ${GLOBAL_COPY.replace('SOURCE', 'src')}`] as const),
    { strict: true, lenient: false, thread: true, writer: false },
  ],
  [
    'by the issuer, in another CTA',
    ...([1, `${STORE} ${SEND}`, `${RECEIVE} ${FENCE} ${GLOBAL_COPY.replace('SOURCE', 'src')}`] as const),
    { strict: false, lenient: false, thread: false, writer: true },
  ],
  [
    'by the writer, of an alias',
    ...([
      1,
      `${STORE} ${ALIAS_FENCE} ${FENCE} ${SEND}`,
      `${RECEIVE} ${GLOBAL_COPY.replace('SOURCE', 'other')}`,
    ] as const),
    { strict: true, lenient: false, thread: true, writer: false },
  ],
  [
    'by the issuer, of an alias',
    ...([
      1,
      `${STORE} ${ALIAS_FENCE} ${SEND}`,
      `${RECEIVE} ${FENCE} ${GLOBAL_COPY.replace('SOURCE', 'other')}`,
    ] as const),
    { strict: false, lenient: false, thread: false, writer: true },
  ],
];

describe('fence.proxy.async between a store and a copy', () => {
  for (const [what, cta, writer, issuer, stale] of TABLE)
    it.each(VALUES)(`${what}, under proxy-fence=%s`, async (value) => {
      const model = builtInModel('ptx-9.4', new Set(value === 'strict' ? [] : [`proxy-fence=${value}`]));
      const test = program(cta, writer, issuer);
      expect((await checkProgram(test, model)).conditions[0]?.reachable).toBe(stale[value]);
      if (value !== 'thread') expect(checkOperationally(test, model).conditions[0]?.reachable).toBe(stale[value]);
    });
});

/** The other direction: a generic store after a copy has read its source, under completion-fence=results. */
describe('fence.proxy.async between a copy and a store', () => {
  const reused = (fence: string, own: string): string => `PTX t
{ .shared .align 16 .u32 tile[4] = {9, 9, 9, 9}; .global .align 16 .u32 out[4]; }
P0 @ cta 0, gpu 0 { bar.sync 0; ${own} st.weak.shared.u32 [tile], 5; }
P1 @ cta 0, gpu 0 {
  cp.async.bulk.global.shared::cta.bulk_group [out], [tile], 16; cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0; ${fence} bar.sync 0;
}
expect race
`;
  it.each([
    ['none', reused('', ''), [true, true, true]],
    ['by the issuer', reused(SHARED_FENCE, ''), [false, false, true]],
    ['by the thread that stores', reused('', SHARED_FENCE), [false, false, false]],
  ] as const)('%s', async (_, text, races) => {
    for (const [i, value] of (['strict', 'lenient', 'writer'] as const).entries()) {
      const model = builtInModel('ptx-9.4', new Set(['completion-fence=results', `proxy-fence=${value}`]));
      const test = programOf(text);
      const expected = races[i] === true ? 'met' : 'broken';
      const result = await checkProgram(test, model);
      expect([value, result.undefinedBy === undefined ? result.expectations[0]?.outcome : 'met']).toEqual([
        value,
        expected,
      ]);
      const machine = checkOperationally(test, model);
      expect([value, machine.undefinedBy === undefined ? machine.expectations[0]?.outcome : 'met']).toEqual([
        value,
        expected,
      ]);
    }
  });
});

/** Launches of ten threads, of which those of two CTAs hand bytes on; the others do nothing. */
describe('fence.proxy.async in a launch', () => {
  const CASES = Number(process.env['FUZZ_CASES'] ?? 5);
  const TABLE = [
    ['in no CTA', '', [true, true, true, true]],
    ['in the CTA that stores', 'fence.proxy.async;', [true, false, true, false]],
  ] as const;
  const launch = (fence: string): Parameters<typeof loadTests>[0] => ({
    path: 'k.litmus',
    text: `PTX t
{ .global .align 16 .u32 x[4]; }
launch K "k.ptx" (x) @ grid 2, block 5, cluster 2
expect no-race
`,
    modules: { 'k.ptx': { path: 'k.ptx', text: moduleOf(fence) } },
  });
  const moduleOf = (fence: string): string =>
    kernelModule({
      declared: '.shared .align 16 .u32 tile[4]; .shared .align 8 .b64 bar;',
      body: `mov.u32 %r2, %cluster_ctarank; setp.ne.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 0;
@%p1 bra T; @!%p2 bra I;
st.global.u32 [%rd1], 7; ${fence} bra T;
I: mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;
T: barrier.cluster.arrive; barrier.cluster.wait;
@%p1 ret; @%p2 ret;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%rd1], 16, [bar];
W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0; @!%p3 bra W;`,
    });
  const answer = (source: Parameters<typeof loadTests>[0], value: string, follow: boolean) => {
    const model = builtInModel('ptx-9.4', new Set(value === 'strict' ? [] : [`proxy-fence=${value}`]));
    const [program] = loadTests(source, {}, follow ? 'answers' : 'all threads').value ?? [];
    if (program === undefined) throw new Error('not read');
    return checkTest(solver, program, model, { follow }).expectations[0]?.outcome;
  };

  it.each(TABLE)('%s', (_, fence, races) => {
    for (const [i, value] of VALUES.entries())
      for (const follow of [true, false])
        expect([value, follow, answer(launch(fence), value, follow)]).toEqual([
          ...[value, follow],
          races[i] === true ? 'broken' : 'met',
        ]);
  });

  it('counts by order as for the engines, whatever else is between', () => {
    let [count, racing] = [0, 0];
    for (const { name, text, modules } of proxies(Number(process.env['FUZZ_SEED'] ?? 33))) {
      if (count++ >= CASES) break;
      const asked = text.replace('block 2', 'block 5').replace(/^locations.*/m, 'expect no-race');
      for (const value of VALUES) {
        const [byOrder, byEngines] = [true, false].map((follow) =>
          answer({ path: `${name}.litmus`, text: asked, modules }, value, follow),
        );
        if (byOrder === 'broken') racing += 1;
        expect([name, value, byOrder]).toEqual([name, value, byEngines]);
      }
    }
    expect(racing).toBeGreaterThan(CASES / 2);
  });
});
