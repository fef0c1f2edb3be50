import { join } from 'node:path';
import { Claims } from '../axiomatic/confirmation/claims.js';
import { smtLib } from '../axiomatic/formula/smt-lib.js';
import { AxiomaticSession } from '../axiomatic/session/session.js';
import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import { writeText } from '../files/write-text.js';
import type { Program } from '../program/program.js';

/** Writes the query "is P reachable" of each condition as an SMT-LIB file. */
export function emitSmt2(solver: SatSolver, program: Program, model: Model, unroll: number, folder: string): void {
  const session = AxiomaticSession.open(solver, program, model, {
    unroll,
    deadline: { remaining: () => 1e12 },
    mostStates: 0,
    claims: new Claims(undefined),
  });
  if ('unknown' in session) return;
  program.conditions.forEach((condition, i) => {
    const name = `${program.name}.${condition.name ?? i + 1}.${model.name}.smt2`.replace(/[^\w.+-]/g, '_');
    const { builder, formulas } = session.constraintsFor(condition.proposition);
    writeText(
      join(folder, name),
      smtLib(
        builder,
        formulas,
        `${program.name} under ${model.name}: is ${condition.name ?? 'the condition'} reachable?`,
      ),
    );
  });
  session.dispose();
}
