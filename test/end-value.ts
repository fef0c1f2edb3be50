import type { WholeRun } from '../src/order/whole-run.js';
import type { Observable } from '../src/program/program.js';

/** What something is at the end of all executions, if it is the same there. */
export function endValue(run: WholeRun | undefined, observable: Observable): bigint | undefined {
  const [first, ...others] = run?.states.map((state) => state(observable)) ?? [];
  return others.every((other) => other === first) ? first : undefined;
}
