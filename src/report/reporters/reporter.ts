import type { TestResult } from '../../check/result.js';
import type { Diagnostic } from '../../diagnostics/diagnostic.js';
import type { JsonContext } from '../json.js';
import type { Style } from '../text.js';

/** What a reporter may need to know of the run. */
export interface ReporterContext extends JsonContext {
  readonly style: Style;
  /** The hash of herd logs. */
  readonly md5: (text: string) => string;
  /** Each test in full, not only problems. */
  readonly full: boolean;
  readonly quiet: boolean;
}

/** A run that is over. */
export interface CheckRun {
  readonly results: readonly TestResult[];
  readonly diagnostics: readonly Diagnostic[];
  /** Files that could not be read. */
  readonly unreadable: number;
  /** In milliseconds. */
  readonly time: number;
}

/** One way to print results: as they come, and when all are there. What it returns ends with a newline. */
export interface Reporter {
  readonly result?: (result: TestResult) => string;
  readonly end?: (run: CheckRun) => string;
}

export type MakeReporter = (context: ReporterContext) => Reporter;
