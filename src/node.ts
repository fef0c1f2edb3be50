/** What needs node: the models that come with the package, models in files, and checks in a thread of their own. */
export { builtInModels, loadInOrder, loadModel } from './files/load-model.js';
export { checkInWorker, type WorkerOptions } from './worker/check-in-worker.js';
export type { Answer } from './worker/task.js';
