import { textOf } from '../diagnostics/source.js';
import type { AccessTarget, CandidateExecution } from '../execution/candidate-execution.js';
import type { ProgramEvent, Tag } from '../program/events.js';

const ORDERS: readonly (readonly [Tag, string])[] = [
  ['WEAK', 'weak'],
  ['RLX', 'relaxed'],
  ['ACQ_REL', 'acq_rel'],
  ['ACQ', 'acquire'],
  ['REL', 'release'],
  ['SC', 'sc'],
];
const PROXIES: readonly (readonly [Tag, string])[] = [
  ['TEX', 'texture'],
  ['SUR', 'surface'],
  ['CON', 'constant'],
  ['ALIAS', 'alias'],
];

/** Letters for the executed events of the threads, in program order: a, b, …, z, a1, … */
export function eventLetters(execution: CandidateExecution): ReadonlyMap<number, string> {
  const letters = new Map<number, string>();
  for (const event of execution.universe.structure.events) {
    if (!execution.executed.has(event.id)) continue;
    const index = letters.size;
    letters.set(event.id, `${String.fromCharCode(97 + (index % 26))}${index < 26 ? '' : Math.floor(index / 26)}`);
  }
  return letters;
}

/** `W.release.gpu  flag = 1`, `F.sc.cta`, `init x = 0`. */
export function describeEvent(execution: CandidateExecution, event: ProgramEvent): string {
  const target = execution.targets[event.id];
  const place = target === undefined ? '' : placeOf(target);
  if (event.thread === undefined) return `init ${place} = ${execution.values[event.id]}`;
  if (event.kind === 'barrier')
    return event.barrier?.level === 'warp' ? 'bar.warp.sync' : `bar.${event.barrier?.action}${event.barrier?.id.kind === 'constant' ? ` ${event.barrier.id.value}` : ''}`;
  const kind = event.kind === 'read' ? 'R' : event.kind === 'write' ? 'W' : 'F';
  const parts: string[] = [kind];
  if (event.tags.has('PROXY_FENCE')) parts.push('proxy');
  else if (event.tags.has('VOL')) parts.push('volatile');
  else parts.push(...(event.tags.has('MMIO') ? ['mmio'] : []), ...nameOf(event, ORDERS));
  if (event.scope !== undefined && !event.tags.has('VOL')) parts.push(event.scope);
  parts.push(...nameOf(event, PROXIES));
  return target === undefined ? parts.join('.') : `${parts.join('.')}  ${place} = ${shownValue(event, execution.values[event.id])}`;
}

/** The source line and text of an event. */
export function sourceOf(event: ProgramEvent): string {
  return event.span === undefined ? '' : textOf(event.span).replace(/\s+/g, ' ');
}

function nameOf(event: ProgramEvent, names: readonly (readonly [Tag, string])[]): readonly string[] {
  const found = names.find(([tag]) => event.tags.has(tag));
  return found === undefined ? [] : [found[1]];
}

function shownValue(event: ProgramEvent, value: bigint | undefined): string {
  if (value === undefined) return '?';
  return String(event.type?.kind === 's' ? BigInt.asIntN(event.type.width, value) : value);
}

/** `x`, `buf[3]`, and with its size where an access is not of one element: `x+2 (1 byte)`. */
function placeOf({ object, offset, bytes }: AccessTarget): string {
  const elementBytes = object.elementType.width / 8;
  const size = bytes === elementBytes ? '' : ` (${bytes} byte${bytes === 1 ? '' : 's'})`;
  if (object.size === elementBytes) return `${object.name}${offset === 0 ? '' : `+${offset}`}${size}`;
  return `${object.name}${offset % elementBytes === 0 ? `[${offset / elementBytes}]` : `+${offset}`}${size}`;
}
