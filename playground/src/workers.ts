import { Asking } from '../../src/interactive/asking.js';

/** Asks a worker of the page that runs the checker; one that `confirms` has somebody confirm what is not found. */
export const askingWorker = (confirms = false): Asking =>
  new Asking((onAnswer, onDeath) => {
    const worker = new Worker(confirms ? 'worker.js?confirms' : 'worker.js');
    worker.addEventListener('message', ({ data }) => onAnswer(data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      onDeath(event.message);
    });
    return { post: (asked) => worker.postMessage(asked), end: () => worker.terminate() };
  });
