import type { OrderEdge } from '../order/whole-run.js';

/** Waits for the first phase of an mbarrier; expects the bytes of a copy in it; copies, and tells it. */
export const wait = (mbarrier: string, how = ''): string =>
  `W${mbarrier}: mbarrier.try_wait.parity${how}.shared::cta.b64 p, [${mbarrier}], 0; @!p bra W${mbarrier};`;
export const expecting = (mbarrier: string): string =>
  `mbarrier.arrive.expect_tx.shared::cta.b64 _, [${mbarrier}], 16;`;
export const load = (from: string, mbarrier: string): string =>
  `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [${from}], 16, [${mbarrier}];`;
export const MBARRIER = '.shared .b64 m = mbarrier(1);';
export const BYTES = '.global .align 16 .u32 x[4] = 5; .shared .align 16 .u32 s[4];';
/** The same, what is shared in CTA 1. */
export const IN_CTA_1 = `${BYTES.replace(/;$/, ' @ cta 1;')} ${MBARRIER.replace(';', ' @ cta 1;')}`;

/** Fences from the generic to the async proxy. */
const ONE_WAY = {
  release: 'fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;',
  acquire: 'fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;',
};

/** What fences between the generic and the async proxy must order, for a copy behind them. */
export const PROXY_EDGES = {
  // The fence is another thread's; what is before the copy is before what follows it at the same bytes.
  'proxy-fence': [
    `{ ${BYTES} ${MBARRIER} }\n` +
      'P0 @ cta 0, warp 0 { st.weak.shared.u32 [s], 7; st.weak.global.u32 [x], 8; bar.sync 1, 64; }\n' +
      'P1 @ cta 0, warp 1 { bar.sync 1, 64; fence.proxy.async; bar.sync 2, 64; }\n' +
      `P2 @ cta 0, warp 2 { bar.sync 2, 64; ${load('x', 'm')} }\nP3 @ cta 0, warp 3 { ${expecting('m')} }\n` +
      `P4 @ cta 0, warp 4 { ${wait('m')} ld.weak.shared.u32 r1, [s]; }\nrequire (P4:r1 == 8)\n`,
  ],
  // One that releases what its thread has read, and what is before that; another thread acquires, a third one copies.
  'proxy-acquire': [
    `{ ${BYTES} ${MBARRIER} }\n` +
      'P0 @ cta 0, warp 0 { ld.weak.shared.u32 r1, [s]; bar.sync 1, 64; }\n' +
      `P1 @ cta 0, warp 1 { st.weak.shared.u32 [s + 4], 7; bar.sync 1, 64; ${ONE_WAY.release} bar.sync 2, 64; }\n` +
      `P2 @ cta 0, warp 2 { bar.sync 2, 64; ${ONE_WAY.acquire} bar.sync 3, 64; }\n` +
      `P3 @ cta 0, warp 3 { bar.sync 3, 64; ${load('x', 'm')} }\nP4 @ cta 0, warp 4 { ${expecting('m')} }\n` +
      `P5 @ cta 0, warp 5 { ${wait('m')} ld.weak.shared.u32 r1, [s + 4]; }\nrequire (P0:r1 == 0 /\\ P5:r1 == 5)\n`,
  ],
} as const satisfies Partial<Readonly<Record<OrderEdge, readonly string[]>>>;

const TOGETHER = 'barrier.cluster.arrive; barrier.cluster.wait;';
const OUT = 'cp.async.bulk.global.shared::cta.bulk_group [x], [t], 16; cp.async.bulk.commit_group;';
/** Copied from one CTA, and then by another one. */
const copiedOn = (fence: string): string =>
  `{ ${IN_CTA_1} .shared .align 16 .u32 t[4] = 6 @ cta 0; }\n` +
  `P0 @ cluster 0, cta 0 { ${OUT} cp.async.bulk.wait_group 0; ${fence} ${TOGETHER} }\n` +
  `P1 @ cluster 0, cta 1 { ${TOGETHER} ${COPIED} }\n`;
const COPIED = `${expecting('m')} ${load('x', 'm')}`;

/**
 * What races for want of a fence between proxies, behind a generic access and behind an asynchronous one: there is
 * none, or it is in another CTA than that of the later asynchronous access.
 */
export const PROXY_RACES = {
  'no fence': [
    `{ ${BYTES} ${MBARRIER} }\nP0 @ cta 0 { st.weak.global.u32 [x], 7; ${COPIED} }\n`,
    `{ ${BYTES} ${MBARRIER} }\nP0 @ cta 0 { ld.weak.shared.u32 r1, [s]; ${COPIED} }\n`,
    copiedOn(''),
  ],
  'another fence': [
    `{ ${IN_CTA_1} }\n` +
      `P0 @ cluster 0, cta 0 { st.weak.global.u32 [x], 7; fence.proxy.async; ${TOGETHER} }\n` +
      `P1 @ cluster 0, cta 1 { ${TOGETHER} ${COPIED} }\n`,
    copiedOn('fence.proxy.async;'),
  ],
} as const;
