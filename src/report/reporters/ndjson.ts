import { withoutText } from './json.js';
import type { MakeReporter } from './reporter.js';

const SCHEMA_VERSION = 1;

/** JSON line by line: a header, results and mistakes as they come, and a summary: without it the run has not ended. */
export const ndjsonReporter: MakeReporter = ({ header }) => ({
  begin: () => line({ kind: 'header', schemaVersion: SCHEMA_VERSION, ...header() }),
  result: ({ json, ...report }, source) => line({ kind: 'result', ...json, source, report }),
  diagnostic: (diagnostic, source) =>
    line({ kind: 'diagnostic', ...withoutText(diagnostic), source, rendered: diagnostic.rendered }),
  internal: (text, source) => line({ kind: 'internal', source, text }),
  end: ({ summary, diagnostics, unreadable, sources, asked, time }) =>
    line({
      kind: 'summary',
      schemaVersion: SCHEMA_VERSION,
      tests: summary.tests,
      broken: summary.broken,
      undecided: summary.undecided,
      withoutFinalState: summary.neverEnding,
      unreadable,
      diagnostics: diagnostics.length,
      sources,
      asked,
      ...(time !== undefined && { timeMs: Math.round(time) }),
    }),
});

const line = (value: object): string => `${JSON.stringify(value)}\n`;
