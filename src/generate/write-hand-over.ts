import { ORDERS } from './accesses.js';
import { copyForm } from './copies.js';
import { accessOf, at, type Edge } from './cycle.js';
import { GIVES, type Give, TAKE_OF, TAKES, type Take } from './hand-overs.js';
import type { PlacedEvent } from './layout.js';
import type { Impossible } from './memory-plan.js';
import type { Places } from './places.js';
import { STEPS } from './steps.js';
import type { TestWriter } from './test-writer.js';
import type { ThreadWriter } from './thread-writer.js';
import { expectLine, readBox, spin } from './write-access.js';

/** A hand-over in its place: from one thread to the next. */
export interface PlacedHandOver {
  readonly edge: Edge & { readonly kind: 'handOver' };
  readonly give: Give;
  readonly take: Take;
  readonly from: number;
  readonly to: number;
  /** The name of its mbarrier, or the number of its barrier. */
  readonly number: number;
  /** The event before it: the copy that tells of its end, where one does. */
  readonly last: PlacedEvent;
}

const WARP = 32;
const objectOf = ({ number }: PlacedHandOver): string => `bar${number}`;

/** The hand-overs of a cycle in the order of their givers, declared; or why there can be none such. */
export function placeHandOvers(
  test: TestWriter,
  events: readonly PlacedEvent[],
  places: Places,
): readonly PlacedHandOver[] | Impossible {
  const placed: PlacedHandOver[] = [];
  for (const last of events) {
    const edge = last.outgoing;
    if (edge.kind !== 'handOver') continue;
    const give = GIVES.get(edge.give);
    const take = TAKES.get(edge.take);
    if (give === undefined || take === undefined) throw new Error(`no hand-over ${edge.give}>${edge.take}`);
    const handOver: PlacedHandOver = {
      edge,
      give,
      take,
      from: last.thread,
      to: (last.thread + 1) % places.length,
      number: placed.length + 1,
      last,
    };
    const problem = problemOf(handOver, places);
    if (problem !== undefined) return { cannot: problem };
    if (take.kind === 'wait')
      test.object(objectOf(handOver), at(places, handOver.to).cta, arrivalsOf(give) + (take.form === 'token' ? 1 : 0));
    placed.push(handOver);
  }
  return placed;
}

function problemOf({ give, take, edge, from, to, last }: PlacedHandOver, places: Places): string | undefined {
  const [giver, taker] = [at(places, from), at(places, to)];
  const name = `${edge.give}>${edge.take}`;
  if (TAKE_OF[give.kind] !== take.kind) return `${name}: ${edge.give} is not what ${edge.take} waits for`;
  const access = accessOf(last.event);
  const completion = access.kind === 'copy' && access.end === '' ? copyForm(access.copy).completion : undefined;
  if (give.kind === 'bytes' && completion !== 'mbarrier')
    return (
      `${name}: ${edge.give} follows an access that tells an mbarrier of its end (g2s, s2s, reduce.s2s, ` +
      `st.async, red.async), found ${last.event.access}`
    );
  if (give.kind === 'cpAsync' && completion !== 'cpAsync')
    return `${name}: ${edge.give} follows the access cp.async, found ${last.event.access}`;
  if (take.kind === 'wait' && giver.cluster !== taker.cluster)
    return `${name}: the mbarrier is in the CTA of P${to}, and P${from} is in another cluster`;
  if (give.kind === 'cpAsync' && giver.cta !== taker.cta)
    return `${name}: ${edge.give} is for an mbarrier of the own CTA, and P${to} is in another one`;
  if (edge.after.includes('branch') && !(take.kind === 'wait' && take.form === 'once'))
    return `${name}: branch follows a single wait, whose answer is in a register`;
  if (give.kind === 'cbar' && to <= from)
    return `${name}: a barrier of the cluster cannot lead from the last thread to the first`;
  return undefined;
}

function arrivalsOf(give: Give): number {
  return give.kind === 'arrive' && (give.form === 'count' || give.drop) ? 2 : 1;
}

export function writeGive(test: TestWriter, thread: ThreadWriter, handOver: PlacedHandOver): void {
  const { give, edge, to } = handOver;
  const partner = test.threads[to];
  const own = partner?.place.cta === thread.place.cta;
  writeSteps(thread, edge.before);
  const object = objectOf(handOver);
  switch (give.kind) {
    case 'arrive': {
      const space = own ? 'shared::cta' : 'shared::cluster';
      const operation = `mbarrier.arrive${give.drop ? '_drop' : ''}${give.form === 'bytes' ? '.expect_tx' : ''}`;
      const operand = { plain: '', count: ', 2', bytes: ', 4' }[give.form];
      thread.line(`${operation}.${ORDERS[give.order]}.${give.scope}.${space}.b64 _, [${object}]${operand};`);
      // A drop to no arrivals at all is undefined, so it is one of two.
      if (give.drop) thread.line(`mbarrier.arrive.relaxed.${give.scope}.${space}.b64 _, [${object}];`);
      if (give.form === 'bytes') thread.line(`mbarrier.complete_tx.relaxed.${give.scope}.${space}.b64 [${object}], 4;`);
      return;
    }
    case 'forgotten':
    // The copy itself tells the object; its access wrote that.
    case 'bytes':
      return;
    case 'cpAsync':
      thread.line(`cp.async.mbarrier.arrive${give.noinc ? '.noinc' : ''}.shared::cta.b64 [${object}];`);
      if (!give.noinc) thread.line(`mbarrier.arrive.release.cta.shared::cta.b64 _, [${object}];`);
      return;
    case 'bar':
      return writeBarrier(test, thread, handOver, give.action, partner);
    case 'cbar':
      return writeClusterBarrier(thread, ORDERS[give.order]);
  }
}

export function writeTake(test: TestWriter, thread: ThreadWriter, handOver: PlacedHandOver): void {
  const { take, give, edge, from, last } = handOver;
  const object = objectOf(handOver);
  switch (take.kind) {
    case 'wait': {
      const access = accessOf(last.event);
      if (give.kind === 'bytes' && give.expected === 'by taker' && access.kind === 'copy')
        thread.line(expectLine({ name: object, own: true }, copyForm(access.copy).bytes));
      const qualifiers = `${ORDERS[take.order]}.${take.scope}.shared::cta.b64`;
      if (take.form === 'token') {
        const token = thread.fresh('%rd');
        thread.line(`mbarrier.arrive.release.${take.scope}.shared::cta.b64 ${token}, [${object}];`);
        spin(thread, `mbarrier.${take.how}.${qualifiers}`, object, token);
      } else if (take.form === 'once') {
        const predicate = thread.fresh('%p');
        thread.line(`mbarrier.${take.how}.parity.${qualifiers} ${predicate}, [${object}], 0;`);
        thread.line(`selp.u32 ${thread.observe(1)}, 1, 0, ${predicate};`);
      } else {
        spin(thread, `mbarrier.${take.how}.parity.${qualifiers}`, object, take.form === 'spin' ? '0' : '1');
      }
      break;
    }
    case 'bar':
      writeBarrier(test, thread, handOver, 'sync', test.threads[from]);
      break;
    case 'cbar':
      writeClusterBarrier(thread, ORDERS[take.order]);
      break;
  }
  writeSteps(thread, edge.after);
  if (test.handedBox !== undefined && (give.kind === 'bytes' || give.kind === 'cpAsync')) {
    readBox(thread, test.handedBox);
    test.handedBox = undefined;
  }
}

/** A barrier of the two threads; the number of warps is said where it is not that of the CTA. */
function writeBarrier(
  test: TestWriter,
  thread: ThreadWriter,
  { number }: PlacedHandOver,
  action: 'sync' | 'arrive',
  partner: ThreadWriter | undefined,
): void {
  const members = test.threads.filter(({ place }) => place.cta === thread.place.cta).length;
  const meeting = partner?.place.cta === thread.place.cta ? 2 : 1;
  const count = action === 'arrive' ? 2 : meeting === members ? undefined : meeting;
  thread.line(`bar.${action} ${number}${count === undefined ? '' : `, ${count * WARP}`};`);
}

export function writeClusterBarrier(thread: ThreadWriter, order: string): void {
  thread.line(`barrier.cluster.arrive.${order};`);
  thread.line('barrier.cluster.wait.acquire;');
}

/** The fences beside a hand-over, and the branch on the answer of a single wait. */
export function writeSteps(thread: ThreadWriter, words: readonly string[]): void {
  for (const word of words) {
    const step = STEPS.get(word);
    if (step?.kind === 'fence') thread.line(step.text);
    else if (step?.kind === 'branch') thread.branch();
  }
}
