import { Worker } from 'node:worker_threads';
import { Asking } from '../interactive/asking.js';
import type { Answered } from '../interactive/questions.js';

/** What a thread that answers is started with. */
export interface ThreadSettings {
  /** What the search does not find is confirmed by z3. */
  readonly confirms: boolean;
  /** What a test may take, in milliseconds. */
  readonly timeout: number;
}

/** Asks a thread of its own, so that the server answers requests meanwhile. */
export const askingThread = (settings: ThreadSettings): Asking =>
  new Asking((onAnswer, onDeath) => {
    const worker = new Worker(new URL('../lsp/answer-in-thread.js', import.meta.url), { workerData: settings });
    worker.on('message', (answer: Answered) => onAnswer(answer));
    worker.on('error', ({ message }) => onDeath(message));
    // Nothing waits for it but who asks.
    worker.unref();
    return { post: (asked) => worker.postMessage(asked), end: () => void worker.terminate() };
  });
