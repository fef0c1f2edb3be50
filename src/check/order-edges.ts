import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import type { OrderEdge } from '../order/whole-run.js';
import type { Scope } from '../program/placement.js';
import { askedOnce, type Decide, type DecideArguments, decided, rulesUnder } from './asked-of-model.js';
import type { CheckOptions } from './check-test.js';
import { BYTES, expecting, IN_CTA_1, load, MBARRIER, PROXY_EDGES, PROXY_RACES, wait } from './proxy-edges.js';
import { TENSOR_EDGES, TENSOR_RACES } from './tensor-edges.js';

/**
 * What every execution under a model must say of two threads, so that a kind of edge may be used for all: what is
 * before it is seen, overwritten, and not read too early; by accesses of one thread without any edge (`po`); by atomics
 * in no order.
 */
const HANDED_OVER = {
  before: 'st.weak.global.u32 [x], 1; ld.weak.global.u32 r1, [y];',
  behind: 'ld.weak.global.u32 r2, [x]; st.weak.global.u32 [x], 2; st.weak.global.u32 [y], 1;',
  expected: 'P0:r1 == 0 /\\ P1:r2 == 1 /\\ x == 2 /\\ y == 1',
};

interface EdgeTest {
  readonly places: readonly [string, string];
  readonly declared?: string;
  readonly arrive?: string;
  readonly wait?: string;
}

const STORE = 'cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16; cp.async.bulk.commit_group;';

/** Copies out of what has been copied there, and what tells of that. */
const EMPTY =
  '.global .align 16 .u32 y[4] = 6; .global .align 16 .u32 out[4]; .shared .b64 n = mbarrier(1) @ cta 0; ' +
  '.shared .b64 k = mbarrier(1) @ cta 1;';
const OUT =
  'cp.async.bulk.global.shared::cta.bulk_group [out], [s], 16; cp.async.bulk.commit_group; ' +
  'cp.async.bulk.wait_group 0;';

/** Products of a matrix that is copied, and of others that stay; a thread waits for the first. */
const MATRICES =
  '.global .align 16 .u32 y[4] = 6; .shared .b64 n = mbarrier(1); .shared .b64 k = mbarrier(1); ' +
  '.shared .align 16 .u32 t[4]; a = tile(s, 16); b = tile(t, 16);';
const product = (a: string): string =>
  'wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, ' +
  `${a}, b, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;`;
const PRODUCT = `${product('a')} wgmma.wait_group.sync.aligned 0;`;
const NEXT_PRODUCT = `${product('b')} wgmma.wait_group.sync.aligned 0;`;

/** A bulk store that nobody waits for, read by a later grid in both proxies. */
const acrossGrids = (declared: string, start: string): string =>
  `{ ${BYTES} ${MBARRIER} ${declared} }\n` +
  `P0 @ grid 0 { st.weak.shared.u32 [s], 7; fence.proxy.async; ${STORE} }\n` +
  `P1 @ grid 1 { ${start} ld.weak.global.u32 r1, [x]; ${expecting('m')} ${load('x', 'm')} ` +
  `${wait('m')} ld.weak.shared.u32 r2, [s]; }\n` +
  'require (P1:r1 == 7 /\\ P1:r2 == 7)\n';

/** Through the read-only path a later grid finds what an earlier one has written, and an earlier one not the other. */
function readOnlyAcrossGrids(wait: string): readonly string[] {
  const memory = `{ .global .u32 x = 0; grid 1 ${wait === '' ? 'after' : 'dependent on'} 0; }\n`;
  const [write, read] = ['st.weak.global.u32 [x], 1;', 'ld.global.nc.u32 r1, [x];'];
  return [
    `${memory}P0 @ grid 0 { ${write} }\nP1 @ grid 1 { ${wait} ${read} }\nrequire (P1:r1 == 1)\n`,
    `${memory}P0 @ grid 0 { ${read} }\nP1 @ grid 1 { ${wait} ${write} }\nrequire (P0:r1 == 0)\n`,
  ];
}

/** Two threads of which the first comes before the second. */
const handOver = ({ places, declared = '', arrive = '', wait = '' }: EdgeTest): string =>
  `{ .global .u32 x = 0; .global .u32 y = 0; ${declared} }\n` +
  `P0 @ ${places[0]} { ${HANDED_OVER.before} ${arrive} }\nP1 @ ${places[1]} { ${wait} ${HANDED_OVER.behind} }\n` +
  `require (${HANDED_OVER.expected})\n`;

/** Two threads that a scope holds, and a wait for a value. */
const APART: Readonly<Record<Scope, readonly [string, string]>> = {
  cta: ['cta 0, warp 0', 'cta 0, warp 1'],
  cluster: ['cluster 0, cta 0', 'cluster 0, cta 1'],
  gpu: ['gpu 0, cta 0', 'gpu 0, cta 1'],
  sys: ['gpu 0, cta 0', 'gpu 1, cta 1'],
};
const poll = (load: string, value: number): string =>
  `W: ${load}.global.u32 r9, [f]; setp.ne.u32 p, r9, ${value}; @p bra W;`;

/** A flag by a release and an acquire, by fences, by a relaxed store behind the release; a count of two. */
function polls(scope: Scope): readonly string[] {
  const declared = '.global .u32 f = 0;';
  const fence = `fence.acq_rel.${scope};`;
  const [acquire, relaxed] = [`ld.acquire.${scope}`, `ld.relaxed.${scope}`];
  const flag = (arrive: string, wait: string): string =>
    handOver({ places: APART[scope], declared, arrive, wait: `${wait} st.weak.global.u32 [f], 7;` });
  const store = (how: string, value: number): string => `st.${how}.${scope}.global.u32 [f], ${value};`;
  const locked = (take: string, leave: string, beside = ''): string => {
    const body =
      `W: ${take} setp.ne.u32 p, r1, 0; @p bra W; ${beside} ld.weak.global.u32 r2, [x]; add.u32 r2, r2, 1; ` +
      `st.weak.global.u32 [x], r2; ${beside} ${leave}`;
    const threads = APART[scope].map((place, i) => `P${i} @ ${place} { ${body} }`);
    return `{ .global .u32 x = 0; ${declared} }\n${threads.join('\n')}\nrequire (x == 2)\n`;
  };
  const ticket = (how: string): string => `atom.${how}.${scope}.global.add.u32 r1, [f], 1;`;
  const add = `red.relaxed.${scope}.global.add.u32 [f], 1;`;
  return [
    flag(store('release', 1), poll(acquire, 1)),
    flag(fence + store('relaxed', 1), poll(relaxed, 1) + fence),
    // What is done while one has a lock is done after the other.
    locked(`atom.acquire.${scope}.global.cas.b32 r1, [f], 0, 1;`, store('release', 0)),
    locked(`atom.relaxed.${scope}.global.exch.b32 r1, [f], 1;`, store('relaxed', 0), fence),
    // Of two that count the last one finds what the other one has written.
    `{ .global .u32 x = 0; .global .u32 y = 0; ${declared} }\n` +
      `P0 @ ${APART[scope][0]} { st.weak.global.u32 [x], 1; ${fence} ${ticket('relaxed')} ` +
      `${fence} setp.ne.u32 p, r1, 1; @p bra E; ld.weak.global.u32 r2, [y]; E: }\n` +
      `P1 @ ${APART[scope][1]} { st.weak.global.u32 [y], 1; ${ticket('acq_rel')} ` +
      'setp.ne.u32 p, r1, 1; @p bra E; ld.weak.global.u32 r2, [x]; E: }\n' +
      'require ((P0:r1 == 0 \\/ P0:r2 == 1) /\\ (P1:r1 == 0 \\/ P1:r2 == 1) /\\ P0:r1 + P1:r1 == 1)\n',
    // Without any other order the flag itself is written again.
    `{ ${declared} }\nP0 @ ${APART[scope][0]} { ${store('relaxed', 1)} }\n` +
      `P1 @ ${APART[scope][1]} { ${poll(relaxed, 1)} st.weak.global.u32 [f], 7; }\nrequire (f == 7)\n`,
    flag(store('release', 1) + store('relaxed', 2), poll(acquire, 2)),
    flag(fence + add + add, poll(relaxed, 2) + fence),
    `{ .global .u32 x = 0; .global .u32 y = 0; ${declared} }\n` +
      `P0 @ ${APART[scope][0]} { st.weak.global.u32 [x], 1; ${fence} ${add} }\n` +
      `P1 @ ${APART[scope][1]} { st.weak.global.u32 [y], 2; red.release.${scope}.global.add.u32 [f], 1; ` +
      `${poll(acquire, 2)} ld.weak.global.u32 r1, [x]; }\n` +
      `P2 @ ${APART[scope][0]} { ${poll(relaxed, 2)} ${fence} ld.weak.global.u32 r2, [y]; }\n` +
      'require (P1:r1 == 1 /\\ P2:r2 == 2)\n',
  ];
}

/** A thread of another CTA arrives at an mbarrier, or writes beside it: what is before that is before what waits. */
function remotely(...ways: readonly (readonly [arrive: string, wait: string])[]): readonly string[] {
  const declared = `${MBARRIER.replace(';', ' @ cta 1;')} .shared .u32 s = 0 @ cta 1;`;
  return ways.flatMap(([arrive, wait]) => [
    handOver({ places: APART.cluster, declared, arrive, wait }),
    `{ ${declared} }\nP0 @ ${APART.cluster[0]} { st.weak.shared::cluster.u32 [s], 1; ${arrive} }\n` +
      `P1 @ ${APART.cluster[1]} { ${wait} ld.weak.shared.u32 r1, [s]; }\nrequire (P1:r1 == 1)\n`,
  ]);
}

const RELAXED = 'barrier.cluster.arrive.relaxed; barrier.cluster.wait;';

const WARPS = { places: ['cta 0, warp 0', 'cta 0, warp 1'] } as const;
const EXCHANGED = ['vote.sync.ballot.b32 r5, q', 'match.any.sync.b32 r5, 7', 'redux.sync.add.u32 r5, 1'];
const DEPENDENT = 'grid 1 dependent on 0;';
const TRIGGER = 'griddepcontrol.launch_dependents;';
const GRIDS = { places: ['grid 0', 'grid 1'] } as const;

/** By kind of edge, tests of what it orders. */
const EDGES: Readonly<Record<OrderEdge, readonly string[]>> = {
  'cta-barrier': [handOver({ ...WARPS, arrive: 'bar.sync 0;', wait: 'bar.sync 0;' })],
  'warp-barrier': [
    handOver({
      places: ['cta 0, warp 0', 'cta 0, warp 0'],
      ...{ arrive: 'bar.warp.sync 3;', wait: 'bar.warp.sync 3;' },
    }),
  ],
  'warp-exchange': [...EXCHANGED, 'shfl.sync.idx.b32 r5, 1, 0, 31'].map((one) =>
    handOver({ places: ['cta 0, warp 0', 'cta 0, warp 0'], arrive: `${one}, 3;`, wait: `${one}, 3;` }),
  ),
  'cluster-barrier': [
    handOver({
      places: ['cluster 0, cta 0', 'cluster 0, cta 1'],
      arrive: 'barrier.cluster.arrive; barrier.cluster.wait;',
      wait: 'barrier.cluster.arrive; barrier.cluster.wait;',
    }),
  ],
  'grid-wait': [handOver({ ...GRIDS, declared: DEPENDENT, wait: 'griddepcontrol.wait;' })],
  // One thread, and two that may both be the first to let the other grid begin.
  'grid-trigger': [
    handOver({ ...GRIDS, declared: DEPENDENT, arrive: `fence.acq_rel.gpu; ${TRIGGER}` }),
    `{ .global .u32 x = 0; .global .u32 y = 0; ${DEPENDENT} }\n` +
      `P0 @ grid 0, cta 0, warp 0 { st.weak.global.u32 [x], 1; fence.acq_rel.gpu; bar.sync 0; ${TRIGGER} }\n` +
      `P1 @ grid 0, cta 0, warp 1 { st.weak.global.u32 [y], 1; fence.acq_rel.gpu; bar.sync 0; ${TRIGGER} }\n` +
      'P2 @ grid 1, cta 1 { ld.weak.global.u32 r1, [x]; ld.weak.global.u32 r2, [y]; }\n' +
      'require (P2:r1 == 1 /\\ P2:r2 == 1)\n',
  ],
  'grid-start': [handOver({ ...GRIDS, declared: 'grid 1 after 0;' })],
  mbarrier: [
    handOver({ ...WARPS, declared: MBARRIER, arrive: 'mbarrier.arrive.shared::cta.b64 _, [m];', wait: wait('m') }),
  ],
  'mbarrier-cluster': remotely(
    ['mbarrier.arrive.release.cluster.shared::cluster.b64 _, [m];', wait('m', '.acquire.cluster')],
    [
      'fence.acq_rel.cluster; mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [m];',
      wait('m', '.acquire.cluster'),
    ],
    [
      'mbarrier.arrive.release.cluster.shared::cluster.b64 _, [m];',
      `${wait('m', '.relaxed.cluster')} fence.acq_rel.cluster;`,
    ],
    ['fence.acq_rel.cluster; mbarrier.arrive.shared::cluster.b64 _, [m];', `${wait('m')} fence.acq_rel.cluster;`],
  ),
  'cluster-fence': ['acq_rel', 'release'].map((how) =>
    handOver({ places: APART.cluster, arrive: `fence.${how}.cluster; ${RELAXED}`, wait: RELAXED }),
  ),
  // Of the own CTA, and of another one: where the object is used it has been initialized.
  'init-fence': [
    '{ .shared .b64 m @ cta 0; }\nP0 @ cluster 0, cta 0, warp 0 { mbarrier.init.shared::cta.b64 [m], 2; ' +
      `fence.mbarrier_init.release.cluster; ${RELAXED} }\n` +
      `P1 @ cluster 0, cta 0, warp 1 { ${RELAXED} mbarrier.arrive.shared::cta.b64 _, [m]; ${wait('m')} }\n` +
      `P2 @ cluster 0, cta 1 { ${RELAXED} mbarrier.arrive.release.cluster.shared::cluster.b64 _, [m]; }\n`,
  ],
  'poll-cta': polls('cta'),
  'poll-cluster': polls('cluster'),
  'poll-gpu': polls('gpu'),
  'poll-sys': polls('sys'),
  fence: [
    handOver({
      ...{ ...WARPS, declared: MBARRIER, wait: wait('m') },
      arrive: 'fence.acq_rel.cta; mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m];',
    }),
    handOver({
      ...{ ...WARPS, declared: MBARRIER, wait: `${wait('m', '.relaxed.cta')} fence.acq_rel.cta;` },
      arrive: 'mbarrier.arrive.shared::cta.b64 _, [m];',
    }),
  ],
  // A copy is complete for its thread behind the wait for its group, and by a barrier for others.
  'group-wait': [
    '{ .global .u32 x = 0; .shared .u32 s; }\nP0 @ cta 0, warp 0 { st.weak.global.u32 [x], 5; ' +
      'cp.async.ca.shared.global [s], [x], 4; cp.async.commit_group; cp.async.wait_group 0; ' +
      'ld.weak.shared.u32 r1, [s]; st.weak.global.u32 [x], 9; bar.sync 0; }\n' +
      'P1 @ cta 0, warp 1 { bar.sync 0; ld.weak.shared.u32 r2, [s]; }\n' +
      'require (P0:r1 == 5 /\\ P1:r2 == 5 /\\ x == 9)\n',
  ],
  'group-mbarrier': [
    `{ .global .u32 x = 0; .shared .u32 s; ${MBARRIER} }\n` +
      'P0 @ cta 0, warp 0 { st.weak.global.u32 [x], 5; cp.async.ca.shared.global [s], [x], 4; ' +
      'cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m]; }\n' +
      `P1 @ cta 0, warp 1 { ${wait('m')} ld.weak.shared.u32 r1, [s]; st.weak.global.u32 [x], 9; }\n` +
      'require (P1:r1 == 5 /\\ x == 9)\n',
  ],
  'bulk-mbarrier': [
    `{ ${BYTES} ${MBARRIER} }\nP0 @ cta 0, warp 0 { ${expecting('m')} ${load('x', 'm')} }\n` +
      `P1 @ cta 0, warp 1 { ${wait('m')} ld.weak.shared.u32 r1, [s]; st.weak.global.u32 [x], 9; }\n` +
      'require (P1:r1 == 5 /\\ x == 9)\n',
    // Copies follow each other without a fence.
    `{ ${BYTES} ${MBARRIER} .global .align 16 .u32 y[4] = 6; .shared .b64 n = mbarrier(1); }\n` +
      `P0 @ cta 0, warp 0 { ${expecting('m')} ${load('x', 'm')} }\n` +
      `P1 @ cta 0, warp 1 { ${wait('m')} ${load('y', 'n')} }\nP2 @ cta 0, warp 2 { ${expecting('n')} }\n` +
      `P3 @ cta 0, warp 3 { ${wait('n')} ld.weak.shared.u32 r1, [s]; }\nrequire (P3:r1 == 6)\n`,
  ],
  // A copy into the memory of another CTA is told there, at whatever scope is waited; another one behind it is fenced.
  'bulk-cluster': [
    `{ ${IN_CTA_1} }\nP0 @ cluster 0, cta 0 { ${load('x', 'm')} }\n` +
      `P1 @ cluster 0, cta 1 { ${expecting('m')} ${wait('m')} ld.weak.shared.u32 r1, [s]; ` +
      'st.weak.global.u32 [x], 9; }\nrequire (P1:r1 == 5 /\\ x == 9)\n',
    `{ ${IN_CTA_1} .global .align 16 .u32 y[4] = 6; .shared .b64 n = mbarrier(1) @ cta 1; }\n` +
      `P0 @ cluster 0, cta 0 { ${load('x', 'm')} }\n` +
      `P1 @ cluster 0, cta 1 { ${expecting('m')} ${wait('m')} fence.proxy.async; ${expecting('n')} ${load('y', 'n')} ` +
      `${wait('n')} ld.weak.shared.u32 r1, [s]; }\nrequire (P1:r1 == 6)\n`,
  ],
  ...PROXY_EDGES,
  // A product of one warp is complete for another one of its warpgroup, and what it read may be copied over.
  'matrix-group': [
    `{ ${BYTES} ${MBARRIER} ${MATRICES} }\n` +
      `P0 @ cta 0, warp 4 { ${expecting('m')} ${load('x', 'm')} ${wait('n')} ${expecting('k')} ${load('y', 'k')} }\n` +
      `P1 @ cta 0, warp 0 { ${wait('m')} ${PRODUCT} ${NEXT_PRODUCT} }\n` +
      `P2 @ cta 0, warp 1 { ${wait('m')} ${PRODUCT} mbarrier.arrive.shared::cta.b64 _, [n]; ${NEXT_PRODUCT} ` +
      `${wait('k')} ld.weak.shared.u32 r1, [s]; }\nrequire (P2:r1 == 6)\n`,
  ],
  'bulk-group': [
    `{ ${BYTES} }\nP0 @ cta 0, warp 0 { st.weak.shared.u32 [s], 7; fence.proxy.async; ${STORE} ` +
      'cp.async.bulk.wait_group.read 0; st.weak.shared.u32 [s], 8; cp.async.bulk.wait_group 0; bar.sync 0; }\n' +
      'P1 @ cta 0, warp 1 { bar.sync 0; ld.weak.global.u32 r1, [x]; st.weak.global.u32 [x], 9; }\n' +
      'require (P1:r1 == 7 /\\ x == 9)\n',
  ],
  'async-owner': [
    `{ ${IN_CTA_1} ${EMPTY} }\nP0 @ cluster 0, cta 0 { ${load('x', 'm')} ${wait('n', '.acquire.cluster')} ` +
      `${load('y', 'k')} }\nP1 @ cluster 0, cta 1 { ${expecting('m')} ${wait('m')} ${OUT} ` +
      `mbarrier.arrive.release.cluster.shared::cluster.b64 _, [n]; ${expecting('k')} ${wait('k')} ` +
      'ld.weak.shared.u32 r1, [s]; }\nrequire (out == 5 /\\ P1:r1 == 6)\n',
  ],
  ...TENSOR_EDGES,
  'grid-read-only': ['', 'griddepcontrol.wait;'].flatMap(readOnlyAcrossGrids),
  'grid-bulk': [acrossGrids('grid 1 after 0;', ''), acrossGrids('grid 1 dependent on 0;', 'griddepcontrol.wait;')],
};

export const ORDER_EDGES = Object.keys(EDGES) as readonly OrderEdge[];

/** A thread alone, and atomics of two threads. */
const ALONE =
  '{ .global .u32 x = 0; }\n' +
  'P0 { st.weak.global.u32 [x], 1; ld.weak.global.u32 r1, [x]; st.weak.global.u32 [x], 2; }\n' +
  'require (P0:r1 == 1 /\\ x == 2)\n';
const ATOMICS =
  '{ .global .u32 x = 0; }\nP0 @ cta 0 { red.relaxed.gpu.global.add.u32 [x], 1; }\n' +
  'P1 @ cta 1 { red.relaxed.gpu.global.add.u32 [x], 2; }\nrequire (x == 3)\n';

/** Two copies of which one is behind the other, which CTAs issue to shared memory of one of them. */
const COPIES_OF_CTAS =
  `{ ${IN_CTA_1} ${EMPTY} }\nP0 @ cluster 0, cta 0 { ${load('x', 'm')} }\n` +
  `P1 @ cluster 0, cta 1 { ${expecting('m')} ${wait('m')} ${OUT} }\n`;

/**
 * The inferred rules on which edges of some kinds rest, under a model; undefined where one of them does not order under
 * it what it should.
 */
export function restingOn(
  edges: ReadonlySet<OrderEdge>,
  solver: SatSolver,
  model: Model,
  options: CheckOptions,
  decide: Decide,
): readonly string[] | undefined {
  const texts = [ALONE, ATOMICS, ...[...edges].flatMap((edge) => EDGES[edge])];
  const rules = rulesUnder(texts, solver, model, options, decide);
  // Which warps a group of products is of, and that these issue it together, is not in the model.
  return rules === undefined || !edges.has('matrix-group') ? rules : [...new Set(['warpgroup-groups', ...rules])];
}

/** Two lanes of a warp that do what no edge orders. */
const RACE =
  '{ .global .u32 x = 0; }\nP0 @ cta 0, warp 0 { st.weak.global.u32 [x], 1; }\n' +
  'P1 @ cta 0, warp 0 { ld.weak.global.u32 r1, [x]; }\n';

const RACES = {
  ...{ accesses: [RACE], tensors: TENSOR_RACES },
  ...PROXY_RACES,
  'async-owner': [COPIES_OF_CTAS],
} as const;

/** Whether a model tells of races: of accesses that nothing orders, or that of kinds which it does not order. */
export function tellsRaces(of: keyof typeof RACES, ...how: DecideArguments): boolean {
  return RACES[of].every((text) => {
    const ask = (): readonly string[] | undefined | 'unknown' => {
      const [race] = decided(text, 'expect race\n', ...how).expectations;
      return race?.outcome === 'undecided' ? 'unknown' : race?.outcome === 'met' ? [] : undefined;
    };
    return askedOnce(how[1], text, ask) !== undefined;
  });
}
