import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { CheckResult } from '../axiomatic/solver/solver.js';
import { type CompiledZ3, pathOfZ3, scriptOfZ3, Z3 } from '../axiomatic/solver/z3.js';
import type { ThreadData } from './begun-thread.js';
import type { AskedQuery } from './confirmation-thread.js';

/** The script of the thread in which z3 confirms: what takes longest begins at once, z3 itself when it is expected. */
const { port, answers } = workerData as ThreadData;
const answered = new Int32Array(answers);
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledZ3> };
const compiled = compileZ3();
compiled.catch(() => undefined);
// Meanwhile.
setImmediate(scriptOfZ3);
let starting: Promise<Z3> | undefined;

/** Read in one piece: in pieces, as node reads without waiting, 35 MB take three times as long. */
async function compileZ3(): Promise<CompiledZ3> {
  return WebAssembly.compile(readFileSync(pathOfZ3()));
}

function z3(): Promise<Z3> {
  starting ??= compiled.then((module) => Z3.start(module));
  return starting;
}

async function decide({ query, time }: AskedQuery): Promise<CheckResult> {
  try {
    const asked = await z3();
    const end = performance.now() + time;
    return asked.decide(query, { remaining: () => end - performance.now() });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { unknown: { kind: 'solver', what: `z3: ${why.split('\n')[0]}` } };
  }
}

port.on('message', (message: AskedQuery | 'start') => {
  if (message === 'start') {
    // That it cannot start is told when it is asked.
    z3().catch(() => undefined);
    return;
  }
  void decide(message).then((answer) => {
    port.postMessage(answer);
    Atomics.add(answered, 0, 1);
    Atomics.notify(answered, 0);
  });
});
