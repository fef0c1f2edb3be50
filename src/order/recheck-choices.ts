import type { Choice } from '../follow/choices.js';
import { type Trace, threadOf } from '../follow/trace.js';
import { WARP_SIZE } from '../kernel/grid.js';

/** A cluster or lane that is not there. */
const NONE = -1;

/**
 * What PTX leaves to the hardware, again: a case that nobody has looked at, or one that no execution is of. Clusters
 * start in turn, and each that has not started may be canceled by any request of its grid, which may fail as well.
 */
export function firstDoubtfulChoice(trace: Trace): string | undefined {
  const { choices } = trace;
  if (choices.length === 0) return undefined;
  const leaders = choices.filter(({ kind }) => kind === 'leader');
  if (!leaders.every((one) => isLeader(trace, one))) return 'a lane that is elected, and nobody has looked at';
  const others = choices.filter(({ kind }) => kind !== 'leader');
  return others.length === 0 ? undefined : new Starts(trace, others).firstWrong();
}

/** Whether all lanes of a warp that elect one are looked at, and one of them is taken. */
function isLeader(trace: Trace, { threads = [], options, taken }: Choice): boolean {
  const all = threads.flatMap((thread) => trace.threads[thread] ?? []);
  const warps = new Set(all.map(({ ctaId, tid }) => `${ctaId} ${Math.floor(tid / WARP_SIZE)}`));
  const lanes = all.map(({ tid }) => tid % WARP_SIZE);
  return warps.size === 1 && lanes.every((lane) => options.includes(lane)) && lanes.includes(taken);
}

/** Which clusters start in a run, and which ones are canceled. */
class Starts {
  /** By cluster that has not started, its launch. */
  private readonly asleep: Map<number, number>;
  private readonly startedAt = new Map<number, number>();
  private last = NONE;
  private areAllStarted = false;

  constructor(
    private readonly trace: Trace,
    private readonly choices: readonly Choice[],
  ) {
    const { threads } = trace;
    const own = new Set(choices.flatMap(({ kind, options }) => (kind === 'start' ? options : [])));
    const launches = new Set(threads.filter(({ clusterId }) => own.has(clusterId)).map(({ launch }) => launch));
    this.asleep = new Map(
      threads.flatMap(({ clusterId, launch }) => (launches.has(launch) ? [[clusterId, launch] as const] : [])),
    );
  }

  firstWrong(): string | undefined {
    const all = new Set(this.asleep.keys());
    for (const one of this.choices) {
      const isRight = one.kind === 'request' ? this.isRequest(one) : this.isStart(one);
      if (!isRight) return 'clusters that start or are canceled in a way that nobody has looked at';
    }
    if (this.asleep.size > 0) return 'a cluster that neither starts nor is canceled';
    const { accesses } = this.trace;
    for (let row = 0; row < accesses.count; row++) {
      const { clusterId } = threadOf(this.trace, row);
      if (all.has(clusterId) && (this.startedAt.get(clusterId) ?? Infinity) > row)
        return 'what a cluster does that has not started';
    }
    return undefined;
  }

  private isStart({ key, row, taken, options }: Choice): boolean {
    const next = [...this.asleep.keys()].filter((cluster) => cluster > this.last);
    // Who is passed over starts where nothing else can go on: that is an execution of another case, too.
    const isLate = key.startsWith('late ');
    if (isLate ? !this.areAllStarted && next.length > 0 : this.areAllStarted) return false;
    if (!isLate && !next.every((cluster) => options.includes(cluster))) return false;
    if (!isLate && !options.includes(NONE) && this.goOn(row)) return false;
    if (taken === NONE) {
      this.areAllStarted = true;
      return !isLate;
    }
    this.startedAt.set(taken, row);
    this.last = Math.max(this.last, taken);
    return this.asleep.delete(taken);
  }

  /** Whether clusters that have started do something from a row on. */
  private goOn(row: number): boolean {
    const { accesses } = this.trace;
    for (let at = row; at < accesses.count; at++)
      if (this.startedAt.has(threadOf(this.trace, at).clusterId)) return true;
    return false;
  }

  private isRequest({ threads: [thread = NONE] = [], options, taken }: Choice): boolean {
    const { launch, clusterId } = this.trace.threads[thread] ?? { launch: NONE, clusterId: NONE };
    const canceled = [...this.asleep].filter(([, own]) => own === launch).map(([cluster]) => cluster);
    const all = [...canceled, NONE];
    if (!this.startedAt.has(clusterId) || !all.every((one) => options.includes(one))) return false;
    return all.includes(taken) && (taken === NONE || this.asleep.delete(taken));
  }
}
