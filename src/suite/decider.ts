import type { SatSolver } from '../axiomatic/solver/solver.js';
import { hasMarks } from '../diagnostics/text-parts.js';
import type { Undecided } from '../program/undecided.js';
import type { Answer, AskedTask, DecidingSettings, Job, SuiteTask } from './job.js';
import { type JobName, type SettingsOf, startJob } from './jobs/jobs.js';
import { keptAnswer } from './kept-answer.js';
import { limitsOf } from './limits.js';
import { startSolver } from './start-solver.js';
import type { TestSource } from './test-source.js';

/** An answer before it is read, and what is to be known of it until then. */
export interface RawAnswer {
  /** As `keptAnswer` has it. */
  readonly json: string;
  /** Another time it would be the same. */
  readonly settled: boolean;
  /** It holds for this very text only: it quotes lines of it. */
  readonly exact: boolean;
  /** The process has more memory than it may have, so that something is undecided. */
  readonly outOfMemory: boolean;
  /** Of the process, resident, in bytes. */
  readonly memory: number;
  /** In milliseconds. */
  readonly time: number;
}

/** In milliseconds. */
const BETWEEN_MEASUREMENTS = 50;

/** Does a job on tests, one after the other, in this process. */
export class Decider {
  private constructor(
    private readonly jobs: readonly Job<SuiteTask, unknown>[],
    private readonly settings: readonly DecidingSettings[],
    private readonly solver: SatSolver,
  ) {}

  /** Does a job under each of some settings, which share a solver. */
  static async start<Name extends JobName>(name: Name, settings: readonly SettingsOf<Name>[]): Promise<Decider> {
    const solver = await startSolver(settings[0]?.solver ?? 'cdcl');
    const jobs = settings.map((one) => startJob(name, one));
    return new Decider(jobs, settings, solver);
  }

  private readonly measured = { at: Number.NEGATIVE_INFINITY, memory: 0 };
  /** Now and then: asking the system takes as long as a fifth of a small test. */
  private memory(now: number): number {
    const { measured } = this;
    if (now - measured.at >= BETWEEN_MEASUREMENTS)
      Object.assign(measured, { at: now, memory: process.memoryUsage.rss() });
    return measured.memory;
  }

  /** `over`: why nothing of the test may be decided, if so. */
  async answer({ task, under }: AskedTask, over?: Undecided): Promise<RawAnswer> {
    const [job, settings] = [this.jobs[under], this.settings[under]];
    if (job === undefined || settings === undefined) throw new Error(`no settings ${under}`);
    const start = performance.now();
    let reached = false;
    let outOfMemory = false;
    const { memory, ...limits } = limitsOf(settings);
    const watched = memory && {
      most: memory.most,
      used: () => {
        const used = memory.used();
        outOfMemory ||= used > memory.most;
        return used;
      },
    };
    const { source } = task;
    const isMarked = !hasMarks(source.path + source.text);
    const answer = await job(
      { ...task, source: { ...source, isMarked } },
      {
        solver: this.solver,
        limits: {
          ...limits,
          memory: watched,
          over,
          reached: () => {
            reached = true;
          },
        },
      },
    );
    // Why z3 gives up is not always told, and may be memory.
    const certain = !answer.open || settings.solver !== 'z3';
    return {
      json: isMarked ? keptAnswer(answer, source) : JSON.stringify(answer),
      settled: certain && !reached && over === undefined && answer.internal.length === 0 && !answer.unreadable,
      exact: quotesText(answer, source) || !isMarked,
      outOfMemory,
      memory: this.memory(performance.now()),
      time: performance.now() - start,
    };
  }
}

const quotesText = (answer: Answer<unknown>, source: TestSource): boolean =>
  answer.quotes === true || answer.diagnostics.length > 0 || citesLines(source) || source.path.endsWith('.test');

/** What it accepts stands at lines as they are. */
const citesLines = ({ text, accepted }: TestSource): boolean =>
  accepted !== undefined || /\ballow\s+(?:race|undefined)\b/.test(text);
