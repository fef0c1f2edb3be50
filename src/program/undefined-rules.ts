/**
 * The rules by which PTX leaves the behavior of a program undefined, with the words of the report. Those whose
 * condition a model states have the name of its check there (`undefined_unless … as NAME`, models/ptx-9.4.cat).
 */
export const UNDEFINED_RULES = {
  'outside-memory':
    'address that is not aligned to the access, or outside of every location, of the state space that the ' +
    'instruction names, or of what it may write there',
  'outside-membermask': 'warp instruction by a thread that is not in its membermask',

  'barrier-number': 'a barrier number outside of 0 to 15 (PTX ISA 9.7.15.1)',
  'barrier-count': 'a thread count of a barrier that is no positive multiple of 32 (PTX ISA 9.7.15.1)',
  'barrier-counts-differ': 'barrier instructions with different thread counts meet at one barrier (PTX ISA 9.7.15.1)',
  'barrier-kinds-differ': 'a barrier reduction and another barrier instruction meet at one barrier (PTX ISA 9.7.15.1)',
  'barrier-mask': 'bar.warp.sync by a thread that is not in its mask (PTX ISA 9.7.15.2)',
  'aligned-divergence':
    'an aligned instruction (bar, barrier.cluster, ldmatrix, mma and the like) that not all threads of the warp ' +
    'execute alike (PTX ISA 9.7.15.1, 9.7.15.3, 9.7.15.17, 9.7.16)',
  'cluster-arrival-twice': 'barrier.cluster.arrive before the wait for the arrival before it',
  'cluster-wait-without-arrival': 'barrier.cluster.wait without an arrival of the same thread to wait for',

  'mbarrier-uninitialized':
    'mbarrier operation on an object that is not initialized, or whose mbarrier.init is not ordered before the ' +
    'operation',
  'mbarrier-live': 'mbarrier.init of an object that is in use: mbarrier.inval comes first',
  'mbarrier-overrun': 'more arrivals in one phase of an mbarrier than its pending count',
  'mbarrier-count': 'mbarrier count out of range (1 to 1048575)',
  'mbarrier-bytes': 'tx-count of an mbarrier out of range (-1048575 to 1048575)',
  'mbarrier-dropped': 'mbarrier.arrive_drop lowers the expected count to 0',
  'mbarrier-no-complete': 'mbarrier operation with .noComplete completes the phase',
  'mbarrier-unawaited': 'arrival in a phase of an mbarrier before any wait has returned True for the phase before it',
  'mbarrier-token':
    'mbarrier wait with a state that is not of the current or the immediately preceding phase of this object',
  'mbarrier-parity': 'mbarrier wait with a phase parity other than 0 or 1',
  'mbarrier-no-token': 'mbarrier.pending_count of a state that no .noComplete operation returned',
  'mbarrier-accessed': 'an access other than by mbarrier operations to an mbarrier object that is in use',

  'destination-in-other-cta':
    "asynchronous operation whose destination is the issuing CTA's own shared memory: it must be another CTA's",
  'mbarrier-with-destination': 'asynchronous operation whose destination and mbarrier are in different CTAs',
  'mbarrier-in-pair':
    'asynchronous operation of .cta_group::2 whose mbarrier is neither in the CTA of its destination nor in its peer',
  'cluster-of-several-ctas': 'st.async in a cluster of one CTA',
  'bulk-alignment': 'bulk copy of addresses or a size that are not multiples of 16 bytes',
  'tile-alignment': 'tensor copy whose tile in shared memory does not start at a multiple of 16 bytes',
  'tensor-alignment': 'tensor in global memory that does not start at a multiple of 16 bytes',
  'source-size': 'cp.async with a src-size above its cp-size',
  'one-async-group': 'two cp.async of one async-group write the same location',
  alignment: 'an address that is not as aligned as the instruction asks',
  'missing-wgmma-fence':
    'wgmma.mma_async on registers that were accessed, or used in another shape, with no wgmma.fence after that',
  'register-in-flight': 'an access to a register of wgmma.mma_async that no wait_group has told to be complete',
  'tensor-memory-address':
    'an access to tensor memory beyond its columns, or beyond those that a tcgen05.alloc gave out (PTX ISA 9.7.18.1)',
  'tensor-memory-lane':
    'tcgen05.ld or st of lanes that its warp cannot reach, or a lane that no access of the shape begins with ' +
    '(PTX ISA, tcgen05.ld, tcgen05.shift)',
  'tensor-memory-size': 'tcgen05.alloc or dealloc of a number of columns that is no power of 2 from 32 to 512',
  'mixed-cta-groups': 'instructions of one kernel for .cta_group::1 and for .cta_group::2 (PTX ISA 9.7.18.5)',
  'lanes-differ': 'a tcgen05 instruction of a whole warp whose lanes give different addresses or sizes',
  'dealloc-of-no-allocation': 'tcgen05.dealloc of other columns than one tcgen05.alloc gave out',
  'collective-lane': 'an instruction of a whole warp that one of its lanes does not execute',
  'warpgroup-divergence': 'setmaxnreg that not all warps of the warpgroup execute alike (PTX ISA, setmaxnreg)',
  'register-count': 'setmaxnreg.dec to more registers than a warp has, or setmaxnreg.inc to fewer',
  'register-count-again':
    'setmaxnreg after another one, and nothing in between by which the warps of the warpgroup may synchronize ' +
    '(PTX ISA, setmaxnreg)',
  'prefetch-size': 'cp.async.bulk.prefetch of a size or an address that is no multiple of 16',
  'fragment-stride': 'wmma with a stride below the length of a row or column',
  'bulk-store-size': 'st.bulk of a size that is no multiple of 8, or above 16777216',
  'branch-index': 'brx.idx with an index past the end of its list of labels',
  'fns-base': 'fns with a base above 31',
  'request-after-failure': 'clusterlaunchcontrol.try_cancel after one that was seen to fail',
  'answer-of-failure': 'clusterlaunchcontrol.query_cancel.get_first_ctaid of a request that failed',

  'texture-handle': 'a texture or surface instruction with a handle of none that the test declares',

  'read-only-path-of-written-bytes':
    'a read through the read-only path (ld.global.nc, ldu, ld.proxy::readonly) of bytes that are written while its ' +
    'grid may run',

  'mixed-size-race': 'a race of accesses that overlap partially (PTX ISA 8.7.2)',
  'asynchronous-operation-in-flight':
    'the source of an asynchronous operation is modified, or its destination read, while it may be in flight ' +
    '(PTX ISA 9.7.10.28.1)',
  'access-to-mbarrier-object':
    'an access other than by mbarrier operations to an mbarrier object that may be in use (PTX ISA, mbarrier: ' +
    'lifecycle)',
  'barrier-arrival-before-reset':
    'a warp that has arrived at a barrier may arrive there again before it completes (PTX ISA 9.7.15.1)',
  'tensor-memory-growth': 'tcgen05.alloc that may come after one of fewer columns in its CTA (PTX ISA, tcgen05.alloc)',
  'alloc-after-relinquish': 'tcgen05.alloc that may come after tcgen05.relinquish_alloc_permit in its CTA',
  'tensor-memory-given-back': 'an access to columns of tensor memory after tcgen05.dealloc of them',
  'shared-memory-of-exited-cta':
    'an access to the shared or tensor memory of another CTA that may have exited (PTX ISA, barrier.cluster)',
} as const;

/**
 * The flags of the models that an expectation asks for: of a data race, which leaves no value undefined (8.7.1), and of
 * a read of memory that nobody has given a value.
 */
export const FLAGS = { race: 'data-race', uninitialized: 'uninitialized-read' } as const;
export const RACE_FLAG = FLAGS.race;
export type FindingFlag = (typeof FLAGS)[keyof typeof FLAGS];

/** What an expectation calls it that a flag is raised, or that a rule of undefined behavior is broken. */
export function findingOf(rule: string): keyof typeof FLAGS | 'undefined' {
  return rule === FLAGS.race ? 'race' : rule === FLAGS.uninitialized ? 'uninitialized' : 'undefined';
}

/** Such a finding in words. */
export const FINDING_WORDS = {
  race: 'a data race',
  uninitialized: 'a read of uninitialized memory',
} as const satisfies Readonly<Record<keyof typeof FLAGS, string>>;

export type UndefinedRule = keyof typeof UNDEFINED_RULES;

/**
 * Rules of what registers hold where that is open anyhow, and of how many a warp has: who breaks one does nothing else
 * by that.
 */
const OF_REGISTERS: readonly string[] = [
  ...(['missing-wgmma-fence', 'warpgroup-divergence'] as const satisfies UndefinedRule[]),
  ...(['register-count', 'register-count-again'] as const satisfies UndefinedRule[]),
];
export const isOfRegisters = ({ rule }: { readonly rule: string }): boolean => OF_REGISTERS.includes(rule);

/** What a rule says; a check of a model that is not ours is shown by its name. */
export function ruleSentence(rule: string): string {
  return Object.entries(UNDEFINED_RULES).find(([name]) => name === rule)?.[1] ?? rule;
}

/** What a test is undefined by, and where, if no execution can show it. */
export function describeUndefined({
  rule,
  line,
}: {
  readonly rule: string;
  readonly line: string | undefined;
}): string {
  return line === undefined ? ruleSentence(rule) : `${ruleSentence(rule)} (${line})`;
}
