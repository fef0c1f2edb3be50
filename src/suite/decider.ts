import type { SatSolver } from '../axiomatic/solver/solver.js';
import { lineMark, placeMarks, positionOf } from '../diagnostics/source.js';
import type { Undecided } from '../program/undecided.js';
import { BareText } from '../syntax/bare-text.js';
import { md5, sha256 } from './digests.js';
import type { Answer, AskedTask, DecidingSettings, Job, SuiteTask } from './job.js';
import { type JobName, type SettingsOf, startJob } from './jobs/jobs.js';
import { limitsOf } from './limits.js';
import { startSolver } from './start-solver.js';
import type { TestSource } from './test-source.js';

/**
 * An answer as it goes from process to process and into the cache: in the place of the lines that it cites and of the
 * text's hashes it has marks, so that it holds for every text of the same bare text.
 */
export interface RawAnswer {
  /** An `Answer` in JSON. */
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

  /** `over`: why nothing of the test may be decided, if so. */
  answer({ task, under }: AskedTask, over?: Undecided): RawAnswer {
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
    const marks = !hasMarks(source);
    const answer = job(
      { ...task, source: marks ? withMarks(source) : source },
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
      json: marks ? withoutHashes(answer, source) : JSON.stringify(answer),
      settled: certain && !reached && over === undefined && answer.internal.length === 0 && !answer.unreadable,
      exact: answer.diagnostics.length > 0 || citesLines(source) || source.path.endsWith('.test') || !marks,
      outOfMemory,
      memory: process.memoryUsage.rss(),
      time: performance.now() - start,
    };
  }
}

/** Private characters too, as the marks of lines have. */
const SHA256_MARK = '\ue002sha256\ue003';
const MD5_MARK = '\ue002md5\ue003';

/** What it accepts stands at lines as they are. */
const citesLines = ({ text }: TestSource): boolean => /\ballow\s+(?:race|undefined)\b/.test(text);

/** Such a text is told of without marks: its own characters would be taken for them. */
const hasMarks = ({ path, text }: TestSource): boolean => /[\ue000-\ue003]/.test(path + text);

/** The source, the lines of which are cited by where they are in its bare text. */
function withMarks(source: TestSource): TestSource {
  let bare: BareText | undefined;
  return {
    ...source,
    lineMark: (offset) => {
      bare ??= new BareText(source.text);
      return lineMark(bare.offsetOf(offset));
    },
  };
}

function withoutHashes(answer: Answer<unknown>, { text }: TestSource): string {
  return JSON.stringify(answer).replaceAll(sha256(text), SHA256_MARK).replaceAll(md5(text), MD5_MARK);
}

/** An answer about a text, the lines and hashes of which are put in. */
export function answerFor<T>(json: string, source: TestSource): Answer<T> {
  return JSON.parse(hasMarks(source) ? json : unmarked(json, source)) as Answer<T>;
}

function unmarked(json: string, source: TestSource): string {
  const { text } = source;
  let bare: BareText | undefined;
  const lined = placeMarks(json, (offset) => {
    bare ??= new BareText(text);
    return positionOf(source, bare.wholeOffsetOf(offset)).line;
  });
  if (!lined.includes('\ue002')) return lined;
  return lined.replaceAll(SHA256_MARK, sha256(text)).replaceAll(MD5_MARK, md5(text));
}
