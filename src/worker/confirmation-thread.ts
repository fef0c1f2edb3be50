import { receiveMessageOnPort } from 'node:worker_threads';
import type { Query } from '../axiomatic/solver/query.js';
import type { SecondParty } from '../axiomatic/solver/second-party.js';
import type { CheckResult } from '../axiomatic/solver/solver.js';
import type { Deadline } from '../program/undecided.js';
import { type BegunThread, beginThread } from './begun-thread.js';

export interface AskedQuery {
  readonly query: Query;
  /** In milliseconds. */
  readonly time: number;
}

/** How long z3 may take to start, or to notice that its time is over, in milliseconds. */
const GRACE = 10_000;

/**
 * z3 in a thread of its own, so that it is loaded while the search goes on. It is started when there is the first
 * query; until then the thread only compiles. One that does not answer is ended, and the next query has a new one.
 *
 * @example
 * ```ts
 * const confirming = new Cdcl(new ConfirmationThread());
 * ```
 */
export class ConfirmationThread implements SecondParty {
  readonly version = 'z3';
  private thread: BegunThread | undefined;
  private isExpected = false;

  constructor(readonly wantsAll = false) {}

  /** Begins to load z3. */
  prepare(): void {
    this.thread ??= beginThread();
  }

  expect(): void {
    if (this.isExpected) return;
    this.isExpected = true;
    this.thread ??= beginThread();
    this.thread.port.postMessage('start');
  }

  decide(query: Query, deadline: Deadline): CheckResult {
    this.thread ??= beginThread();
    const { port, answered } = this.thread;
    const time = deadline.remaining();
    const before = Atomics.load(answered, 0);
    const asked: AskedQuery = { query, time };
    port.postMessage(asked, [query.buffer as ArrayBuffer]);
    Atomics.wait(answered, 0, before, time + GRACE);
    const answer = receiveMessageOnPort(port)?.message as CheckResult | undefined;
    if (answer !== undefined) return answer;
    this.end();
    return { unknown: { kind: 'solver', what: 'z3 does not answer' } };
  }

  end(): void {
    void this.thread?.worker.terminate();
    this.thread = undefined;
    this.isExpected = false;
  }
}
