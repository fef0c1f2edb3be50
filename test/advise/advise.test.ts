import { applyPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { type Advice, advise } from '../../src/advise/advise.js';
import { Judge } from '../../src/advise/verdicts.js';
import { isOfShare } from '../shares.js';
import { builtInModel, checkProgram, litmus, litmusPrograms, programOf, solver } from '../support.js';

const MEMORY = '.global .u32 x = 0; .global .u32 flag = 0;';
const STALE = 'forbid (P1:r0 == 1 /\\ P1:r1 == 0) as stale';

async function adviceFor(text: string): Promise<Advice> {
  const program = programOf(text);
  return advise(
    program,
    new Judge(solver, builtInModel('ptx-9.4'), {
      unroll: 3,
      timeout: 60_000,
      clock: () => performance.now(),
    }),
  );
}

/** Each change of the first suggestion, without the thread and the line. */
function changesOf(advice: Advice): readonly string[] {
  if (advice.kind !== 'weaken') throw new Error(advice.kind);
  return (advice.together[0]?.changes ?? []).map(({ from, to }) => `${from} -> ${to}`);
}

describe('what a test can do without', () => {
  it(
    'message passing with fence.sc.sys on both sides needs a release and an acquire at the smallest scope that ' +
      'holds both threads',
    async () => {
      const far = litmus(
        MEMORY,
        [
          'st.weak.global.u32 [x], 1; fence.sc.sys; st.relaxed.sys.global.u32 [flag], 1;',
          'ld.relaxed.sys.global.u32 r0, [flag]; fence.sc.sys; ld.weak.global.u32 r1, [x];',
        ],
        STALE,
      );
      const expected = (scope: string): readonly string[] => [
        'fence.sc.sys -> ',
        `st.relaxed.sys.global.u32 -> st.release.${scope}.global.u32`,
        `ld.relaxed.sys.global.u32 -> ld.acquire.${scope}.global.u32`,
        'fence.sc.sys -> ',
      ];
      expect(changesOf(await adviceFor(far))).toEqual(expected('gpu'));
      expect(changesOf(await adviceFor(far.replace('P1 @ cta 1', 'P1 @ cta 0')))).toEqual(expected('cta'));
      expect(changesOf(await adviceFor(far.replace('P1 @ cta 1, gpu 0', 'P1 @ cta 1, gpu 1')))).toEqual(
        expected('sys'),
      );
    },
  );

  it('says for each instruction what it could be alone', async () => {
    const advice = await adviceFor(
      litmus(
        MEMORY,
        [
          'st.weak.global.u32 [x], 1; st.release.sys.global.u32 [flag], 1;',
          'ld.acquire.gpu.global.u32 r0, [flag]; ld.weak.global.u32 r1, [x];',
        ],
        STALE,
      ),
    );
    if (advice.kind !== 'weaken') throw new Error(advice.kind);
    expect(advice.alone.flatMap(({ changes }) => changes.map(({ line, from, to }) => [line, from, to]))).toEqual([
      [3, 'st.release.sys.global.u32', 'st.release.gpu.global.u32'],
    ]);
  });

  it('store buffering keeps its fence.sc', async () => {
    const sb = litmus(
      MEMORY,
      [
        'st.relaxed.gpu.global.u32 [x], 1; fence.sc.gpu; ld.relaxed.gpu.global.u32 r0, [flag];',
        'st.relaxed.gpu.global.u32 [flag], 1; fence.sc.gpu; ld.relaxed.gpu.global.u32 r1, [x];',
      ],
      'forbid (P0:r0 == 0 /\\ P1:r1 == 0)',
    );
    const advice = await adviceFor(sb);
    expect(advice.kind).toBe('weaken');
    expect(changesOf(advice).filter((change) => change.startsWith('fence'))).toEqual([]);
  });

  it('does not bring in a race that the test does not speak of', async () => {
    // The relaxed flag could be weak, as far as the condition goes; then the two accesses to it would race.
    const test = litmus(
      MEMORY,
      ['st.relaxed.gpu.global.u32 [flag], 1;', 'ld.relaxed.gpu.global.u32 r0, [flag];'],
      'permit (P1:r0 == 1)',
    );
    const advice = await adviceFor(test);
    expect(advice.kind === 'weaken' && advice.alone).toEqual([]);
  });

  it('a relaxed arrival at an mbarrier is not enough, and a fence too many goes', async () => {
    const advice = await adviceFor(
      `PTX t\n{ .shared .u32 x; .shared .b64 bar = mbarrier(1); }\nP0 @ cta 0 {\n  st.shared.u32 [x], 1;\n  ` +
        `fence.acq_rel.cta;\n  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];\n}\nP1 @ cta 0 {\nwait:\n  ` +
        `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [bar], 0;\n  @!p bra wait;\n  ld.shared.u32 r1, ` +
        `[x];\n}\nforbid (P1:r1 == 0)\n`,
    );
    expect(changesOf(advice)).toEqual(['fence.acq_rel.cta -> ']);
  });
});

describe('what would mend a test', () => {
  it('message passing without anything: a release and an acquire, or fences between relaxed accesses', async () => {
    const advice = await adviceFor(
      litmus(
        MEMORY,
        [
          'st.weak.global.u32 [x], 1; st.weak.global.u32 [flag], 1;',
          'ld.weak.global.u32 r0, [flag]; ld.weak.global.u32 r1, [x];',
        ],
        STALE,
      ),
    );
    if (advice.kind !== 'repair') throw new Error(advice.kind);
    expect(advice.repairs.map(({ way, changes }) => [way, changes.map(({ to }) => to)])).toEqual([
      ['qualifiers', ['st.release.gpu.global.u32', 'ld.acquire.gpu.global.u32']],
      ['fences', ['fence.release.gpu', 'st.relaxed.gpu.global.u32', 'ld.relaxed.gpu.global.u32', 'fence.acquire.gpu']],
    ]);
  });

  it('store buffering: fences only', async () => {
    const advice = await adviceFor(
      litmus(
        MEMORY,
        [
          'st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [flag];',
          'st.relaxed.gpu.global.u32 [flag], 1; ld.relaxed.gpu.global.u32 r1, [x];',
        ],
        'forbid (P0:r0 == 0 /\\ P1:r1 == 0)',
      ),
    );
    if (advice.kind !== 'repair') throw new Error(advice.kind);
    expect(advice.repairs.map(({ way, changes }) => [way, changes.map(({ to }) => to)])).toEqual([
      ['fences', ['fence.sc.gpu', 'fence.sc.gpu']],
    ]);
  });

  it('a missing proxy fence', async () => {
    const advice = await adviceFor(
      'PTX t\n{ .shared .align 16 .u32 tile[4]; .global .align 16 .u32 out[4]; }\nP0 @ cta 0 {\n  st.shared.u32 ' +
        '[tile], 7;\n  cp.async.bulk.global.shared::cta.bulk_group [out], [tile], 16;\n  ' +
        'cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n  ld.global.u32 r0, [out];\n}\nrequire ' +
        '(P0:r0 == 7)\n',
    );
    if (advice.kind !== 'repair') throw new Error(advice.kind);
    expect(advice.repairs[0]?.changes.map(({ line, to }) => [line, to])).toEqual([[5, 'fence.proxy.async']]);
  });

  it('says so where nothing helps', async () => {
    const advice = await adviceFor(
      litmus(
        MEMORY,
        ['st.relaxed.gpu.global.u32 [x], 1;', 'ld.relaxed.gpu.global.u32 r0, [x];'],
        'forbid (P1:r0 == 1)',
      ),
    );
    expect(advice).toEqual({ kind: 'repair', repairs: [], tried: ['qualifiers', 'fences', 'qualifiers and fences'] });
  });
});

describe('barriers among the repairs', () => {
  const changed = (advice: Advice, way: string): readonly (readonly [string, number, string])[] => {
    if (advice.kind !== 'repair') throw new Error(advice.kind);
    const repair = advice.repairs.find((one) => one.way === way);
    return (repair?.changes ?? []).map(({ thread, line, to }) => [thread, line, to]);
  };
  const handedOver = (first: string, second: string): string =>
    `PTX t\n{ .global .u32 x = 0; }\nP0 @ ${first} {\n  st.global.u32 [x], 1;\n}\nP1 @ ${second} {\n` +
    '  ld.global.u32 r0, [x];\n}\nrequire (P1:r0 == 1)\nexpect no-race\n';

  it.each([
    ['cta 0, warp 0', 'cta 0, warp 0', 'bar.warp.sync 0x3'],
    ['cta 0, warp 0', 'cta 0, warp 1', 'bar.sync 0'],
    ['cta 0, cluster 0', 'cta 1, cluster 0', 'barrier.cluster.arrive; barrier.cluster.wait'],
  ])('of threads at %s and %s: %s', async (first, second, barrier) => {
    expect(changed(await adviceFor(handedOver(first, second)), 'barriers')).toEqual([
      ['P0', 4, barrier],
      ['P1', 7, barrier],
    ]);
  });

  it('of threads that no barrier holds: none', async () => {
    expect(changed(await adviceFor(handedOver('cta 0, gpu 0', 'cta 1, gpu 0')), 'barriers')).toEqual([]);
  });

  it('takes a barrier that is free', async () => {
    const text = handedOver('cta 0, warp 0', 'cta 0, warp 1').replace(/st\.global/, 'bar.arrive 0, 64;\n  st.global');
    const met = text.replace('ld.global', 'bar.sync 0, 64;\n  ld.global');
    expect(changed(await adviceFor(met), 'barriers').map(([, , to]) => to)).toEqual(['bar.sync 1', 'bar.sync 1']);
  });

  it('fence.mbarrier_init where only the object has to be ready', async () => {
    const [program] = litmusPrograms().filter(({ name }) => name === 'mbarrier_init+arrive.rlx-wait+remote-arrive');
    if (program === undefined) throw new Error('no test');
    const text = program.source.text.replace(/^(exists|permit|forbid|require|expect)[^\n]*\n/gm, '');
    const advice = await adviceFor(`${text}\nexpect no-undefined\n`);
    if (advice.kind !== 'repair') throw new Error(advice.kind);
    expect(advice.repairs.map(({ way, changes }) => [way, changes.map(({ to }) => to)])).toEqual([
      ['qualifiers', ['barrier.cluster.arrive.release']],
      ['fences', ['fence.mbarrier_init.release.cluster']],
      ['barriers', Array(2).fill('barrier.cluster.arrive; barrier.cluster.wait')],
    ]);
  });
});

describe('the patches', () => {
  it('keep every verdict of half of the classic tests, as checked without the adviser', async () => {
    let patches = 0;
    const classic = litmusPrograms().filter(({ source }) => source.path.startsWith('classic/'));
    for (const program of classic.filter(({ source }) => isOfShare(source.path, 2, 'patches'))) {
      const advice = await adviceFor(program.source.text);
      if (advice.kind !== 'weaken') throw new Error(`${program.name}: ${advice.kind}`);
      const before = await checkProgram(program, 'ptx-9.4');
      for (const { patch } of [...advice.alone, ...advice.together]) {
        const changed = applyPatch(program.source.text, patch);
        if (changed === false) throw new Error(`${program.name}: the patch does not apply`);
        const after = await checkProgram(programOf(changed), 'ptx-9.4');
        const verdicts = ({ conditions, expectations }: typeof after): unknown => [
          conditions.map(({ observation, expectation }) => [observation, expectation]),
          expectations.map(({ outcome }) => outcome),
        ];
        expect([program.name, patch, verdicts(after)]).toEqual([program.name, patch, verdicts(before)]);
        patches += 1;
      }
    }
    expect(patches).toBeGreaterThan(10);
  });
});

describe('the time for all variants', () => {
  it('ends the search with what is right so far, and says so', async () => {
    const [program] = litmusPrograms().filter(({ name }) => name === 'SB+fence.sc.gpu+fence.sc.gpu');
    if (program === undefined) throw new Error('no test');
    let steps = 0;
    const judge = new Judge(solver, builtInModel('ptx-9.4'), {
      unroll: 3,
      timeout: 100_000,
      clock: () => (steps += 1),
    });
    expect((await judge.verdicts(program.source))?.met.every((met) => met)).toBe(true);
    expect(judge.outOfTime).toBe(false);
    steps = 200_000;
    const weaker = program.source.text.replace('fence.sc.gpu', 'fence.acq_rel.gpu');
    expect(await judge.verdicts({ ...program.source, text: weaker })).toBeUndefined();
    expect(judge.outOfTime).toBe(true);
    // What was decided before is still known.
    expect((await judge.verdicts(program.source))?.met.every((met) => met)).toBe(true);
  });

  it('is over when whoever asked wants no more', async () => {
    const [program] = litmusPrograms().filter(({ name }) => name === 'SB+fence.sc.gpu+fence.sc.gpu');
    if (program === undefined) throw new Error('no test');
    const asked = new AbortController();
    const judge = new Judge(solver, builtInModel('ptx-9.4'), {
      unroll: 3,
      timeout: 100_000,
      clock: () => performance.now(),
      onCheck: (checks) => checks === 3 && asked.abort(),
      signal: asked.signal,
    });
    expect(await advise(program, judge)).toMatchObject({ kind: 'weaken' });
    expect([judge.checks, judge.outOfTime]).toEqual([3, true]);
  });
});
