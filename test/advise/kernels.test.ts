import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyPatch, parsePatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { type Advice, advise, type Suggestion } from '../../src/advise/advise.js';
import { Judge } from '../../src/advise/verdicts.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { Source } from '../../src/diagnostics/source.js';
import { withModules } from '../../src/files/read-modules.js';
import type { Program } from '../../src/program/program.js';
import { builtInModel, checkProgram, ROOT, solver } from '../support.js';

const FOLDER = join(ROOT, 'litmus/kernels/launched');

/** A kernel test without what it expects: then it asks for what no kernel should do. */
function kernel(name: string): Source {
  const path = join(FOLDER, `${name}.litmus`);
  const text = readFileSync(path, 'utf8').replace(/^(?:expect|forbid|require|permit|exists) .*$/gm, '');
  return withModules({ path, text }, {});
}

function programOf(source: Source): Program {
  const [program] = loadTests(source).value ?? [];
  if (program === undefined) throw new Error(source.path);
  return program;
}

async function adviceFor(source: Source): Promise<Advice> {
  return advise(
    programOf(source),
    new Judge(solver, builtInModel('ptx-9.4'), { timeout: 120_000, clock: () => performance.now() }),
  );
}

/** Each repair with its way: where in CUDA, what is put in or becomes, and how CUDA says it. */
async function repairsOf(name: string): Promise<readonly (readonly string[])[]> {
  const source = kernel(name);
  const advice = await adviceFor(source);
  if (advice.kind !== 'repair') throw new Error(advice.kind);
  for (const repair of advice.repairs)
    expect(new Set(await verdictsOf(patched(source, repair))), repair.patch).toEqual(ALL_MET);
  return advice.repairs.map(({ way, changes }) => [
    way,
    ...changes.map(({ at, place, to, cuda }) => `${place} ${at.replace(/ .*/, '')}: ${to} = ${cuda}`),
  ]);
}

const ALL_MET = new Set(['met']);
const verdictsOf = async (source: Source): Promise<readonly string[]> =>
  (await checkProgram(programOf(source), 'ptx-9.4')).expectations.map(({ outcome }) => outcome);

/** The test with the patch of a suggestion, as patch(1) applies it. */
function patched(source: Source, { patch }: Suggestion): Source {
  const patches = new Map(parsePatch(patch).map((one) => [one.oldFileName, one]));
  const modules = Object.entries(source.modules ?? {}).map(([name, module]) => {
    if ('problem' in module) throw new Error(module.problem);
    const changes = patches.get(module.path);
    const text = changes === undefined ? module.text : applyPatch(module.text, changes);
    if (text === false) throw new Error(`the patch of ${module.path} does not fit`);
    return [name, { ...module, text }] as const;
  });
  return { ...source, modules: Object.fromEntries(modules) };
}

describe('what mends a kernel', () => {
  it('is the barrier that is missing in its loop, for the threads that meet there', async () => {
    expect(await repairsOf('blockreduce-broken')).toEqual([
      ['barriers', 'before blockreduce.cu:22: bar.warp.sync 0xffffffff = __syncwarp()'],
    ]);
  });

  it('are fences inside of a lock, or a lock that acquires and releases; data stay plain', async () => {
    const fence = (order: string): string =>
      `cuda::atomic_thread_fence(cuda::memory_order_${order}, cuda::thread_scope_device), or __threadfence()`;
    const atomic = 'cuda::atomic_ref<T, cuda::thread_scope_device>(object)';
    expect(await repairsOf('ticketlock-broken')).toEqual([
      [
        'fences',
        `before ticketlock.cu:17: fence.acquire.gpu = ${fence('acquire')}`,
        `before ticketlock.cu:18: fence.release.gpu = ${fence('release')}`,
      ],
      [
        'qualifiers',
        `at ticketlock.cu:16: ld.acquire.gpu.b32 = ${atomic}.load(cuda::memory_order_acquire)`,
        `at ticketlock.cu:18: st.release.gpu.b32 = ${atomic}.store(value, cuda::memory_order_release)`,
      ],
    ]);
  });

  it('is put into a function once, wherever that was inlined', async () => {
    const advice = await adviceFor(kernel('gridbarrier-broken'));
    const [repair] = advice.kind === 'repair' ? advice.repairs : [];
    expect(repair?.changes.map(({ at, to, copies }) => `${at.replace(/ .*/, '')} ${to} ${copies}`)).toEqual([
      'gridbarrier.cu:8 fence.release.gpu 1',
      'gridbarrier.cu:12 fence.acquire.gpu 1',
    ]);
  });

  it('is a larger scope', async () => {
    expect(await repairsOf('ticketlock-scope-broken')).toEqual([
      [
        'qualifiers',
        'at ticketlock.cu:27: st.release.gpu.b32 = ' +
          'cuda::atomic_ref<T, cuda::thread_scope_device>(object).store(value, cuda::memory_order_release)',
      ],
    ]);
  });

  it('is nothing where the test is not decided', async () => {
    const path = join(ROOT, 'test/cli/exchange.litmus');
    const advice = await adviceFor(withModules({ path, text: readFileSync(path, 'utf8') }, { maxThreads: 1 }));
    expect(advice).toMatchObject({ kind: 'nothing', reason: expect.stringMatching(/undecided: coverage/) });
  });
});

describe('what a kernel can do without', () => {
  it('is said in its own terms', async () => {
    const advice = await adviceFor(kernel('spinlock'));
    expect(advice).toMatchObject({ kind: 'weaken' });
    const changes = advice.kind === 'weaken' ? advice.alone.flatMap((one) => one.changes) : [];
    expect(changes.length).toBeGreaterThan(0);
    for (const { at, cuda } of changes) {
      expect(at).toMatch(/^spinlock\.cu:\d+ \(spinlock\.ptx:\d+\)$/);
      expect(cuda).toMatch(/^(without |cuda::|__|a plain access)/);
    }
  });
});
