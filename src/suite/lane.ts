import type { Pool } from 'workerpool';
import type { Undecided } from '../program/undecided.js';
import { Decider, type RawAnswer } from './decider.js';
import type { AskedTask } from './job.js';
import type { JobName, SettingsOf } from './jobs/jobs.js';

/** Something that decides one test at a time. */
export interface Lane {
  /** Undefined where it has been ended before there is an answer. */
  ask(asked: AskedTask): Promise<RawAnswer | undefined>;
  /** Ends what is being decided, too. */
  end(): void;
}

/** Decides in this process. */
export class OwnLane<Name extends JobName> implements Lane {
  private decider: Promise<Decider> | undefined;

  constructor(
    private readonly job: Name,
    private readonly settings: readonly SettingsOf<Name>[],
  ) {}

  async ask(asked: AskedTask): Promise<RawAnswer> {
    // Lets signals and output through between tests.
    await new Promise((proceed) => setImmediate(proceed));
    this.decider ??= Decider.start(this.job, this.settings);
    return (await this.decider).answer(asked);
  }

  end(): void {
    this.decider = undefined;
  }
}

/** How a process is started that decides tests: what it runs, and with which arguments it knows what it is. */
export interface WorkerScript {
  readonly path: string;
  readonly args: readonly string[];
}

/** A process with more memory than that, in bytes, is replaced by a fresh one behind the test at hand. */
const MOST_MEMORY = 2 ** 30;
/** How long a process may take to end by itself, in milliseconds. */
const GRACE = 1;

/**
 * Decides in processes of its own, one after the other. A test whose process dies, or has more memory than it may have
 * when it began with some of it taken, is asked again in a fresh one; if that dies too, the test is undecided.
 */
export class ProcessLane<Name extends JobName> implements Lane {
  private process: Pool | undefined;
  /** Of a process that has started. */
  private pid: number | undefined;
  /** How many tests the process has decided. */
  private decided = 0;
  private ended = false;

  constructor(
    private readonly script: WorkerScript,
    private readonly job: Name,
    private readonly settings: readonly SettingsOf<Name>[],
  ) {}

  async ask(asked: AskedTask): Promise<RawAnswer | undefined> {
    const isFresh = this.decided === 0;
    const first = await this.attempt(asked);
    if (this.ended) return undefined;
    if (!('died' in first) && (isFresh || !first.outOfMemory)) return this.keepSmall(first);
    this.endProcess();
    const second = await this.attempt(asked);
    if (this.ended) return undefined;
    if (!('died' in second)) return this.keepSmall(second);
    this.endProcess();
    const why = `solver crashed: ${second.died}, twice`;
    const third = await this.attempt(asked, { kind: 'solver', what: why });
    if (this.ended) return undefined;
    return 'died' in third ? unreadable(asked, why) : this.keepSmall(third);
  }

  end(): void {
    this.ended = true;
    this.endProcess();
  }

  private endProcess(): void {
    // At once: in the middle of a test it hears of nothing else, and this process may end right now.
    if (this.pid !== undefined) kill(this.pid);
    // That it has ended is not waited for: nobody hears of a process that has died by itself.
    this.process?.terminate(true).catch(() => undefined);
    this.process = undefined;
    this.pid = undefined;
    this.decided = 0;
  }

  private async attempt(asked: AskedTask, over?: Undecided): Promise<RawAnswer | { readonly died: string }> {
    let started = false;
    try {
      if (this.process === undefined) {
        // Not loaded where no process is started.
        const { pool } = await import('workerpool');
        this.process = pool(this.script.path, {
          workerType: 'process',
          maxWorkers: 1,
          forkArgs: [...this.script.args],
          workerTerminateTimeout: GRACE,
          emitStdStreams: true,
        });
        this.pid = (await this.process.exec('start', [this.job, this.settings])) as number;
      }
      started = true;
      const answer = (await this.process.exec('answer', [asked, over ?? null])) as RawAnswer;
      this.decided += 1;
      return answer;
    } catch (thrown) {
      const death = deathOf(thrown);
      // A process that cannot be started, or throws, is no matter of the test.
      if (death === undefined || (!started && over !== undefined)) throw thrown;
      return { died: death };
    }
  }

  private keepSmall(answer: RawAnswer): RawAnswer {
    if (answer.memory > MOST_MEMORY) this.endProcess();
    return answer;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** What is said of a process that has died; undefined of an error that it has answered with. */
function deathOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !/Workerpool Worker|Worker (is )?terminated/.test(thrown.message)) return undefined;
  const signal = /signalCode: `(SIG\w+)`/.exec(thrown.message)?.[1];
  const code = /exitCode: `(\d+)`/.exec(thrown.message)?.[1];
  if (signal !== undefined) return `its process was ended by ${signal}`;
  return code === undefined ? 'its process was ended' : `its process ended with exit code ${code}`;
}

/** Where not even reading the test is survived. */
function unreadable({ task: { source } }: AskedTask, why: string): RawAnswer {
  const diagnostic = {
    path: source.path,
    line: source.firstLine ?? 1,
    column: 1,
    code: 'L0008',
    severity: 'error',
    message: why,
    hint: null,
    rendered: `${source.path}: error L0008: ${why}`,
  };
  const answer = { value: [], diagnostics: [diagnostic], unreadable: true, internal: [], open: true };
  return { json: JSON.stringify(answer), settled: false, exact: true, outOfMemory: false, memory: 0, time: 0 };
}
