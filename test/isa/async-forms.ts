/** Forms of the instructions of clusters, mbarriers, asynchronous operations and warps: PTX and near misses. */
export const product = (...lists: readonly (readonly string[])[]): readonly string[] =>
  lists.reduce<readonly string[]>((all, list) => all.flatMap((prefix) => list.map((item) => prefix + item)), ['']);

const SEMANTICS = [
  '',
  '.release.cta',
  '.release.cluster',
  '.relaxed.cta',
  '.relaxed.cluster',
  '.acquire.cta',
  '.acquire.cluster',
  '.release',
  '.release.gpu',
  '.cta',
];
const OBJECT_SPACES = ['', '.shared', '.shared::cta', '.shared::cluster', '.global'];
const BYTES = '.mbarrier::complete_tx::bytes';

export const ASYNC_FORMS: readonly string[] = [
  // fences
  ...product(
    ['fence'],
    ['.release', '.acquire', '.sc', ''],
    ['.sync_restrict::shared::cta', '.sync_restrict::shared::cluster'],
    ['.cta', '.cluster', '.gpu', ''],
    [';'],
  ),
  ...product(['fence.mbarrier_init'], ['.release', '.acquire', '.sc', ''], ['.cluster', '.gpu', ''], [';']),
  ...product(['fence.proxy.async'], ['', '.global', '.shared::cta', '.shared::cluster', '.shared'], [';']),
  ...product(
    ['fence.proxy.async::generic'],
    ['.acquire', '.release'],
    ['.sync_restrict::shared::cta', '.sync_restrict::shared::cluster', ''],
    ['.cluster', '.gpu', ''],
    [';'],
  ),
  ...product(['fence.proxy.tensormap::generic.release'], ['.cta', '.cluster', '.gpu', '.sys', ''], [';', ' [x], 128;']),
  ...product(
    ['fence.proxy.tensormap::generic.acquire'],
    ['.cta', '.cluster', '.gpu', '.sys', ''],
    [';', ' [map], 128;', ' [map], 64;', ' [d0], 128;'],
  ),
  'membar.proxy.alias;',
  // barriers
  ...product(['barrier.cluster.arrive'], ['', '.release', '.relaxed', '.acquire'], ['', '.aligned'], [';']),
  ...product(['barrier.cluster.wait'], ['', '.release', '.relaxed', '.acquire'], ['', '.aligned'], [';']),
  // mbarrier
  ...product(
    ['mbarrier.init'],
    ['', '.shared', '.shared::cta', '.shared::cluster'],
    ['.b64 [bar], 2;', '.b64 [bar], r0;', '.b64 [bar];', '.b32 [bar], 2;', ' [bar], 2;'],
  ),
  ...product(['mbarrier.inval'], OBJECT_SPACES, ['.b64 [bar];']),
  ...product(
    ['mbarrier.expect_tx', 'mbarrier.complete_tx'],
    ['', '.relaxed.cta', '.relaxed.cluster', '.release.cta'],
    OBJECT_SPACES,
    ['.b64 [bar], 16;'],
  ),
  ...product(
    ['mbarrier.arrive', 'mbarrier.arrive_drop'],
    SEMANTICS,
    ['', '.shared', '.shared::cta'],
    ['.b64 d0, [bar];', '.b64 _, [bar], 2;'],
  ),
  ...product(
    ['mbarrier.arrive', 'mbarrier.arrive_drop'],
    ['', '.release.cluster', '.relaxed.cluster'],
    ['.shared::cluster'],
    ['.b64 d0, [bar];', '.b64 _, [bar];', '.b64 _, [bar], 2;'],
  ),
  ...product(
    ['mbarrier.arrive', 'mbarrier.arrive_drop'],
    ['.expect_tx'],
    ['', '.release.cta', '.relaxed.cluster'],
    ['', '.shared::cta', '.shared::cluster'],
    ['.b64 _, [bar], 16;', '.b64 _, [bar];'],
  ),
  ...product(
    ['mbarrier.arrive', 'mbarrier.arrive_drop'],
    ['.noComplete'],
    ['', '.release.cta', '.relaxed.cta', '.release.cluster'],
    ['', '.shared::cta', '.shared::cluster'],
    ['.b64 d0, [bar], 1;', '.b64 d0, [bar];'],
  ),
  ...product(
    ['mbarrier.test_wait', 'mbarrier.try_wait'],
    ['', '.parity'],
    ['', '.acquire.cta', '.acquire.cluster', '.relaxed.cta', '.relaxed.cluster', '.release.cta', '.acquire'],
    ['.shared::cta.b64 p0, [bar], d0;', '.shared::cta.b64 p0, [bar], r0;', '.shared::cta.b64 p0, [bar], 0;'],
  ),
  ...product(['mbarrier.test_wait.parity', 'mbarrier.try_wait.parity'], OBJECT_SPACES, [
    '.b64 p0, [bar], 0;',
    '.b64 p0, [bar], 0, 100;',
  ]),
  'mbarrier.pending_count.b64 r0, d0;',
  'mbarrier.pending_count.b64 d0, d1;',
  'mbarrier.pending_count r0, d0;',
  ...product(
    ['cp.async.mbarrier.arrive'],
    ['', '.noinc'],
    ['', '.shared', '.shared::cta', '.shared::cluster'],
    ['.b64 [bar];'],
  ),
  // cp.async
  ...product(
    ['cp.async.ca', 'cp.async.cg'],
    ['.shared', '.shared::cta', ''],
    ['.global'],
    [
      ' [tile], [x], 4;',
      ' [tile], [x], 8;',
      ' [tile], [x], 16;',
      ' [tile], [x], 16, 8;',
      ' [tile], [x], 16, r0;',
      ' [tile], [x], 16, p0;',
      ' [tile], [x], 12;',
    ],
  ),
  'cp.async.ca.shared.global.L2::128B [tile], [x], 16;',
  'cp.async.commit_group;',
  'cp.async.wait_group 2;',
  'cp.async.wait_group r0;',
  'cp.async.wait_group;',
  'cp.async.wait_all;',
  'cp.async.wait_all 1;',
  // bulk copies
  ...product(
    ['cp.async.bulk'],
    [
      '.shared::cluster.global',
      '.shared::cta.global',
      '.shared::cluster.shared::cta',
      '.global.shared::cta',
      '.shared.global',
    ],
    [BYTES, '.bulk_group', ''],
    [' [tile], [x], 16, [bar];', ' [x], [tile], 16;', ' [tile2], [tile], 16, [bar];'],
  ).filter((form) => matches(form)),
  `cp.async.bulk.shared::cluster.global${BYTES}.multicast::cluster [tile], [x], 16, [bar], h0;`,
  `cp.async.bulk.shared::cluster.global${BYTES}.multicast::cluster [tile], [x], 16, [bar];`,
  `cp.async.bulk.shared::cta.global${BYTES}.multicast::cluster [tile], [x], 16, [bar], h0;`,
  `cp.async.bulk.shared::cluster.global${BYTES} [tile], [x], r0, [bar];`,
  ...product(
    ['cp.reduce.async.bulk.global.shared::cta.bulk_group'],
    ['.add', '.inc', '.dec', '.min', '.max', '.and', '.or', '.xor', '.exch'],
    ['.u32', '.s32', '.u64', '.s64', '.b32', '.b64'],
    [' [x], [tile], 16;'],
  ),
  ...product(
    [`cp.reduce.async.bulk.shared::cluster.shared::cta${BYTES}`],
    ['.add', '.inc', '.dec', '.min', '.max', '.and', '.or', '.xor'],
    ['.u32', '.s32', '.u64', '.s64', '.b32', '.b64'],
    [' [tile2], [tile], 16, [bar];'],
  ),
  'cp.async.bulk.commit_group;',
  ...product(['cp.async.bulk.wait_group'], ['', '.read'], [' 0;', ' 1;', ';']),
  // tensors
  ...product(
    ['cp.async.bulk.tensor'],
    ['.1d', '.2d', ''],
    ['.shared::cluster.global', '.shared::cta.global'],
    ['', '.tile'],
    [BYTES, '.bulk_group'],
    [' [tile], [map, {r0}], [bar];', ' [tile], [map, {r0, 0}], [bar];'],
  ),
  ...product(
    ['cp.async.bulk.tensor'],
    ['.1d', '.2d'],
    ['.global.shared::cta'],
    ['', '.tile'],
    ['.bulk_group', BYTES],
    [' [map, {r0}], [tile];', ' [map, {r0, 0}], [tile];'],
  ),
  `cp.async.bulk.tensor.1d.shared::cluster.global.tile${BYTES}.multicast::cluster [tile], [map, {0}], [bar], h0;`,
  ...product(
    ['cp.async.bulk.tensor.1d'],
    ['.cta_group::1', '.cta_group::2', '.cta_group::3'],
    ['.shared::cluster.global', '.shared::cta.global'],
    [BYTES, '.bulk_group'],
    [' [tile], [map, {r0}], [bar];', '.multicast::cluster [tile], [map, {r0}], [bar], h0;'],
  ),
  ...product(['cp.async.bulk.tensor.1d.cta_group::2.global.shared::cta.bulk_group'], [' [map, {r0}], [tile];']),
  ...product(
    ['cp.reduce.async.bulk.tensor.1d.global.shared::cta'],
    ['.add', '.min', '.and', '.exch'],
    ['', '.tile'],
    ['.bulk_group'],
    [' [imap, {0}], [tile];'],
  ).filter((form) => !form.includes('.and')),
  'tensormap.replace.tile.global_address.global.b1024.b64 [map], d0;',
  'tensormap.replace.tile.global_address.b1024.b64 [map], d0;',
  'tensormap.replace.tile.global_address.global.b1024.b32 [map], d0;',
  'tensormap.replace.global_address.global.b1024.b64 [map], d0;',
  ...product(
    ['tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release'],
    ['.cta', '.gpu', '.sys', ''],
    ['.sync.aligned', '.sync'],
    [' [map], [smap], 128;', ' [map], [smap], 64;'],
  ),
  // st.async, red.async
  ...product(
    ['st.async'],
    ['', '.weak'],
    ['.shared::cluster', '', '.global'],
    [BYTES, ''],
    [
      '.b32 [tile], r0, [bar];',
      '.u64 [tile], d0, [bar];',
      '.b16 [tile], h0, [bar];',
      '.v2.u32 [tile], {r0, r1}, [bar];',
      '.v4.s32 [tile], {r0, r1, r2, r3}, [bar];',
    ],
  ),
  ...product(
    ['st.async'],
    ['.release'],
    ['.gpu', '.sys', '.cluster', ''],
    ['.global', ''],
    ['.b32 [x], r0;', '.u64 [x], d0;', '.b16 [x], h0;', '.s8 [x], h0;'],
  ),
  ...product(['st.async.mmio.release'], ['.gpu', '.sys'], ['.global.b32 [x], r0;']),
  ...product(
    ['red.async'],
    ['.relaxed.cluster', '.relaxed.gpu', ''],
    ['.shared::cluster', ''],
    [BYTES, ''],
    ['.inc.u32', '.add.u32', '.add.s32', '.min.s32', '.and.b32', '.and.u32'],
    [' [tile], r0, [bar];'],
  ),
  ...product(
    [`red.async.relaxed.cluster${BYTES}`],
    ['.add.u64', '.add.s64', '.min.u64', '.xor.b64'],
    [' [tile], d0, [bar];'],
  ),
  ...product(
    ['red.async.release'],
    ['.gpu', '.sys', '.cluster'],
    ['.global', ''],
    ['.add.u32 [x], r0;', '.add.s64 [x], d0;', '.min.u32 [x], r0;'],
  ),
  // warps
  ...product(
    ['vote.sync'],
    ['.all', '.any', '.uni', '.ballot'],
    ['.pred p0', '.b32 r0'],
    [', p1, 0xffffffff;', ', !p1, r1;'],
  ),
  ...product(
    ['match'],
    ['.any', '.all'],
    ['.sync'],
    ['.b32', '.u32'],
    [' r0, r1, 0xffffffff;', ' r0|p0, r1, 0xffffffff;'],
  ),
  'match.any.sync.b64 r0, d0, 0xffffffff;',
  ...orders('vote', ['sync', 'ballot', 'b32'], 'r0, p1, 0xffffffff'),
  ...orders('vote', ['sync', 'any', 'pred'], 'p0, p1, 0xffffffff'),
  ...orders('vote', ['any', 'pred'], 'p0, p1, 0xffffffff'),
  ...orders('match', ['any', 'sync', 'b32'], 'r0, r1, 0xffffffff'),
  ...orders('shfl', ['sync', 'bfly', 'b32'], 'r0, r1, 1, 31, 0xffffffff'),
  ...orders('shfl', ['up', 'b32'], 'r0, r1, 1, 31'),
  ...orders('redux', ['sync', 'add', 's32'], 'r0, r1, 0xffffffff'),
  ...orders('redux', ['sync', 'min', 'NaN', 'f32'], 'r0, r1, 0xffffffff'),
  'activemask.b32 r0;',
  'activemask.u32 r0;',
  ...product(
    ['redux.sync'],
    ['.add', '.min', '.max', '.and', '.or', '.xor'],
    ['.u32', '.s32', '.b32'],
    [' r0, r1, 0xffffffff;'],
  ),
  'elect.sync r0|p0, 0xffffffff;',
  'elect.sync _|p0, 0xffffffff;',
  'elect.sync p0, 0xffffffff;',
  ...product(['griddepcontrol'], ['.wait', '.launch_dependents', ''], [';']),
  // addresses
  ...product(
    ['mapa'],
    ['', '.shared::cluster', '.shared'],
    ['.u32 r0, r1, 1;', '.u64 d0, d1, 1;', '.u32 r0, bar, r1;', '.u32 r0, r1;'],
  ),
  ...product(['getctarank'], ['', '.shared::cluster'], ['.u32 r0, r1;', '.u64 r0, d1;', '.u64 d0, d1;']),
  ...product(
    ['cvta', 'cvta.to'],
    ['.shared', '.global', '.shared::cta', '.shared::cluster', ''],
    ['.u64 d0, d1;', '.u32 r0, r1;'],
  ).filter((form) => !form.includes('.u32')),
  'cvta.global.u64 d0, x;',
  // cluster launch control
  ...product(
    ['clusterlaunchcontrol.try_cancel'],
    ['.async', ''],
    ['', '.shared::cta', '.shared'],
    [BYTES],
    ['', '.multicast::cluster::all'],
    ['.b128 [tile], [bar];'],
  ),
  'clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p0, q0;',
  'clusterlaunchcontrol.query_cancel.is_canceled.b128 p0, q0;',
  'clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r0, r1, r2, _}, q0;',
  'clusterlaunchcontrol.query_cancel.get_first_ctaid.b32.b128 r0, q0;',
  ...product(['clusterlaunchcontrol.query_cancel.get_first_ctaid::'], ['x', 'y', 'z', 'w'], ['.b32.b128 r0, q0;']),
  'nanosleep.u32 20;',
  'nanosleep.b32 20;',
  'popc.b32 r0, r1;',
  'popc.b64 r0, d1;',
  'popc.u32 r0, r1;',
  'ld.shared.b128 q0, [tile];',
  'st.shared.b128 [tile], q0;',
  'mov.u32 r0, %tid.x;',
  'mov.u32 r0, %cluster_ctarank;',
  'mov.u32 r0, %laneid;',
  'mov.u32 r0, %ctaid.x;',
];

/** Only forms whose operands fit the direction: a wrong place is a matter of the test, not of the form. */
function matches(form: string): boolean {
  if (form.includes('.global.shared::cta')) return form.includes('[x], [tile]');
  return form.includes('.shared::cluster.shared::cta') ? form.includes('[tile2]') : form.includes('[tile], [x]');
}

/** An instruction with its words in every order. */
function orders(mnemonic: string, words: readonly string[], operands: string): readonly string[] {
  const all = (rest: readonly string[]): readonly (readonly string[])[] =>
    rest.length === 0 ? [[]] : rest.flatMap((word, i) => all(rest.toSpliced(i, 1)).map((others) => [word, ...others]));
  return all(words).map((order) => `${[mnemonic, ...order].join('.')} ${operands};`);
}
