import { describe, expect, it } from 'vitest';
import { type UnrolledThread, unrollThread } from '../../src/unroll/unroll.js';
import { programOf } from '../support.js';

function unroll(body: string, bound: number, spinRounds = 1): UnrolledThread | undefined {
  const program = programOf(`PTX unroll\n{ .global .u32 x; .global .u32 y; }\nP0 { ${body} }\nexists (x == 0)`);
  const [thread] = program.threads;
  if (thread === undefined) throw new Error('no thread');
  return unrollThread(program, thread, bound, spinRounds);
}

/** Of an unrolled thread, how many loads, stores, and edges of each kind it has. */
function countsOf(unrolled: UnrolledThread | undefined): Readonly<Record<string, number>> {
  const { nodes = [], ends = [], cuts = [], traps = [], spins = [] } = unrolled ?? {};
  const [loads, stores] = ['load', 'store'].map((kind) =>
    nodes.filter((node) => node.statement.operation.kind === kind),
  );
  const lists = Object.entries({ loads, stores, ends, cuts, traps, spins });
  return Object.fromEntries(lists.flatMap(([name, list]) => (list?.length ? [[name, list.length]] : [])));
}

const LOAD = 'ld.relaxed.gpu.global.u32 r0, [x]; setp.ne.u32 p, r0, 0;';
const STORE = 'st.relaxed.gpu.global.u32 [y], 1;';

describe('an unrolled thread', () => {
  it('is its statements where nothing goes back', () => {
    expect(countsOf(unroll(`${LOAD} @p bra B; ${STORE} B: trap;`, 3))).toEqual({ loads: 1, stores: 1, traps: 1 });
    expect(countsOf(unroll(`${LOAD} @p exit; ${STORE}`, 3))).toEqual({ loads: 1, stores: 1, ends: 2 });
  });

  it('has a loop as often as the bound says, and a cut behind', () => {
    const loop = `A: ${STORE} ${LOAD} @p bra A; ${STORE}`;
    // What follows the loop is there for each number of rounds.
    for (const bound of [1, 2, 5])
      expect(countsOf(unroll(loop, bound))).toEqual({ loads: bound, stores: 2 * bound, ends: bound, cuts: 1 });
    const left = unroll(`${STORE} ${loop}`, 2)?.beyond.filter(({ operation }) => operation.kind === 'store');
    expect(left).toHaveLength(2);
  });

  it('has a loop inside of another one anew for each of its rounds', () => {
    const loops = `A: ${STORE} B: ${STORE} ${LOAD} @p bra B; @p bra A;`;
    for (const n of [1, 2, 3])
      expect(countsOf(unroll(loops, n))).toEqual({ loads: n * n, stores: n + n * n, ends: n * n, cuts: 2 * n });
  });

  it('has a loop that only waits once, or for so many rounds, and the edge of another round', () => {
    const poll = `A: ${LOAD} @p bra A; ${STORE}`;
    expect(countsOf(unroll(poll, 4))).toEqual({ loads: 1, stores: 1, ends: 1, spins: 1 });
    const twice = unroll(poll, 4, 2);
    expect(countsOf(twice)).toEqual({ loads: 2, stores: 1, ends: 1, spins: 1 });
    const [, second] = twice?.nodes.filter(({ statement }) => statement.operation.kind === 'load') ?? [];
    expect(twice?.spins[0]?.round[0]).toBe(second?.id);
  });

  it('has an update that is made again three times, and no edge of another round', () => {
    const again = (atomic: string): string =>
      `${LOAD} A: ${atomic}.cas.b32 r2, [x], r0, 7; setp.ne.u32 p, r2, r0; mov.u32 r0, r2; @p bra A; ${STORE}`;
    const once = { loads: 1, stores: 3, ends: 3 };
    for (const bound of [1, 5]) expect(countsOf(unroll(again('atom.relaxed.gpu.global'), bound))).toEqual(once);
    // Another one need not come to see a weak store, nor has an end.
    const beside = `P1 { st.weak.global.u32 [x], 2; }`;
    const weak = unroll(`${again('atom.relaxed.gpu.global')} }\n${beside.slice(0, -1)}`, 2);
    expect(countsOf(weak)).toEqual({ loads: 1, stores: 2, ends: 2, cuts: 1 });
  });

  it('needs no bound where numbers say how often a loop is gone round', () => {
    const loop = `mov.u32 r1, 0; A: ${STORE} add.u32 r1, r1, 1; setp.lt.u32 q, r1, 7; @q bra A;`;
    // Where the branch goes each time is not told by unrolling: values tell it.
    expect(countsOf(unroll(loop, 1))).toEqual({ stores: 7, ends: 7, cuts: 1 });
  });

  it('has edges that lead forward only', () => {
    const unrolled = unroll(`A: ${STORE} B: ${STORE} ${LOAD} @p bra B; @p bra A; ${STORE}`, 3);
    for (const { id, incoming } of unrolled?.nodes ?? [])
      for (const { from } of incoming) expect(from ?? -1).toBeLessThan(id);
  });

  it('is none where that would be too large', () => {
    expect(unroll(`A: ${STORE} ${LOAD} @p bra A;`, 5_001)).toBeUndefined();
  });
});
