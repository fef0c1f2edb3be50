import type { CheckOptions } from '../check/check-test.js';
import type { Source } from '../diagnostics/source.js';

/** What a worker is to do: everything here crosses to another thread. */
export interface Task {
  readonly source: Source;
  readonly model: string;
  readonly include: readonly string[];
  readonly variants: readonly string[];
  readonly options: Omit<CheckOptions, 'clock' | 'memory'>;
}

/** What comes back: results and diagnostics as in the JSON reports (schema check-1). */
export interface Answer {
  readonly results: readonly object[];
  readonly diagnostics: readonly object[];
}
