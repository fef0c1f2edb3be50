import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyPatch, parsePatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { type Advice, advise } from '../../src/advise/advise.js';
import type { Suggestion } from '../../src/advise/suggestion.js';
import { Judge } from '../../src/advise/verdicts.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { Source } from '../../src/diagnostics/source.js';
import { withModules } from '../../src/files/read-modules.js';
import type { Program } from '../../src/program/program.js';
import { builtInModel, checkProgram, ROOT, solver } from '../support.js';

const FOLDER = join(ROOT, 'litmus/kernels/launched');

/** A kernel test about all threads, without what it expects: then it asks for what no kernel should do. */
function kernel(name: string): Source {
  const path = join(FOLDER, `${name}.litmus`);
  const text = readFileSync(path, 'utf8')
    .replace(/^(?:expect|forbid|require|permit|exists) .*$/gm, '')
    .replace(/^ *run .*$/gm, '');
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

/** Each repair with its way: where in CUDA, what is put in or becomes, how CUDA says it, and what else it holds for. */
const repairsOf = (name: string): ReturnType<typeof repairsFor> => repairsFor(kernel(name));

/** A launch of a module that is written here. */
function written(name: string, { module, launch }: { readonly module: string; readonly launch: string }): Source {
  const path = `${name}.ptx`;
  return { path: `${name}.litmus`, text: `PTX ${name}\n${launch}\n`, modules: { [path]: { path, text: module } } };
}

const adviceOfText = (name: string, test: Parameters<typeof written>[1]): Promise<Advice> =>
  adviceFor(written(name, test));
const repairsOfText = (name: string, test: Parameters<typeof written>[1]): ReturnType<typeof repairsFor> =>
  repairsFor(written(name, test));

async function repairsFor(source: Source): Promise<readonly (readonly string[])[]> {
  const advice = await adviceFor(source);
  if (advice.kind !== 'repair') throw new Error(advice.kind);
  for (const repair of advice.repairs)
    expect(new Set(await verdictsOf(patched(source, repair))), repair.patch).toEqual(ALL_MET);
  return advice.repairs.map(({ way, changes, alsoFor = [] }) => [
    way,
    ...changes.map(({ at, place, to, cuda }) => `${place} ${at.replace(/ .*/, '')}: ${to} = ${cuda}`),
    ...alsoFor,
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
  it('is the barrier that is missing in its loop, for all threads that meet in a larger launch', async () => {
    expect(await repairsOf('blockreduce64-broken')).toEqual([
      ['barriers', 'before blockreduce.cu:22: bar.sync 0 = __syncthreads()', 'grid 1, block 128'],
    ]);
  });

  it('is a lock that acquires and releases, or fences inside of it; data stay plain', async () => {
    const fence = (order: string): string =>
      `cuda::atomic_thread_fence(cuda::memory_order_${order}, cuda::thread_scope_device), or __threadfence()`;
    const atomic = 'cuda::atomic_ref<T, cuda::thread_scope_device>(object)';
    expect(await repairsOf('ticketlock-broken')).toEqual([
      [
        'qualifiers',
        `at ticketlock.cu:16: ld.acquire.gpu.b32 = ${atomic}.load(cuda::memory_order_acquire)`,
        `at ticketlock.cu:18: st.release.gpu.b32 = ${atomic}.store(value, cuda::memory_order_release)`,
        'grid 4, block 64',
      ],
      [
        'fences',
        `before ticketlock.cu:17: fence.acquire.gpu = ${fence('acquire')}`,
        `before ticketlock.cu:18: fence.release.gpu = ${fence('release')}`,
        'grid 4, block 64',
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
        'grid 4, block 64',
      ],
    ]);
  });

  it('is a wait for copies, or one that leaves fewer of them open', async () => {
    const [waits, numbers] = await repairsOf('cpasync-broken');
    expect(waits).toEqual(['waits', 'before cpasync.cu:13: cp.async.wait_all = __pipeline_wait_prior(0)']);
    expect(numbers).toEqual(['numbers', 'at cpasync.cu:14: groups 1 = undefined']);
  });

  it('is the parity of each round of a loop that is written out', async () => {
    expect(await repairsOf('tmabytes-parity-broken')).toEqual([
      ['numbers', 'at tmabytes.cu:23: parity (round / 2) & 1 = undefined'],
    ]);
  });

  it('is a barrier of the cluster before a CTA exits whose memory is read', async () => {
    const barrier = 'barrier.cluster.arrive; barrier.cluster.wait = cooperative_groups::this_cluster().sync()';
    expect(await repairsOf('cluster-broken')).toEqual([['barriers', `before cluster.cu:20: ${barrier}`]]);
  });

  it('is a counter that is added to by one atomic, where nothing else helps', async () => {
    expect(await repairsOfText('lost-update', LOST_UPDATE)).toEqual([
      [
        'atomic updates',
        'at lost-update.cu:3: atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1 = atomicAdd(address, value)',
        'at lost-update.cu:3:  = without st.global.u32 [%rd1], %r2',
        'grid 4, block 2',
      ],
    ]);
  });

  it('is nothing where the test is not decided', async () => {
    const source = kernel('wgmma-broken');
    const advice = await advise(
      programOf(source),
      new Judge(solver, builtInModel('ptx-9.4'), { timeout: 1, clock: () => performance.now() }),
    );
    expect(advice).toMatchObject({ kind: 'nothing', reason: expect.stringMatching(/^the test itself is undecided: /) });
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

  it('is one of two barriers, and not both, since a second warp needs one', async () => {
    const advice = await adviceOfText('barriers', TWO_BARRIERS);
    expect(advice).toMatchObject({ kind: 'weaken', alsoFor: ['grid 2, block 128'] });
    const { alone, together } = advice.kind === 'weaken' ? advice : { alone: [], together: [] };
    const told = (of: readonly Suggestion[]): readonly string[] =>
      of.map(({ changes }) => changes.map(({ at, from, to }) => `${at}: ${from} > ${to}`).join(', '));
    const each = ['barriers.cu:4 (barriers.ptx:18): bar.sync 0 > ', 'barriers.cu:5 (barriers.ptx:20): bar.sync 0 > '];
    expect(told(alone)).toEqual(each);
    expect([...told(together)].sort()).toEqual(each);
  });
});

const head = (name: string, parameters: string): string => `.version 8.6
.target sm_90a
.address_size 64
.visible .entry ${name}(${parameters})
{
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.reg .pred %p<9>;
`;

/** Each thread adds 1 to one number. */
const LOST_UPDATE = {
  module: `${head('count', '.param .u64 total')}.loc 1 3 1
ld.param.u64 %rd1, [total];
ld.global.u32 %r1, [%rd1];
add.u32 %r2, %r1, 1;
st.global.u32 [%rd1], %r2;
.loc 1 4 1
ret;
}
.file 1 "lost-update.cu"
`,
  launch: '{ .global .u32 total = 0; }\nlaunch K "lost-update.ptx" :: count (&total) @ grid 2, block 1 { }',
};

/** Each thread stores an element and, behind a barrier that it needs and one that it does not, reads another one. */
const TWO_BARRIERS = {
  module: `${head('turn', '.param .u64 out')}.shared .align 4 .b8 s[1024];
.loc 1 3 1
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ntid.x;
shl.b32 %r3, %r1, 2;
mov.u32 %r4, s;
add.u32 %r5, %r4, %r3;
st.shared.u32 [%r5], %r1;
.loc 1 4 1
bar.sync 0;
.loc 1 5 1
bar.sync 0;
.loc 1 6 1
sub.u32 %r6, %r2, %r1;
shl.b32 %r6, %r6, 2;
add.u32 %r6, %r4, %r6;
ld.shared.u32 %r7, [%r6+-4];
ret;
}
.file 1 "barriers.cu"
`,
  launch: '{ .global .u32 out = 0; }\nlaunch K "barriers.ptx" :: turn (&out) @ grid 1, block 64 { }',
};
