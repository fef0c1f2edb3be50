import { describe, expect, it } from 'vitest';
import { checkOperationally } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import {
  BOOLEANS,
  type Promises,
  printForwardProgress,
  promisedTo,
  promisesIn,
  promisesOf,
} from '../../src/program/forward-progress.js';
import { type ForwardProgress, readForwardProgress } from '../../src/syntax/forward-progress.js';
import { builtInModel, diagnosticsOf, programOf, solver } from '../support.js';

const read = (text: string): ForwardProgress => {
  const found = readForwardProgress(text);
  if ('problem' in found) throw new Error(found.problem);
  return found;
};

/** Who is promised to go on, of threads at some places, where some have made a step and some have ended. */
function promised(text: string, places: readonly string[], made: readonly number[], ended: readonly number[] = []) {
  const bodies = places.map((place, i) => `P${i} @ ${place} { st.relaxed.sys.global.u32 [x], 1; }`);
  const { threads } = programOf(`PTX places\n{ .global .u32 x = 0; }\n${bodies.join('\n')}\nexists (x == 0)\n`);
  const promises = promisesOf(read(text), threads);
  if ('missing' in promises) throw new Error(promises.missing);
  const answers = promisedTo(
    promises,
    threads.length,
    BOOLEANS,
    (thread) => made.includes(thread),
    (thread) => ended.includes(thread),
  );
  return answers.flatMap((is, thread) => (is ? [thread] : []));
}

const APART = ['cta 0', 'cta 1', 'cta 2'];

describe('models of forward progress', () => {
  it('promise threads to go on by steps, ends and ids', () => {
    expect(promised('fair', APART, [])).toEqual([0, 1, 2]);
    expect(promised('unfair', APART, [0, 1, 2])).toEqual([]);
    expect(promised('obe', APART, [1])).toEqual([1]);
    expect(promised('hsa', APART, [2])).toEqual([0]);
    expect(promised('hsa', APART, [0, 2], [0])).toEqual([0, 1]);
    expect(promised('hsa-obe', APART, [2])).toEqual([0, 2]);
    expect(promised('lobe', APART, [1])).toEqual([0, 1]);
    expect(promised('lobe', APART, [])).toEqual([]);
  });

  it('promise more, from unfair to fair', () => {
    const subsets = Array.from({ length: 8 }, (_, bits) => [0, 1, 2].filter((one) => (bits >> one) & 1));
    for (const made of subsets)
      for (const ended of subsets.filter((own) => own.every((one) => made.includes(one)))) {
        const by = (model: string): readonly number[] => promised(model, APART, made, ended);
        for (const [less, more] of [
          ['unfair', 'obe'],
          ['unfair', 'hsa'],
          ['obe', 'hsa-obe'],
          ['hsa', 'hsa-obe'],
          ['obe', 'lobe'],
          ['lobe', 'fair'],
          ['hsa-obe', 'fair'],
        ] as const)
          expect(by(more), `${less} ${more} ${made} ${ended}`).toEqual(expect.arrayContaining([...by(less)]));
      }
  });

  it('speak of the clusters of a GPU by their numbers, grid by grid, and of the threads of a CTA', () => {
    const pairs = ['cta 1, warp 0', 'cta 1, warp 1', 'cta 0, warp 0', 'cta 0, warp 1'];
    expect(promised('gpu=hsa', pairs, [])).toEqual([2, 3]);
    expect(promised('gpu=obe', pairs, [1])).toEqual([0, 1]);
    expect(promised('gpu=obe,cta=hsa', pairs, [1])).toEqual([0]);
    expect(promised('cta=hsa', pairs, [])).toEqual([0, 2]);
    expect(promised('gpu=hsa', ['cta 0, grid 1', 'cta 1, grid 0', 'cta 0, grid 0'], [])).toEqual([2]);
    expect(promised('gpu=hsa', ['cta 0, gpu 1', 'cta 1, gpu 0', 'cta 2, gpu 0'], [])).toEqual([0, 1]);
    const clusters = ['cluster 1, cta 2', 'cluster 1, cta 3', 'cluster 0, cta 0', 'cluster 0, cta 1'];
    expect(promised('gpu=obe', clusters, [3])).toEqual([2, 3]);
  });

  it('that CUDA promises say it of clusters, of CTAs without one, and of cooperative grids', () => {
    expect(promised('cuda', ['cta 0, warp 0', 'cta 0, warp 1', 'cta 1'], [0])).toEqual([0, 1]);
    expect(promised('cuda', ['cluster 0, cta 0', 'cluster 0, cta 1', 'cta 2'], [0])).toEqual([0, 1]);
    const { threads } = programOf(
      'PTX grid\n{ .global .u32 x = 0; }\nP0 @ cta 0 { st.relaxed.gpu.global.u32 [x], 1; }\n' +
        'P1 @ cta 1 { st.relaxed.gpu.global.u32 [x], 1; }\nexists (x == 0)\n',
    );
    const promises = promisesOf({ kind: 'cuda' }, threads, new Set([0])) as Promises;
    expect(promises[0]?.lists).toEqual([[[0, 1]]]);
  });

  it('that CUDA promises let no thread of the host keep all grids from going on', async () => {
    const text =
      'PTX host\n{ .global .u32 flag = 0; forward-progress cuda; }\n' +
      'P0 @ host { L: ld.relaxed.sys.global.u32 r0, [flag]; setp.eq.u32 p, r0, 0; @p bra L; }\n' +
      'P1 @ cta 0 { st.relaxed.sys.global.u32 [flag], 1; }\n';
    const both = (clauses: string) => {
      const program = programOf(`${text}${clauses}expect no-deadlock\n`);
      const results = [
        checkTest(solver, program, builtInModel('ptx-9.4'), {}),
        checkOperationally(program, builtInModel('ptx-9.4')),
      ];
      return results.map(({ expectations }) => expectations[0]?.outcome);
    };
    expect(both('')).toEqual(['met', 'met']);
    expect(both('exists (flag == 1)\n')).toEqual(['met', 'met']);
  });

  it('say nothing of threads of the host, and nothing at all if each level is fair', () => {
    expect(promised('gpu=unfair', ['host', 'cta 0', 'cta 1'], [])).toEqual([0]);
    const program = programOf(
      'PTX fair\n{ .global .u32 x = 0; forward-progress fair; }\nP0 { st.relaxed.gpu.global.u32 [x], 1; }\n' +
        'exists (x == 0)\n',
    );
    expect(promisesIn(program)).toEqual([]);
  });

  it('are read as they are printed, and a wrong one is told with what there is', () => {
    for (const text of ['fair', 'hsa-obe', 'cuda', 'gpu=obe,cta=fair'])
      expect(printForwardProgress(read(text))).toBe(text);
    expect(printForwardProgress(read(' gpu = obe , cta = hsa '))).toBe('gpu=obe,cta=hsa');
    for (const text of ['obee', 'gpu=obee', 'warp=obe', 'gpu=obe,gpu=hsa', 'gpu', 'cuda,gpu=obe', ''])
      expect(readForwardProgress(text), text).toMatchObject({ problem: expect.stringMatching(/there is no|twice/) });
  });

  it('that a test cannot have are errors at its declaration', () => {
    const test = (declared: string, places: readonly [string, string] = ['cta 0', 'cta 1']): string =>
      `PTX wrong\n{ .global .u32 x = 0; ${declared} }\nP0 @ ${places[0]} { st.relaxed.gpu.global.u32 [x], 1; }\n` +
      `P1 @ ${places[1]} { ld.relaxed.gpu.global.u32 r0, [x]; }\nexists (x == 0)\n`;
    expect(diagnosticsOf(test('forward-progress weak;'))).toContain('2:23 error L0217: there is no model of forward');
    expect(diagnosticsOf(test('forward-progress cta=obe;'))).toContain('no CTA of the test has two threads');
    const one = diagnosticsOf(test('forward-progress gpu=obe;', ['cta 0, warp 0', 'cta 0, warp 1']));
    expect(one).toContain('no GPU of the test has two CTAs or clusters');
    expect(diagnosticsOf(test('forward-progress obe; forward-progress hsa;'))).toContain(
      'forward-progress is said twice',
    );
    for (const right of ['forward-progress gpu=obe;', 'forward-progress gpu=obe,cta=fair;'])
      expect(diagnosticsOf(test(right))).toBe('');
  });
});
