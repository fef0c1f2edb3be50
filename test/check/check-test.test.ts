import { describe, expect, it } from 'vitest';
import { BOUND, TIMEOUT } from '../../src/program/undecided.js';
import { check, litmus, modelOf, stateLines } from '../support.js';

const X = '.global .u32 x = 0;';

describe('a failing cas', () => {
  it('writes nothing: it is no write that another thread could overwrite or read', async () => {
    const text = litmus(
      X,
      ['atom.relaxed.gpu.global.cas.b32 r0, [x], 5, 9; ld.relaxed.gpu.global.u32 r1, [x];'],
      'locations [x; P0:r0; P0:r1;]',
    );
    expect(stateLines(await check(text, 'ptx-7.5', { states: true }))).toEqual(['P0:r0=0 P0:r1=0 x=0']);
  });
});

describe('a model that allows no execution', () => {
  it('leaves open whether threads wait for ever: everything would hold of nothing', async () => {
    const text = litmus(X, ['st.global.u32 [x], 1;'], 'expect no-deadlock');
    const answerBy = async (model: string): Promise<unknown> => (await check(text, modelOf(model))).expectations[0];
    expect(await answerBy('"all"\nempty 0 as Nothing')).toMatchObject({ outcome: 'met' });
    expect(await answerBy('"none"\nempty [W] as No-Write')).toMatchObject({
      outcome: 'undecided',
      undecided: { kind: 'executions' },
    });
  });
});

describe('registers', () => {
  it('keep their value under a false guard, and take the width of their instructions', async () => {
    const text = litmus(
      '.global .u8 b = 0xff; .global .s16 h = -2;',
      [
        'ld.global.u8 r0, [b]; ld.global.s8 r1, [b]; ld.global.s16 r2, [h]; setp.eq.u32 p, r0, 1; @p mov.u32 r0, ' +
          '7; @!p add.u32 r3, r0, 1; cvt.u64.u32 d0, r1;',
      ],
      'require (P0:r0 == 255 /\\ P0:r1 == -1 /\\ P0:r2 == -2 /\\ P0:r3 == 256 /\\ P0:d0 == 0xffffffff)',
    );
    // A register that only narrow loads write would be as narrow: declare wider ones.
    const declared = text.replace('P0 @ cta 0, gpu 0 {', 'P0 @ cta 0, gpu 0 { .reg .u32 r0, r1; .reg .s32 r2;');
    expect((await check(declared)).conditions[0]?.expectation).toBe('met');
  });
});

describe('addresses', () => {
  it('that leave memory make a test undefined', async () => {
    const text = litmus(
      `${X} P0:d0 = &x;`,
      ['add.u64 d1, d0, 64; st.weak.global.u32 [d1], 1;'],
      'exists (x == 0)\nexpect undefined',
    );
    const result = await check(text);
    expect(result.undefinedBy?.rule).toBe('outside-memory');
    expect(result.undefinedBy?.sentence).toContain(
      'address that is not aligned to the access, or outside of every location, of the state space that the ' +
        'instruction names, or of what it may write there (line ',
    );
    expect(result.expectations[0]?.outcome).toBe('met');
  });
  it('may be chosen by what was read', async () => {
    const text = litmus(
      '.global .u32 x[2] = {10, 20}; .global .u32 i = 0; P0:d0 = &x;',
      [
        'ld.relaxed.gpu.global.u32 r0, [i]; mul.wide.u32 d1, r0, 4; add.u64 d2, d0, d1; ld.weak.global.u32 r1, [d2];',
        'st.relaxed.gpu.global.u32 [i], 1;',
      ],
      'locations [P0:r1;]',
    );
    expect(stateLines(await check(text, 'ptx-7.5', { states: true }))).toEqual(['P0:r1=10', 'P0:r1=20']);
  });
  it("of another CTA's shared memory need .shared::cluster and its cluster", async () => {
    const text = (space: string, cluster: number): string =>
      `PTX t\n{ .shared .u32 s @ cta 1; }\nP0 @ cta 0, cluster 0 { ld.${space}.u32 r0, [s]; }\nP1 @ cta 1, ` +
      `cluster ${cluster} { st.shared.u32 [s], 1; }\nexists (P0:r0 == 1)\n`;
    expect((await check(text('shared::cluster', 0))).conditions[0]?.reachable).toBe(true);
    await expect(check(text('shared', 0))).rejects.toThrow(
      "another CTA's shared memory: only .shared::cluster reaches it",
    );
    await expect(check(text('shared::cluster', 1))).rejects.toThrow('another cluster, which this thread cannot reach');
  });
});

describe('unknown initial memory', () => {
  it('has every value, the same one for every reader', async () => {
    const text = litmus(
      '.global .u8 b = ?;',
      ['.reg .u32 r0, r1; ld.weak.global.u8 r0, [b]; ld.weak.global.u8 r1, [b];'],
      'permit (P0:r0 == 200) as any\nforbid (P0:r0 != P0:r1) as two',
    );
    expect((await check(text)).conditions.map(({ expectation }) => expectation)).toEqual(['met', 'met']);
  });
});

describe('loops', () => {
  const spin = (body: string): string =>
    litmus(
      `${X} .global .u32 flag = 0;`,
      [
        'st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [flag], 3;',
        `wait: ${body} setp.lt.u32 p, r0, 3; @p bra wait; ld.weak.global.u32 r1, [x];`,
      ],
      'forbid (P1:r1 == 0) as stale',
    );
  it('that only wait are decided at any bound', async () => {
    for (const unroll of [1, 2, 5])
      expect(
        (await check(spin('ld.acquire.gpu.global.u32 r0, [flag];'), 'ptx-7.5', { unroll })).conditions[0]?.expectation,
      ).toBe('met');
  });
  it('that only wait may race in a round that goes on', async () => {
    // The last round reads x after the acquire; an earlier one reads it whenever it likes.
    const text = litmus(
      `${X} .global .u32 flag = 0;`,
      [
        'st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [flag], 1;',
        'wait: ld.acquire.gpu.global.u32 r0, [flag]; ld.weak.global.u32 r1, [x]; setp.eq.u32 p, r0, 0; @p bra wait;',
      ],
      'forbid (P1:r1 == 0) as stale\nexpect race',
    );
    const { conditions, expectations } = await check(text);
    expect([conditions[0]?.expectation, expectations[0]?.outcome]).toEqual(['met', 'met']);
    const ordered = text.replace(
      'ld.weak.global.u32 r1, [x]; setp.eq.u32 p, r0, 0; @p bra wait;',
      'setp.eq.u32 p, r0, 0; @p bra wait; ld.weak.global.u32 r1, [x];',
    );
    expect((await check(ordered)).expectations[0]?.outcome).toBe('broken');
  });
  it('that only wait may race by size in a round that goes on: then the test is undefined', async () => {
    const text = litmus(
      `${X} .global .u32 flag = 0;`,
      [
        'st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [flag], 1;',
        '.reg .u32 r1; wait: ld.acquire.gpu.global.u32 r0, [flag]; ld.weak.global.u16 r1, [x]; setp.eq.u32 p, ' +
          'r0, 0; @p bra wait;',
      ],
      'expect undefined\nexists (P1:r1 == 1)',
    );
    expect((await check(text)).expectations[0]?.outcome).toBe('met');
  });
  it('that hand a register of an earlier round out are no mere waiting', async () => {
    // Round 1 reads y into r1 and goes on; round 2 leaves early, with the r1 of round 1.
    const text = litmus(
      `${X} .global .u32 y = 7;`,
      [
        'st.relaxed.gpu.global.u32 [x], 1;',
        'again: ld.relaxed.gpu.global.u32 r0, [x]; setp.eq.u32 p, r0, 1; @p bra out; ld.relaxed.gpu.global.u32 ' +
          'r1, [y]; bra again; out: mov.u32 r2, r1;',
      ],
      'permit (P1:r2 == 7) as second_round\npermit (P1:r2 == 0) as first_round',
    );
    expect((await check(text)).conditions.map(({ expectation }) => expectation)).toEqual(['met', 'met']);
  });
  it('that count their rounds depend on the bound, and say so, where somebody looks at the count', async () => {
    const counting = spin('add.u32 r2, r2, 1; ld.acquire.gpu.global.u32 r0, [flag];');
    expect((await check(counting)).conditions[0]?.expectation).toBe('met');
    expect((await check(counting.replace('P1:r1 == 0', 'P1:r1 == 0 \\/ P1:r2 == 9'))).conditions[0]?.undecided).toEqual(
      BOUND,
    );
  });
  it('that write depend on the bound, and what lies beyond it may be read by others', async () => {
    // Only the fourth round stores 4; with three rounds nothing may be concluded from not seeing it.
    const loop =
      'ld.weak.global.u32 r2, [rounds]; again: add.u32 r0, r0, 1; st.relaxed.gpu.global.u32 [x], r0; setp.lt.u32 ' +
      'p, r0, r2; @p bra again;';
    const text = litmus(
      `${X} .global .u32 rounds = 4;`,
      [loop, 'ld.relaxed.gpu.global.u32 r1, [x];'],
      'exists (P1:r1 == 4)\nexists (P1:r1 == 5)',
    );
    expect((await check(text, 'ptx-7.5', { unroll: 3 })).conditions.map(({ undecided }) => undecided)).toEqual([
      BOUND,
      BOUND,
    ]);
    expect((await check(text, 'ptx-7.5', { unroll: 4 })).conditions.map(({ reachable }) => reachable)).toEqual([
      true,
      false,
    ]);
  });
  it('inside loops start afresh in each round of the outer one', async () => {
    const body =
      'outer: mov.u32 r1, 0; inner: add.u32 r1, r1, 1; add.u32 r2, r2, 1; setp.lt.u32 p, r1, 2; @p bra inner; ' +
      'add.u32 r0, r0, 1; setp.lt.u32 q, r0, 3; @q bra outer;';
    expect(
      (await check(litmus(X, [body], 'require (P0:r2 == 6) as six'), 'ptx-7.5', { unroll: 3 })).conditions[0]
        ?.expectation,
    ).toBe('met');
  });
});

describe('barriers', () => {
  const inCta = (bodies: readonly string[], conditions: string, initial = '.shared .u32 x = 0;'): string =>
    `PTX b\n{ ${initial} }\n${bodies.map((body, i) => `P${i} @ cta 0 { ${body} }`).join('\n')}\n${conditions}\n`;
  it('that can never complete leave no final state', async () => {
    const text = inCta(['bar.sync 0; bar.sync 1;', 'bar.sync 1; bar.sync 0;'], 'exists (true)\nexists (x == 0)');
    expect((await check(text)).conditions.map(({ reachable }) => reachable)).toEqual([false, false]);
  });
  it('with fewer participants than threads may complete with any of them, and order only those', async () => {
    const text = inCta(
      [
        'st.weak.shared.u32 [x], 1; bar.arrive 1, 64;',
        'bar.arrive 1, 64;',
        'bar.sync 1, 64; ld.weak.shared.u32 r0, [x];',
      ],
      'permit (P2:r0 == 0) as with_p1\npermit (P2:r0 == 1) as with_p0',
    );
    expect((await check(text)).conditions.map(({ expectation }) => expectation)).toEqual(['met', 'met']);
  });
  it('reduce the predicates of all participants', async () => {
    const body = (value: number): string =>
      `mov.u32 r0, ${value}; setp.eq.u32 p, r0, 1; bar.red.popc.u32 r1, 0, p; bar.red.and.pred q, 0, p; ` +
      'bar.red.or.pred s, 0, !p;';
    const text = inCta(
      [body(1), body(0), body(1)],
      'require (P0:r1 == 2 /\\ P2:r1 == 2 /\\ P0:q == false /\\ P1:s == true) as all',
    );
    expect((await check(text)).conditions[0]?.expectation).toBe('met');
  });
  it('are refused an answer where their number depends on data', async () => {
    const text = inCta(
      ['ld.weak.shared.u32 r0, [x]; bar.sync r0;', 'st.weak.shared.u32 [x], 1; bar.sync 1;'],
      'exists (true)',
    );
    expect((await check(text)).conditions[0]?.undecided).toMatchObject({
      kind: 'value',
      what: expect.stringContaining('must be known before the test is run'),
    });
  });
});

describe('budgets', () => {
  it('end in unknown with the reason', async () => {
    let now = 0;
    const lock =
      'take: atom.acquire.gpu.global.exch.b32 r0, [x], 1; setp.ne.u32 p, r0, 0; @p bra take; ' +
      'st.release.gpu.global.u32 [x], 0;';
    const hurried = await check(litmus(X, [lock, lock, lock], 'exists (x == 7)'), 'ptx-7.5', {
      timeout: 1,
      clock: () => (now += 1000),
    });
    expect(hurried.conditions[0]?.undecided).toEqual(TIMEOUT);
    const many = litmus(
      X,
      Array.from({ length: 2100 }, () => 'st.weak.global.u32 [x], 1;'),
      'exists (x == 1)',
    );
    expect((await check(many)).conditions[0]?.undecided).toEqual({
      kind: 'size',
      what: 'the test has more than 2000 events',
    });
  });

  it('are asked for at each pair of accesses that may be anywhere', async () => {
    const anywhere = 'ld.weak.global.u32 r1, [i]; and.b32 r1, r1, 63; mul.wide.u32 d1, r1, 4; add.u64 d1, d0, d1;';
    const stores = Array.from({ length: 12 }, () => 'st.weak.global.u32 [d1], 1;').join(' ');
    let now = 0;
    const result = await check(
      litmus('.global .u32 x[64]; .global .u32 i = ?; P0:d0 = &x;', [`${anywhere} ${stores}`], 'exists (x == 1)'),
      'ptx-9.4',
      { timeout: 1000, clock: () => now++ },
    );
    expect(result.conditions[0]?.undecided).toEqual(TIMEOUT);
  });
});

describe('expectations', () => {
  it('of deadlock are met where no thread can wait, and where one does for ever', async () => {
    const outcomes = async (body: string): Promise<readonly string[]> =>
      (await check(litmus(X, [body], 'expect no-deadlock\nexpect deadlock\nexists (true)'))).expectations.map(
        ({ outcome }) => outcome,
      );
    expect(await outcomes('exit;')).toEqual(['met', 'broken']);
    expect(await outcomes('again: ld.relaxed.gpu.global.u32 r0, [x]; setp.ne.u32 p, r0, 1; @p bra again;')).toEqual([
      'broken',
      'met',
    ]);
  });
  it('of definedness are undecided where a round beyond the bound might be undefined', async () => {
    // Each round goes one word further; the third leaves the array.
    const body =
      'ld.weak.global.u32 r2, [rounds]; again: st.weak.global.u32 [d0], 1; add.u64 d0, d0, 4; add.u32 r0, r0, 1; ' +
      'setp.lt.u32 p, r0, r2; @p bra again;';
    const text = litmus(
      '.global .u32 x[2]; .global .u32 rounds = 3; P0:d0 = &x;',
      [body],
      'expect no-undefined\nexists (true)',
    );
    expect((await check(text, 'ptx-7.5', { unroll: 2 })).expectations[0]).toMatchObject({
      outcome: 'undecided',
      undecided: BOUND,
    });
    expect((await check(text, 'ptx-7.5', { unroll: 3 })).expectations[0]?.outcome).toBe('broken');
  });
  it('of races follow the flag of the model', async () => {
    const racy = litmus(X, ['st.weak.global.u32 [x], 1;', 'ld.weak.global.u32 r0, [x];'], 'expect race\nexists (true)');
    expect((await check(racy)).expectations[0]?.outcome).toBe('met');
    expect((await check(racy.replaceAll('weak', 'relaxed.gpu'))).expectations[0]?.outcome).toBe('broken');
    expect((await check(racy, 'sc')).expectations[0]?.undecided).toEqual({ kind: 'flag', name: 'data-race' });
  });
  it('limited to one model are of no concern to another', async () => {
    const text = litmus(X, ['exit;'], 'forbid (true) as never for sc\npermit (true) as always');
    expect((await check(text)).conditions.length).toBe(1);
  });
});

describe('filters', () => {
  it('leave only the executions that satisfy them', async () => {
    const text = litmus(
      X,
      ['st.relaxed.gpu.global.u32 [x], 1;', 'ld.relaxed.gpu.global.u32 r0, [x];'],
      'filter (P1:r0 == 1)\nrequire (P1:r0 == 1) as seen',
    );
    expect((await check(text)).conditions[0]?.expectation).toBe('met');
  });
});

describe('the barriers of the Dat3M dialect', () => {
  const columns = (first: string, second: string): string =>
    `PTX d\n{ x = 0; P1:r0 = 0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | ${second} ;\n ${first} | ` +
    `ld.weak r0, x ;\nexists (P1:r0 == 0)\n`;
  it('take a number of the instruction, a barrier, and a count of threads of the test', async () => {
    for (const [first, second] of [
      ['bar.cta.sync 0', 'bar.cta.sync 0'],
      ['bar.cta.arrive 0', 'bar.cta.sync 0'],
      ['bar.cta.sync 0, 1', 'bar.cta.sync 1, 1'],
      ['bar.cta.arrive 0, 1, 2', 'bar.cta.sync 7, 1, 2'],
    ] as const) {
      expect((await check(columns(first, second))).conditions[0]?.reachable, `${first} and ${second}`).toBe(false);
    }
  });
});

describe('the final state of a witness', () => {
  it('is one that the test can end in, also in locations that its condition does not mention', async () => {
    const text = litmus(
      X,
      ['st.weak.global.u32 [x], 7; ld.weak.global.u32 r0, [x];'],
      'exists (P0:r0 == 7)\nexists (x == 7)\nlocations [x;]',
    );
    const result = await check(text, 'ptx-9.4', { states: true });
    const states = result.states?.list.map(({ state }) => state) ?? [];
    for (const { witnesses } of result.conditions) expect(states).toContainEqual(witnesses[0]?.finalState);
  });
});
