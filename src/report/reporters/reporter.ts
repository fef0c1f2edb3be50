import type { Diagnostic } from '../../diagnostics/diagnostic.js';
import { renderDiagnostic } from '../../diagnostics/render.js';
import type { QuotedText } from '../html/listing.js';
import { type JsonDiagnostic, jsonDiagnostic } from '../json.js';
import type { ReportedTest } from '../reported-test.js';
import type { SuiteSummary } from '../suite-summary.js';
import type { Style } from '../text.js';

/** What a reporter may need to know of the run. */
export interface ReporterContext {
  readonly tool: { readonly name: string; readonly version: string };
  readonly style: Style;
  readonly quiet: boolean;
  /** Whether times are shown. */
  readonly times: boolean;
  /** What was asked of which tests: the first line of NDJSON, by which `merge` knows what belongs together. */
  readonly header: () => object;
  /** A text that a page quotes, by its path, for the source of that place; undefined where there is none. */
  readonly quoted?: (path: string, source: number) => QuotedText | undefined;
}

/** A mistake in a text, as data. */
export interface ReportedDiagnostic extends JsonDiagnostic {
  /** With the line of the text, for people. */
  readonly rendered: string;
}

export const reportedDiagnostic = (diagnostic: Diagnostic): ReportedDiagnostic => ({
  ...jsonDiagnostic(diagnostic),
  rendered: renderDiagnostic(diagnostic),
});

/** A run that is over. */
export interface CheckRun {
  readonly summary: SuiteSummary;
  readonly diagnostics: readonly ReportedDiagnostic[];
  /** Files that could not be read. */
  readonly unreadable: number;
  /** How many texts of the suite were checked, and how many were to be. */
  readonly sources: number;
  readonly asked: number;
  /** In milliseconds; undefined where times are left out. */
  readonly time: number | undefined;
}

/** One way to print results: at first, as they come, and when all are there. What it prints ends with a newline. */
export interface Reporter {
  readonly begin?: () => string;
  /** `source`: the place of the test's text in the suite. */
  readonly result?: (test: ReportedTest, source: number) => string;
  /** Of a text that has mistakes, before its results. */
  readonly diagnostic?: (diagnostic: ReportedDiagnostic, source: number) => string;
  /** A bug of ours that a test met. */
  readonly internal?: (text: string, source: number) => string;
  readonly end?: (run: CheckRun) => string;
}

export type MakeReporter = (context: ReporterContext) => Reporter;
