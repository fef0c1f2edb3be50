import { userLine } from '../diagnostics/source.js';
import type { Scope } from '../program/placement.js';
import type { Choice, Site } from './sites.js';
import type { Strength } from './strength.js';

/** How changes of a module are written in the CUDA source that it was compiled from. */

/** All in the namespace cuda; libcu++ has no scope of clusters. */
export const THREAD_SCOPES: Readonly<Partial<Record<Scope, string>>> = {
  cta: 'thread_scope_block',
  gpu: 'thread_scope_device',
  sys: 'thread_scope_system',
};
export const MEMORY_ORDERS: Readonly<Partial<Record<Strength, string>>> = {
  relaxed: 'memory_order_relaxed',
  acquire: 'memory_order_acquire',
  release: 'memory_order_release',
  acq_rel: 'memory_order_acq_rel',
  sc: 'memory_order_seq_cst',
};
/** They compile to fence.sc (membar) of that scope, and so are more than enough. */
export const THREAD_FENCES: Readonly<Partial<Record<Scope, string>>> = {
  cta: '__threadfence_block()',
  gpu: '__threadfence()',
  sys: '__threadfence_system()',
};
const TYPES: Readonly<Record<string, string>> = {
  u32: 'unsigned',
  s32: 'int',
  u64: 'unsigned long long',
  s64: 'long long',
  f32: 'float',
  f64: 'double',
};
const OPERATIONS: Readonly<Record<string, string>> = {
  add: 'fetch_add',
  min: 'fetch_min',
  max: 'fetch_max',
  and: 'fetch_and',
  or: 'fetch_or',
  xor: 'fetch_xor',
  exch: 'exchange',
  cas: 'compare_exchange_strong',
};
/** Calls for instructions that have neither order nor scope. */
export const FIXED: Readonly<Record<string, string>> = {
  'bar.sync 0;': '__syncthreads()',
  'bar.warp.sync 0xffffffff;': '__syncwarp()',
  'barrier.cluster.arrive; barrier.cluster.wait;': 'cooperative_groups::this_cluster().sync()',
  'cp.async.wait_all;': '__pipeline_wait_prior(0)',
  'cp.async.bulk.wait_group 0;': 'cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>{})',
  'cp.async.bulk.wait_group.read 0;': 'cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>{})',
  'cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;':
    'cuda::ptx::cp_async_bulk_commit_group(); cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>{})',
  'cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;':
    'cuda::ptx::cp_async_bulk_commit_group(); cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>{})',
  'fence.proxy.async;': 'cuda::ptx::fence_proxy_async()',
  'fence.mbarrier_init.release.cluster;':
    'cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster)',
};
export const CUDA_FILE = /\.(cuh?|h|hpp|hh|cc|cpp|cxx|inl)$/;

/** What a change of a kernel is in CUDA; undefined of other programs, and where CUDA has no words of its own. */
export function inCuda({ kind, spots: [{ span }], present }: Site, choice: Choice): string | undefined {
  const line = span.source.compiledFrom?.(span.start);
  if (line === undefined || !CUDA_FILE.test(userLine(line).file)) return undefined;
  if (choice.cuda !== undefined) return choice.cuda;
  if (choice.strength === 'none') return `without ${calledIn(present) ?? fenceOf(present) ?? present.text}`;
  return kind === 'access' ? accessOf(choice) : (FIXED[choice.text] ?? fenceOf(choice));
}

/** What stands in CUDA for instructions that are there, some in other forms than they are put in. */
const CALLS: readonly (readonly [RegExp, string])[] = [
  [/^bar(?:rier)?(?:\.cta)?\.sync(?:\.aligned)?\s+0$/, '__syncthreads()'],
  [/^bar\.warp\.sync\s+(?:-1|0xffffffff)$/, '__syncwarp()'],
  [/^barrier\.cluster\./, 'cooperative_groups::this_cluster().sync()'],
  [/^cp\.async\.wait_group\s+(\d+)$/, '__pipeline_wait_prior($1)'],
  [/^cp\.async\.wait_all$/, '__pipeline_wait_prior(0)'],
];

function calledIn({ text }: Choice): string | undefined {
  const found = CALLS.find(([instruction]) => instruction.test(text));
  return found && (found[0].exec(text)?.[0] ?? '').replace(found[0], found[1]);
}

function fenceOf({ strength, scope }: Choice): string | undefined {
  const order = MEMORY_ORDERS[strength];
  if (scope === undefined || order === undefined) return undefined;
  const among = THREAD_SCOPES[scope];
  const short = THREAD_FENCES[scope];
  if (among === undefined)
    return `cuda::ptx::fence(cuda::ptx::sem_${strength === 'sc' ? 'sc' : 'acq_rel'}, cuda::ptx::scope_${scope})`;
  return strength === 'sc' && short !== undefined
    ? short
    : `cuda::atomic_thread_fence(cuda::${order}, cuda::${among})${short === undefined ? '' : `, or ${short}`}`;
}

function accessOf({ strength, scope, text }: Choice): string | undefined {
  const [opcode = '', ...qualifiers] = text.split('.');
  if (strength === 'weak') return 'a plain access';
  const among = scope === undefined ? undefined : THREAD_SCOPES[scope];
  const order = MEMORY_ORDERS[strength];
  const operation = qualifiers.flatMap((one) => OPERATIONS[one] ?? [])[0];
  const call = opcode === 'ld' ? 'load' : opcode === 'st' ? 'store' : operation;
  if (among === undefined || order === undefined || call === undefined || opcode.startsWith('mbarrier'))
    return undefined;
  const type = qualifiers.flatMap((one) => TYPES[one] ?? [])[0] ?? 'T';
  const value = call === 'load' ? '' : call === 'compare_exchange_strong' ? 'expected, desired, ' : 'value, ';
  return `cuda::atomic_ref<${type}, cuda::${among}>(object).${call}(${value}cuda::${order})`;
}
