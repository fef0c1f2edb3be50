import type { Span } from '../diagnostics/source.js';
import type { Code } from '../kernel/code.js';
import type { Dimensions } from '../syntax/launch-ast.js';
import { type Choices, NONE } from './choices.js';
import type { Recorder } from './recorder.js';
import { NotFollowed, type Turn } from './turn.js';
import type { Warp } from './warp.js';

/** A cluster that has not started. */
interface Unstarted {
  readonly launch: number;
  /** Its first CTA. */
  readonly first: Dimensions;
  readonly warps: Warp[];
  readonly span: Span;
}

/**
 * Clusters of grids in which threads request to cancel others (PTX ISA, clusterlaunchcontrol.try_cancel). Each starts
 * only when no thread can go on, those of lower numbers first. Who is passed over is to be canceled by one of those
 * that start; where it is not, it starts in the end. So each execution is followed: its clusters start in turn, and
 * then no other does.
 */
export class UnstartedClusters {
  private readonly all = new Map<number, Unstarted>();
  private readonly requests = new Map<number, number>();
  private last = NONE;
  private starts = 0;
  private haveStarted = false;

  /** `choices`: undefined where all clusters start, and no request succeeds. */
  constructor(
    private readonly recorder: Recorder,
    private readonly choices: Choices | undefined,
  ) {}

  get areFollowed(): boolean {
    return this.choices !== undefined;
  }

  add(cluster: number, warp: Warp, of: Omit<Unstarted, 'warps'>): void {
    const own = this.all.get(cluster) ?? { ...of, warps: [] };
    this.all.set(cluster, own);
    own.warps.push(warp);
  }

  /** Whether a warp is of a cluster that has not started. */
  has({ threads: [first] }: Warp): boolean {
    return first !== undefined && this.all.has(first.clusterId);
  }

  /** The next cluster starts, or none any more: then those that have started go on alone. */
  startNext(warps: readonly Warp[]): boolean {
    const { choices } = this;
    const [waiting] = this.all.values();
    if (choices === undefined || waiting === undefined || this.haveStarted) return false;
    const next = [...this.all.keys()].filter((cluster) => cluster > this.last);
    const canGoOn = warps.some((warp) => warp.present !== 0 && !this.has(warp));
    const options = [...next, ...(canGoOn ? [NONE] : [])];
    if (next.length === 0) return false;
    const what = { kind: 'start', key: `start ${this.starts}`, options } as const;
    const taken = choices.take(what, (why) => new NotFollowed(waiting.span, why));
    this.starts += 1;
    this.haveStarted = taken === NONE;
    if (taken !== NONE) this.start(taken);
    return taken !== NONE;
  }

  /** Nothing can go on: one starts that should have been canceled by then. */
  startRest(): boolean {
    const [one] = this.all;
    if (one === undefined) return false;
    const [cluster, { span }] = one;
    const what = { kind: 'start', key: `late ${cluster}`, options: [cluster] } as const;
    this.start(this.choices?.take(what, (why) => new NotFollowed(span, why)) ?? cluster);
    return true;
  }

  /** A thread requests to cancel a cluster: gives the first CTA of the one that is, if it is granted. */
  request(turn: Turn, lane: number): Dimensions | undefined {
    const { choices } = this;
    const thread = turn.warp.threads[lane];
    if (choices === undefined) this.recorder.requests.add(turn.statement.span);
    if (choices === undefined || thread === undefined) return undefined;
    const count = this.requests.get(thread.id) ?? 0;
    this.requests.set(thread.id, count + 1);
    const own = [...this.all].filter(([, { launch }]) => launch === thread.launch);
    const options = [...own.map(([cluster]) => cluster), NONE];
    const key = `request ${thread.id} ${count}`;
    const taken = choices.take({ kind: 'request', key, options, threads: [thread.id] }, (what) =>
      turn.notFollowed(what),
    );
    const canceled = this.all.get(taken);
    this.all.delete(taken);
    for (const warp of canceled?.warps ?? []) warp.cancel();
    return canceled?.first;
  }

  private start(cluster: number): void {
    this.all.delete(cluster);
    this.last = Math.max(this.last, cluster);
  }
}

/** Whether threads request to cancel clusters. */
export const requests = ({ statements }: Code): boolean =>
  statements.some(({ operation }) => operation.kind === 'async' && operation.source.kind === 'response');
