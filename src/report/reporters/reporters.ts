import { isBroken, isUndecided, isVacuous, neverEnds } from '../../check/result.js';
import { reportHerd } from '../herd.js';
import { jsonDiagnostic, jsonOf } from '../json.js';
import { reportProblem, reportSummary, reportTest } from '../text.js';
import { githubReporter } from './github.js';
import { junitReporter } from './junit.js';
import type { CheckRun, MakeReporter } from './reporter.js';
import { sarifReporter } from './sarif.js';

export type { CheckRun, Reporter, ReporterContext } from './reporter.js';

const SCHEMA_VERSION = 1;

/** Every way to print the results of `check`. */
export const REPORTERS = {
  text: ({ style, full, quiet, witnesses }) => ({
    result: (result) => {
      const text = full ? reportTest(result, style, witnesses) : reportProblem(result, style);
      return text === undefined ? '' : `${text}\n`;
    },
    end: (run) => (!quiet || hasProblem(run) ? `${reportSummary(run, style)}\n` : ''),
  }),
  herd: ({ md5 }) => ({ result: (result) => `${reportHerd(result, md5)}\n` }),
  json: (context) => ({
    end: ({ results, diagnostics }) => {
      const all = results.map((result) => jsonOf(result, context));
      const report = { schemaVersion: SCHEMA_VERSION, results: all, diagnostics: diagnostics.map(jsonDiagnostic) };
      return `${JSON.stringify(report, undefined, 2)}\n`;
    },
  }),
  ndjson: (context) => ({
    result: (result) => `${JSON.stringify({ kind: 'result', ...jsonOf(result, context) })}\n`,
    end: ({ results, diagnostics, unreadable, time }) =>
      [
        ...diagnostics.map((one) => ({ kind: 'diagnostic', ...jsonDiagnostic(one) })),
        {
          kind: 'summary',
          schemaVersion: SCHEMA_VERSION,
          tests: results.length,
          broken: results.filter(isBroken).length,
          undecided: results.filter(isUndecided).length,
          withoutFinalState: results.filter(neverEnds).length,
          unreadable,
          timeMs: Math.round(time),
        },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
  }),
  junit: junitReporter,
  sarif: sarifReporter,
  github: githubReporter,
} as const satisfies Record<string, MakeReporter>;

/** Something that whoever asked for problems only has to know. */
function hasProblem({ results, unreadable }: CheckRun): boolean {
  return unreadable > 0 || results.some((result) => isBroken(result) || isUndecided(result) || isVacuous(result));
}

export type ReporterName = keyof typeof REPORTERS;
export const REPORTER_NAMES = Object.keys(REPORTERS) as readonly ReporterName[];
