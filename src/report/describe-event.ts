import { citation, quoteOf } from '../diagnostics/source.js';
import type { Tag } from '../effects/event-tags.js';
import type { EventKind, EventOf, ExecutionEvent, ProgramEvent } from '../events/program-event.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { GroupOperation } from '../program/async-operation.js';
import type { MemoryRange } from '../program/locations.js';
import type { Operand } from '../program/operation.js';
import { columnsOf } from '../program/tensor-memory.js';
import { readable } from './describe-state.js';
import { plural } from './words.js';

const ORDERS: readonly (readonly [Tag, string])[] = [
  ['WEAK', 'weak'],
  ['RLX', 'relaxed'],
  ['ACQ_REL', 'acq_rel'],
  ['ACQ', 'acquire'],
  ['REL', 'release'],
  ['SC', 'sc'],
];
export const PROXIES: readonly (readonly [Tag, string])[] = [
  ['TEX', 'texture'],
  ['SUR', 'surface'],
  ['CON', 'constant'],
  ['ALIAS', 'alias'],
  ['ASYNC', 'async'],
  ['TMAP', 'tensormap'],
];

/** The letters of the events of executions, once they were asked for. */
const LETTERS = new WeakMap<CandidateExecution, ReadonlyMap<number, string>>();

/**
 * The letter of an executed event of a thread, in program order: a, b, …, z, a1, …; for an event without one, such as
 * an initial write, what is given.
 */
export function eventName(execution: CandidateExecution, event: number, initial = ''): string {
  const letters = LETTERS.get(execution) ?? lettersOf(execution);
  LETTERS.set(execution, letters);
  return letters.get(event) ?? initial;
}

function lettersOf({ universe, executed }: CandidateExecution): ReadonlyMap<number, string> {
  const events = universe.structure.events.filter(({ id }) => executed.has(id));
  return new Map(
    events.map(({ id }, i) => [id, `${String.fromCharCode(97 + (i % 26))}${i < 26 ? '' : Math.floor(i / 26)}`]),
  );
}

/** `W.release.gpu  flag = 1`, `F.sc.cta`, `init x = 0`. */
export function describeEvent(execution: CandidateExecution, event: ExecutionEvent): string {
  if (event.thread === undefined) return `init ${placeAndValue(execution, event)}`;
  const describe = EVENT_TEXTS[event.kind] as (event: ProgramEvent, execution: CandidateExecution) => string;
  return describe(event, execution);
}

/** How the events of each kind are described. */
const EVENT_TEXTS: {
  readonly [Kind in EventKind]: (event: EventOf<Kind>, execution: CandidateExecution) => string;
} = {
  read: (event, execution) => accessText('R', event, execution),
  write: (event, execution) => accessText('W', event, execution),
  fence: (event, execution) => accessText('F', event, execution),
  barrier: ({ barrier }) => barrierText(barrier),
  mbarrier: (event, execution) => mbarrierText(event, execution),
  group: ({ group }) => groupText(group),
  grid: ({ tags }) =>
    tags.has('LAUNCH') ? `launch_dependents${tags.has('REPRESENTED') ? ' of represented threads' : ''}` : 'grid wait',
  'tensor-step': ({ tags }) =>
    tags.has('RELINQUISH')
      ? 'tcgen05.relinquish_alloc_permit'
      : `tcgen05.fence::${tags.has('BEFORE_THREAD_SYNC') ? 'before' : 'after'}_thread_sync`,
  issue: ({ kind }) => kind,
  check: ({ kind }) => kind,
  exit: ({ kind }) => kind,
};

function accessText(
  kind: 'R' | 'W' | 'F',
  event: EventOf<'read'> | EventOf<'write'> | EventOf<'fence'>,
  execution: CandidateExecution,
): string {
  const parts: string[] = [kind];
  if (event.tags.has('PROXY_FENCE')) parts.push('proxy');
  else if (event.tags.has('VOL')) parts.push('volatile');
  else parts.push(...(event.tags.has('MMIO') ? ['mmio'] : []), ...nameOf(event, ORDERS));
  if (event.scope !== undefined && !event.tags.has('VOL')) parts.push(event.scope);
  parts.push(...nameOf(event, PROXIES));
  const where = placeAndValue(execution, event);
  return where === '' ? parts.join('.') : `${parts.join('.')}  ${where}`;
}

/** `x = 1`; empty of an event that goes nowhere in memory. */
function placeAndValue({ targets, values }: CandidateExecution, event: ExecutionEvent): string {
  const target = targets[event.id];
  if (target === undefined) return '';
  const value = target.object.isIdle === true ? '' : ` = ${shownValue(event, values[event.id], target)}`;
  return `${placeOf(target)}${value}`;
}

/** `bar.sync 0`. */
function barrierText(barrier: EventOf<'barrier'>['barrier']): string {
  if (barrier.kind !== 'barrier') return `barrier.cluster.${barrier.action}.${barrier.order}`;
  if (barrier.level === 'warp') return 'bar.warp.sync';
  if (barrier.reduction?.operation === 'converge') return 'warp comes together';
  if (barrier.level === 'lanes') return `lanes.${barrier.reduction?.operation}`;
  return `bar.${barrier.action}${constant(barrier.id, ' ')}${constant(barrier.count, ', ')}`;
}

/** `arrive.release.cta  bar`, `wait.acquire.cta  bar = true`. */
function mbarrierText(event: EventOf<'mbarrier'>, { targets, mbarriers, answers }: CandidateExecution): string {
  const { tags, mbarrier, scope } = event;
  const parts = [...(tags.has('ASY') ? ['async'] : []), mbarrier.step, ...nameOf(event, ORDERS), scope ?? []].flat();
  const target = targets[event.id];
  const waits = mbarriers.some((history) => history.waits.some((wait) => wait.event === event.id));
  const answer = waits ? ` = ${answers.get(event.id) === true}` : '';
  return `${parts.join('.')}  ${target === undefined ? '' : placeOf(target)}${answer}`;
}

const constant = (operand: Operand | undefined, before: string): string =>
  operand?.kind === 'constant' ? `${before}${operand.value}` : '';

/** `commit_group`, `bulk.wait_group.read 0`, `wait_all`. */
function groupText(group: GroupOperation): string {
  if (group.family.startsWith('tcgen05')) return group.family.replace('.', '.wait::');
  const bulk = group.family === 'cp.async' ? '' : `${group.family}.`;
  if (group.action === 'commit') return `${bulk}commit_group`;
  if (group.pending === undefined) return `${bulk}wait_all`;
  return `${bulk}wait_group${group.readsOnly ? '.read' : ''} ${group.pending}`;
}

/** `line 8: st.weak.global.u32 [x], 1`; empty of an event that no line stands for. */
export function placeInSource(event: ExecutionEvent): string {
  return event.span === undefined ? '' : `${citation(event.span)}: ${sourceOf(event)}`;
}

/** The source text of an event. */
export function sourceOf(event: ExecutionEvent): string {
  return event.span === undefined ? '' : quoteOf(event.span);
}

function nameOf(event: ExecutionEvent, names: readonly (readonly [Tag, string])[]): readonly string[] {
  const found = names.find(([tag]) => event.tags.has(tag));
  return found === undefined ? [] : [found[1]];
}

function shownValue(event: ExecutionEvent, value: bigint | undefined, target: MemoryRange): string {
  if (value === undefined) return '?';
  const { width } = target.object.elementType;
  const elements = (target.bytes * 8) / width;
  if (event.chunk === undefined || elements <= 1 || !Number.isInteger(elements))
    return readable(value, event.type ?? target.object.elementType);
  // A part of a copy that holds several elements.
  const list = Array.from({ length: Math.min(elements, MOST_ELEMENTS) }, (_, i) =>
    readable((value >> BigInt(i * width)) & ((1n << BigInt(width)) - 1n), { kind: 'u', width }),
  );
  return `{${list.join(', ')}${elements > MOST_ELEMENTS ? ', …' : ''}}`;
}

const MOST_ELEMENTS = 4;

/** `x`, `buf[3]`, and with its size where an access is not of one element: `x+2 (1 byte)`. */
export function placeOf({ object, offset, bytes }: MemoryRange): string {
  if (object.space === 'tensor') return `${object.name}, ${columnsOf(object.size, offset, bytes)}`;
  const elementBytes = object.elementType.width / 8;
  if (bytes > elementBytes && bytes % elementBytes === 0 && offset % elementBytes === 0 && object.size > bytes)
    return `${object.name}[${offset / elementBytes}..${(offset + bytes) / elementBytes - 1}]`;
  const size = bytes === elementBytes ? '' : ` (${plural(bytes, 'byte')})`;
  if (object.size === elementBytes) return `${object.name}${offset === 0 ? '' : `+${offset}`}${size}`;
  return `${object.name}${offset % elementBytes === 0 ? `[${offset / elementBytes}]` : `+${offset}`}${size}`;
}
