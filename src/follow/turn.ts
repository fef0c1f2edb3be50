import type { Span } from '../diagnostics/source.js';
import type { Result } from '../effects/effect.js';
import { resize } from '../program/integer.js';
import type { Operand, ProgramStatement } from '../program/operation.js';
import { type MadeOf, madeBy } from './derived-words.js';
import type { LaneFacts } from './lane-facts.js';
import { at, type LaneValue, lift } from './lane-value.js';
import { has, lanesIn } from './lanes.js';
import { inWider } from './made-tickets.js';
import { type Cut, cutOf, isOfWord } from './open-words.js';
import { isKnownToAll } from './origins.js';
import type { QueueRounds } from './queue-rounds.js';
import { type Bounds, boundsOfKnown, boundsOfWidth, readAs } from './value-bounds.js';
import type { Numbered, ValueNumbers } from './value-numbers.js';
import type { Derived, Ticket, Warp } from './warp.js';

/** Why a launch is not followed to its end, and where. */
export class NotFollowed extends Error {
  constructor(
    readonly span: Span,
    readonly what: string,
    /** Values of an open word that decide it. */
    readonly cut?: Cut,
  ) {
    super(what);
  }
}

/** Lanes of a warp that execute a statement together. */
export class Turn {
  constructor(
    readonly warp: Warp,
    readonly at: number,
    readonly lanes: number,
    readonly statement: ProgramStatement,
  ) {}

  /** Some of its lanes. */
  of(lanes: number): Turn {
    return new Turn(this.warp, this.at, lanes, this.statement);
  }

  /** Some of its lanes, at another statement of their code. */
  elsewhere(at: number, lanes: number): Turn {
    const statement = this.warp.code.statements[at];
    if (statement === undefined) throw new Error(`no statement ${at}`);
    return new Turn(this.warp, at, lanes, statement);
  }

  get size(): number {
    return this.warp.threads.length;
  }

  /** Some executions have what is done here, and others have not. */
  get isPossible(): boolean {
    return (this.lanes & this.warp.ways.lanes) !== 0;
  }

  /** The rounds of a queue that its CTA makes, once a thread of it has drawn. */
  get rounds(): QueueRounds | undefined {
    const { queue } = this.warp;
    return queue?.hasBegun(this) === true ? queue : undefined;
  }

  /** So many low bits of an operand, in each lane. */
  value(operand: Operand, width: number): LaneValue {
    if (operand.kind === 'constant') return BigInt.asUintN(width, operand.value);
    const { code, registers } = this.warp;
    return this.low(operand.name, registers[code.indexOf.get(operand.name) ?? -1], width);
  }

  /** So many low bits of what a register holds. */
  low(register: string, held: LaneValue, width: number): LaneValue {
    const own = this.warp.code.registers.get(register)?.type.width ?? 0;
    return own <= width ? held : lift(this.size, [held], ([bits = 0n]) => BigInt.asUintN(width, bits));
  }

  /** One value that all lanes of the turn have. */
  uniform(operand: Operand, width: number, what: string): bigint {
    const values = this.value(operand, width);
    const [first = 0, ...others] = lanesIn(this.lanes);
    const value = at(values, first);
    if (value === undefined || others.some((lane) => at(values, lane) !== value))
      throw this.notFollowed(`${what} that is open, or that the lanes of a warp do not agree on`);
    return value;
  }

  /** Whether the lanes of the masks that an operand is are all of the turn. */
  holdsMask(operand: Operand): boolean {
    const masks = this.value(operand, 32);
    const others = BigInt((this.warp.all & ~this.lanes) >>> 0);
    return lanesIn(this.lanes).every((lane) => ((at(masks, lane) ?? 0n) & others) === 0n);
  }

  /** Puts a result of so many bits into its register. */
  give({ register, signed }: Result, value: LaneValue, width: number): void {
    const { code } = this.warp;
    const index = code.indexOf.get(register);
    if (index === undefined) return;
    const own = code.registers.get(register)?.type.width ?? width;
    const fitted = this.fitted({ register, signed }, value, width);
    this.warp.set(index, this.lanes, fitted);
    if (own <= width || isKnownToAll(fitted)) return;
    const narrow = boundsOfWidth(width, signed);
    this.bound(
      { register, signed },
      Array.from({ length: this.size }, (_, lane) =>
        has(this.lanes, lane) && at(fitted, lane) === undefined ? narrow : undefined,
      ),
      width,
    );
  }

  /** What a register holds that takes a result of so many bits. */
  fitted({ register, signed }: Result, value: LaneValue, width: number): LaneValue {
    const own = this.warp.code.registers.get(register)?.type.width ?? width;
    return own === width ? value : lift(this.size, [value], ([bits = 0n]) => resize(bits, width, own, signed));
  }

  /** What so many low bits of an operand may be in a lane. */
  bounds(operand: Operand, lane: number, width: number): Bounds {
    const value = at(this.value(operand, width), lane);
    if (value !== undefined || operand.kind === 'constant') return boundsOfKnown(value ?? 0n);
    const { code, bounds } = this.warp;
    const own = code.registers.get(operand.name)?.type.width ?? width;
    const held = this.fact(bounds, operand, lane) ?? boundsOfWidth(own);
    return own < width ? readAs(held, own, false) : held;
  }

  /** Says what of so many bits may be in a register, where it is open. */
  bound({ register, signed }: Result, bounds: readonly (Bounds | undefined)[], width: number): void {
    const own = this.warp.code.registers.get(register)?.type.width ?? width;
    const fitted = own <= width ? bounds : bounds.map((one) => one && readAs(one, width, signed));
    this.say(this.warp.bounds, { register, signed }, fitted);
  }

  /** What is known of an operand in a lane, where it is open. */
  fact<T>(facts: LaneFacts<T>, operand: Operand, lane: number): T | undefined {
    return operand.kind === 'register' ? facts.in(this.warp.code.indexOf.get(operand.name) ?? -1, lane) : undefined;
  }

  /** Says what is known of a result by lane, where it is open. */
  say<T>(facts: LaneFacts<T>, { register }: Result, known: readonly (T | undefined)[]): void {
    const index = this.warp.code.indexOf.get(register);
    if (index !== undefined) facts.add(index, known);
  }

  /** Says of what is open in a register what it is made of, by lane, in so many bits. */
  derive({ register, signed }: Result, derived: readonly (Derived | undefined)[], width: number): void {
    const own = this.warp.code.registers.get(register)?.type.width ?? width;
    const fitted = own === width ? derived : derived.map((one) => one && fittedTo(one, width, own, signed));
    this.say(this.warp.derived, { register, signed }, fitted);
  }

  /** Says all that is known of a result by lane, where it is open. */
  made(result: Result, made: readonly (MadeOf | undefined)[], width: number): void {
    if (made.length === 0) return;
    const [derived, bounds] = [made.map((one) => one?.derived), made.map((one) => one?.bounds)];
    this.derive(result, derived, width);
    this.bound(result, bounds, width);
    this.draw(
      result,
      made.map((one) => one?.ticket),
      width,
    );
  }

  /** Says of what is open in a register which ticket it is made of, by lane, in so many bits. */
  draw({ register, signed }: Result, tickets: readonly (Ticket | undefined)[], width: number): void {
    const own = this.warp.code.registers.get(register)?.type.width ?? width;
    const fitted = own <= width ? tickets : tickets.map((one) => one && inWider(one, width, signed));
    this.say(this.warp.tickets, { register, signed }, fitted);
  }

  /** By lane: so many low bits of an operand, or their number; what has none gets one. */
  numbered(operand: Operand, width: number, numbers: ValueNumbers): readonly Numbered[] {
    const value = this.value(operand, width);
    if (operand.kind === 'constant' || typeof value === 'bigint') return new Array(this.size).fill(value ?? 0n);
    const { code, elected, numbers: known } = this.warp;
    const index = code.indexOf.get(operand.name) ?? -1;
    const own = code.registers.get(operand.name)?.type.width ?? width;
    // What differs with who is elected is more than one value.
    const isApart = elected?.isOwn(operand) === true;
    const [all, more]: [Numbered[], number[]] = [[], []];
    for (const lane of lanesIn(this.lanes)) {
      const bits = at(value, lane);
      let number = bits === undefined && !isApart ? known.in(index, lane) : undefined;
      if (bits === undefined && number === undefined) {
        number = numbers.fresh();
        if (!isApart) more[lane] = number;
      }
      all[lane] = bits ?? (own > width ? numbers.resized(number ?? 0, own, width, false) : (number ?? 0));
    }
    if (more.length > 0) known.add(index, more);
    return all;
  }

  /** Says of what is open in a register which number it has, by lane, in so many bits. */
  number({ register, signed }: Result, given: readonly (Numbered | undefined)[], width: number): void {
    const { code, numbering, registers, numbers } = this.warp;
    const index = code.indexOf.get(register);
    if (numbering === undefined || index === undefined) return;
    const own = code.registers.get(register)?.type.width ?? width;
    const fitted = given.map((one, lane) => {
      const value =
        one === undefined || !has(this.lanes, lane) ? undefined : numbering.resized(one, width, own, signed);
      return typeof value === 'number' && at(registers[index], lane) === undefined ? value : undefined;
    });
    numbers.add(index, fitted);
  }

  /** What an operand is made of in a lane, if others may be told: what an access has found, or an open word. */
  handedOn(operand: Operand, lane: number): Derived | undefined {
    const derived = this.fact(this.warp.derived, operand, lane);
    return typeof derived?.from === 'number' || isOfWord(derived) ? derived : undefined;
  }

  notFollowed(what: string, cut?: Cut): NotFollowed {
    return new NotFollowed(this.statement.span, what, cut);
  }

  /** Between which values of an open word a predicate is another one, if the same word decides it in all lanes. */
  cutAt(register: string): Cut | undefined {
    const { code, derived, told } = this.warp;
    const index = code.indexOf.get(register) ?? -1;
    const made = lanesIn(this.lanes).map((lane) => derived.in(index, lane));
    const [first] = made;
    if (!isOfWord(first) || made.some((one) => one?.from !== first.from)) return undefined;
    const bounds = lanesIn(this.lanes).flatMap((lane) => told.in(index, lane) ?? []);
    return cutOf(
      code,
      first,
      bounds.map((one) => one.bounds),
    );
  }
}

/** Lanes mostly share what theirs are made of. */
const FITTED = new WeakMap<Derived, Map<string, Derived>>();

/** What is made of a value of so many bits in a register of others. */
function fittedTo(derived: Derived, from: number, to: number, signed: boolean): Derived {
  const all = FITTED.get(derived) ?? new Map<string, Derived>();
  FITTED.set(derived, all);
  const key = `${from} ${to} ${signed}`;
  const known = all.get(key);
  if (known !== undefined) return known;
  const fitted = madeBy(derived, (bits) => resize(bits, from, to, signed));
  all.set(key, fitted);
  return fitted;
}

type Guard = NonNullable<ProgramStatement['guard']>;

/** The lanes of a turn whose guard holds, and those of which it is open. */
export function guarded(turn: Turn, { register, negated }: Guard): { readonly holds: number; readonly open: number } {
  const value = turn.value({ kind: 'register', name: register }, 1);
  let [holds, open] = [0, 0];
  for (const lane of lanesIn(turn.lanes)) {
    const bits = at(value, lane) ?? failed(turn, lane, register, negated);
    if (bits === undefined) open |= 1 << lane;
    else if ((bits & 1n) === (negated ? 0n : 1n)) holds |= 1 << lane;
  }
  return { holds: holds >>> 0, open: open >>> 0 };
}

/** The lanes of a turn whose guard holds, where it is known. */
export function lanesThat(turn: Turn, guard: Guard): number {
  const { holds, open } = guarded(turn, guard);
  if (open !== 0) throw turn.notFollowed('whether this is executed depends on an open value');
  return holds;
}

/**
 * The value of a guard that tells whether a try of an mbarrier has failed, at a branch that else skips a wait: in the
 * run it has, and the lane waits. Where it has not, the lane knows the same without.
 */
function failed(turn: Turn, lane: number, register: string, negated: boolean): bigint | undefined {
  const { code, due } = turn.warp;
  const derived = turn.warp.derived.in(code.indexOf.get(register) ?? -1, lane);
  if (derived === undefined || typeof derived.from === 'number' || !('phase' in derived.from)) return undefined;
  const waits = code.tries.skipping.get(turn.at);
  const [after, otherwise] = [derived.of(0n), derived.of(1n)];
  const isTaken = (bits: bigint | undefined): boolean | undefined =>
    bits === undefined ? undefined : ((bits & 1n) === 1n) !== negated;
  if (waits === undefined || isTaken(after) !== waits || isTaken(otherwise) !== !waits) return undefined;
  due[lane] = derived.from;
  return after;
}

/** Whether lanes come to where they may have to meet others of their warp. */
export function meetsOthers(turn: Turn): boolean {
  const { operation } = turn.statement;
  if (operation.kind === 'cluster-barrier') return true;
  if (operation.kind !== 'barrier') return false;
  return operation.level === 'cta' || !turn.holdsMask(operation.id);
}
