import { describe, expect, it } from 'vitest';
import { Interleavings } from '../../src/axiomatic/looping/interleavings.js';
import { Random } from '../../src/generate/random.js';
import { BOOLEANS, promisedTo, promisesIn } from '../../src/program/forward-progress.js';
import { endlessRun } from '../../src/progress/endless-run.js';
import { stateGraph, type Walk } from '../../src/progress/state-graph.js';
import { halfOf } from '../shares.js';
import { programOf } from '../support.js';
import { drawLoopingProgram, writeLoopingProgram } from './looping-programs.js';

/** A walk over numbers: by state and thread, the next state; where there is none the thread has ended. */
function walkOf(next: readonly (readonly (number | undefined)[])[]): Walk<number, string> {
  return {
    threads: next[0]?.length ?? 0,
    initial: 0,
    keyOf: String,
    isEnded: (state, thread) => next[state]?.[thread] === undefined,
    step: (state, thread) => ({ state: next[state]?.[thread] ?? 0, what: `${thread}@${state}` }),
  };
}

const graphOf = (next: readonly (readonly (number | undefined)[])[], tellsSteps = false) => {
  const graph = stateGraph(walkOf(next), tellsSteps, () => undefined);
  if ('kind' in graph) throw new Error(graph.kind);
  return graph;
};
const words = (steps: readonly { readonly what: string }[] | undefined) => steps?.map(({ what }) => what).join(' ');

describe('runs without an end', () => {
  it('lead to a cycle in which all go on that have to', () => {
    const undone = graphOf([
      [1, 0],
      [1, 0],
    ]);
    const run = endlessRun(undone, []);
    expect([words(run?.prefix), words(run?.cycle)]).toEqual(['', '0@0 1@1']);
  });

  it('are none where a thread would end that goes on', () => {
    // Thread 0 goes round until thread 1 has ended.
    const waits = [
      [0, 1],
      [undefined, undefined],
    ];
    expect(endlessRun(graphOf(waits), [])).toBeUndefined();
    const starved = endlessRun(graphOf(waits, true), [{ model: 'obe', lists: [[[0], [1]]] }]);
    expect([words(starved?.prefix), words(starved?.cycle), starved?.ended]).toEqual(['0@0', '0@0', [false, false]]);
  });

  it('are runs of the threads, and keep what is promised, of generated programs under each model', () => {
    const random = new Random(7);
    let found = 0;
    for (let i = 0; i < halfOf(300); i++) {
      const drawn = drawLoopingProgram(random);
      for (const promise of ['fair', 'obe', 'hsa', 'hsa-obe', 'lobe', 'unfair', 'cuda']) {
        const program = programOf(writeLoopingProgram(drawn, promise));
        const promises = promisesIn(program);
        const walk = Interleavings.of(program, false);
        if ('kind' in walk) throw new Error(walk.kind);
        const graph = stateGraph(walk, true, () => undefined);
        if ('kind' in graph) throw new Error(graph.kind);
        const run = endlessRun(graph, promises);
        if (run === undefined) continue;
        found += 1;
        let state = walk.initial;
        const made = new Set<number>();
        const go = (thread: number): void => {
          const moved = walk.step(state, thread);
          if ('kind' in moved) throw new Error(moved.kind);
          state = moved.state;
          made.add(thread);
        };
        for (const { thread } of run.prefix) go(thread);
        const before = walk.keyOf(state);
        for (const { thread } of run.cycle) go(thread);
        expect(walk.keyOf(state)).toBe(before);
        expect(run.cycle.length).toBeGreaterThan(0);
        const threads = program.threads.map((_, thread) => thread);
        const isOver = (thread: number): boolean => walk.isEnded(state, thread);
        expect(run.ended).toEqual(threads.map(isOver));
        const promised = promisedTo(promises, threads.length, BOOLEANS, (one) => made.has(one), isOver);
        const again = new Set(run.cycle.map(({ thread }) => thread));
        for (const thread of threads)
          if (promised[thread] === true && !isOver(thread)) expect(again.has(thread), promise).toBe(true);
      }
    }
    expect(found).toBeGreaterThan((5 * halfOf(300)) / 3);
  });
});
