/**
 * What needs node: the models that come with the package, models in files, and checks in a thread of their own.
 *
 * @module ptx-litmus/node
 */
export { builtInModels, loadInOrder, loadModel } from '../files/load-model.js';
export { checkInWorker, type WorkerOptions } from '../worker/check-in-worker.js';
export type { Answer, Task } from '../worker/task.js';
