import type { Model } from '../cat/model.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { Scope } from '../program/placement.js';
import { diagnose, ordersOf } from './diagnosis.js';
import { eventsOf, isExcluded, mended } from './mend.js';
import { type Near, near } from './near.js';
import type { Reach } from './synchronization.js';
import type { Hop } from './weak-cycle.js';

/** A condition of synchronization that a step of a cycle does not meet. */
export type Missing =
  /** An access that must be observed, or observe, is weak. */
  | { readonly kind: 'weak'; readonly event: number }
  /** The read of a red (PTX ISA 8.8). */
  | { readonly kind: 'red'; readonly event: number }
  | { readonly kind: 'scope'; readonly reach: Reach }
  /** They meet through other proxies, addresses or sizes. */
  | { readonly kind: 'proxy'; readonly first: number; readonly second: number }
  | { readonly kind: 'no-release'; readonly write: number; readonly after: number; readonly near?: readonly Near[] }
  | { readonly kind: 'no-acquire'; readonly read: number; readonly before: number; readonly near?: readonly Near[] }
  /** Between two events of a thread there is no fence.sc that reaches the others, but perhaps another fence. */
  | {
      readonly kind: 'no-fence-sc';
      readonly from: number;
      readonly to: number;
      readonly scope: Scope;
      readonly fences: readonly number[];
    }
  /** Ordered, but not for these two accesses: what would help. */
  | {
      readonly kind: 'across-proxies';
      readonly from: number;
      readonly to: number;
      readonly advice: string;
    }
  /** An asynchronous operation is not known to be complete. */
  | { readonly kind: 'not-told'; readonly operation: number; readonly wait: number };

/**
 * Why a cycle is not excluded: what its steps lack, a list for each; mending all of them, or one where that is enough,
 * excludes it.
 */
export interface MissingSynchronization {
  readonly steps: readonly (readonly Missing[])[];
  readonly oneIsEnough: boolean;
}

/** A step may lack one thing after the other: a weak access strength, and then order. */
const MOST_ROUNDS = 4;

/**
 * What the steps of a cycle lack that would make the model exclude it; undefined if that cannot be said. What is named
 * is put to the test where no new event is needed: the model must exclude the execution once it is there.
 */
export function missingIn(
  model: Model,
  execution: CandidateExecution,
  cycle: readonly Hop[],
): MissingSynchronization | undefined {
  const first = diagnose(model, execution, cycle);
  if (first === undefined) return undefined;
  const steps = first.oneIsEnough ? first.steps : [first.steps.flat()];
  const completed = steps.flatMap((step) => {
    const whole = untilExcluded(model, execution, cycle, step);
    return whole === undefined ? [] : [whole];
  });
  if (completed.length === 0) return undefined;
  return {
    steps: completed.map((step) => step.map((missing) => withNear(execution, missing))),
    oneIsEnough: completed.length > 1,
  };
}

/** With what is there and does not count. */
function withNear(execution: CandidateExecution, missing: Missing): Missing {
  const { kind } = missing;
  if (kind === 'no-release') return { ...missing, near: near(execution, 'release', missing.after, missing.write) };
  if (kind === 'no-acquire') return { ...missing, near: near(execution, 'acquire', missing.read, missing.before) };
  return missing;
}

function untilExcluded(
  model: Model,
  execution: CandidateExecution,
  cycle: readonly Hop[],
  first: readonly Missing[],
): readonly Missing[] | undefined {
  let missing = first;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const changed = mended(execution, missing);
    // What takes a new event cannot be put to the test here.
    if (changed === undefined) return missing;
    const { morallyStrong } = ordersOf(model, changed) ?? {};
    if (morallyStrong === undefined) return undefined;
    if (isExcluded(model, changed, morallyStrong)) return missing;
    const more = diagnose(model, changed, cycle);
    if (more === undefined) return undefined;
    // Of several ways the one goes on that was begun.
    const touched = new Set(missing.flatMap(eventsOf));
    const step = more.oneIsEnough
      ? (more.steps.find((one) => one.some((lack) => eventsOf(lack).some((event) => touched.has(event)))) ?? [])
      : more.steps.flat();
    if (step.length === 0) return undefined;
    missing = [...missing, ...step];
  }
  return undefined;
}
