import { setFlagsFromString } from 'node:v8';
import { Cdcl } from '../axiomatic/solver/cdcl.js';
import type { SatSolver } from '../axiomatic/solver/solver.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { ConfirmationThread } from '../worker/confirmation-thread.js';

/**
 * What decides formulas: the solver of this project, each refutation of which z3 confirms, or either of them alone.
 */
export const SOLVERS = ['confirmed', 'cdcl', 'z3'] as const;
export type SolverName = (typeof SOLVERS)[number];

/** The solver that a command asks for. A process that decides many tests has z3's WASM optimized, but not too soon. */
export async function startSolver(name: SolverName): Promise<SatSolver> {
  if (name === 'cdcl') return new Cdcl();
  if (process.send !== undefined) {
    setFlagsFromString('--wasm-lazy-validation');
    setFlagsFromString('--wasm-tiering-budget=18000000');
  }
  if (name === 'confirmed') {
    const thread = new ConfirmationThread();
    thread.prepare();
    return new Cdcl(thread);
  }
  const { Z3 } = await import('../axiomatic/solver/z3.js');
  try {
    return await Z3.start();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    // Where the process may not have the memory of a z3, that is no bug of ours.
    throw new UsageError(
      `z3 cannot be started: the process may not have the memory that it asks for (${thrown.message}); a limit on ` +
        'the address space (ulimit -v) has to be at least 12 GiB; --solver cdcl needs no z3',
    );
  }
}
