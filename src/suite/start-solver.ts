import { setFlagsFromString } from 'node:v8';
import { Cdcl } from '../axiomatic/solver/cdcl.js';
import type { SatSolver } from '../axiomatic/solver/solver.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { ConfirmationThread } from '../worker/confirmation-thread.js';

/**
 * What decides formulas: the solver of this project, each refutation of which a checker of proofs or z3 confirms, or z3
 * only; or either solver alone.
 */
export const SOLVERS = ['confirmed', 'confirmed-by-z3', 'cdcl', 'z3'] as const;
export type SolverName = (typeof SOLVERS)[number];

/** A process needs one of each: z3 takes longer to start than most tests to be decided. */
const started = new Map<SolverName, Promise<SatSolver>>();

/** The solver that a command asks for. */
export function startSolver(name: SolverName): Promise<SatSolver> {
  const solver = started.get(name) ?? start(name);
  started.set(name, solver);
  return solver;
}

/** A process that decides many tests has z3's WASM optimized, but not too soon. */
async function start(name: SolverName): Promise<SatSolver> {
  if (name === 'cdcl') return new Cdcl();
  if (process.send !== undefined) {
    setFlagsFromString('--wasm-lazy-validation');
    setFlagsFromString('--wasm-tiering-budget=18000000');
  }
  if (name === 'confirmed') return new Cdcl(new ConfirmationThread());
  if (name === 'confirmed-by-z3') {
    const thread = new ConfirmationThread(true);
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
