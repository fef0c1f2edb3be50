import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { generateTests } from '../../src/generate/generate-tests.js';
import { CORPUS, describeWith } from '../resources.js';
import { isOfShare, SWEEP_ALL } from '../shares.js';
import { programOf } from '../support.js';
import { compareEngines, complaint } from '../twins.js';
import { changedTest } from './small-changes.js';

/** More with SWEEP=all. */
const GENERATED = SWEEP_ALL ? 120 : 48;
/** Of the corpus one file of so many is asked; with SWEEP=all every one. */
const SHARE = 6;
const CASES = Number(process.env['FUZZ_CASES'] ?? 60);

function litmusFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(litmus|test)$/.test(file))
    .sort();
}

describe('the engines agree', () => {
  it(`on ${GENERATED} generated tests`, async () => {
    const wrong: string[] = [];
    const families = new Map<string, number>();
    let made = 0;
    for (const { name, family, text } of generateTests({ seed: 20261121 })) {
      const result = compareEngines(programOf(text, name));
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
        complaint(compareEngines(programOf(`PTX once\n{ .global .u32 g = 0; }\n${threads}\nexists (g == 0)`))),
      ).toBe('agree'),
    );

  it('and a filter before an address outside of memory is not compared', async () => {
    const result = compareEngines(
      programOf(
        'PTX filtered\n{ .global .u32 i = 0; }\nP0 { ld.weak.global.u32 r1, [i]; cvt.u64.u32 rd1, r1; ' +
          'ld.weak.global.u32 r2, [rd1]; }\nfilter (P0:r1 == 1)\nexists (P0:r2 == 0)',
      ),
    );
    expect(JSON.stringify(result.undecided)).toMatch(/before the filter/);
  });

  it('and a filter that leaves every execution out is agreed on', () => {
    const filtered =
      'PTX filtered\n{ .global .u32 x = 0; }\nP0 { ld.weak.global.u32 r1, [x]; }\nfilter (P0:r1 == 1)\nexists (x == 0)';
    expect(complaint(compareEngines(programOf(filtered)))).toBe('agree');
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
        const result = compareEngines(program, { unroll: 2, timeout: 10_000 });
        if (result.verdict === 'agree') compared += 1;
        expect(result.verdict, `${complaint(result)}\n${text}`).not.toBe('disagreement');
      }),
      { numRuns: CASES },
    );
    expect(compared).toBeGreaterThan(CASES / 4);
  }, 3_600_000);
});

describeWith(CORPUS, 'the engines agree on the published corpus', () => {
  it('a share of its files', async () => {
    const wrong: string[] = [];
    let compared = 0;
    for (const file of litmusFiles(CORPUS.path).filter((one) => isOfShare(one, SHARE, 'engines'))) {
      for (const program of loadTests({ path: file, text: readFileSync(join(CORPUS.path, file), 'utf8') }).value ??
        []) {
        const result = compareEngines(program, { unroll: 2 });
        if (result.verdict !== 'agree') wrong.push(`${file} ${program.name}: ${complaint(result)}`);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(400 / SHARE);
    expect(wrong).toEqual([]);
  });
});
