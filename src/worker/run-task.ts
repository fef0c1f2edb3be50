import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { Cdcl } from '../axiomatic/solver/cdcl.js';
import { checkTest } from '../check/check-test.js';
import { loadTests } from '../check/load-tests.js';
import { loadModel } from '../files/load-model.js';
import { VERSION } from '../files/version.js';
import { jsonDiagnostic, jsonOf } from '../report/json.js';
import { ConfirmationThread } from './confirmation-thread.js';
import type { Answer, Task } from './task.js';

/** The script of a worker: one task, one answer. */
async function run({ source, model: name, include, variants, options }: Task): Promise<Answer> {
  const model = loadModel(name, include, new Set(variants));
  const tests = loadTests(source);
  const diagnostics = [...model.diagnostics, ...tests.diagnostics].map(jsonDiagnostic);
  const { value } = model;
  if (value === undefined || tests.value === undefined) return { results: [], diagnostics };
  const solver = new Cdcl(new ConfirmationThread());
  const context = {
    tool: { name: 'ptx-litmus', version: VERSION, solver: solver.version },
    hashOf: (text: string) => createHash('sha256').update(text).digest('hex'),
    witnesses: options.witnesses ?? 1,
  };
  return {
    results: tests.value.map((program) => jsonOf(checkTest(solver, program, value, options), context)),
    diagnostics,
  };
}

parentPort?.postMessage(await run(workerData as Task));
