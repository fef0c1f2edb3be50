import { type Diagnosed, error } from '../diagnostics/diagnostic.js';
import { type Source, spanOf } from '../diagnostics/source.js';
import { BudgetExceeded, type CheckBudget, checkDeadline } from '../program/undecided.js';
import { DEFAULT_LIMITS, deadlineOf, type Limits } from './limits.js';

/** Shorter texts are read in any case: that takes less than a second. */
const SHORT = 100_000;

/** What a source is read as, or that this takes more than there is. */
export function readWithin<T>(
  source: Source,
  limits: Partial<Limits>,
  read: (checkBudget: CheckBudget) => Diagnosed<T>,
): Diagnosed<T> {
  if (source.text.length < SHORT) return read(() => undefined);
  const deadline = deadlineOf({ ...DEFAULT_LIMITS, ...limits });
  try {
    return read(() => checkDeadline(deadline));
  } catch (thrown) {
    if (!(thrown instanceof BudgetExceeded)) throw thrown;
    const message = `this file is too large to be read: ${thrown.message}`;
    return { value: undefined, diagnostics: [error('L0008', spanOf(source, 0, 0), message)] };
  }
}
