import { closeSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { didYouMean } from '../diagnostics/nearest.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { fileProblem } from '../files/file-problem.js';
import { makeFolder } from '../files/write-text.js';
import {
  type CheckRun,
  REPORTER_NAMES,
  REPORTERS,
  type Reporter,
  type ReporterContext,
  type ReporterName,
} from '../report/reporters/reporters.js';

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

/** The reporters of a run, each with its output: standard output or a file, written as results come. */
export class ReporterOutputs {
  private readonly outputs: readonly { readonly reporter: Reporter; readonly output: Output }[];

  /** @param beforePrinting - Called before something is printed to standard output. */
  constructor(chosen: readonly ChosenReporter[], context: ReporterContext, beforePrinting: () => void) {
    this.outputs = chosen.map(({ name, file }) => ({
      reporter: REPORTERS[name](context),
      output: file === undefined ? standardOutput(beforePrinting) : new FileOutput(file),
    }));
  }

  /** Writes what each of the reporters says. */
  tell(textOf: (reporter: Reporter) => string | undefined): void {
    for (const { reporter, output } of this.outputs) {
      const text = textOf(reporter);
      if (text !== undefined && text !== '') output.write(text);
    }
  }

  /** What one report cannot be written to must not cost the others; throws `UsageError` when all are written. */
  end(run: CheckRun): void {
    this.tell((reporter) => reporter.end?.(run));
    const problems = this.outputs.flatMap(({ output }) => output.close() ?? []);
    if (problems.length > 0) throw new UsageError(problems.join('; '));
  }
}

/** Some report says something at the end, or goes to a file, so that a run must not be ended without. */
export function holdsBack(chosen: readonly ChosenReporter[]): boolean {
  return chosen.some(({ name, file }) => file !== undefined || !PRINTED_AS_THEY_COME.includes(name));
}
const PRINTED_AS_THEY_COME: readonly ReporterName[] = ['text', 'herd', 'ndjson', 'github'];

interface Output {
  write(text: string): void;
  /** What went wrong. */
  close(): string | undefined;
}

function standardOutput(beforePrinting: () => void): Output {
  return {
    write: (text) => {
      beforePrinting();
      process.stdout.write(text);
    },
    close: () => undefined,
  };
}

/** A file that grows with the run. */
class FileOutput implements Output {
  private file: number | undefined;
  private problem: string | undefined;

  constructor(private readonly path: string) {}

  write(text: string): void {
    if (this.problem !== undefined) return;
    try {
      if (this.file === undefined) {
        makeFolder(dirname(this.path));
        this.file = openSync(this.path, 'w');
      }
      writeFileSync(this.file, text);
    } catch (thrown) {
      const problem = fileProblem(thrown);
      if (problem === undefined) throw thrown;
      this.problem = `the report ${this.path} is not written: ${problem}`;
    }
  }

  close(): string | undefined {
    if (this.file !== undefined) closeSync(this.file);
    return this.problem;
  }
}
