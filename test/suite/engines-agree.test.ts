import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CrossCheck, crossCheck } from '../../src/check/cross-check.js';
import { loadTests } from '../../src/check/load-tests.js';
import { generateTests } from '../../src/generate/generate-tests.js';
import type { Program } from '../../src/program/program.js';
import { describeUndecided } from '../../src/program/undecided.js';
import { CORPUS, describeWith } from '../resources.js';
import { builtInModel, everyStep, modelOf, programOf, ROOT, STEP, z3 } from '../support.js';
import { changedTest } from './small-changes.js';

/**
 * The axioms and the operational machine, which were stated independently of each other, find the same in every test.
 */
const inOrder = modelOf(readFileSync(join(ROOT, 'models/axioms/in-order.cat'), 'utf8'), 'in-order');
const GENERATED = 200;
const CASES = Number(process.env['FUZZ_CASES'] ?? 150);

async function compare(program: Program, unroll = 3, timeout = 60_000): Promise<CrossCheck> {
  return crossCheck(await z3(), program, builtInModel('ptx-9.4'), inOrder, {
    unroll,
    timeout,
    clock: () => performance.now(),
  });
}

/** What went wrong, for the message of a failing test. */
function complaint({ verdict, undecided, differences }: CrossCheck): string {
  const found = differences.map(
    ({ kind, only, state, rules }) =>
      `${only} only: ${kind} ` +
      `${state === undefined ? JSON.stringify(rules ?? '') : [...state].map((pair) => pair.join('=')).join(' ')}`,
  );
  return [verdict, ...(undecided === undefined ? [] : [describeUndecided(undecided)]), ...found].join('\n');
}

function litmusFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(litmus|test)$/.test(file))
    .sort();
}

/** Outcomes that the axioms allow and no machine has that executes synchronizing operations in order. */
const NEED_LOAD_BUFFERING: readonly string[] = [
  'CoLB+or.cta-exch.rel.gpu+exch.rel.gpu',
  'arrive-rlx+ld-sync-two-syncs',
  'async.WAR+ld-fence.async.shared.cta-remote-g2s',
  'async.WAR+ld-g2s',
  'async.pipeline+full-empty',
  'async.uni.WAR+nothing+acq.sync_restrict',
  'async.uni.WAR+rel.sync_restrict+nothing',
  'async.uni.read.WAR-other-thread+rel.read+acq.sync_restrict',
  'bullet4+ld-arrive.rlx+wait-st',
  'gemm+1-stage+2-iterations+no-proxy-fence',
  'init.cluster+relaxed-without-fence',
  'mbarrier_init+arrive.rlx-wait+remote-arrive',
];

/** Where the machine does not know a value: any of 2^64 may be found. */
const OPEN_VALUES = ['life+ld-after-inval'];

describe('the engines agree', () => {
  const buffering: string[] = [];
  for (const file of litmusFiles(join(ROOT, 'litmus'))) {
    const name = basename(file, '.litmus');
    it(`on ${name}`, async () => {
      const result = await compare(programOf(readFileSync(join(ROOT, 'litmus', file), 'utf8'), file));
      if (OPEN_VALUES.includes(name)) return expect(JSON.stringify(result.undecided)).toMatch(/leaves open/);
      expect(complaint(result)).toBe('agree');
      if (result.needLoadBuffering.length > 0) buffering.push(name);
    });
  }

  it('and what needs load buffering across synchronization is known', () =>
    expect([...buffering].sort()).toEqual(NEED_LOAD_BUFFERING));

  it(`on ${GENERATED} generated tests`, async () => {
    const wrong: string[] = [];
    const families = new Map<string, number>();
    let made = 0;
    for (const { name, family, text } of generateTests({ seed: 20261121 })) {
      const result = await compare(programOf(text, name));
      if (result.verdict !== 'agree') wrong.push(`${name}: ${complaint(result)}\n${text}`);
      families.set(family, (families.get(family) ?? 0) + 1);
      made += 1;
      if (made === GENERATED) break;
    }
    expect(wrong).toEqual([]);
    expect(
      (families.get('mbarrier') ?? 0) + (families.get('async') ?? 0) + (families.get('proxy') ?? 0),
    ).toBeGreaterThanOrEqual(GENERATED / 4);
  });
});

/**
 * What once made the engines disagree, or one of them fail, and is no test of ours: PTX calls a second arrival of a
 * warp before the barrier completes unpredictable.
 */
const ONCE_WRONG: readonly string[] = [
  'P0 @ cta 0 { bar.arrive 1, 64; bar.sync 1, 64; }\nP1 @ cta 0 { mov.u32 r1, 1; }',
  'P0 @ cta 0 { bar.arrive 1, 64; }\nP1 @ cta 0 { bar.sync 1, 64; bar.arrive 1, 64; bar.arrive 1, 64; }',
  'P0 @ cta 0 { bar.arrive 0, 96; }\nP1 @ cta 0 { bar.arrive 0, 96; bar.sync 0, 96; }',
];

describe('the engines agree on what once was wrong', () => {
  for (const threads of ONCE_WRONG)
    it(threads.replace(/\n/g, ' '), async () =>
      expect(
        complaint(await compare(programOf(`PTX once\n{ .global .u32 g = 0; }\n${threads}\nexists (g == 0)`))),
      ).toBe('agree'),
    );

  it('and a filter before an address outside of memory is not compared', async () => {
    const result = await compare(
      programOf(
        'PTX filtered\n{ .global .u32 i = 0; }\nP0 { ld.weak.global.u32 r1, [i]; cvt.u64.u32 rd1, r1; ' +
          'ld.weak.global.u32 r2, [rd1]; }\nfilter (P0:r1 == 1)\nexists (P0:r2 == 0)',
      ),
    );
    expect(JSON.stringify(result.undecided)).toMatch(/before the filter/);
  });
});

describe('the engines agree on tests made from ours by small changes', () => {
  it('whatever they are', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(changedTest, async (text) => {
        const { value } = loadTests({ path: 'changed.litmus', text });
        const [program] = value ?? [];
        if (program === undefined) return;
        const result = await compare(program, 2, 10_000);
        if (result.verdict === 'agree') compared += 1;
        expect(result.verdict, `${complaint(result)}\n${text}`).not.toBe('disagreement');
      }),
      { numRuns: CASES },
    );
    expect(compared).toBeGreaterThan(CASES / 4);
  }, 3_600_000);
});

describeWith(CORPUS, 'the engines agree on the published corpus', () => {
  it('every third file of it, and with FUZZ_CASES set every one', async () => {
    const wrong: string[] = [];
    let compared = 0;
    for (const file of everyStep(litmusFiles(CORPUS.path))) {
      for (const program of loadTests({ path: file, text: readFileSync(join(CORPUS.path, file), 'utf8') }).value ??
        []) {
        const result = await compare(program, 2);
        if (result.verdict !== 'agree') wrong.push(`${file} ${program.name}: ${complaint(result)}`);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(400 / STEP);
    expect(wrong).toEqual([]);
  });
});
