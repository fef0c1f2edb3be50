/**
 * What needs node: the models that come with the package, models in files, and what runs in a thread of its own: z3,
 * which confirms, and whole checks.
 *
 * @module ptx-litmus/node
 */
export { builtInModels, loadInOrder, loadModel } from '../files/load-model.js';
export { checkInWorker, type WorkerOptions } from '../worker/check-in-worker.js';
export { ConfirmationThread } from '../worker/confirmation-thread.js';
export type { Answer, Task } from '../worker/task.js';
