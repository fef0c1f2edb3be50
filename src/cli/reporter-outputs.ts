import type { TestResult } from '../check/result.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { writeText } from '../files/write-text.js';
import {
  type CheckRun,
  REPORTER_NAMES,
  REPORTERS,
  type Reporter,
  type ReporterContext,
  type ReporterName,
} from '../report/reporters/reporters.js';
import { fileProblem } from './file-problem.js';

/** A reporter with the file that it writes; standard output without one. */
export interface ChosenReporter {
  readonly name: ReporterName;
  readonly file: string | undefined;
}

/** Reads `--reporter name` and `--reporter name=file`, repeated. */
export function chosenReporters(given: readonly string[]): readonly ChosenReporter[] {
  const chosen = given.map((text): ChosenReporter => {
    const [name = '', ...rest] = text.split('=');
    const known = REPORTER_NAMES.find((one) => one === name);
    const hint = didYouMean(name, REPORTER_NAMES);
    if (known === undefined)
      throw new UsageError(
        `no reporter ${name}${hint === undefined ? '' : `: ${hint}`}; there are ${REPORTER_NAMES.join(', ')}, ` +
          'each also as name=file',
      );
    if (rest.length > 0 && rest.join('=') === '') throw new UsageError(`--reporter ${text} names no file`);
    return { name: known, file: rest.length === 0 ? undefined : rest.join('=') };
  });
  const twice = chosen.find(({ file }, i) => file !== undefined && chosen.findIndex((one) => one.file === file) !== i);
  if (twice !== undefined) throw new UsageError(`two reporters would write ${twice.file}`);
  const [first, second] = chosen.filter(({ file }) => file === undefined);
  if (first !== undefined && second !== undefined)
    throw new UsageError(
      `the reporters ${first.name} and ${second.name} would both print to standard output: give one a file, as ` +
        `in ${second.name}=results.${second.name}`,
    );
  return chosen;
}

/** The reporters of a run, each with its output: standard output as results come, files when all are there. */
export class ReporterOutputs {
  private readonly reporters: readonly {
    readonly reporter: Reporter;
    readonly file: string | undefined;
    text: string;
  }[];

  constructor(chosen: readonly ChosenReporter[], context: ReporterContext) {
    this.reporters = chosen.map(({ name, file }) => ({ reporter: REPORTERS[name](context), file, text: '' }));
  }

  /** Some report is written at the end only. */
  get holdsBack(): boolean {
    return this.reporters.some(({ reporter, file }) => file !== undefined || reporter.result === undefined);
  }

  result(result: TestResult, beforePrinting: () => void): void {
    for (const one of this.reporters) {
      const text = one.reporter.result?.(result) ?? '';
      if (one.file !== undefined) one.text += text;
      else if (text !== '') {
        beforePrinting();
        process.stdout.write(text);
      }
    }
  }

  /** What one report cannot be written to must not cost the others; throws `UsageError` when all are written. */
  end(run: CheckRun): void {
    const problems: string[] = [];
    for (const one of this.reporters) {
      const text = one.reporter.end?.(run) ?? '';
      if (one.file === undefined) {
        process.stdout.write(text);
        continue;
      }
      try {
        writeText(one.file, one.text + text);
      } catch (thrown) {
        const problem = fileProblem(thrown);
        if (problem === undefined) throw thrown;
        problems.push(`the report ${one.file} is not written: ${problem}`);
      }
    }
    if (problems.length > 0) throw new UsageError(problems.join('; '));
  }
}
