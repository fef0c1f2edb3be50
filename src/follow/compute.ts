import type { Result } from '../effects/effect.js';
import { evaluateFloat, widthOf } from '../program/float-function.js';
import { computeArithmetic, truncate } from '../program/integer.js';
import { operandWidth } from '../program/operand-width.js';
import type { Arithmetic, ArithmeticName, Operand, Operation } from '../program/operation.js';
import { settled } from './lane-arithmetic.js';
import { at, each, type LaneValue, lift } from './lane-value.js';
import { lanesIn } from './lanes.js';
import { boundsOfTicket, selectedOf, ticketBy } from './made-tickets.js';
import type { Told } from './open-ways.js';
import { isOfWord, madeOfAll } from './open-words.js';
import { isKnownToAll } from './origins.js';
import { TELLING, toldBy } from './told.js';
import type { Turn } from './turn.js';
import { type Bounds, computeBounds } from './value-bounds.js';
import type { Numbered } from './value-numbers.js';
import type { Derived, Ticket } from './warp.js';
import type { OfResult, WayThreads } from './way-threads.js';

/**
 * Computes in each lane. What is made of the result of an atomic that is not known stays open, but is known as such; a
 * condition is taken as it is in the run, and that it is the same in other executions is taken down as an assumption.
 * Of other values that are open it is known within which bounds they are, and what a condition tells of them.
 */
export function compute(turn: Turn, operation: Computed, result: Result, ways: WayThreads): void {
  const { arithmetic, operands } = operation;
  const { name, width, resultWidth } = arithmetic;
  const values = operands.map((operand, i) => turn.value(operand, operandWidth(arithmetic, i)));
  const value = settled(turn.size, values, name, width, (own) => computeArithmetic(arithmetic, own));
  if (isKnownToAll(value) || saysNothing(turn, name, operands)) return turn.give(result, value, resultWidth);
  const known: (bigint | undefined)[] = Array.from({ length: turn.size }, (_, lane) => at(value, lane));
  const derived: (Derived | undefined)[] = [];
  const bounds: (Bounds | undefined)[] = [];
  const tickets: (Ticket | undefined)[] = [];
  const told: (readonly Told[] | undefined)[] = [];
  const derive = turn.warp.derived.isAny ? deriving(turn, operation, values) : () => undefined;
  for (const lane of lanesIn(turn.lanes)) {
    if (known[lane] !== undefined) continue;
    const all = operands.map((operand, i) => turn.bounds(operand, lane, operandWidth(arithmetic, i)));
    const own = computeBounds(arithmetic, all);
    const made = derive(lane);
    const now = made?.of(made.now);
    const same = resultWidth === 1 ? alwaysOf(own, made) : undefined;
    const isDrawn = same === undefined && turn.warp.tickets.isAny;
    const drawn = isDrawn ? ticketBy(turn, lane, arithmetic, operands) : undefined;
    const ticket = typeof drawn === 'bigint' ? undefined : drawn;
    const always = typeof drawn === 'bigint' ? drawn : same;
    if (always !== undefined) {
      // What is the same of all values is known, as a condition that holds for all.
      known[lane] = always;
    } else if (resultWidth === 1 && now !== undefined && isAssumed(turn, lane, made, now, ways)) {
      // One on what an atomic finds is as it is in the run.
      known[lane] = now;
      ways.assume(turn, lane, made, now);
    } else {
      if (now !== undefined) derived[lane] = made;
      tickets[lane] = ticket;
      bounds[lane] = ticket === undefined ? own : boundsOfTicket(ticket, own, resultWidth);
      if (resultWidth === 1 || TELLING.has(name)) told[lane] = toldBy(turn, lane, arithmetic, operands);
    }
  }
  turn.give(
    result,
    each(turn.size, (lane) => known[lane]),
    resultWidth,
  );
  turn.derive(result, derived, resultWidth);
  turn.bound(result, bounds, resultWidth);
  turn.draw(result, tickets, resultWidth);
  turn.say(turn.warp.told, result, told);
}

/** What a condition is, if that is the same whatever is open. */
function alwaysOf(bounds: Bounds | undefined, made: Derived | undefined): bigint | undefined {
  if (bounds?.step === 0n) return bounds.first;
  return isOfWord(made) ? madeOfAll(made) : undefined;
}

/** Whether a condition on what an atomic finds is the same, whatever that is, as far as is known. */
function isAssumed(
  { warp }: Turn,
  lane: number,
  made: Derived | undefined,
  now: bigint,
  ways: WayThreads,
): made is OfResult {
  if (typeof made?.from !== 'number') return false;
  const thread = warp.threads[lane];
  const known = thread?.way === undefined ? SAME.get(made) : undefined;
  const isSame = known ?? ways.resultsOf(made.from, thread)?.every((result) => made.of(result) === now) !== false;
  if (thread?.way === undefined) SAME.set(made, isSame);
  return isSame;
}

/** Of what lanes share: whether it is the same, whatever is found. */
const SAME = new WeakMap<Derived, boolean>();

/** What makes anything of what may be anything. */
const SPREADING: ReadonlySet<ArithmeticName> = new Set([
  ...(['move', 'add', 'subtract', 'multiply', 'or', 'xor', 'not', 'shift-left'] as const),
]);

/** Whether there is nothing to be known of a result that is open: so it is with most data. */
function saysNothing({ warp }: Turn, name: ArithmeticName, operands: readonly Operand[]): boolean {
  if (!SPREADING.has(name)) return false;
  const facts = [warp.bounds, warp.derived, warp.tickets, warp.told].filter(({ isAny }) => isAny);
  return !operands.some(
    (operand) => operand.kind === 'register' && facts.some((of) => of.has(warp.code.indexOf.get(operand.name) ?? -1)),
  );
}

type Computed = Extract<Operation, { readonly kind: 'compute' }>;
type OpenValue = Extract<Operation, { readonly kind: 'open' }>;

/**
 * What a computation makes of the result of one atomic, by lane; undefined where something else is open as well. Lanes
 * that compute the same share it.
 */
function deriving(
  turn: Turn,
  { arithmetic, operands }: Computed,
  values: readonly LaneValue[],
): (lane: number) => Derived | undefined {
  let last: { readonly given: readonly (bigint | Derived)[]; readonly made: Derived | undefined } | undefined;
  return (lane) => {
    const given: (bigint | Derived)[] = [];
    const selected = selectedOf(turn, lane, arithmetic, operands);
    if (selected !== undefined) return turn.fact(turn.warp.derived, selected, lane);
    for (const [i, operand] of operands.entries()) {
      const own = at(values[i], lane) ?? turn.fact(turn.warp.derived, operand, lane);
      if (own === undefined) return undefined;
      given.push(own);
    }
    if (last === undefined || !given.every((one, i) => one === last?.given[i]))
      last = { given, made: derivedBy(arithmetic, given) };
    return last.made;
  };
}

function derivedBy(arithmetic: Arithmetic, given: readonly (bigint | Derived)[]): Derived | undefined {
  const [first, ...others] = given.filter((one) => typeof one === 'object');
  if (first === undefined || others.some(({ from }) => from !== first.from)) return undefined;
  const known = new Map<bigint, bigint | undefined>();
  const of = (found: bigint): bigint | undefined => {
    if (known.has(found)) return known.get(found);
    const values = given.map((one, i) => {
      const bits = typeof one === 'object' ? one.of(found) : one;
      return bits === undefined ? undefined : truncate(bits, operandWidth(arithmetic, i));
    });
    const made = values.includes(undefined) ? undefined : computeArithmetic(arithmetic, values as bigint[]);
    known.set(found, made);
    return made;
  };
  return { ...first, of };
}

/** By lane, the numbers of what an operation makes, if values are numbered. */
export function numbersOf(turn: Turn, operation: Computed | OpenValue): readonly (Numbered | undefined)[] {
  const { numbering } = turn.warp;
  const numbered: (Numbered | undefined)[] = [];
  if (numbering === undefined) return numbered;
  const { operands } = operation;
  const widthOfOperand = (index: number): number => {
    if (operation.kind === 'compute') return operandWidth(operation.arithmetic, index);
    return operation.function === undefined ? operation.type.width : widthOf(operation.function.from);
  };
  const columns = operands.map((operand, i) => turn.numbered(operand, widthOfOperand(i), numbering));
  for (const lane of lanesIn(turn.lanes)) {
    const given = columns.map((column) => column[lane] ?? 0n);
    // What is known of all is known of what is made of it.
    if (operation.kind === 'compute' && given.every((one) => typeof one === 'bigint')) continue;
    if (operation.kind === 'compute') numbered[lane] = numbering.computed(operation.arithmetic, given);
    else if (operation.function !== undefined) numbered[lane] = numbering.applied(operation.function, given);
  }
  return numbered;
}

/** What PTX leaves open, where a function of floating-point numbers says it after all. */
export function opened(turn: Turn, { function: of, operands }: OpenValue): LaneValue {
  if (of === undefined) return undefined;
  const values = operands.map((operand) => turn.value(operand, widthOf(of.from)));
  return lift(turn.size, values, (own) => evaluateFloat(of, own));
}
