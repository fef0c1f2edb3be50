import { type Diagnostic, error, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Allowance } from '../program/allowance.js';
import { showDataType } from '../program/data-type.js';
import { bitsOfNumber } from '../program/float-format.js';
import type { LocationTable, VirtualRange } from '../program/locations.js';
import type { Condition, Observable, Proposition, ResolvedExpectation, Term, Thread } from '../program/program.js';
import { resolveExpectation } from '../program/resolve-expectation.js';
import type * as Syntax from '../syntax/condition-ast.js';
import { printDecimal } from '../syntax/print-decimal.js';
import { shownThreadName } from '../syntax/thread-name.js';
import { isNamed } from './asked.js';
import { bitsOf, fits } from './initial-bits.js';

/** Resolves the names in the clauses after the threads (docs/format.md). */
export class ConditionBuilder {
  readonly diagnostics: Diagnostic[] = [];
  readonly conditions: Condition[] = [];
  readonly expectations: ResolvedExpectation[] = [];
  readonly allowances: Allowance[] = [];
  private readonly filters: Proposition[] = [];
  private readonly seen = new Map<string, Observable>();

  constructor(
    private readonly threads: readonly Thread[],
    private readonly locations: LocationTable,
    /** Of a kernel test: what names mean in its modules. */
    private readonly aliases: ReadonlyMap<string, string> = new Map(),
  ) {}

  add(clause: Syntax.Clause): void {
    switch (clause.kind) {
      case 'condition': {
        const proposition = this.proposition(clause.proposition);
        if (proposition !== undefined)
          this.conditions.push({
            quantifier: clause.quantifier,
            proposition,
            name: clause.name,
            models: clause.models,
            span: clause.span,
          });
        return;
      }
      case 'expect':
        this.expectations.push(resolveExpectation({ ...clause, models: clause.models }));
        return;
      case 'allow': {
        const { finding, lines, reason, models, span, entry } = clause;
        this.allowances.push({ finding, lines, reason, models, span, ...(entry !== undefined && { entry }) });
        return;
      }
      case 'filter': {
        const proposition = this.proposition(clause.proposition);
        if (proposition !== undefined) this.filters.push(proposition);
        return;
      }
      case 'locations':
        for (const term of clause.terms) if (term.kind !== 'number') this.term(term);
    }
  }

  get filter(): Proposition | undefined {
    return this.filters.length === 0
      ? undefined
      : this.filters.length === 1
        ? this.filters[0]
        : { kind: 'and', operands: this.filters };
  }

  /** Registers by thread, then memory, each once. */
  get observed(): readonly Observable[] {
    const rank = (o: Observable): number => (o.kind === 'register' ? o.thread : this.threads.length);
    return [...this.seen.values()].sort(
      (a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, 'en', { numeric: true }),
    );
  }

  private proposition(proposition: Syntax.Proposition): Proposition | undefined {
    switch (proposition.kind) {
      case 'constant':
        return proposition;
      case 'not': {
        const operand = this.proposition(proposition.operand);
        return operand === undefined ? undefined : { kind: 'not', operand };
      }
      case 'and':
      case 'or': {
        const operands = proposition.operands.map((operand) => this.proposition(operand));
        return operands.some((operand) => operand === undefined)
          ? undefined
          : { kind: proposition.kind, operands: operands as Proposition[] };
      }
      case 'compare': {
        const sides = this.sides(proposition.left, proposition.right);
        if (sides === undefined || !this.hasOrder(proposition, ...sides)) return undefined;
        const [left, right] = sides;
        this.checkRange(proposition, left, right);
        this.checkAddress(proposition);
        return { kind: 'compare', comparison: proposition.comparison, left, right };
      }
    }
  }

  /** A number that the other side cannot be would make a condition true or false for no good reason. */
  private checkRange(proposition: Extract<Syntax.Proposition, { kind: 'compare' }>, left: Term, right: Term): void {
    for (const [number, other, span] of [
      [left, right, proposition.left.span],
      [right, left, proposition.right.span],
    ] as const) {
      if (number.kind !== 'number' || other.kind === 'number') continue;
      const { width } = other.type;
      if (number.value >= 1n << BigInt(width) || number.value < -(1n << BigInt(width - 1))) {
        this.diagnostics.push(
          error(
            'L0203',
            span,
            `${number.value} does not fit into ${other.name}, which is .${showDataType(other.type)}`,
          ),
        );
      }
    }
  }

  /** A register of 64 bits is compared with a narrower location: its address may have been meant. */
  private checkAddress({ left, right }: Extract<Syntax.Proposition, { kind: 'compare' }>): void {
    for (const [register, location] of [
      [left, right],
      [right, left],
    ] as const) {
      if (
        register.kind !== 'register' ||
        location.kind !== 'location' ||
        location.index !== undefined ||
        location.offset !== undefined
      )
        continue;
      const [value, memory] = [this.register(register), this.location(location)];
      if (value?.type.width !== 64 || memory === undefined || memory.type.width === 64) continue;
      const hint = `write &${location.name} for its address`;
      this.warn(location, `this is the final value of ${location.name}, compared with a register of 64 bits`, hint);
    }
  }

  /** Floating-point values are compared by their bits, which have another order. */
  private hasOrder(proposition: Extract<Syntax.Proposition, { kind: 'compare' }>, left: Term, right: Term): boolean {
    const { comparison } = proposition;
    if (comparison === '==' || comparison === '!=') return true;
    const isFloat = (term: Term): term is Observable => term.kind !== 'number' && term.type.kind === 'f';
    const float = [left, right].find(isFloat);
    if (float === undefined) return true;
    this.refuse(
      float === left ? proposition.left : proposition.right,
      `${float.name} is .${showDataType(float.type)}, and conditions compare that by == and != alone`,
      'compare with each value that it may have, or let the kernel compare and store what it finds',
    );
    return false;
  }

  /** Both sides of a comparison; what is named comes first, since it has the type that a number is taken for. */
  private sides(left: Syntax.Term, right: Syntax.Term): readonly [Term, Term] | undefined {
    const [a, b] = [left, right].map((side) => (side.kind === 'number' ? undefined : this.term(side)));
    // What is wrong with one side is told of it alone.
    if ((left.kind !== 'number' && a === undefined) || (right.kind !== 'number' && b === undefined)) return undefined;
    const [first, second] = [
      left.kind === 'number' ? this.number(left, b) : a,
      right.kind === 'number' ? this.number(right, a) : b,
    ];
    return first === undefined || second === undefined ? undefined : [first, second];
  }

  /** A number with a decimal point stands for its bits, by the type of what it is compared with. */
  private number(term: Syntax.NumberTerm, against: Term | undefined): Term | undefined {
    const { value } = term;
    if (typeof value !== 'number') {
      if (term.isBits !== true && value !== 0n && against?.kind !== 'number' && against?.type.kind === 'f')
        this.warn(
          term,
          `${against.name} is .${showDataType(against.type)}: its bits are compared with the integer ${value}`,
          `write ${value}.0 for the number`,
        );
      return { kind: 'number', value };
    }
    if (against === undefined || against.kind === 'number')
      return this.refuse(term, 'a number with a decimal point is compared with a location or register of .f32 or .f64');
    if (fits(value, against.type))
      return { kind: 'number', value: bitsOf(value, against.type), decimal: printDecimal(value) };
    const { width } = against.type;
    const prefix = { 32: '0f', 64: '0d' }[width];
    return this.refuse(
      term,
      `${against.name} is .${showDataType(against.type)}, of which a condition knows no number with a decimal point`,
      prefix === undefined
        ? 'write its bits as an integer'
        : `write its bits: ${prefix}${bitsOfNumber(value, width)
            .toString(16)
            .padStart(width / 4, '0')}`,
    );
  }

  private term(term: Exclude<Syntax.Term, Syntax.NumberTerm>): Term | undefined {
    if (term.kind === 'address') {
      const range = this.range(term);
      return range === undefined ? undefined : { kind: 'number', value: range.base + term.offset };
    }
    const observable = term.kind === 'register' ? this.register(term) : this.location(term);
    if (observable === undefined) return undefined;
    const known = this.seen.get(observable.name);
    if (known !== undefined) return known;
    this.seen.set(observable.name, observable);
    return observable;
  }

  private register(term: Extract<Syntax.Term, { kind: 'register' }>): Observable | undefined {
    const thread = this.threads.find((candidate) => isNamed(candidate, term.thread));
    if (thread === undefined) {
      return this.refuse(
        term,
        `no thread ${shownThreadName(term.thread)} in this test`,
        this.leavesOut(term.thread) ??
          didYouMean(
            shownThreadName(term.thread),
            this.threads.map((one) => one.name),
          ),
      );
    }
    const register = thread.registers.get(term.register);
    if (register === undefined) {
      const known = [...thread.registers.keys()].filter((name) => !name.startsWith('#'));
      return this.refuse(
        term,
        `${thread.name} has no register ${term.register}`,
        didYouMean(term.register, known) ??
          (known.length === 0 ? `${thread.name} uses no registers` : `${thread.name} uses ${known.join(', ')}`),
      );
    }
    return {
      kind: 'register',
      thread: thread.index,
      register: term.register,
      type: register.type,
      name: `${thread.name}:${term.register}`,
    };
  }

  /** A condition may name any thread of a launch: only `exactly` keeps it from being run. */
  private leavesOut(thread: string): string | undefined {
    const launch = this.threads.find(
      ({ launched }) => launched !== undefined && thread.startsWith(`${launched.launch}[`),
    );
    return launch === undefined ? undefined : 'the launch has no such thread, or its run exactly leaves it out';
  }

  private location(term: Syntax.LocationTerm): Observable | undefined {
    const range = this.range(term);
    if (range === undefined) return undefined;
    const { object, elementType } = range;
    const bytes = elementType.width / 8;
    const offset = term.index !== undefined ? Number(term.index) * bytes : Number(term.offset ?? 0n);
    if (offset < 0 || offset + bytes > object.size)
      return this.refuse(
        term,
        `this is outside of ${term.name}, which has ${object.size / bytes} element${object.size === bytes ? '' : 's'}`,
      );
    const name =
      object.size === bytes
        ? object.name
        : offset % bytes === 0
          ? `${object.name}[${offset / bytes}]`
          : `${object.name}+${offset}`;
    return { kind: 'memory', object, offset, type: elementType, name };
  }

  /** The one range of addresses that is meant. */
  private range(term: Syntax.LocationTerm | Syntax.AddressTerm): VirtualRange | undefined {
    const candidates = this.locations.named(this.aliases.get(term.name) ?? term.name).filter((range) => {
      const cta = range.object.cta;
      if (term.cta === undefined || cta === undefined) return term.cta === undefined;
      return this.threads.some(
        ({ placement }) =>
          placement.cta === cta &&
          placement.ctaNumber === term.cta &&
          (term.gpu === undefined || placement.gpu === term.gpu),
      );
    });
    const [range] = candidates;
    if (range === undefined) {
      const owner = this.threads.find(({ registers }) => registers.has(term.name));
      const [instance] = [...this.aliases.keys()].filter((name) => name.startsWith(`${term.name}@gpu`));
      if (instance !== undefined)
        return this.refuse(term, `${term.name} exists once on each GPU that launches it: write ${instance}`);
      const hint =
        owner === undefined
          ? didYouMean(
              term.name,
              this.locations.ranges.map((one) => one.name),
            )
          : `a register is written with its thread: ${owner.name}:${term.name}`;
      return this.refuse(
        term,
        term.cta === undefined
          ? `no location ${term.name} in this test`
          : `no location ${term.name} in cta ${term.cta}`,
        hint,
      );
    }
    if (candidates.length > 1)
      return this.refuse(term, `${term.name} has an instance in each CTA: write ${term.name}@cta0`);
    return range;
  }

  private warn(term: Syntax.Term, message: string, hint: string): void {
    this.diagnostics.push(warning('L0203', term.span, message, hint));
  }

  private refuse(term: Syntax.Term, message: string, hint?: string): undefined {
    this.diagnostics.push(error('L0203', term.span, message, hint));
    return undefined;
  }
}
