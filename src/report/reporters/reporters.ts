import { restyled } from '../text.js';
import { githubReporter } from './github.js';
import { htmlReporter } from './html.js';
import { jsonReporter } from './json.js';
import { junitReporter } from './junit.js';
import { ndjsonReporter } from './ndjson.js';
import type { CheckRun, MakeReporter } from './reporter.js';
import { sarifReporter } from './sarif.js';

export type { CheckRun, Reporter, ReporterContext } from './reporter.js';

/** Every way to print the results of `check`. */
export const REPORTERS = {
  text: ({ style, quiet }) => ({
    result: ({ full, problem }) => {
      const text = full ?? problem;
      return text === undefined ? '' : `${restyled(text, style)}\n`;
    },
    end: (run) => (quiet && !hasProblem(run) ? '' : `${run.summary.text(run.unreadable, run.time, style)}\n`),
  }),
  herd: () => ({ result: ({ herd }) => `${herd}\n` }),
  json: jsonReporter,
  ndjson: ndjsonReporter,
  junit: junitReporter,
  sarif: sarifReporter,
  github: githubReporter,
  html: htmlReporter,
} as const satisfies Record<string, MakeReporter>;

/** Something that whoever asked for problems only has to know. */
function hasProblem({ summary, unreadable }: CheckRun): boolean {
  return unreadable > 0 || summary.hasProblem;
}

export type ReporterName = keyof typeof REPORTERS;
export const REPORTER_NAMES = Object.keys(REPORTERS) as readonly ReporterName[];
