import { describe, expect, it } from 'vitest';
import { runSchedules } from './run.js';
import { type Kernel, moduleOf, racesOf, run } from './written.js';

describe('matrices under random schedules', () => {
  /** Each lane stores a word of a tile, and the warp takes it up, transposed in two ways; they must be the same. */
  const transposed = (barrier: string): Kernel => ({
    memory: '.global .u32 out[32] = 7;',
    variables: '.shared .align 16 .b8 s[128];',
    passed: ['out'],
    place: 'grid 1, block 32',
    body: `mov.u32 %r1, s;
      shl.b32 %r2, %r0, 2;
      add.s32 %r2, %r1, %r2;
      mad.lo.s32 %r3, %r0, 131072, %r0;
      st.shared.u32 [%r2], %r3;
      ${barrier}
      and.b32 %r4, %r0, 7;
      shl.b32 %r4, %r4, 4;
      add.s32 %r4, %r1, %r4;
      ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r5}, [%r4];
      movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r3;
      sub.s32 %r7, %r5, %r6;
      mul.wide.u32 %rd1, %r0, 4;
      add.s64 %rd1, %rd10, %rd1;
      st.global.u32 [%rd1], %r7;`,
  });
  it('need a barrier of the warp after the stores of other lanes', () => {
    expect(racesOf(transposed('bar.warp.sync -1;'))).toEqual([]);
    expect(run(transposed('bar.warp.sync -1;')).finals).toEqual([`out=${new Array(32).fill(0).join(',')}`]);
    expect(racesOf(transposed(''))).toEqual([
      'st.shared.u32 [%r2], %r3 | ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r5}, [%r4]',
    ]);
  });
});

describe('asynchronous stores under random schedules', () => {
  const remote = (parity: number): Kernel => ({
    memory: '.global .u32 out = 0;',
    variables: '.shared .align 8 .b64 bar; .shared .align 4 .u32 s;',
    passed: ['out'],
    place: 'grid 2, block 1, cluster 2',
    body: `mov.u32 %r1, %cluster_ctarank;
      setp.eq.u32 %p1, %r1, 0;
      mov.u32 %r2, bar;
      mov.u32 %r3, s;
      mapa.shared::cluster.u32 %r4, %r2, 0;
      mapa.shared::cluster.u32 %r5, %r3, 0;
      @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
      @%p1 st.shared.u32 [s], 1;
      barrier.cluster.arrive;
      barrier.cluster.wait;
      @%p1 bra WAIT;
      st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], 41, [%r4];
      bra END;
      WAIT: @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 4;
      TRY: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], ${parity};
      @!%p2 bra TRY;
      ld.shared.u32 %r6, [s];
      st.global.u32 [%rd10], %r6;
      END: barrier.cluster.arrive;
      barrier.cluster.wait;`,
  });
  it('are there when the mbarrier has counted their bytes', () => {
    expect(run(remote(0))).toMatchObject({ races: new Map(), finals: ['out=41'], deadlocks: 0, undefined: new Map() });
    expect(racesOf(remote(1))).toEqual([
      'st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], 41, [%r4] | ld.shared.u32 %r6, [s]',
    ]);
  });
});

describe('launches under random schedules', () => {
  const add = moduleOf({
    passed: ['x'],
    place: '',
    body: 'ld.global.u32 %r1, [%rd10];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd10], %r1;',
  });
  const both = (order: string) =>
    runSchedules(
      {
        text: `PTX two { .global .u32 x = 0; }
          launch A "k.ptx" :: k (&x) @ grid 1, block 1
          launch B "k.ptx" :: k (&x) @ grid 1, block 1${order}`,
        modules: { 'k.ptx': add },
      },
      { schedules: 100, seed: 3 },
    );
  it('race at the same time, and not one after the other', () => {
    expect(both(', after A')).toMatchObject({ races: new Map(), finals: ['x=2'], deadlocks: 0 });
    const { races, finals } = both('');
    expect(races.size).toBe(2);
    expect([...finals].sort()).toEqual(['x=1', 'x=2']);
    // To start after the triggers or the end of another launch is not to have seen it.
    expect(both(', dependent on A').races.size).toBe(2);
  });

  it('take up assertions as traps, prints as nothing, and what they are not told as anything', () => {
    const called = (callee: string) =>
      run({
        memory: '.global .u32 out = 0;',
        passed: ['out'],
        place: 'grid 1, block 1',
        schedules: 5,
        body: `{ .param .b64 param0;
          st.param.b64 [param0+0], %rd10;
          .param .b32 retval0;
          call.uni (retval0), ${callee}, (param0);
          ld.param.b32 %r1, [retval0+0]; }
          st.global.u32 [%rd10], 3;`,
      });
    expect(called('vprintf')).toMatchObject({ traps: 0, finals: ['out=3'] });
    expect(called('__assertfail').traps).toBe(5);
    expect(called('other').unsupported).toMatch(/a call of other$/);
  });
});
