import { Cdcl } from '../../src/axiomatic/solver/cdcl.js';
import type { SecondParty } from '../../src/axiomatic/solver/second-party.js';
import { Z3 } from '../../src/axiomatic/solver/z3.js';
import { Answers, answered } from '../../src/interactive/answers.js';
import type { Asked } from '../../src/interactive/questions.js';
import { BUNDLED_MODELS } from './models.js';

/**
 * The script of a worker: the checker. One that `confirms` has what the search does not find confirmed by z3, or, where
 * that cannot start, by the checked proof; the others answer at once.
 */
const worker = self as unknown as DedicatedWorkerGlobalScope;

// A turn of the event loop, as node has it.
(globalThis as { setImmediate?: unknown }).setImmediate ??= (then: () => void) => setTimeout(then, 0);

/** Says of every query that it is not decided: then proofs are checked. */
const proofs = (why: string): SecondParty => ({
  version: `checked proof (${why})`,
  decide: () => ({ unknown: { kind: 'solver', what: why } }),
});

async function party(): Promise<SecondParty> {
  if (!worker.crossOriginIsolated) return proofs('z3 needs a page that is isolated');
  try {
    worker.importScripts('z3/z3-built.js');
    const module = await compiled('z3/z3-built.wasm');
    const z3 = await Z3.start(module as unknown as Parameters<typeof Z3.start>[0]);
    return { version: z3.version, wantsAll: true, decide: (query, deadline) => z3.decide(query, deadline) };
  } catch (thrown) {
    return proofs(`z3 cannot start: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** While it comes, where the file server calls it what it is; a browser then keeps what it has compiled. */
async function compiled(path: string): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compileStreaming(fetch(path));
  } catch {
    const response = await fetch(path);
    return WebAssembly.compile(await response.arrayBuffer());
  }
}

const confirms = new URL(worker.location.href).searchParams.has('confirms');
const answers = (confirms ? party() : Promise.resolve(undefined)).then(
  (confirming) => new Answers(BUNDLED_MODELS, new Cdcl(confirming)),
);

worker.addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  worker.postMessage(await answered(await answers, data));
});
