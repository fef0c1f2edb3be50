import { type Diagnosed, error } from '../diagnostics/diagnostic.js';
import { type Source, spanOf } from '../diagnostics/source.js';
import { type CheckBudget, checkDeadline, describeUndecided, within } from '../program/undecided.js';
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
  return within(
    () => read(() => checkDeadline(deadline)),
    (reason) => {
      const message = `this file is too large to be read: ${describeUndecided(reason)}`;
      return { value: undefined, diagnostics: [error('L0008', spanOf(source, 0, 0), message)] };
    },
  );
}
