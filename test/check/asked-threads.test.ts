import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectionOf } from '../../src/check/answer-scope.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

/** In a phase each thread writes or reads the word `(factor * tid + offset) mod words`. */
interface Phase {
  readonly writes: boolean;
  readonly factor: number;
  readonly offset: number;
  readonly words: number;
}

/** Generated launches of each size; FUZZ_CASES gives another number. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 60);
const WORDS = 64;
/** Of so many threads some alone come to a common word, where there are a few less. */
const phasesFor = (block: number): fc.Arbitrary<Phase[]> =>
  fc.array(
    fc.record({
      writes: fc.boolean(),
      factor: fc.constantFrom(0, 1, 1, 1, 1, 1, 3),
      offset: fc.nat(8),
      words: fc.constantFrom(WORDS, block - 1, block - 2),
    }),
    { minLength: 1, maxLength: 3 },
  );

const bodyOf = (all: readonly Phase[]): string =>
  all
    .map(
      ({ writes, factor, offset, words }) =>
        `mad.lo.u32 %r4, %r1, ${factor}, ${offset}; rem.u32 %r4, %r4, ${words}; mad.lo.u32 %r5, %r4, 4, %r2; ` +
        (writes ? 'st.shared.u32 [%r5], %r1;' : 'ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2], %r6;'),
    )
    .join('\nbar.sync 0;\n');

interface Launch {
  readonly body: string;
  readonly block: number;
  readonly run?: string;
  readonly clauses?: string;
  readonly wants?: 'answers' | 'threads' | 'all threads';
  readonly words?: number;
  readonly place?: string;
}

function checked({
  body,
  block,
  run = '',
  clauses = '',
  wants = 'answers',
  words = WORDS,
  ...rest
}: Launch): TestResult {
  const { place = `grid 1, block ${block}` } = rest;
  const text =
    `PTX asked\n{ .global .u32 out[${Math.max(WORDS, block)}] = 0; }\nlaunch K "k.ptx" (out) @ ${place} { ${run} }\n` +
    `expect no-race\nexpect no-undefined\nexpect no-deadlock\nexpect no-trap\nexpect no-uninitialized\n${clauses}\n`;
  const module = kernelModule({
    declared: `.shared .align 4 .u32 s[${words}]; .shared .align 8 .b64 bar;`,
    body: `mov.u32 %r2, s; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n${body}`,
  });
  const source = { path: 'k.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: module } } };
  const { value, diagnostics } = loadTests(source, {}, wants);
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return checkTest(solver, program, builtInModel('ptx-9.4'));
}

const outcomesOf = ({ expectations }: TestResult): Readonly<Record<string, string>> =>
  Object.fromEntries(expectations.map(({ expectation, outcome }) => [expectation.finding, outcome]));

/** Who races, and who reads a word that nothing has written: by arithmetic, phase by phase. */
function wrongIn(all: readonly Phase[], block: number): { readonly races: Set<number>; readonly reads: Set<number> } {
  const wordOf = ({ factor, offset, words }: Phase, tid: number): number => (factor * tid + offset) % words;
  const [races, reads, written] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (const phase of all) {
    const tids = Array.from({ length: block }, (_, tid) => tid);
    for (const tid of tids) {
      const others = tids.filter((other) => other !== tid && wordOf(phase, other) === wordOf(phase, tid));
      if (phase.writes && others.length > 0) races.add(tid);
      if (!phase.writes && !written.has(wordOf(phase, tid))) reads.add(tid);
    }
    if (phase.writes) for (const tid of tids) written.add(wordOf(phase, tid));
  }
  return { races, reads };
}

describe('of threads that a test names, among all of a launch,', () => {
  it.each([64, 24, 8])('what they do wrong is told, and what the others do is not: %i threads', (block) => {
    const named = fc.uniqueArray(fc.nat(block - 1), { minLength: 1, maxLength: 3 });
    let both = 0;
    fc.assert(
      fc.property(phasesFor(block), named, (all, tids) => {
        const result = checked({ body: bodyOf(all), block, run: `run tid ${tids.join(', ')};` });
        const { races, reads } = wrongIn(all, block);
        const expected = (wrong: ReadonlySet<number>): string =>
          tids.some((tid) => wrong.has(tid)) ? 'broken' : 'met';
        const met = { undefined: 'met', deadlock: 'met', trap: 'met' };
        // What depends on a race of others may be told or not.
        const { uninitialized, ...rest } = outcomesOf(result);
        expect(rest).toEqual({ ...met, race: expected(races) });
        expect([expected(reads), 'undecided']).toContain(uninitialized);
        if (races.size === 0) expect(uninitialized).toBe(expected(reads));
        expect(selectionOf(result.program)).toEqual(
          tids.length === block ? undefined : { run: tids.length, of: block },
        );
        if (races.size > 0 && expected(races) === 'met') both++;
      }),
      { numRuns: CASES, seed: 5 },
    );
    // Among them there are such where only others race.
    expect(both).toBeGreaterThan(3);
  });

  const FIRST_WAITS = 'setp.ne.u32 %p1, %r1, 0; @%p1 bra E; bar.sync 1, 64; E:';

  it('who waits for ever is told', () => {
    expect(outcomesOf(checked({ body: FIRST_WAITS, block: 64, run: 'run tid 0;' }))).toMatchObject({
      deadlock: 'broken',
    });
    expect(outcomesOf(checked({ body: FIRST_WAITS, block: 64, run: 'run tid 40;' }))).toMatchObject({
      deadlock: 'met',
    });
  });

  it('nothing is known where another one does what is undefined', () => {
    const outside = 'setp.ne.u32 %p1, %r1, 3; @%p1 bra E; ld.shared.u32 %r6, [%r2 + 4096]; E:';
    const of = (tid: number) => outcomesOf(checked({ body: outside, block: 64, run: `run tid ${tid};` }));
    expect(of(3)).toMatchObject({ undefined: 'broken' });
    expect(of(4)).toMatchObject({ undefined: 'undecided', race: 'undecided' });
  });

  const OWN = 'mad.lo.u32 %r5, %r1, 4, %r2; st.shared.u32 [%r5], %r1; bar.sync 0; xor.b32 %r4, %r1, 32;';
  const EXCHANGE = `${OWN} mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2], %r6;`;

  it.each(['answers', 'threads'] as const)('conditions speak by their numbers, read for %s', (wants) => {
    const asked = { body: EXCHANGE, block: 64, run: 'run tid 33, 5;', wants };
    const holds = (clauses: string): string | undefined => checked({ ...asked, clauses }).conditions[0]?.expectation;
    expect(holds('require (P0:%r6 == 37 /\\ P1:%r6 == 1)')).toBe('met');
    expect(holds('require (P0:%r6 == 1)')).toBe('broken');
    // What others leave in memory is known as well.
    expect(holds('require (out[7] == 39)')).toBe('met');
    expect(holds('require (K[cta 0, tid 9]:%r6 == 41)')).toBe('met');
  });

  it('others that are run beside have the numbers behind', () => {
    const ways = 'setp.ge.u32 %p1, %r1, 3; @%p1 bra L; st.global.u32 [%rd2], 7; L:';
    for (const wants of ['answers', 'threads'] as const) {
      const clauses = 'require (P0:%r6 == 37 /\\ P1:%r6 == 1)';
      const asked = checked({ body: `${ways} ${EXCHANGE}`, block: 64, run: 'run tid 33, 5;', clauses, wants });
      expect(asked.conditions[0]?.expectation).toBe('met');
    }
  });

  it('any may be the one of its warp that is elected', () => {
    const body = 'elect.sync %r9|%p1, 0xffffffff; @!%p1 bra E; st.shared.u32 [%r2], 1; E:';
    for (const tid of [0, 5, 63])
      expect(outcomesOf(checked({ body, block: 64, run: `run tid ${tid};` }))).toMatchObject({ race: 'broken' });
    const first = `setp.ge.u32 %p2, %r1, 32; @%p2 bra F; ${body} F:`;
    expect(outcomesOf(checked({ body: first, block: 96, run: 'run tid 70;' }))).toMatchObject({ race: 'met' });
  });

  it('any may be the one that comes last', () => {
    const read = 'ld.shared.u32 %r6, [%r2 + 20]; st.global.u32 [%rd1], %r6;';
    const body =
      'mad.lo.u32 %r5, %r1, 4, %r2; st.shared.u32 [%r5], %r1; ' +
      `atom.relaxed.gpu.global.add.u32 %r7, [%rd1 + 4], 1; setp.ne.u32 %p1, %r7, 63; @%p1 bra E; ${read} E:`;
    expect(outcomesOf(checked({ body, block: 64, run: 'run tid 40;' })).race).not.toBe('met');
  });

  it('any atomic may come first, and find no value', () => {
    const first = (op: string, tid: number) =>
      outcomesOf(checked({ body: `${op};`, block: 64, run: `run tid ${tid};` })).uninitialized;
    for (const op of ['atom.relaxed.cta.shared.add.u32 %r7, [%r2], 1', 'red.relaxed.cta.shared.add.u32 [%r2], 1'])
      for (const tid of [5, 63]) expect(first(op, tid)).not.toBe('met');
    expect(first('atom.relaxed.cta.shared.exch.b32 %r7, [%r2], 1', 5)).not.toBe('met');
  });

  it('nobody is without the others', () => {
    // The others come to the count, and none of them traps; those that are named alone would.
    const all = (block: number): string =>
      'ld.global.u32 %r8, [%rd1 + 252]; setp.eq.u32 %p1, %r8, 0; @%p1 bra C; bar.sync 0; C: ' +
      'atom.relaxed.gpu.global.add.u32 %r3, [%rd1], 1; bar.sync 0; ld.relaxed.gpu.global.u32 %r4, [%rd1]; ' +
      `setp.ne.u32 %p2, %r4, ${block}; @%p2 trap;`;
    for (const wants of ['answers', 'threads', 'all threads'] as const)
      for (const block of wants === 'all threads' ? [6] : [6, 64])
        expect(outcomesOf(checked({ body: all(block), block, run: 'run tid 5;', wants })).trap).toBe('met');
  });

  it('memory without a value is asked about where the test asks for nothing', () => {
    const text = (run: string) =>
      `PTX t\n{ .global .u32 out[64]; }\nlaunch K "k.ptx" (out) @ grid 1, block 64 { ${run} }\n`;
    const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body: 'add.u32 %r1, %r1, 1;' }) } };
    const asked = (run: string): readonly string[] =>
      (loadTests({ path: 'k.litmus', text: text(run), modules }).value ?? []).flatMap(({ expectations }) =>
        expectations.map(({ finding }) => finding),
      );
    expect(asked('run tid 5;')).toContain('uninitialized');
    expect(asked('run exactly tid 5;')).not.toContain('uninitialized');
  });

  it('there are those that the launch has', () => {
    const refused = (run: string) => () => checked({ body: EXCHANGE, block: 64, run });
    expect(refused('run tid 64;')).toThrow('there is no tid 64');
    expect(refused('run tid -1;')).toThrow('there is no tid -1');
  });

  it('engines that decide all threads say nothing else', () => {
    const named = fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(phasesFor(6), named, (all, tids) => {
        const run = `run tid ${tids.join(', ')};`;
        const outcomes = outcomesOf(checked({ body: bodyOf(all), block: 6, run, wants: 'all threads' }));
        const { races, reads } = wrongIn(all, 6);
        // Where others do it as well, it may be one of them that is found.
        const possible = (wrong: ReadonlySet<number>): readonly string[] => {
          if (wrong.size === 0) return ['met'];
          return tids.some((tid) => wrong.has(tid)) ? ['broken', 'undecided'] : ['undecided'];
        };
        expect(possible(races)).toContain(outcomes['race']);
        expect(possible(reads)).toContain(outcomes['uninitialized']);
        expect(outcomes).toMatchObject({ undefined: 'met', deadlock: 'met', trap: 'met' });
      }),
      { numRuns: Math.ceil(CASES / 4), seed: 6 },
    );
  });

  it('too many for the engines are left to the run of all', () => {
    const asked = { body: EXCHANGE, block: 512, run: 'run tid 0;', words: 1024 };
    expect(outcomesOf(checked(asked))).toMatchObject({ race: 'met' });
    expect(outcomesOf(checked({ ...asked, wants: 'all threads' }))).toMatchObject({ race: 'undecided' });
  });
});

describe('threads that a launch has alone', () => {
  const asked = (body: string, run: string, place?: string) =>
    outcomesOf(checked({ body, block: 64, run: `run exactly tid ${run};`, ...(place !== undefined && { place }) }));
  const STORE = 'mad.lo.u32 %r5, %r1, 4, %r2; st.shared.u32 [%r5], %r1;';

  it('wait for ever for all others, whatever way these would go', () => {
    expect(asked(`${STORE} bar.sync 0;`, '0, 63')).toMatchObject({ deadlock: 'broken', race: 'met' });
    expect(asked(`${STORE} bar.sync 0;`, '0..31')).toMatchObject({ deadlock: 'broken' });
    expect(asked(`${STORE} bar.sync 0;`, '0..63')).toMatchObject({ deadlock: 'met' });
    // As many as it counts are there.
    expect(asked(`${STORE} bar.sync 1, 32;`, '0..31')).toMatchObject({ deadlock: 'met' });
  });

  it('count for nobody else', () => {
    const arriving = (count: number): string =>
      'mov.u32 %r3, bar; setp.ne.u32 %p1, %r1, 0; @%p1 bra E; ' +
      `mbarrier.init.shared.b64 [%r3], ${count}; mbarrier.arrive.shared.b64 %rd3, [%r3]; ` +
      'W: mbarrier.test_wait.shared.b64 %p2, [%r3], %rd3; @!%p2 bra W; E:';
    expect(asked(arriving(1), '0')).toMatchObject({ deadlock: 'met' });
    expect(asked(arriving(64), '0')).toMatchObject({ deadlock: 'broken' });
  });

  it('come to nothing that waits for lanes or CTAs which there are not', () => {
    const warp = 'bar.warp.sync 0xffffffff;';
    expect(() => asked(warp, '0')).toThrow('run exactly leaves out threads that this instruction may wait for');
    expect(asked(warp, '0..31')).toMatchObject({ deadlock: 'met' });
    const cluster = 'barrier.cluster.arrive; barrier.cluster.wait;';
    const two = 'grid 2, block 2, cluster 2';
    expect(() => asked(cluster, '0, 1 of cta 0', two)).toThrow('run exactly leaves out threads');
    expect(asked(cluster, '0, 1', two)).toMatchObject({ deadlock: 'met' });
  });
});
