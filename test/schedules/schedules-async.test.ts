import { describe, expect, it } from 'vitest';
import { type Kernel, racesOf, run } from './written.js';

describe('cp.async under random schedules', () => {
  const copied = (wait: string): Kernel => ({
    memory: '.global .align 16 .u32 in[16] = {1, 2, 3, 4, 5}; .global .u32 out[4] = 0;',
    variables: '.shared .align 16 .b8 s[64];',
    passed: ['in', 'out'],
    place: 'grid 1, block 4',
    body: `mov.u32 %r1, s;
      shl.b32 %r2, %r0, 4;
      add.s32 %r3, %r1, %r2;
      cvt.u64.u32 %rd1, %r2;
      add.s64 %rd2, %rd10, %rd1;
      cp.async.ca.shared.global [%r3], [%rd2], 16;
      ${wait}
      xor.b32 %r4, %r2, 16;
      add.s32 %r4, %r1, %r4;
      ld.shared.u32 %r5, [%r4];
      mul.wide.u32 %rd3, %r0, 4;
      add.s64 %rd3, %rd11, %rd3;
      st.global.u32 [%rd3], %r5;`,
  });
  const RACE = 'cp.async.ca.shared.global [%r3], [%rd2], 16 | ld.shared.u32 %r5, [%r4]';
  const ARRIVE = `setp.ne.u32 %p1, %r0, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [bar], 4;
    READY: bar.sync 0;
    cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
    @!%p2 bra WAIT;`;

  it('must be waited for by its thread, and then by a barrier', () => {
    expect(racesOf(copied('cp.async.wait_all;\nbar.sync 0;'))).toEqual([]);
    expect(racesOf(copied('cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;'))).toEqual([]);
    expect(racesOf(copied('cp.async.commit_group;\ncp.async.wait_group 1;\nbar.sync 0;'))).toEqual([RACE]);
    expect(racesOf(copied('bar.sync 0;'))).toEqual([RACE]);
    expect(racesOf(copied('cp.async.wait_all;'))).toEqual([RACE]);
    expect(run(copied('cp.async.wait_all;\nbar.sync 0;')).finals).toHaveLength(1);
  });

  it('may be told by an mbarrier to all that wait for it', () => {
    const told = copied(ARRIVE);
    const withBarrier = { ...told, variables: `${told.variables} .shared .align 8 .b64 bar;` };
    expect(racesOf(withBarrier)).toEqual([]);
    expect(run(withBarrier)).toMatchObject({ deadlocks: 0, undefined: new Map() });
    // An arrival that is not of the copies tells nothing of them.
    const plain = withBarrier.body.replace(
      'cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];',
      'mbarrier.arrive.shared::cta.b64 _, [bar];',
    );
    expect(racesOf({ ...withBarrier, body: plain })).toEqual([RACE]);
  });
});

describe('mbarriers under random schedules', () => {
  const phases = (wait: string, arrive = 'mbarrier.arrive.shared::cta.b64 %rd1, [bar];', count = 2): Kernel => ({
    memory: '.global .u32 out = 0;',
    variables: '.shared .align 8 .b64 bar; .shared .align 4 .u32 s;',
    passed: ['out'],
    place: 'grid 1, block 2',
    body: `setp.ne.u32 %p1, %r0, 0;
      @%p1 bra READY;
      mbarrier.init.shared::cta.b64 [bar], ${count};
      READY: bar.sync 0;
      @!%p1 st.shared.u32 [s], 5;
      ${arrive}
      WAIT: ${wait}
      @!%p2 bra WAIT;
      @!%p1 bra END;
      ld.shared.u32 %r1, [s];
      st.global.u32 [%rd10], %r1;
      END:`,
  });
  const RACE = '@!%p1 st.shared.u32 [s], 5 | ld.shared.u32 %r1, [s]';

  it('order arrivals before waits of the right phase', () => {
    const right = phases('mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;');
    expect(racesOf(right)).toEqual([]);
    expect(run(right)).toMatchObject({ finals: ['out=5'], deadlocks: 0, undefined: new Map() });
    expect(racesOf(phases('mbarrier.test_wait.shared::cta.b64 %p2, [bar], %rd1;'))).toEqual([]);
  });

  it('of another parity do not wait, or wait for ever', () => {
    const wrong = phases('mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 1;');
    expect(racesOf(wrong)).toEqual([RACE]);
    expect(run(wrong).deadlocks).toBeGreaterThan(0);
  });

  it('order nothing if the arrival or the wait is relaxed, unless there is a fence', () => {
    const wait = 'mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p2, [bar], 0;';
    const arrive = 'mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd1, [bar];';
    const right = phases('mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;', `fence.acq_rel.cta;\n${arrive}`);
    expect(racesOf(phases(wait))).toEqual([RACE]);
    expect(racesOf(phases('mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;', arrive))).toEqual([RACE]);
    expect(racesOf(right)).toEqual([]);
    const fenced = phases(wait);
    expect(racesOf({ ...fenced, body: fenced.body.replace('bra WAIT;', 'bra WAIT;\nfence.acq_rel.cta;') })).toEqual([]);
  });

  it('wait for as many as they expect', () => {
    const wait = 'mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;';
    expect(run(phases(wait, undefined, 3)).deadlocks).toBe(200);
    expect(run(phases(wait, 'mbarrier.arrive.shared::cta.b64 %rd1, [bar], 2;', 3)).undefined).toEqual(
      new Map([['mbarrier-arrivals', 200]]),
    );
    expect(
      run(phases(wait, 'mbarrier.arrive.shared::cta.b64 %rd1, [bar];\nld.shared.u32 %r3, [bar];')).undefined,
    ).toEqual(new Map([['access-to-mbarrier', 200]]));
  });

  it('must be ready', () => {
    const bare = {
      variables: '.shared .align 8 .b64 bar;',
      place: 'grid 1, block 1',
      body: 'mbarrier.arrive.shared::cta.b64 _, [bar];',
    };
    expect([...run(bare).undefined.keys()]).toEqual(['mbarrier-not-initialized']);
  });
});

describe('bulk copies under random schedules', () => {
  /** Thread 0 fills a tile, copies it out and takes it in again into another one. */
  const bulk = ({ fence = 'fence.proxy.async;', bytes = 64, wait = 0 }): Kernel => ({
    memory: '.global .align 16 .u32 in[16] = {7, 8, 9}; .global .u32 out = 0;',
    variables: '.shared .align 16 .b8 tile[64]; .shared .align 8 .b64 bar;',
    passed: ['in', 'out'],
    place: 'grid 1, block 2',
    body: `setp.ne.u32 %p1, %r0, 0;
      @%p1 bra READY;
      mbarrier.init.shared::cta.b64 [bar], 1;
      READY: st.shared.u32 [tile], %r0;
      ${fence}
      bar.sync 0;
      @%p1 bra WAIT;
      mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], ${bytes};
      cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd10], 64, [bar];
      WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], ${wait};
      @!%p2 bra WAIT;
      ld.shared.u32 %r1, [tile+4];
      @%p1 st.global.u32 [%rd11], %r1;`,
  });
  const COPY = 'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd10], 64, [bar]';
  const own = 'READY';
  const stores = (kernel: Kernel): readonly string[] =>
    racesOf(kernel).filter((race) => !race.includes(`${own} | ${own}`));
  const STORE = 'st.shared.u32 [tile], %r0';

  it('are told by the mbarrier that counts their bytes', () => {
    const { finals, deadlocks, undefined: rules } = run(bulk({}));
    expect(finals).toEqual(['in=7,8,9,0,0,0,0,0,0,0,0,0,0,0,0,0 out=8']);
    expect([deadlocks, rules.size]).toEqual([0, 0]);
    expect(stores(bulk({}))).toEqual([`${STORE} | ${STORE}`]);
    expect(run(bulk({ bytes: 80 })).deadlocks).toBe(200);
    expect(stores(bulk({ wait: 1 }))).toEqual([`${COPY} | ld.shared.u32 %r1, [tile+4]`, `${STORE} | ${STORE}`]);
  });

  it('need a fence after accesses by the other proxy, of the right space', () => {
    const across = [`${STORE} | ${COPY}`, `${STORE} | ${STORE}`].sort();
    expect(stores(bulk({ fence: '' }))).toEqual(across);
    expect(stores(bulk({ fence: 'fence.proxy.async.global;' }))).toEqual(across);
    expect(stores(bulk({ fence: 'fence.proxy.async.shared::cta;' }))).toEqual([`${STORE} | ${STORE}`]);
  });

  const out = (wait: string): Kernel => ({
    memory: '.global .align 16 .u32 out[4] = 0;',
    variables: '.shared .align 16 .b8 tile[16];',
    passed: ['out'],
    place: 'grid 1, block 1',
    body: `st.shared.u32 [tile], 3;
      fence.proxy.async;
      cp.async.bulk.global.shared::cta.bulk_group [%rd10], [tile], 16;
      cp.async.bulk.commit_group;
      ${wait}
      st.shared.u32 [tile], 4;
      ld.global.u32 %r1, [%rd10];`,
  });
  const GROUP = 'cp.async.bulk.global.shared::cta.bulk_group [%rd10], [tile], 16';
  it('in groups are waited for in two steps', () => {
    expect(racesOf(out('cp.async.bulk.wait_group 0;'))).toEqual([]);
    expect(racesOf(out('cp.async.bulk.wait_group.read 0;'))).toEqual([`${GROUP} | ld.global.u32 %r1, [%rd10]`]);
    expect(racesOf(out(''))).toEqual([`${GROUP} | ld.global.u32 %r1, [%rd10]`, `${GROUP} | st.shared.u32 [tile], 4`]);
  });
});

describe('clusters under random schedules', () => {
  const remote = (last: string): Kernel => ({
    variables: '.shared .align 4 .u32 s;',
    place: 'grid 2, block 1, cluster 2',
    body: `mov.u32 %r1, %cluster_ctarank;
      st.shared.u32 [s], %r1;
      barrier.cluster.arrive;
      barrier.cluster.wait;
      xor.b32 %r2, %r1, 1;
      mov.u32 %r3, s;
      mapa.shared::cluster.u32 %r4, %r3, %r2;
      ld.shared::cluster.u32 %r5, [%r4];
      ${last}`,
  });
  it('must keep a CTA that is read by another', () => {
    const right = run(remote('barrier.cluster.arrive;\nbarrier.cluster.wait;'));
    expect(right).toMatchObject({ races: new Map(), undefined: new Map(), deadlocks: 0 });
    expect(run(remote('')).undefined).toEqual(new Map([['shared-memory-of-ended-cta', 200]]));
  });

  it('must have started before they read from each other', () => {
    const early = remote('barrier.cluster.arrive;\nbarrier.cluster.wait;');
    const body = early.body.replace('barrier.cluster.arrive;\n', '').replace('barrier.cluster.wait;\n', '');
    expect([...run({ ...early, body }).undefined.keys()]).toEqual(['shared-memory-of-cta-not-started']);
  });

  it('order by remote arrivals of their scope', () => {
    const arrival = (scope: string, wait: string): Kernel => ({
      memory: '.global .u32 data = 0;',
      variables: '.shared .align 8 .b64 bar;',
      passed: ['data'],
      place: 'grid 2, block 1, cluster 2',
      body: `mov.u32 %r1, %cluster_ctarank;
        setp.eq.u32 %p1, %r1, 0;
        mov.u32 %r3, bar;
        mapa.shared::cluster.u32 %r4, %r3, 0;
        @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        @%p1 bra WAIT;
        st.global.u32 [%rd10], 9;
        mbarrier.arrive.release.${scope}.shared::cluster.b64 _, [%r4];
        bra END;
        WAIT: mbarrier.try_wait.parity.acquire.${wait}.shared::cta.b64 %p2, [bar], 0;
        @!%p2 bra WAIT;
        ld.global.u32 %r5, [%rd10];
        END: barrier.cluster.arrive;
        barrier.cluster.wait;`,
    });
    expect(racesOf(arrival('cluster', 'cluster'))).toEqual([]);
    expect(racesOf(arrival('cluster', 'cta'))).toHaveLength(1);
    expect(racesOf(arrival('cta', 'cluster'))).toHaveLength(1);
  });
});
