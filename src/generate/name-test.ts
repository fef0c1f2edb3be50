import { at, type CycleEvent, type Edge, isReadsFrom } from './cycle.js';
import { layOut, type PlacedEvent } from './layout.js';
import { namePlaces } from './places.js';
import { describeShape, shapeOf } from './shapes.js';
import type { TestPlan } from './write-test.js';

const LONGEST_NAME = 160;

/** The name of a test as in litmus/README.md: shape, one part for each thread, the placement. */
export function nameTest({ cycle, places, shared, closing }: TestPlan): string {
  const { events, threads } = layOut(cycle);
  const shape = shapeOf(cycle) ?? describeShape(events);
  const parts: string[] = [shape];
  for (let thread = 0; thread < threads; thread++)
    parts.push(nameThread(events.filter((placed) => placed.thread === thread)));
  const circumstances = [namePlaces(places), ...(shared ? ['shared'] : []), ...(closing ? [] : ['open-end'])];
  return [abbreviate(parts.join('+')), ...circumstances].join('+');
}

/** Of a name that is too long for a file's, the end gives way to a number made from all of it. */
function abbreviate(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  // FNV-1a, of 32 bits.
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return `${name.slice(0, LONGEST_NAME - 9).replace(/[-+.]+$/, '')}-${hash.toString(16).padStart(8, '0')}`;
}

function nameThread(events: readonly PlacedEvent[]): string {
  const first = at(events, 0);
  const last = at(events, -1);
  const words = [
    ...(first.incoming.kind === 'handOver' ? [first.incoming.take, ...first.incoming.after] : []),
    ...events.flatMap((placed, i) => [
      ...nameEvent(placed, events),
      ...(i + 1 < events.length && placed.outgoing.kind === 'program' ? nameEdge(placed.outgoing) : []),
    ]),
    ...(last.outgoing.kind === 'handOver' ? [...last.outgoing.before, last.outgoing.give] : []),
  ];
  return words.length === 0 ? 'weak' : words.join('-');
}

const nameEdge = ({ same, steps }: Edge & { readonly kind: 'program' }): readonly string[] =>
  same ? ['pos', ...steps] : steps;

/** Plain weak accesses to data go without saying: beside an access or a hand-over that passes something on. */
function nameEvent({ event, incoming, outgoing }: PlacedEvent, thread: readonly PlacedEvent[]): readonly string[] {
  if (outgoing.kind === 'atomic')
    return [`${outgoing.operation}.${outgoing.order}.${outgoing.scope}${aliasWord(event)}`];
  if (incoming.kind === 'atomic' || event.access === 'nop') return [];
  const passesOn = (edge: Edge): boolean => isReadsFrom(edge) || edge.kind === 'handOver';
  const staysNear = (edge: Edge): boolean => edge.kind === 'program' && edge.same;
  const isData = ![incoming, outgoing].some((edge) => isReadsFrom(edge) || staysNear(edge));
  const beside = thread.some((placed) => passesOn(placed.incoming) || passesOn(placed.outgoing));
  if (event.access === 'weak' && !event.alias && isData && beside) return [];
  return [`${event.access}${aliasWord(event)}`];
}

const aliasWord = ({ alias }: CycleEvent): string => (alias ? '.alias' : '');
