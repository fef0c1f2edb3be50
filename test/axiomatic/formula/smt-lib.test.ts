import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { Claims } from '../../../src/axiomatic/confirmation/claims.js';
import { smtLib } from '../../../src/axiomatic/formula/smt-lib.js';
import { AxiomaticSession } from '../../../src/axiomatic/session/session.js';
import { builtInModel, litmus, programOf, solver } from '../../support.js';

/** Has z3 read a script by its own parser. */
async function run(script: string): Promise<string> {
  const require = createRequire(import.meta.url);
  const { em } = await require('z3-solver/build/low-level').init(require('z3-solver/build/z3-built.js'));
  const context = em._Z3_mk_context(em._Z3_mk_config());
  return (em.ccall('Z3_eval_smtlib2_string', 'string', ['number', 'string'], [context, script]) as string).trim();
}

describe('the SMT-LIB scripts', () => {
  it("are read by z3's own parser, with the engine's answer", async () => {
    const text = (scope: string): string =>
      litmus(
        '.global .u32 x = 0; .global .u32 y = 0;',
        [
          `st.weak.global.u32 [x], 1; st.release.${scope}.global.u32 [y], 1;`,
          `ld.acquire.${scope}.global.u32 r0, [y]; ld.weak.global.u32 r1, [x];`,
        ],
        'exists (P1:r0 == 1 /\\ P1:r1 == 0)',
      );
    for (const [scope, expected] of [
      ['gpu', 'unsat'],
      ['cta', 'sat'],
    ] as const) {
      const program = programOf(text(scope));
      const session = AxiomaticSession.open(solver, program, builtInModel('ptx-7.5'), {
        unroll: 1,
        deadline: { remaining: () => 1e12 },
        mostStates: 1,
        claims: new Claims(undefined),
      });
      const [condition] = program.conditions;
      if ('unknown' in session || condition === undefined) throw new Error('not encoded');
      const { builder, formulas } = session.constraintsFor(condition.proposition);
      const script = smtLib(builder, formulas, 'MP');
      expect(await run(script)).toBe(expected);
      expect(session.reach(condition.proposition).kind).toBe(expected === 'sat' ? 'reachable' : 'unreachable');
      session.dispose();
    }
  });
});
