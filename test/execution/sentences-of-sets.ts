import { textOf } from '../../src/diagnostics/source.js';
import type { ExecutionEvent } from '../../src/events/program-event.js';
import type { EventUniverse } from '../../src/execution/candidate-execution.js';
import { isExchange } from '../../src/program/operation.js';

/**
 * The sets of docs/cat.md, each stated again from its sentence: by what an event is and by the words of its
 * instruction, without the tags that the engine gives it.
 */
type Sentence = (event: ExecutionEvent) => boolean;

const textOfEvent = ({ span }: ExecutionEvent): string => (span === undefined ? '' : textOf(span));
const says =
  (pattern: RegExp): Sentence =>
  (event) =>
    pattern.test(textOfEvent(event));
const isAccess: Sentence = ({ kind }) => kind === 'read' || kind === 'write';
const isMemoryFence: Sentence = ({ kind, proxyFence }) => kind === 'fence' && proxyFence === undefined;
const both =
  (...all: readonly Sentence[]): Sentence =>
  (event) =>
    all.every((one) => one(event));
const not =
  (one: Sentence): Sentence =>
  (event) =>
    !one(event);
const inScope =
  (scope: string): Sentence =>
  (event) =>
    event.scope === scope;
const oneOf = (event: ExecutionEvent, ...names: readonly string[]): boolean =>
  names.filter((name) => event.tags.has(name as never)).length === 1;

const isStep =
  (...steps: readonly string[]): Sentence =>
  ({ mbarrier }) =>
    mbarrier !== undefined && steps.includes(mbarrier.step);
const isCluster =
  (action: string): Sentence =>
  ({ barrier }) =>
    barrier?.kind === 'cluster-barrier' && barrier.action === action;
const uses =
  (instruction: string): Sentence =>
  ({ tensor }) =>
    tensor?.instruction === instruction;
/** How an instruction begins, behind its guard. */
const begins = (words: string): Sentence => says(new RegExp(`^\\s*(@!?%?\\w+\\s+)?(${words})`));
const ISSUED = [
  String.raw`cp\.(?!async\.mbarrier)|st\.(bulk\.)?async|red\.async|wgmma\.mma`,
  String.raw`tcgen05\.(mma|cp|ld|st|shift|commit)|clusterlaunchcontrol\.try`,
].join('|');
/** Outside of program order: all that an instruction performs which has an issue, but for that. */
const performs: Sentence = both((event) => isAccess(event) || event.kind === 'mbarrier', begins(ISSUED));
const arrivesOn: Sentence = (event) => isStep('arrive')(event) && event.mbarrier?.operation?.action !== 'arrive';

export const SENTENCES_OF_SETS: Readonly<Record<string, Sentence>> = {
  _: () => true,
  M: isAccess,
  SHARED: both(isAccess, ({ window }) => window?.startsWith('shared') === true),
  R: ({ kind }) => kind === 'read',
  W: ({ kind }) => kind === 'write',
  F: ({ kind }) => kind === 'fence',
  B: ({ barrier }) => barrier?.kind === 'cluster-barrier' || (barrier?.kind === 'barrier' && barrier.level !== 'lanes'),
  IW: ({ thread }) => thread === undefined,
  RMW: ({ partner }) => partner !== undefined,
  RED: both(({ partner }) => partner !== undefined, not(begins('suatom|atom|multimem.ld_reduce'))),
  VOL: both(isAccess, says(/\.volatile/)),
  MMIO: both(isAccess, says(/\.mmio/)),
  CTA: inScope('cta'),
  CLUSTER: inScope('cluster'),
  GPU: inScope('gpu'),
  // The start of a grid has that scope for `sr` alone.
  SYS: both(inScope('sys'), ({ kind }) => kind !== 'grid'),
  PROXY_FENCE: ({ proxyFence }) => proxyFence !== undefined,
  ALIAS: ({ proxyFence }) => proxyFence?.proxy === 'alias',
  READS_ONLY: ({ proxyFence }) => proxyFence?.readsOnly === true,
  RESTRICTED: both(isMemoryFence, says(/\.mbarrier_init|\.sync_restrict/)),
  SOMEWHERE: both(isAccess, says(/(tex|tld4|suld\.b|sust\.[bp]|sured\.[bp])\./)),
  RO: both(isAccess, says(/ld\.(\w+\.)*global\.(\S+\.)?nc\b|ldu\.|proxy::readonly/)),
  UNSTABLE: both(({ kind }) => kind === 'write', says(/discard/)),
  // Where the lanes of the warp are not known its bytes are cut as those of a copy.
  MATRIX: both(isAccess, ({ chunk }) => chunk === undefined, says(/ldmatrix|stmatrix|wmma\.(load|store)/)),
  TMEM: ({ tensor }) => tensor !== undefined,
  MMA: uses('mma'),
  CP: uses('cp'),
  CP_4X256B: both(uses('cp'), says(/4x256b/)),
  SHIFT: uses('shift'),
  LD: uses('ld'),
  ST: uses('st'),
  ALLOC: uses('alloc'),
  DEALLOC: uses('dealloc'),
  OPERAND: both(uses('mma'), ({ tensor }) => tensor?.role === 'operand'),
  ACCUMULATOR: both(uses('mma'), ({ tensor }) => tensor?.role === 'accumulator'),
  CTA_GROUP_1: both(({ tensor }) => tensor !== undefined, says(/cta_group::1/)),
  CTA_GROUP_2: both(({ tensor }) => tensor !== undefined, says(/cta_group::2/)),
  CTA_WAIT: ({ barrier }) => barrier?.kind === 'barrier' && barrier.level === 'cta' && barrier.action !== 'arrive',
  EXCHANGE: ({ barrier }) => barrier?.kind === 'barrier' && isExchange(barrier.reduction) && barrier.level === 'lanes',
  CTA_PAIR: both(isAccess, ({ tags }) => !tags.has('TMEM'), says(/tcgen05\.(mma|cp)\S*cta_group::2/)),
  BEFORE_THREAD_SYNC: says(/fence::before_thread_sync/),
  AFTER_THREAD_SYNC: says(/fence::after_thread_sync/),
  RELINQUISH: says(/relinquish_alloc_permit/),
  GRID_WAIT: ({ kind, grid }) => kind === 'grid' && grid !== undefined,
  LAUNCH: says(/griddepcontrol\.launch_dependents/),
  REPRESENTED: both(says(/griddepcontrol\.launch_dependents/), ({ tags }) => tags.has('REPRESENTED')),
  ISSUE: ({ kind }) => kind === 'issue',
  ASY: (event) => performs(event) || arrivesOn(event),
  COPY: both(performs, isAccess, begins(String.raw`cp\.(?!\S*prefetch)|clusterlaunchcontrol`)),
  GROUP_WAIT: ({ kind, group }) => kind === 'group' && group?.action === 'wait',
  MBAR: ({ kind }) => kind === 'mbarrier',
  INIT: isStep('init'),
  INVAL: isStep('inval'),
  ARRIVE: both(isStep('arrive'), not(arrivesOn)),
  WAIT: isStep('wait'),
  OPAQUE: both(({ kind }) => kind === 'write', says(/mbarrier\.init/)),
  CLUSTER_ARRIVE: isCluster('arrive'),
  CLUSTER_WAIT: isCluster('wait'),
  EXIT: ({ kind }) => kind === 'exit',
};

/** Sets that share a sentence: what it says of each event of some kind. */
export const SENTENCES_OF_GROUPS: Readonly<Record<string, Sentence>> = {
  'WEAK RLX ACQ REL': (event) =>
    !isAccess(event) || (oneOf(event, 'WEAK', 'RLX', 'ACQ', 'REL') && !oneOf(event, 'ACQ_REL', 'SC')),
  'ACQ REL ACQ_REL SC': (event) => {
    if (event.proxyFence !== undefined) return oneOf(event, 'ACQ', 'REL') === (event.proxyFence.order !== undefined);
    return !isMemoryFence(event) || oneOf(event, 'ACQ', 'REL', 'ACQ_REL', 'SC');
  },
  'RLX ACQ REL': (event) => {
    if (isAccess(event) || event.kind === 'fence') return true;
    const isOrdered =
      event.barrier?.kind === 'cluster-barrier' || both(isStep('expect_tx', 'complete_tx', 'arrive', 'wait'))(event);
    return oneOf(event, 'RLX', 'ACQ', 'REL') === (isOrdered && !event.tags.has('ASY'));
  },
  'CTA CLUSTER GPU SYS': (event) =>
    isAccess(event)
      ? oneOf(event, 'CTA', 'CLUSTER', 'GPU', 'SYS') !== event.tags.has('WEAK')
      : !isMemoryFence(event) || oneOf(event, 'CTA', 'CLUSTER', 'GPU', 'SYS'),
  'GEN ASYNC TMAP TEX SUR CON': (event) => {
    const one = oneOf(event, 'GEN', 'ASYNC', 'TMAP', 'TEX', 'SUR', 'CON');
    const generic = event.tags.has('GEN') && one;
    if (isAccess(event)) return one === (event.tensor === undefined && !SENTENCES_OF_SETS['RO']?.(event));
    if (event.proxyFence !== undefined) return one === (event.proxyFence.proxy !== 'alias');
    return generic === (isMemoryFence(event) || event.kind === 'mbarrier' || event.barrier?.kind === 'cluster-barrier');
  },
};

/** Those that speak of the memory that an initial write is of. */
export const SENTENCES_OF_MEMORY: Readonly<
  Record<string, (event: ExecutionEvent, universe: EventUniverse) => boolean>
> = {
  UNINIT: (event, { initialWrites, structure: { program } }) =>
    initialWrites.some((one) => one.event === event && isWithoutValue(program.source.text, one.object.name)),
};

/** Whether a test declares a location as uninitialized, or a body one of its own with no value. */
function isWithoutValue(text: string, shown: string): boolean {
  const name = `${shown.replace(/@.*/, '').replaceAll('$', '\\$')}(\\[\\d+\\])?`;
  const bodies = text.slice(text.indexOf('\n}'));
  return (
    new RegExp(`\\b${name} = uninitialized`).test(text) ||
    new RegExp(`^\\s*\\.(shared|local)\\b[^;{}=]*\\s${name}\\s*;`, 'm').test(bodies)
  );
}
