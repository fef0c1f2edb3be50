import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsOf } from '../../src/execution/run-program.js';
import { interchangeableThreads } from '../../src/program/interchangeable-threads.js';
import { builtInModel, checkProgram, programOf } from '../support.js';

const LOCATIONS = '.global .u32 x = 0; .global .u32 y = 0;';
const test = (threads: readonly string[], condition: string, locations = LOCATIONS): string =>
  `PTX test\n{ ${locations} }\n${threads.map((body, i) => `P${i} ${body}`).join('\n')}\n${condition}\n`;

function groups(threads: readonly string[], condition: string, locations?: string): readonly (readonly number[])[] {
  const program = programOf(test(threads, condition, locations));
  return interchangeableThreads(
    program,
    program.conditions.map(({ proposition }) => proposition),
  );
}

const ADD = 'atom.relaxed.gpu.global.add.u32 r0, [x], 1;';
const apart = (bodies: readonly string[]): readonly string[] => bodies.map((body, i) => `@ cta ${i} { ${body} }`);

describe('threads that can change places', () => {
  it('run the same code in CTAs of their own', () => {
    expect(groups(apart([ADD, ADD, 'st.weak.global.u32 [y], 1;', ADD]), 'forall (x == 3)')).toEqual([[0, 1, 3]]);
  });

  it('may call their labels as they like', () => {
    const loop = (name: string): string =>
      `${name}: ld.relaxed.gpu.global.u32 r0, [x]; setp.eq.u32 p0, r0, 0; @p0 bra ${name};`;
    expect(groups(apart([loop('L0'), loop('L1')]), 'exists (x == 0)')).toEqual([[0, 1]]);
    const other = 'L0: ld.relaxed.gpu.global.u32 r0, [x]; L1: setp.eq.u32 p0, r0, 0; @p0 bra L1;';
    expect(groups(apart([loop('L0'), other]), 'exists (x == 0)')).toEqual([]);
  });

  it('are not told apart by the condition', () => {
    const threads = apart([ADD, ADD, ADD]);
    expect(groups(threads, 'exists (P0:r0 == 2 /\\ P1:r0 == 1 /\\ P2:r0 == 0)')).toEqual([]);
    expect(groups(threads, 'exists (P0:r0 == 0)')).toEqual([[1, 2]]);
    expect(groups(threads, 'forbid (P0:r0 == 1 /\\ P2:r0 == 1 /\\ P1:r0 == 1)')).toEqual([[0, 1, 2]]);
    expect(groups(threads, 'exists (P0:r0 == P1:r0)')).toEqual([[0, 1]]);
  });

  it('share with every other thread what the other shares', () => {
    const at = (places: readonly string[]): readonly string[] => places.map((place) => `@ ${place} { ${ADD} }`);
    expect(groups(at(['cta 0', 'cta 0', 'cta 1']), 'forall (x == 3)')).toEqual([[0, 1]]);
    expect(groups(at(['cta 0', 'cta 0', 'cta 1', 'cta 1']), 'forall (x == 4)')).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(groups(at(['cta 0, gpu 0', 'cta 1, gpu 0', 'cta 0, gpu 1']), 'forall (x == 3)')).toEqual([[0, 1]]);
  });

  it('are in grids that come before and after the same', () => {
    const at = (places: readonly string[]): readonly string[] => places.map((place) => `@ ${place} { ${ADD} }`);
    const three = at(['cta 0, grid 0', 'cta 1, grid 1', 'cta 2, grid 2']);
    const ordered = (order: string) => groups(three, 'forall (x == 3)', `${LOCATIONS} ${order}`);
    expect(ordered('')).toEqual([[0, 1, 2]]);
    expect(ordered('grid 2 after 0;')).toEqual([]);
    expect(ordered('grid 2 after 0; grid 2 after 1;')).toEqual([[0, 1]]);
    expect(ordered('grid 2 after 0; grid 2 dependent on 1;')).toEqual([]);
    expect(groups(at(['cta 0, grid 0', 'cta 1, grid 0', 'cta 2, grid 1']), 'forall (x == 3)')).toEqual([[0, 1]]);
    const mates = at(['cta 0, grid 0', 'cta 1, grid 0', 'cta 2, grid 1', 'cta 3, grid 1']);
    expect(groups(mates, 'forall (x == 4)', `${LOCATIONS} grid 1 after 0;`)).toEqual([[0, 1]]);
  });

  it('are both of the host, or neither', () => {
    const at = (places: readonly string[]): readonly string[] => places.map((place) => `@ ${place} { ${ADD} }`);
    expect(groups(at(['host', 'cta 0, gpu 0', 'cta 0, gpu 1']), 'forall (x == 3)')).toEqual([[1, 2]]);
    expect(groups(at(['host', 'host', 'cta 0, gpu 0']), 'forall (x == 3)')).toEqual([[0, 1]]);
  });

  it('have no memory of their own', () => {
    const local = '.local .u32 mine; st.local.u32 [mine], 1; ld.local.u32 r1, [mine];';
    expect(groups(apart([local, local]), 'exists (x == 0)')).toEqual([]);
  });

  it('do not ask where they are', () => {
    const code = `mov.u32 r1, %ctaid.x; ${ADD}`;
    expect(groups(apart([code, code]), 'forall (x == 2)')).toEqual([]);
    const shared = 'st.shared.u32 [s], 1;';
    expect(groups(apart([shared, shared]), 'exists (x == 0)', `${LOCATIONS} .shared .u32 s;`)).toEqual([]);
  });

  const step = fc.constantFrom(
    ADD,
    'st.relaxed.gpu.global.u32 [x], 1;',
    'st.weak.global.u32 [y], 2;',
    'ld.acquire.gpu.global.u32 r1, [y];',
    'ld.relaxed.gpu.global.u32 r2, [x]; st.relaxed.gpu.global.u32 [y], r2;',
    'fence.sc.gpu;',
    'red.relaxed.gpu.global.max.u32 [y], 3;',
  );
  const atom = fc.constantFrom('P0:r0 == 1', 'P1:r0 == 1', 'P1:r1 == 2', 'P2:r2 == 1', 'x == 2', 'y == 3', 'y == 2');

  it('make no difference to a verdict: what is reached is what is among all final states', async () => {
    let symmetric = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 2 }),
        fc.array(step, { maxLength: 2 }),
        fc.array(fc.tuple(atom, atom), { minLength: 1, maxLength: 2 }),
        async (like, other, atoms) => {
          // Every register is there, whatever the draw.
          const body = (steps: readonly string[]): string =>
            `mov.u32 r0, 0; mov.u32 r1, 0; mov.u32 r2, 0; ${steps.join(' ')}`;
          const threads = apart([body(like), body(like), body(other.length === 0 ? like : other)]);
          const condition = `exists (${atoms.map((pair) => pair.join(' /\\ ')).join(' \\/ ')})`;
          const program = programOf(test(threads, condition));
          if (groups(threads, condition).length > 0) symmetric++;
          const result = await checkProgram(program, builtInModel('ptx-9.4'), { states: true });
          if (result.undefinedBy !== undefined) return;
          const states = (result.states?.list ?? []).map(({ state }) => state);
          const [only] = result.conditions;
          if (only === undefined) throw new Error('no condition');
          const { proposition } = only.condition;
          expect(only.reachable).toBe(states.some((state) => holdsOf(proposition, state)));
        },
      ),
      { numRuns: 120 },
    );
    expect(symmetric).toBeGreaterThan(20);
  });
});
