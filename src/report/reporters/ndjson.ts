import { SCHEMA_VERSION } from '../json.js';
import { withoutText } from './json.js';
import type { MakeReporter } from './reporter.js';

/** JSON line by line: a header, results and mistakes as they come, and a summary: without it the run has not ended. */
export const ndjsonReporter: MakeReporter = ({ header }) => ({
  begin: () => jsonLine({ kind: 'header', schemaVersion: SCHEMA_VERSION, ...header() }),
  result: ({ json, ...report }, source) => jsonLine({ kind: 'result', ...json, source, report }),
  diagnostic: (diagnostic, source) =>
    jsonLine({ kind: 'diagnostic', ...withoutText(diagnostic), source, rendered: diagnostic.rendered }),
  internal: (text, source) => jsonLine({ kind: 'internal', source, text }),
  end: ({ summary, diagnostics, unreadable, sources, asked, time }) =>
    jsonLine({
      kind: 'summary',
      schemaVersion: SCHEMA_VERSION,
      tests: summary.tests,
      broken: summary.broken,
      undecided: summary.undecided,
      withoutFinalState: summary.neverEnding,
      refutations: summary.confirmed,
      unreadable,
      diagnostics: diagnostics.length,
      sources,
      asked,
      ...(time !== undefined && { timeMs: Math.round(time) }),
    }),
});

/** A value in a line of its own. */
export const jsonLine = (value: object): string => `${JSON.stringify(value)}\n`;
