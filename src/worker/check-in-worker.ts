import { Worker } from 'node:worker_threads';
import type { Source } from '../diagnostics/source.js';
import type { Answer, Task } from './task.js';

/** What to check a source under; a signal ends it at once, wherever it is. */
export interface WorkerOptions extends Partial<Omit<Task, 'source'>> {
  readonly signal?: AbortSignal;
}

/**
 * Checks the tests of a source in a thread of its own, so that the caller goes on meanwhile. Resolves to results and
 * diagnostics as in the JSON reports (schema check-1); rejects with the signal's reason when it aborts, and with
 * `UsageError` where there is no such model.
 *
 * @example
 * ```ts
 * const { results } = await checkInWorker({ path: 'MP.litmus', text }, { signal: AbortSignal.timeout(5000) });
 * ```
 */
export async function checkInWorker(source: Source, options: WorkerOptions = {}): Promise<Answer> {
  const { signal, model = 'ptx-9.4', include = [], variants = [], options: check = {} } = options;
  signal?.throwIfAborted();
  const task: Task = { source, model, include, variants, options: check };
  const worker = new Worker(new URL('../worker/run-task.js', import.meta.url), { workerData: task });
  try {
    return await new Promise<Answer>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  } finally {
    await worker.terminate();
  }
}
