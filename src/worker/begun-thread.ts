import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';

/** What the thread is started with. */
export interface ThreadData {
  readonly port: MessagePort;
  /** Shared memory: how many queries it has answered. */
  readonly answers: SharedArrayBuffer;
}

/** The thread in which z3 confirms, and how it is asked. */
export interface BegunThread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly answered: Int32Array;
}

/** Begins a thread, which loads z3 and starts it when it is asked for the first time. */
export function beginThread(): BegunThread {
  const answers = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const { port1: port, port2 } = new MessageChannel();
  const workerData: ThreadData = { port: port2, answers };
  const script = new URL('../worker/run-confirmations.js', import.meta.url);
  const worker = new Worker(script, { workerData, transferList: [port2] });
  // Nothing waits for it but who asks.
  worker.unref();
  port.unref();
  return { worker, port, answered: new Int32Array(answers) };
}
