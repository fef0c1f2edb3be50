import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import type { OpenConflict } from '../../src/order/whole-run.js';
import { kernelModule } from '../kernel-module.js';

const FENCE = 'fence.proxy.async;';
const GIVE = 'st.release.gpu.global.u32 [%rd2], 1;';
const TAKE = 'W: ld.acquire.gpu.global.u32 %r3, [%rd2]; setp.eq.u32 %p3, %r3, 0; @%p3 bra W;';
const COPY = 'cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16; cp.async.bulk.commit_group;';
const STORE = 'st.shared.u32 [s], 7;';
const arrive = (at: string, cta: number): string =>
  `mov.u32 %r4, ${at}; mapa.shared::cluster.u32 %r4, %r4, ${cta}; ` +
  'mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];';
const wait = (at: string): string =>
  `W${at}: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [${at}], 0; @!%p3 bra W${at};`;

/** What three threads do: two of CTA 0 of a cluster, and one of CTA 1. */
interface Threads {
  readonly first: string;
  readonly other: string;
  readonly second: string;
}

const moduleOf = ({ first, other, second }: Threads): string =>
  kernelModule({
    pointers: 2,
    declared: '.shared .align 16 .u32 s[4]; .shared .align 8 .b64 m; .shared .align 8 .b64 n;',
    body: `mov.u32 %r2, %cluster_ctarank; mad.lo.u32 %r2, %r2, 2, %r1;
setp.ne.u32 %p1, %r1, 0; @%p1 bra T;
mbarrier.init.shared::cta.b64 [m], 1; mbarrier.init.shared::cta.b64 [n], 1; fence.mbarrier_init.release.cluster;
T: barrier.cluster.arrive; barrier.cluster.wait;
setp.eq.u32 %p1, %r2, 0; @%p1 bra A; setp.eq.u32 %p1, %r2, 1; @%p1 bra B; setp.eq.u32 %p1, %r2, 2; @%p1 bra C; bra E;
A: ${first} bra E;
B: ${second} bra E;
C: ${other}
E: barrier.cluster.arrive; barrier.cluster.wait;`,
  });

function conflictsOf(threads: Threads): readonly string[] {
  const text = `PTX t
{ .global .align 16 .u32 x[4]; .global .u32 f = 0; }
launch K "k.ptx" (x, f) @ grid 2, block 2, cluster 2
expect no-race
`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: moduleOf(threads) } };
  const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
  const run = program && wholeTest(program)?.follow(() => undefined);
  if (run === undefined) throw new Error('not followed');
  const said = ({ kind, isCertain, forProxies }: OpenConflict): string =>
    `${isCertain ? 'a' : 'perhaps a'} ${kind}${forProxies === undefined ? '' : `: ${forProxies}`}`;
  return run.conflicts.map(said);
}

/** By way of CTA 1, whose thread may do something before it hands on. */
const byOther = (first: string, done: string, second: string): Threads => ({
  first: `${first} ${arrive('m', 1)}`,
  other: `${wait('m')} ${done} ${arrive('n', 0)}`,
  second: `${wait('n')} ${second}`,
});
const byFlag = (first: string, second: string): Threads => ({
  first: `${first} ${GIVE}`,
  other: '',
  second: `${TAKE} ${second}`,
});

describe('a copy of what the generic proxy has written', () => {
  it.each<readonly [string, Threads, readonly string[]]>([
    ['without a fence', byFlag(STORE, COPY), ['a race: no fence']],
    ['with the fence of who stores', byFlag(`${STORE} ${FENCE}`, COPY), []],
    ['with the fence of who copies', byFlag(STORE, `${FENCE} ${COPY}`), []],
    ['with the fence before the store', byFlag(`${FENCE} ${STORE}`, COPY), ['a race: no fence']],
    ['without a hand-over', { first: STORE, other: '', second: COPY }, ['a race']],
    ['by way of another CTA, without a fence', byOther(STORE, '', COPY), ['a race: no fence']],
    ['by way of another CTA, with its fence', byOther(STORE, FENCE, COPY), ['a race: another fence']],
    // The fence counts, whatever is between: that it does is not known here.
    ['by way of another CTA, with the fence before', byOther(`${STORE} ${FENCE}`, '', COPY), ['perhaps a race']],
    ['by way of another CTA, with the fence behind', byOther(STORE, '', `${FENCE} ${COPY}`), []],
  ])('%s', (_, threads, said) => {
    expect(conflictsOf(threads)).toEqual(said);
  });
});
