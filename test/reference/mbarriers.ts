import { Unsupported } from './layout.js';
import type { Event, Events, Relation, Step } from './model.js';
import { isArrival, isTrueWait, po, tokenOf, touches } from './model.js';

/**
 * mbarrier objects: PTX ISA "mbarrier", its contents, lifecycle and phases, and the sections of its operations. The
 * operations on an object are put into every order that program order allows and run through the state machine of that
 * chapter. Whether an order agrees with causality is asked when causality is known.
 */
export interface Schedule {
  /** The order, and what comes after undefined behavior in any order. */
  readonly order: Events;
  readonly rest: Events;
  /** Whether a wait returned True for the phase of an arrival, or for a later one. */
  observes(arrival: Event, wait: Event): boolean;
  /** Waits that return the same for ever. */
  readonly lasting: ReadonlySet<Event>;
  /** Also if an arrival comes before all waits that saw the phase before its own complete. */
  readonly isUndefined: boolean;
}

type Machine = Readonly<{ valid: boolean; phase: number; expected: bigint; pending: bigint; transactions: bigint }>;

const LIMIT = 2n ** 20n - 1n;
const isWithin = (count: bigint, least: bigint): boolean => count >= least && count <= LIMIT;

/** What an operation makes of the object; undefined where the ISA leaves the behavior open. */
function apply(machine: Machine, { action, data, expectTx }: Event): Machine | undefined {
  const operand = data[0]!;
  if (action === 'init') {
    const isDefined = !machine.valid && isWithin(operand, 1n);
    return isDefined ? { valid: true, phase: 0, expected: operand, pending: operand, transactions: 0n } : undefined;
  }
  const arrives = action.startsWith('arrive');
  const count = !arrives ? 0n : expectTx === true ? 1n : operand;
  const expects = action === 'expect_tx' || expectTx === true;
  const transactions = machine.transactions + (expects ? operand : action === 'complete_tx' ? -operand : 0n);
  const expected = machine.expected - (action === 'arrive_drop' ? count : 0n);
  const pending = machine.pending - count;
  const isDefined = machine.valid && (!arrives || count > 0n) && isWithin(transactions, -LIMIT);
  if (!isDefined || !isWithin(expected, 1n) || !isWithin(pending, 0n)) return undefined;
  const completes = action !== 'expect_tx' && pending === 0n && transactions === 0n;
  const next = { ...machine, expected, pending, transactions };
  return completes ? { ...next, phase: machine.phase + 1, pending: expected } : next;
}

/** The schedules of each object. */
export function scheduleMbarriers(events: Events, step: Step): readonly (readonly Schedule[])[] {
  const operations = events.filter((event) => event.kind === 'mbarrier');
  if (events.some((event) => event.kind === 'memory' && operations.some((one) => touches(one, event))))
    throw new Unsupported('ordinary access to the bytes of an mbarrier object');
  const onObject = (start: number): Events => operations.filter((event) => event.start === start);
  return [...new Set(operations.map((event) => event.start))].map((start) => scheduleObject(onObject(start), step));
}

function scheduleObject(operations: Events, step: Step): readonly Schedule[] {
  const found: Schedule[] = [];
  /** What a wait returns; undefined if the ISA leaves that open, -1 if its token is from an arrival that is to come. */
  const answer = (wait: Event, { valid, phase }: Machine, phases: ReadonlyMap<Event, number>): bigint | undefined => {
    const [operand] = wait.given;
    if (wait.parity === true) return !valid || operand! > 1n ? undefined : BigInt(phase % 2) !== operand ? 1n : 0n;
    const arrival = operations.find((one) => isArrival(one) && tokenOf(one) === operand);
    if (!valid || arrival === undefined) return undefined;
    const token = phases.get(arrival) ?? phase + 1;
    return phase > token + 1 ? undefined : BigInt(phase - token);
  };
  const record = (machine: Machine, phases: ReadonlyMap<Event, number>, isUndefined: boolean): void => {
    const order = [...phases.keys()];
    const phaseOf = (event: Event): number => phases.get(event)!;
    const waits = order.filter((event) => event.action === 'wait');
    const isSeen = (phase: number, earlier: Events): boolean =>
      phase === 0 || earlier.some((one) => isTrueWait(one) && phaseOf(one) === phase);
    const unseen = order.some((one, i) => isArrival(one) && !isSeen(phaseOf(one), order.slice(0, i)));
    found.push({
      order,
      rest: operations.filter((one) => !phases.has(one)),
      observes: (arrival, wait) => isArrival(arrival) && isTrueWait(wait) && phaseOf(arrival) < phaseOf(wait),
      lasting: new Set(waits.filter((wait) => answer(wait, machine, phases) === wait.result)),
      isUndefined: isUndefined || unseen,
    });
  };

  /** Takes every operation that may be next; `phases` are the phases that operations found, in their order. */
  const extend = (machine: Machine, phases: ReadonlyMap<Event, number>, isUndefined: boolean): void => {
    step(operations.length * 2);
    const rest = operations.filter((one) => !phases.has(one));
    if (rest.length === 0) record(machine, phases, isUndefined);
    for (const event of rest.filter((one) => !rest.some((other) => po(other, one)))) {
      const nextPhases = new Map(phases).set(event, machine.phase);
      if (event.action === 'wait') {
        const said = answer(event, machine, phases);
        if (said === undefined || said === event.result) extend(machine, nextPhases, isUndefined || said === undefined);
      } else {
        const next = apply(machine, event);
        (next === undefined ? record : extend)(next ?? machine, nextPhases, isUndefined || next === undefined);
      }
    }
  };
  const count = operations[0]!.place!.mbarrier;
  const start = { phase: 0, expected: count ?? 0n, pending: count ?? 0n, transactions: 0n };
  extend({ ...start, valid: count !== undefined }, new Map(), false);
  return found;
}

/** Whether an order of operations is one that base causality allows. */
export const agrees = ({ order, rest }: Schedule, base: Relation): boolean =>
  order.every((b, i) => !rest.some((later) => base.has(later, b)) && !order.slice(i + 1).some((a) => base.has(a, b)));
