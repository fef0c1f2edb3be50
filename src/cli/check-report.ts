import type { ReportedTest } from '../report/reported-test.js';
import type { CheckRun, ReportedDiagnostic, ReporterContext } from '../report/reporters/reporter.js';
import { SuiteSummary } from '../report/suite-summary.js';
import type { Answer } from '../suite/job.js';
import type { OutsideFindings } from './accepted-findings.js';
import { EXIT_CODES, type ExitCode, worst } from './exit-codes.js';
import { type ChosenReporter, ReporterOutputs } from './reporter-outputs.js';

/** What of the reports of `check` the command line decides. */
export interface CheckReportOptions extends ReporterContext {
  /** Warnings, and claims about tests without a final state, count as mistakes. */
  readonly strict: boolean;
  /** What is known of the tests from outside. */
  readonly known?: readonly OutsideFindings[];
  /** Hears of each result, with the place of its source. */
  readonly hear?: (test: ReportedTest, source: number) => void;
}

/** The reports and the exit code of `check`, from answers in the order of the suite, wherever they come from. */
export class CheckReport {
  private readonly outputs: ReporterOutputs;
  private readonly summary = new SuiteSummary();
  private readonly codes = new Set<ExitCode>();
  private readonly diagnostics: ReportedDiagnostic[] = [];
  private readonly unreadable = new Set<string>();

  constructor(
    reporters: readonly ChosenReporter[],
    private readonly options: CheckReportOptions,
    private readonly beforePrinting: () => void = () => undefined,
  ) {
    this.outputs = new ReporterOutputs(reporters, options, beforePrinting);
  }

  begin(): void {
    this.outputs.tell((reporter) => reporter.begin?.());
  }

  /** What was found in one source, under each model. */
  give(answers: readonly Answer<ReportedTest>[], source: number): void {
    const [first] = answers;
    if (first === undefined) return;
    this.tellMistakes(first, source);
    // A source may hold several tests: the models of one come together.
    const tests = Math.max(...answers.map(({ value }) => value.length));
    for (let i = 0; i < tests; i++)
      for (const { value } of answers) {
        const test = value[i];
        if (test !== undefined) this.tell(test, source);
      }
    for (const text of answers.flatMap(({ internal }) => internal)) {
      this.codes.add(EXIT_CODES.internal);
      this.outputs.tell((reporter) => reporter.internal?.(text, source));
      this.say(text);
    }
  }

  private tell(found: ReportedTest, source: number): void {
    const { known = [], hear } = this.options;
    const test = known.reduce((all, one) => one.inTest(all, source), found);
    hear?.(test, source);
    this.summary.add(test);
    this.codes.add(codeOf(test));
    if (this.options.strict && test.vacuous) this.codes.add(EXIT_CODES.usage);
    this.outputs.tell((reporter) => reporter.result?.(test, source));
  }

  private tellMistakes({ diagnostics, unreadable }: Answer<unknown>, source: number): void {
    const { strict, quiet } = this.options;
    if (unreadable) this.unreadable.add(diagnostics[0]?.path ?? '');
    if (unreadable || (strict && diagnostics.length > 0)) this.codes.add(EXIT_CODES.usage);
    for (const diagnostic of diagnostics) {
      this.diagnostics.push(diagnostic);
      this.outputs.tell((reporter) => reporter.diagnostic?.(diagnostic, source));
      if (unreadable || strict || !quiet) this.say(`${diagnostic.rendered}\n`);
    }
  }

  private say(text: string): void {
    this.beforePrinting();
    process.stderr.write(text);
  }

  /** Ends the reports; `time` in milliseconds, undefined where times are left out. */
  end({ sources, asked }: Pick<CheckRun, 'sources' | 'asked'>, time: number | undefined): ExitCode {
    const { summary, diagnostics } = this;
    const unreadable = this.unreadable.size;
    this.tellIdle();
    this.outputs.end({ summary, diagnostics, unreadable, sources, asked, time: this.options.times ? time : undefined });
    return worst(this.codes);
  }

  /** An entry that accepts nothing is a warning. */
  private tellIdle(): void {
    const { strict, quiet, known = [] } = this.options;
    const idle = known.flatMap((one) => one.idle());
    if (strict && idle.length > 0) this.codes.add(EXIT_CODES.usage);
    if (strict || !quiet) for (const line of idle) this.say(`ptx-litmus: ${line}\n`);
  }
}

function codeOf({ engines, broken, undecided }: ReportedTest): ExitCode {
  if (engines?.verdict === 'disagreement') return EXIT_CODES.disagreement;
  if (broken) return EXIT_CODES.broken;
  return undecided || engines?.verdict === 'unknown' ? EXIT_CODES.undecided : EXIT_CODES.good;
}
