import { computed } from '../flow/evaluate.js';
import type { WaitingRegion } from '../flow/polls.js';
import type { Code } from '../kernel/code.js';
import { resize } from '../program/integer.js';
import {
  type Atomic,
  type BarrierOperation,
  isComputation,
  type Load,
  type Operand,
  type Operation,
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
}

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
}

/** Where a lane is in the region behind a look. */
type Behind = Pick<Looking, 'at' | 'found' | 'fences' | 'beside'>;

/** A lane that comes to a vote. */
interface Vote extends Behind {
  readonly kind: 'vote';
  readonly operation: BarrierOperation;
  readonly held: Held;
}

const MOST_STEPS = 10_000;

/** What changes nothing of a vote. */
const neutralOf = ({ operation }: NonNullable<BarrierOperation['reduction']>): bigint =>
  operation === 'and' ? 1n : 0n;

/** What a lane does from look to look in a region that only looks at memory. */
export class RegionWalk {
  /** Votes in which a wait relies on all others to be idle; undefined where it may not. */
  relied: Set<number> | undefined;
  /** By register that is computed in the region: what does so first. */
  private readonly makers = new Map<string, Extract<Operation, { kind: 'compute' }>>();

  constructor(
    private readonly code: Code,
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
    return this.goOn({ at: state.at + 1, found, fences: [], beside }, held);
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
  private goTo(from: Behind, held: Map<string, bigint | undefined>): Looking | Exit | Vote | undefined {
    const { code, region } = this;
    let { at, fences } = from;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      if (!region.statements.has(at)) return this.exit({ ...from, at: this.landingOf(at), fences }, held);
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
        if (region.looks.has(at)) return { ...from, kind: 'look', at, held, fences };
        if (operation.kind === 'branch') {
          at = code.targets[at] ?? code.statements.length;
          continue;
        }
        if (operation.kind === 'fence' || operation.kind === 'proxy-fence') fences = [...fences, at];
        else if (operation.kind === 'barrier') return { ...from, kind: 'vote', at, fences, operation, held };
        else if (operation.kind === 'compute')
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
    const behind = { at: at + 1, found: new Map(), fences: [], beside: [] };
    const next = this.goTo(behind, new Map(held).set(reduction.target, neutral));
    if (next?.kind !== 'vote' || next.at !== at) return false;
    const given = valueIn(next.held, reduction.value);
    if (given === undefined || (given & 1n) !== neutral) return false;
    // What the region does not read is not known before, and must not be written on the way.
    const isKept = (name: string): boolean =>
      held.has(name) ? held.get(name) !== undefined && held.get(name) === next.held.get(name) : !next.held.has(name);
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

  private exit({ at, found, fences, beside }: Behind, held: Held): Exit | undefined {
    const names = this.keptAt(at).filter((name) => !beside.includes(name));
    const kept = names.map((name) => `${name} ${held.get(name)}`);
    if (names.some((name) => held.get(name) === undefined)) return undefined;
    const last = new Map([...found].map(([word, one]) => [word, this.kindOf(one.at)] as const));
    return { kind: 'exit', at, manner: [at, kept.join(), this.fencesOf(fences)].join(';'), last };
  }

  /** What some fences are, wherever they stand. */
  fencesOf(fences: readonly number[]): string {
    return fences.map((one) => JSON.stringify(this.code.statements[one]?.operation)).join();
  }
}

/** The register that has what a look finds, or an element of it. */
export const targetOf = (access: Load | Atomic, element = 0): string | undefined =>
  access.kind === 'load' ? access.targets[element] : access.target;

/** Those of the other elements. */
export const besides = (access: Load | Atomic, own: string | undefined): readonly string[] =>
  access.kind === 'load' ? access.targets.filter((one) => one !== undefined).filter((one) => one !== own) : [];

export const valueIn = (held: Held, operand: Operand): bigint | undefined =>
  operand.kind === 'constant' ? operand.value : held.get(operand.name);
