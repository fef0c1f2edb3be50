import { describe, expect, it } from 'vitest';
import { Claims } from '../../../src/axiomatic/confirmation/claims.js';
import { AxiomaticSession } from '../../../src/axiomatic/session/session.js';
import { checkTest } from '../../../src/check/check-test.js';
import { builtInModel, modelOf, programOf, solver } from '../../support.js';

const RANGE = Array.from({ length: 14 }, (_, i) => i);
const stores = (from: number): string => RANGE.map((i) => `st.relaxed.gpu.global.u32 [x], ${from + i};`).join('\n  ');
/** Two threads write 14 values each to one place, one with a fence in the middle; a third one reads three times. */
const TEXT = `PTX many-writes
{ .global .u32 x = 0; .global .u32 y = 0; }
P0 @ cta 0, gpu 0 {
  ${stores(1)}
  st.release.gpu.global.u32 [y], 1;
}
P1 @ cta 1, gpu 0 {
  ld.acquire.gpu.global.u32 r0, [y];
  ${stores(101)}
}
P2 @ cta 2, gpu 0 {
  ld.relaxed.gpu.global.u32 r0, [x];
  ld.relaxed.gpu.global.u32 r1, [x];
}
`;
const PROPOSITIONS = [
  'P2:r0 == 3 /\\ P2:r1 == 2',
  'P2:r0 == 2 /\\ P2:r1 == 3',
  'P2:r0 == 101 /\\ P2:r1 == 14',
  'P1:r0 == 1 /\\ P2:r0 == 101 /\\ P2:r1 == 14',
  'P1:r0 == 1 /\\ x == 14',
  'P1:r0 == 0 /\\ x == 14',
  'P2:r0 == 114 /\\ P2:r1 == 101',
  'x == 7',
];
const MODELS = [
  ...['ptx-6.0', 'ptx-7.5', 'ptx-9.4'].map((name) => builtInModel(name)),
  // Coherence is a name of the model's own, or demanded in no execution.
  modelOf('let co = co\nacyclic po | rf | co | fr as sc\nempty [W]; po & loc; [W] \\ co as Own', 'own'),
  modelOf('acyclic rf | po as no-thin-air', 'none'),
];

describe('writes that are certainly ordered', () => {
  it('are in an order with others that nothing orders for certain', () => {
    // Weak stores of two threads, in between which one thread comes with a strong one.
    const weak = TEXT.replaceAll('st.relaxed.gpu', 'st.weak').replace(
      'P2 @ cta 2, gpu 0 {',
      'P2 @ cta 2, gpu 0 { st.relaxed.gpu.global.u32 [x], 50; ld.relaxed.gpu.global.u32 r2, [x];',
    );
    const after = [0, 1, 13].map((i) => `permit (P2:r2 == ${i + 1} /\\ P1:r0 == 1 /\\ x == ${101 + i})`);
    const { conditions } = checkTest(solver, programOf(`${weak}${after.join('\n')}\n`), builtInModel('ptx-9.4'));
    // Each execution that shows one has been run again, with an order of its writes that is transitive.
    expect(conditions.map(({ reachable }) => reachable)).toEqual([false, false, true]);
  });

  it.each(MODELS)('$name reaches the same with and without knowing them', (model) => {
    const program = programOf(`${TEXT}${PROPOSITIONS.map((one) => `permit (${one})`).join('\n')}\n`);
    const options = {
      ...{ unroll: 3, mostStates: 10, claims: new Claims(undefined) },
      deadline: { remaining: () => 1e12 },
    };
    const [known, unknown] = [true, false].map((builtIn) =>
      AxiomaticSession.open(solver, program, model, options, builtIn),
    );
    if (known === undefined || unknown === undefined || 'unknown' in known || 'unknown' in unknown)
      throw new Error('no session');
    const reached = program.conditions.map(({ proposition }) => known.reach(proposition).kind);
    expect(reached).toEqual(program.conditions.map(({ proposition }) => unknown.reach(proposition).kind));
    const places = (one: AxiomaticSession): number => one.encoding.memory.coherence.pairs.length;
    if (model.name.startsWith('ptx')) {
      expect(reached.filter((kind) => kind === 'unreachable').length).toBeGreaterThan(2);
      // Of each pair of writes of one thread one direction is left; 6.0 orders these by SC-per-Location only.
      expect(places(unknown) - places(known)).toBe(model.name === 'ptx-6.0' ? 0 : 2 * ((14 * 13) / 2));
    } else expect(places(known)).toBe(places(unknown));
  });
});
