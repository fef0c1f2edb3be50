import { computed } from '../flow/evaluate.js';
import type { WaitingRegion } from '../flow/polls.js';
import type { Code } from '../kernel/code.js';
import { resize } from '../program/integer.js';
import { registersWritten } from '../program/operands.js';
import {
  type Atomic,
  type BarrierOperation,
  isComputation,
  type Load,
  type Operand,
  type Operation,
  type Store,
} from '../program/operation.js';

/** What the registers of a lane hold, by their names; undefined: an open value. */
export type Held = ReadonlyMap<string, bigint | undefined>;

/** A word of memory that a lane looks at, by a name of its own. */
export type Word = string;

/** Where a lane leaves a waiting region, and how: the same for all ways that come to one end. */
export interface Exit {
  readonly kind: 'exit';
  readonly at: number;
  readonly manner: string;
  /** What the last look at each word is. */
  readonly last: ReadonlyMap<Word, string>;
  readonly telling: readonly Telling[];
}

/** A word of shared memory of its CTA by which a lane tells others what it has found, or is told it. */
interface WordOfCta {
  readonly word: Word;
  readonly address: bigint;
  readonly bytes: number;
}

/** How a lane tells its CTA what it has found, in the order of the code. */
export type Telling =
  | ({ readonly kind: 'store'; readonly at: number; readonly value: bigint } & WordOfCta)
  | ({ readonly kind: 'load' } & WordOfCta)
  | { readonly kind: 'barrier'; readonly at: number; readonly count: bigint | undefined };

/** Whether two exits are the same, whichever words each has looked at again before. */
export const leaveAlike = (a: Exit, b: Exit): boolean =>
  a.manner === b.manner && [...a.last].every(([word, kind]) => (b.last.get(word) ?? kind) === kind);

/** A lane that looks: what it has found last in each word, and by which look. */
export interface Looking {
  readonly kind: 'look';
  readonly at: number;
  readonly held: Held;
  readonly found: ReadonlyMap<Word, { readonly value: bigint; readonly at: number }>;
  /** Fences since the last look. */
  readonly fences: readonly number[];
  /** The registers of the last look that have other elements of its vector, which come in no order with its own. */
  readonly beside: readonly string[];
  /** How it has told its CTA what it found last. */
  readonly telling: readonly Telling[];
}

/** Where a lane is in the region behind a look. */
type Behind = Pick<Looking, 'at' | 'found' | 'fences' | 'beside' | 'telling'>;

/** A lane that is told what another has found: where it is told, and what is in words that are stored to there. */
interface Listening {
  readonly at: number;
  readonly told: ReadonlyMap<Word, bigint>;
}

/** Where nothing has been found yet. */
export const NOWHERE = { found: new Map(), fences: [], beside: [], telling: [] } as const;

/** A lane that comes to a vote, or to where it is told something. */
interface Vote extends Behind {
  readonly kind: 'vote';
  readonly operation: BarrierOperation;
  readonly held: Held;
}

/** A lane that goes round, from where it is told something to there, and what it does on the way. */
export interface Round {
  readonly kind: 'round';
  readonly telling: readonly Telling[];
}

const MOST_STEPS = 10_000;

/** What changes nothing of a vote. */
const neutralOf = ({ operation }: NonNullable<BarrierOperation['reduction']>): bigint =>
  operation === 'and' ? 1n : 0n;

/** What a lane does from look to look in a region that only looks at memory. */
export class RegionWalk {
  /** Votes, or where others are told, in which a wait relies on all others to be idle; undefined where it may not. */
  relied: Set<number> | undefined;
  /** By register that is computed in the region: what does so first. */
  private readonly makers = new Map<string, Extract<Operation, { kind: 'compute' }>>();

  constructor(
    readonly code: Code,
    private readonly region: WaitingRegion,
    /** The word of an access, or an element of it, with such registers. */
    private readonly wordOf: (access: Load | Atomic, held: Held, element: number) => Word | undefined,
  ) {
    for (const at of region.statements) {
      const operation = code.statements[at]?.operation;
      if (operation?.kind === 'compute' && !this.makers.has(operation.target))
        this.makers.set(operation.target, operation);
    }
  }

  wordAt({ at, held }: Looking): Word | undefined {
    const access = this.code.statements[at]?.operation;
    return access?.kind === 'load' || access?.kind === 'atomic'
      ? this.wordOf(access, this.fixed(access, held), this.region.looks.get(at) ?? 0)
      : undefined;
  }

  /**
   * Registers, with those of an address that does not change in the region, wherever it is computed there. One that is
   * computed from what it was before changes from round to round: it is open.
   */
  private fixed({ address: { base } }: Load | Atomic, held: Held): Held {
    if (base.kind === 'constant' || !this.region.written.includes(base.name)) return held;
    const registers = new Map(held);
    const begun = new Map<string, 'begun' | 'made'>();
    const make = (name: string): void => {
      const maker = this.makers.get(name);
      if (maker === undefined || begun.get(name) === 'made') return;
      const isCyclic = begun.get(name) === 'begun';
      begun.set(name, 'begun');
      if (!isCyclic) for (const operand of maker.operands) if (operand.kind === 'register') make(operand.name);
      const value = (): bigint | undefined =>
        computed(maker, this.code.registers, (operand) => valueIn(registers, operand));
      registers.set(name, isCyclic ? undefined : value());
      begun.set(name, 'made');
    };
    make(base.name);
    return registers;
  }

  /** The registers that a region writes, and that matter at a statement. */
  keptAt(at: number): readonly string[] {
    const live = this.code.liveAt(at);
    return this.region.written.filter((name) => live.includes(this.code.indexOf.get(name) ?? -1));
  }

  /** What a look is, wherever it stands. */
  kindOf(at: number): string {
    const access = this.code.statements[at]?.operation;
    if (access?.kind !== 'load' && access?.kind !== 'atomic') return '';
    return [access.kind, access.order, access.scope, access.type.kind, access.type.width].join();
  }

  /** Goes on from a look that finds a value, to the next one or out of the region. */
  look(state: Looking, value: bigint): Looking | Exit | undefined {
    const access = this.code.statements[state.at]?.operation;
    const word = this.wordAt(state);
    if ((access?.kind !== 'load' && access?.kind !== 'atomic') || word === undefined) return undefined;
    const beside = besides(access, targetOf(access, this.region.looks.get(state.at)));
    const held = this.heldBehind(state, access, value);
    const found = new Map(state.found).set(word, { value, at: state.at });
    return this.goOn({ ...NOWHERE, at: state.at + 1, found, beside }, held);
  }

  /** What registers hold behind an access that finds a value. */
  heldBehind({ at, held }: Looking, access: Load | Atomic, value: bigint): Map<string, bigint | undefined> {
    const own = targetOf(access, this.region.looks.get(at));
    const width = this.code.registers.get(own ?? '')?.type.width ?? access.type.width;
    const behind = new Map(held);
    for (const name of besides(access, own)) behind.set(name, undefined);
    if (own !== undefined) behind.set(own, resize(value, access.type.width, width, access.type.kind === 's'));
    return behind;
  }

  private goOn(from: Behind, held: Map<string, bigint | undefined>): Looking | Exit | undefined {
    const next = this.goTo(from, held);
    return next?.kind === 'vote' ? this.vote(next) : next;
  }

  /** Goes on to the next look, out of the region, or to a vote. */
  private goTo(
    from: Behind,
    held: Map<string, bigint | undefined>,
    listening?: Listening,
  ): Looking | Exit | Vote | undefined {
    const { code, region } = this;
    const telling = [...from.telling];
    let { at, fences } = from;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      if (!region.statements.has(at)) return this.exit({ ...from, at: this.landingOf(at), fences, telling }, held);
      const { operation, guard } = code.statements[at] ?? {};
      if (operation === undefined) return undefined;
      if (code.idleBranches.has(at)) {
        at = code.joins[at] ?? code.statements.length;
        continue;
      }
      const taken = guard === undefined ? 1n : held.get(guard.register);
      if (taken === undefined && !isComputation(operation)) return undefined;
      const isTaken = taken !== undefined && (guard === undefined || (taken & 1n) === (guard.negated ? 0n : 1n));
      if (taken === undefined && isComputation(operation)) held.set(operation.target, undefined);
      else if (isTaken) {
        if (region.looks.has(at)) return { ...from, kind: 'look', at, held, fences, telling };
        if (operation.kind === 'branch') {
          at = code.targets[at] ?? code.statements.length;
          continue;
        }
        if (operation.kind === 'fence' || operation.kind === 'proxy-fence') fences = [...fences, at];
        else if (operation.kind === 'barrier' && (operation.reduction !== undefined || at === listening?.at))
          return { ...from, kind: 'vote', at, fences, operation, held, telling };
        else if (operation.kind === 'barrier' || operation.kind === 'store' || operation.kind === 'load') {
          const step = this.tell(at, operation, held, telling, listening?.told);
          if (step === undefined) return undefined;
          telling.push(step);
        } else if (operation.kind === 'compute')
          held.set(
            operation.target,
            computed(operation, code.registers, (one) => valueIn(held, one)),
          );
        else if (operation.kind === 'open') held.set(operation.target, undefined);
        else return undefined;
      }
      at += 1;
    }
    return undefined;
  }

  /** What a lane stores for others, or finds of that, or where it meets them. */
  private tell(
    at: number,
    operation: BarrierOperation | Store | Load,
    held: Map<string, bigint | undefined>,
    before: readonly Telling[],
    told?: Listening['told'],
  ): Telling | undefined {
    const stored = before.findIndex(({ kind }) => kind === 'store');
    const isTold = stored !== -1 && before.slice(stored).some(({ kind }) => kind === 'barrier');
    if (operation.kind === 'barrier') {
      const count = operation.count && valueIn(held, operation.count);
      if (stored !== -1 && !isTold) this.relied?.add(at);
      return operation.count !== undefined && count === undefined ? undefined : { kind: 'barrier', at, count };
    }
    const place = wordOfCta(operation, held);
    if (place === undefined || (operation.kind === 'store' && isTold)) return undefined;
    const { word } = place;
    const { type } = operation;
    if (operation.kind === 'store') {
      const [given] = operation.values.map((operand) => valueIn(held, operand));
      return given === undefined
        ? undefined
        : { kind: 'store', at, ...place, value: BigInt.asUintN(type.width, given) };
    }
    const own = before.findLast((one) => one.kind === 'store' && one.word === word);
    const found = own?.kind === 'store' ? own.value : told?.get(word);
    const [target = ''] = operation.targets;
    if (found === undefined) return undefined;
    const width = this.code.registers.get(target)?.type.width ?? type.width;
    held.set(target, resize(found, type.width, width, type.kind === 's'));
    return { kind: 'load', ...place };
  }

  /**
   * A vote ends the wait only if all give the same: where the others do not, they all go round again. Where one that
   * gives another value than all others ends it, that is so as long as these are idle (`isIdleAt`): it relies on that.
   */
  private vote({ operation: { reduction, level, count }, held, ...from }: Vote): Looking | Exit | undefined {
    const given = reduction === undefined ? undefined : valueIn(held, reduction.value);
    if (reduction === undefined || given === undefined) return undefined;
    const goOn = (result: bigint): Looking | Exit | undefined =>
      this.goOn({ ...from, at: from.at + 1 }, new Map(held).set(reduction.target, result));
    const [all, some] = [goOn(given & 1n), goOn(1n - neutralOf(reduction))];
    if (some?.kind !== 'exit') return some && all;
    if (this.relied === undefined || level !== 'cta' || count !== undefined) return undefined;
    this.relied.add(from.at);
    return all;
  }

  /**
   * Whether a lane that comes to a vote lets others decide it, round for round: it gives what changes nothing, and
   * comes to the vote again without a look, as it has come there.
   */
  isIdleAt(at: number, held: Held): boolean {
    const { operation } = this.code.statements[at] ?? {};
    if (operation?.kind !== 'barrier' || operation.reduction === undefined) return false;
    const { reduction } = operation;
    const neutral = neutralOf(reduction);
    const next = this.goTo({ ...NOWHERE, at: at + 1 }, new Map(held).set(reduction.target, neutral));
    if (next?.kind !== 'vote' || next.at !== at) return false;
    const given = valueIn(next.held, reduction.value);
    return given !== undefined && (given & 1n) === neutral && this.isKept(at, held, next.held);
  }

  /** Where a lane goes that is told something: out of the region, or round, and back as it was, without a look. */
  hear(listening: Listening, held: Held): Exit | Round | undefined {
    const { at } = listening;
    const next = this.goTo({ ...NOWHERE, at: at + 1 }, new Map(held), listening);
    if (next?.telling.some(({ kind }) => kind === 'store') === true) return undefined;
    if (next?.kind === 'exit') return next;
    const isBack = next?.kind === 'vote' && next.at === at && this.isKept(at, held, next.held);
    return isBack ? { kind: 'round', telling: next.telling } : undefined;
  }

  /** A look in whichever round: what earlier ones have left in registers is not known, if it may change there. */
  inAnyRound(state: Looking): Looking {
    const { held } = state;
    const isSame = (name: string): boolean => this.madeIn(held, name) === held.get(name);
    const open = this.keptAt(state.at).filter((name) => !isSame(name));
    return { ...state, held: new Map([...held, ...open.map((name) => [name, undefined] as const)]) };
  }

  /** What whatever writes a register in the region puts there, if that is one value, made of what does not change. */
  private madeIn(held: Held, name: string, within: readonly string[] = []): bigint | undefined {
    if (!this.region.written.includes(name)) return held.get(name);
    if (within.includes(name)) return undefined;
    const all = new Set<bigint | undefined>();
    for (const at of this.region.statements) {
      const operation = this.code.statements[at]?.operation;
      if (operation === undefined || !registersWritten(operation).includes(name)) continue;
      const valueOf = (one: Operand): bigint | undefined =>
        one.kind === 'constant' ? one.value : this.madeIn(held, one.name, [...within, name]);
      all.add(operation.kind === 'compute' ? computed(operation, this.code.registers, valueOf) : undefined);
    }
    const [value] = all;
    return all.size === 1 ? value : undefined;
  }

  private isKept(at: number, held: Held, now: Held): boolean {
    // What the region does not read is not known before, and must not be written on the way.
    const isKept = (name: string): boolean =>
      held.has(name) ? held.get(name) !== undefined && held.get(name) === now.get(name) : !now.has(name);
    return this.keptAt(at).every(isKept);
  }

  /** Where branches lead that are taken in any case: compilers leave one place by several of them. */
  private landingOf(from: number): number {
    const { statements, targets } = this.code;
    let at = from;
    for (let steps = 0; steps < statements.length; steps++) {
      const { operation, guard } = statements[at] ?? {};
      if (operation?.kind !== 'branch' || guard !== undefined) return at;
      at = targets[at] ?? statements.length;
    }
    return from;
  }

  private exit({ at, found, fences, beside, telling }: Behind, held: Held): Exit | undefined {
    const names = this.keptAt(at).filter((name) => !beside.includes(name));
    const kept = names.map((name) => `${name} ${held.get(name)}`);
    if (names.some((name) => held.get(name) === undefined)) return undefined;
    const last = new Map([...found].map(([word, one]) => [word, this.kindOf(one.at)] as const));
    const steps = telling.map((one) => (one.kind === 'barrier' ? one.at : `${one.kind} ${one.word}`));
    const manner = [at, kept.join(), this.fencesOf(fences), ...steps].join(';');
    return { kind: 'exit', at, manner, last, telling };
  }

  /** What some fences are, wherever they stand. */
  fencesOf(fences: readonly number[]): string {
    return fences.map((one) => JSON.stringify(this.code.statements[one]?.operation)).join();
  }
}

function wordOfCta({ address: { base, offset, window }, type }: Load | Store, held: Held): WordOfCta | undefined {
  const start = window === 'shared::cta' ? valueIn(held, base) : undefined;
  if (start === undefined) return undefined;
  const address = BigInt.asUintN(64, start + offset);
  return { word: `${address} ${type.width}`, address, bytes: type.width / 8 };
}

/** The register that has what a look finds, or an element of it. */
export const targetOf = (access: Load | Atomic, element = 0): string | undefined =>
  access.kind === 'load' ? access.targets[element] : access.target;

/** Those of the other elements. */
export const besides = (access: Load | Atomic, own: string | undefined): readonly string[] =>
  access.kind === 'load' ? access.targets.filter((one) => one !== undefined).filter((one) => one !== own) : [];

export const valueIn = (held: Held, operand: Operand): bigint | undefined =>
  operand.kind === 'constant' ? operand.value : held.get(operand.name);
