import { describe, expect, it } from 'vitest';
import { type Kernel, racesOf, run } from './written.js';

const FLAG = { memory: '.global .u32 data = 0; .global .u32 flag = 0;', passed: ['data', 'flag'] } as const;

/** Thread 0 of CTA 0 stores and raises a flag for thread 0 of CTA 1. */
function messages(store: string, load: string, place = 'grid 2, block 1'): Kernel {
  const body = `mov.u32 %r1, %ctaid.x;
    add.u32 %r1, %r1, %r0;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READ;
    st.global.u32 [%rd10], 42;
    ${store}
    bra END;
    READ: ${load}
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra READ;
    ld.global.u32 %r3, [%rd10];
    END:`;
  return { ...FLAG, body, place };
}
const DATA = 'st.global.u32 [%rd10], 42 | ld.global.u32 %r3, [%rd10]';

describe('barriers under random schedules', () => {
  const neighbor = (barrier: string): Kernel => ({
    variables: '.shared .align 4 .b8 s[256];',
    memory: '.global .u32 out[32] = 0;',
    passed: ['out'],
    place: 'grid 1, block 32',
    body: `mov.u32 %r1, s;
      shl.b32 %r2, %r0, 2;
      add.s32 %r3, %r1, %r2;
      st.shared.u32 [%r3], %r0;
      ${barrier}
      xor.b32 %r4, %r2, 4;
      add.s32 %r4, %r1, %r4;
      ld.shared.u32 %r5, [%r4];
      cvt.u64.u32 %rd1, %r2;
      add.s64 %rd2, %rd10, %rd1;
      st.global.u32 [%rd2], %r5;`,
  });
  const RACE = 'st.shared.u32 [%r3], %r0 | ld.shared.u32 %r5, [%r4]';

  it('order what comes before them, and nothing does without', () => {
    expect(racesOf(neighbor('bar.sync 0;'))).toEqual([]);
    expect(racesOf(neighbor('bar.warp.sync -1;'))).toEqual([]);
    expect(racesOf(neighbor('barrier.cluster.arrive;\nbarrier.cluster.wait;'))).toEqual([]);
    expect(racesOf(neighbor(''))).toEqual([RACE]);
    // An exchange within the warp is no barrier.
    expect(racesOf(neighbor('shfl.sync.idx.b32 %r6, %r0, 0, 31, -1;'))).toEqual([RACE]);
    expect(racesOf(neighbor('membar.gl;'))).toEqual([RACE]);
  });

  it('leave one final memory where there is no race', () => {
    const { finals, deadlocks } = run(neighbor('bar.sync 0;'));
    const out = Array.from({ length: 32 }, (_, i) => i ^ 1);
    expect(finals).toEqual([`out=${out.join(',')}`]);
    expect(deadlocks).toBe(0);
  });

  it('wait for ever where their count is not reached', () => {
    const { deadlocks, schedules, waiting } = run({ place: 'grid 1, block 32', body: 'bar.sync 1, 64;' });
    expect(deadlocks).toBe(schedules);
    expect(waiting.size).toBe(1);
    expect(run({ place: 'grid 1, block 64', body: 'bar.sync 1, 64;' }).deadlocks).toBe(0);
  });

  it('do not wait for threads that have ended, unless these are counted', () => {
    const half = (barrier: string): Kernel => ({
      place: 'grid 1, block 64',
      body: `setp.ge.u32 %p1, %r0, 32;\n@%p1 exit;\n${barrier}`,
    });
    expect(run(half('bar.sync 0;')).deadlocks).toBe(0);
    expect(run(half('bar.sync 0, 64;')).deadlocks).toBe(200);
  });

  it('are undefined where a warp comes to two of them, each for all of it', () => {
    const apart = (barrier: string): Kernel => ({
      place: 'grid 1, block 32',
      body: `setp.lt.u32 %p1, %r0, 16;\n@%p1 bra A;\n${barrier}\nbra B;\nA: ${barrier}\nB:`,
    });
    expect(run(apart('bar.sync 0;')).undefined.get('aligned-barrier-by-part-of-a-warp')).toBe(200);
    expect(run(apart('barrier.sync 0;'))).toMatchObject({ undefined: new Map(), deadlocks: 0 });
  });

  it('reduce predicates', () => {
    const { finals } = run({
      memory: '.global .u32 out = 0;',
      passed: ['out'],
      place: 'grid 1, block 64',
      body: `setp.lt.u32 %p1, %r0, 5;
        barrier.sync.aligned 0;
        bar.red.popc.u32 %r1, 0, %p1;
        setp.eq.u32 %p2, %r0, 7;
        @%p2 st.global.u32 [%rd10], %r1;`,
    });
    expect(finals).toEqual(['out=5']);
  });
});

describe('flags under random schedules', () => {
  it('hand over by release and acquire, if the scopes hold both threads', () => {
    const release = (scope: string) => `st.release.${scope}.global.u32 [%rd11], 1;`;
    const acquire = (scope: string) => `ld.acquire.${scope}.global.u32 %r2, [%rd11];`;
    expect(racesOf(messages(release('gpu'), acquire('gpu')))).toEqual([]);
    expect(racesOf(messages(release('sys'), acquire('gpu')))).toEqual([]);
    expect(racesOf(messages(release('cta'), acquire('cta'), 'grid 1, block 2'))).toEqual([]);
    const flags = 'st.release.cta.global.u32 [%rd11], 1 | ld.acquire.gpu.global.u32 %r2, [%rd11]';
    expect(racesOf(messages(release('cta'), acquire('gpu')))).toEqual([DATA, flags].sort());
    expect(racesOf(messages(release('cluster'), acquire('cluster'), 'grid 2, block 1, cluster 2'))).toEqual([]);
    expect(racesOf(messages(release('cluster'), acquire('cluster')))).toHaveLength(2);
  });

  it('hand over nothing where they are relaxed, unless there are fences', () => {
    const store = 'st.relaxed.gpu.global.u32 [%rd11], 1;';
    const load = 'ld.relaxed.gpu.global.u32 %r2, [%rd11];';
    expect(racesOf(messages(store, load))).toEqual([DATA]);
    expect(racesOf(messages(`fence.acq_rel.gpu;\n${store}`, `${load}\nfence.acq_rel.gpu;`))).toEqual([]);
    expect(racesOf(messages(`fence.acq_rel.gpu;\n${store}`, load))).toEqual([DATA]);
    expect(racesOf(messages(store, `${load}\nfence.acq_rel.gpu;`))).toEqual([DATA]);
    expect(racesOf(messages(`fence.acq_rel.cta;\n${store}`, `${load}\nfence.acq_rel.gpu;`))).toEqual([DATA]);
    expect(racesOf(messages(`membar.gl;\n${store}`, load.replace('relaxed', 'acquire')))).toEqual([]);
    // The acquire reads the same place once more.
    const twice = `${load}\nld.acquire.gpu.global.u32 %r4, [%rd11];`;
    expect(racesOf(messages(`fence.acq_rel.gpu;\n${store}`, twice))).toEqual([]);
  });

  it('race themselves where they are weak', () => {
    const weak = 'st.global.u32 [%rd11], 1 | ld.acquire.gpu.global.u32 %r2, [%rd11]';
    const store = 'fence.acq_rel.gpu;\nst.global.u32 [%rd11], 1;';
    expect(racesOf(messages(store, 'ld.acquire.gpu.global.u32 %r2, [%rd11];'))).toEqual([DATA, weak].sort());
    // Bytes of a word are no exact match of the word.
    const bytes = 'st.release.gpu.global.u8 [%rd11], 1;';
    expect(racesOf(messages(bytes, 'ld.acquire.gpu.global.u32 %r2, [%rd11];'))).toHaveLength(2);
  });

  it('are carried by atomics, and by later stores of the thread; reductions acquire nothing', () => {
    const acquire = 'ld.acquire.gpu.global.u32 %r2, [%rd11];';
    const update = 'atom.relaxed.gpu.global.cas.b32 %r4, [%rd11], 1, 2;';
    const release = 'st.release.gpu.global.u32 [%rd11], 1;';
    expect(racesOf(messages(`${release}\nst.relaxed.gpu.global.u32 [%rd11], 2;`, acquire))).toEqual([]);
    const three = 'setp.eq.u32 %p3, %r1, 1;\n';
    const chain = messages(
      release,
      `@%p3 bra LAST;
      NEXT: ${update}
      setp.ne.u32 %p4, %r4, 1;
      @%p4 bra NEXT;
      bra END;
      LAST: ${acquire}
      setp.le.u32 %p4, %r2, 1;
      @%p4 bra LAST;`,
      'grid 3, block 1',
    );
    expect(racesOf({ ...chain, body: chain.body.replace('setp.ne.u32 %p1', `${three}setp.ne.u32 %p1`) })).toEqual([]);
    const red = `red.relaxed.gpu.global.add.u32 [%rd11], 0;
      fence.acquire.gpu;
      ld.volatile.global.u32 %r2, [%rd11];`;
    expect(racesOf(messages(release, red))).toEqual([DATA]);
  });

  it('need none between fences with .sc, whichever comes first', () => {
    const buffers = (fence: string): Kernel => ({
      memory: '.global .u32 x[2] = 0; .global .u32 out[2] = 0;',
      passed: ['x', 'out'],
      place: 'grid 2, block 1',
      body: `mov.u32 %r1, %ctaid.x;
        mul.wide.u32 %rd1, %r1, 4;
        add.s64 %rd2, %rd10, %rd1;
        xor.b32 %r2, %r1, 1;
        mul.wide.u32 %rd3, %r2, 4;
        add.s64 %rd3, %rd10, %rd3;
        st.relaxed.gpu.global.u32 [%rd2], 1;
        ${fence}
        ld.relaxed.gpu.global.u32 %r3, [%rd3];
        add.s64 %rd4, %rd11, %rd1;
        st.global.u32 [%rd4], %r3;`,
    });
    expect(racesOf(buffers('fence.sc.gpu;'))).toEqual([]);
    expect(run(buffers('fence.sc.gpu;')).finals.every((final) => !final.includes('out=0,0'))).toBe(true);
  });
});

describe('locks under random schedules', () => {
  const locked = (take: string, give: string): Kernel => ({
    memory: '.global .u32 lock = 0; .global .u32 counter = 0;',
    passed: ['lock', 'counter'],
    place: 'grid 4, block 1',
    body: `TAKE: ${take}
      setp.ne.u32 %p1, %r1, 0;
      @%p1 bra TAKE;
      ld.global.u32 %r2, [%rd11];
      add.u32 %r2, %r2, 1;
      st.global.u32 [%rd11], %r2;
      ${give}`,
  });
  it('order what is done with them, if they acquire and release', () => {
    const take = 'atom.acquire.gpu.global.cas.b32 %r1, [%rd10], 0, 1;';
    const give = 'atom.release.gpu.global.exch.b32 %r4, [%rd10], 0;';
    const right = locked(take, give);
    expect(racesOf(right)).toEqual([]);
    expect(run(right)).toMatchObject({ finals: ['lock=0 counter=4'], deadlocks: 0, bounds: 0 });
    expect(racesOf(locked(take, 'st.release.gpu.global.u32 [%rd10], 0;'))).toEqual([]);
    const load = 'ld.global.u32 %r2, [%rd11] | st.global.u32 [%rd11], %r2';
    const store = 'st.global.u32 [%rd11], %r2 | st.global.u32 [%rd11], %r2';
    expect(racesOf(locked(take, give.replace('release', 'relaxed')))).toEqual([load, store]);
    expect(racesOf(locked(take.replace('acquire', 'relaxed'), give))).toEqual([load, store]);
  });

  it('that are never given back are waited for without end', () => {
    const never = run(locked('atom.acquire.gpu.global.cas.b32 %r1, [%rd10], 0, 1;', ''));
    expect(never.deadlocks).toBe(never.schedules);
  });
});
