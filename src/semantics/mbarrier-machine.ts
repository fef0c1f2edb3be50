import type { MbarrierEffect } from '../effects/effect.js';
import { type MbarrierRule, TOKEN } from '../program/mbarrier-operation.js';
import { Numbers } from '../program/numbers.js';
import type { EventRun, ValueDomain } from './value-domain.js';

/**
 * The mbarrier object as a state machine (PTX ISA, mbarrier: contents, phase completion, arrive-on, expect-tx,
 * complete-tx), over any value domain: run with numbers it is the object, with formulas its encoding. Layout v0.
 */
export interface MbarrierState<V, C> {
  /** Between init and inval. */
  readonly valid: C;
  /** Counts completed phases; its lowest bit is the parity. An init goes on to the next even number but one. */
  readonly phase: V;
  readonly expected: V;
  readonly pending: V;
  /** The tx-count. */
  readonly bytes: V;
}

/** What one operation asks of the object. Counts have COUNT_WIDTH bits. */
export interface MbarrierInput<V, C> {
  readonly init: C;
  readonly inval: C;
  /** Arrive-on: lowers the pending count by `count`, and the expected count by `drop`. */
  readonly arrive: C;
  readonly noComplete: C;
  /** Raises the pending count by `count`. */
  readonly increment: C;
  readonly count: V;
  readonly drop: V;
  /** complete-tx. */
  readonly complete: C;
  readonly expectedBytes: V;
  readonly completedBytes: V;
}

/** Wide enough for sums of a few counts of 20 bits, with a sign. */
export const COUNT_WIDTH = 24;
export const PHASE_WIDTH = 12;
const LARGEST_COUNT = (1n << 20n) - 1n;

export interface MbarrierStepResult<V, C> {
  readonly after: MbarrierState<V, C>;
  /** The step completes the phase. */
  readonly completes: C;
  readonly broken: ReadonlyMap<MbarrierRule, C>;
}

export class MbarrierMachine<V, C> {
  private readonly counts: Numbers<V>;
  /** The same, with a sign. */
  private readonly signedCounts: Numbers<V>;
  private readonly phases: Numbers<V>;
  private readonly tokens: Numbers<V>;
  private readonly operands: Numbers<V>;

  constructor(private readonly domain: ValueDomain<V, C>) {
    this.counts = new Numbers(domain, COUNT_WIDTH);
    this.signedCounts = new Numbers(domain, COUNT_WIDTH, true);
    this.phases = new Numbers(domain, PHASE_WIDTH);
    this.tokens = new Numbers(domain, TOKEN.width);
    this.operands = new Numbers(domain, 32);
  }

  /** Before all operations: as declared, or memory that holds no object. */
  initial(count: bigint | undefined): MbarrierState<V, C> {
    const { domain } = this;
    const number = this.counts.number(count ?? 0n);
    return {
      valid: count === undefined ? domain.no : domain.yes,
      phase: this.phases.number(0),
      expected: number,
      pending: number,
      bytes: this.counts.number(0),
    };
  }

  /** What an operation asks for, by what it is and by its operands. */
  input(
    what: Pick<MbarrierEffect, 'step' | 'operation'> | undefined,
    run: Pick<EventRun<V, C>, 'count' | 'bytes'>,
  ): MbarrierInput<V, C> {
    const { domain } = this;
    const { yes, no } = domain;
    const zero = this.counts.number(0);
    const nothing: MbarrierInput<V, C> = {
      init: no,
      inval: no,
      arrive: no,
      noComplete: no,
      increment: no,
      count: zero,
      drop: zero,
      complete: no,
      expectedBytes: zero,
      completedBytes: zero,
    };
    const count = run.count === undefined ? zero : this.clamp(run.count);
    const bytes = run.bytes === undefined ? zero : this.clamp(run.bytes);
    const operation = what?.operation;
    switch (what?.step) {
      case 'init':
        return { ...nothing, init: yes, count };
      case 'inval':
        return { ...nothing, inval: yes };
      case 'increment':
        return { ...nothing, increment: yes, count };
      case 'expect_tx':
        return { ...nothing, expectedBytes: bytes };
      case 'complete_tx':
        return { ...nothing, complete: yes, completedBytes: bytes };
      case 'arrive': {
        const dropping = operation?.action === 'arrive' && operation.drop;
        return {
          ...nothing,
          arrive: yes,
          count,
          drop: dropping ? count : zero,
          noComplete: operation?.action === 'arrive' && operation.noComplete ? yes : no,
          expectedBytes: bytes,
        };
      }
      default:
        return nothing;
    }
  }

  step(before: MbarrierState<V, C>, input: MbarrierInput<V, C>): MbarrierStepResult<V, C> {
    const { domain } = this;
    const { and, or } = { and: domain.and.bind(domain), or: domain.or.bind(domain) };
    const zero = this.counts.number(0);
    const when = (condition: C, value: V): V => domain.choose(condition, value, zero);
    const bytesExpected = this.counts.add(before.bytes, input.expectedBytes);
    const bytes = this.counts.subtract(bytesExpected, input.completedBytes);
    const expected = this.counts.subtract(before.expected, input.drop);
    const pending = this.counts.subtract(
      this.counts.add(before.pending, when(input.increment, input.count)),
      when(input.arrive, input.count),
    );
    const checks = or(input.arrive, input.complete);
    const completes = and(and(checks, this.equal(pending, zero)), this.equal(bytes, zero));
    const next = this.phaseAfter(before.phase, completes, input.init);
    const after: MbarrierState<V, C> = {
      valid: or(input.init, and(before.valid, domain.not(input.inval))),
      phase: next,
      expected: domain.choose(input.init, input.count, expected),
      pending: domain.choose(input.init, input.count, domain.choose(completes, expected, pending)),
      bytes: domain.choose(input.init, zero, bytes),
    };
    const counts = or(or(input.init, input.arrive), input.increment);
    const inUse = domain.not(input.init);
    const broken = new Map<MbarrierRule, C>([
      ['mbarrier-uninitialized', and(inUse, domain.not(before.valid))],
      ['mbarrier-live', and(input.init, before.valid)],
      [
        'mbarrier-count',
        or(
          and(counts, or(this.equal(input.count, zero), this.above(input.count))),
          and(input.increment, this.above(pending)),
        ),
      ],
      ['mbarrier-overrun', and(input.arrive, this.negative(pending))],
      [
        'mbarrier-dropped',
        and(
          input.arrive,
          and(domain.not(this.equal(input.drop, zero)), or(this.equal(expected, zero), this.negative(expected))),
        ),
      ],
      [
        'mbarrier-bytes',
        and(
          inUse,
          or(
            or(this.outOfRange(bytesExpected), this.outOfRange(bytes)),
            or(this.above(input.expectedBytes), this.above(input.completedBytes)),
          ),
        ),
      ],
      ['mbarrier-no-complete', and(input.noComplete, completes)],
    ]);
    return { after, completes, broken };
  }

  /**
   * The token that an arrive returns: the phase, the object, and with .noComplete the pending count before it (PTX ISA,
   * mbarrier.pending_count).
   */
  token(before: MbarrierState<V, C>, object: number, noComplete: boolean): V {
    const { domain } = this;
    const pending = domain.resize(domain.resize(before.pending, TOKEN.pendingWidth, false), TOKEN.width, false);
    const parts = [
      noComplete ? pending : this.tokens.number(0),
      this.tokens.number(noComplete ? 1n << BigInt(TOKEN.noComplete) : 0n),
      this.tokens.number(BigInt(object + 1) << BigInt(TOKEN.object)),
      this.tokens.shiftLeft(domain.resize(before.phase, TOKEN.width, false), this.operands.number(TOKEN.phase)),
    ];
    return parts.reduce((all, part) => this.tokens.or(all, part));
  }

  /** What a wait finds: True iff the phase that it names is complete. */
  test(
    state: MbarrierState<V, C>,
    kind: 'token' | 'parity',
    operand: V,
    object: number,
  ): { readonly complete: C; readonly broken: ReadonlyMap<MbarrierRule, C> } {
    const { domain } = this;
    const uninitialized: readonly [MbarrierRule, C] = ['mbarrier-uninitialized', domain.not(state.valid)];
    if (kind === 'parity') {
      const parity = domain.truth(operand);
      const odd = domain.truth(state.phase);
      const complete = domain.or(domain.and(parity, domain.not(odd)), domain.and(domain.not(parity), odd));
      const other = this.operands.shiftRightBy(operand, 1);
      const isParity = domain.truth(this.operands.equal(other, this.operands.number(0)));
      return { complete, broken: new Map([uninitialized, ['mbarrier-parity', domain.not(isParity)]]) };
    }
    const phase = this.tokens.shiftRightBy(operand, TOKEN.phase, PHASE_WIDTH);
    const same = this.samePhase(phase, state.phase);
    const preceding = this.samePhase(this.phases.add(phase, this.phases.number(1)), state.phase);
    const objects = new Numbers(domain, TOKEN.phase - TOKEN.object);
    const named = this.tokens.shiftRightBy(operand, TOKEN.object, objects.width);
    const ofObject = domain.truth(objects.equal(named, objects.number(object + 1)));
    return {
      complete: domain.not(same),
      broken: new Map([
        uninitialized,
        ['mbarrier-token', domain.or(domain.not(ofObject), domain.not(domain.or(same, preceding)))],
      ]),
    };
  }

  /** Whether phase `a` is before phase `b`. */
  earlier(a: V, b: V): C {
    return this.domain.truth(this.phases.less(a, b));
  }

  samePhase(a: V, b: V): C {
    return this.domain.truth(this.phases.equal(a, b));
  }

  private phaseAfter(phase: V, completes: C, init: C): V {
    const { domain, phases } = this;
    const even = phases.and(phases.add(phase, phases.number(3)), phases.number(~1n));
    return domain.choose(init, even, domain.choose(completes, phases.add(phase, phases.number(1)), phase));
  }

  /** A 32-bit operand; what does not fit is out of range in any case. */
  private clamp(value: V): V {
    const { domain } = this;
    const most = (1n << BigInt(COUNT_WIDTH - 1)) - 1n;
    const fits = domain.truth(this.operands.lessOrEqual(value, this.operands.number(most)));
    return domain.choose(fits, domain.resize(value, COUNT_WIDTH, false), this.counts.number(most));
  }

  private equal(a: V, b: V): C {
    return this.domain.truth(this.counts.equal(a, b));
  }

  private less(a: V, b: V): C {
    return this.domain.truth(this.signedCounts.less(a, b));
  }

  private negative(value: V): C {
    return this.less(value, this.counts.number(0));
  }

  private above(value: V): C {
    return this.less(this.counts.number(LARGEST_COUNT), value);
  }

  private outOfRange(value: V): C {
    return this.domain.or(this.above(value), this.less(value, this.counts.number(-LARGEST_COUNT)));
  }
}
