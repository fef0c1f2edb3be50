import type { ProgramEvent } from '../events/program-event.js';
import { Numbers } from '../program/numbers.js';
import type { Address, Operand } from '../program/operation.js';
import type { Register } from '../program/program.js';
import type { Edge, UnrolledThread } from '../unroll/unroll.js';
import { RegisterFile } from './register-file.js';
import type { Dependencies, RegisterValue, State, ValueDomain } from './value-domain.js';

/** The states of a thread between its nodes: what registers hold, what that depends on, and what control does. */
export class ThreadStates<V, C> {
  readonly none: Dependencies<C> = new Map();
  readonly addresses: Numbers<V>;
  /** By branch: the state where it is taken, and where control goes on to the next node. */
  protected readonly taken = new Map<number, State<V, C>>();
  protected readonly next = new Map<number, State<V, C>>();
  /** Branches on whose ways the thread may be kept for ever, by a barrier or by a wait for a grid, or stop for good. */
  private readonly keeping = new Set<number>();
  private readonly entry: State<V, C>;

  constructor(
    readonly domain: ValueDomain<V, C>,
    private readonly declared: ReadonlyMap<string, Register>,
    private readonly joins: UnrolledThread['joins'],
  ) {
    this.addresses = new Numbers(domain, 64);
    const initial = new Map<string, RegisterValue<V, C>>();
    for (const [name, register] of declared)
      initial.set(name, { value: domain.constant(register.initial, register.type.width), from: this.none });
    this.entry = { condition: domain.yes, registers: RegisterFile.of(initial), control: new Map() };
  }

  /** A value that comes from a read. */
  from(event: ProgramEvent): Dependencies<C> {
    return new Map([[event.id, this.domain.yes]]);
  }

  write(
    written: Map<string, RegisterValue<V, C>>,
    register: string,
    value: V,
    signed: boolean,
    from: Dependencies<C>,
  ): void {
    written.set(register, {
      value: this.domain.resize(value, this.declared.get(register)?.type.width ?? 32, signed),
      from,
    });
  }

  protected register(state: State<V, C>, name: string): RegisterValue<V, C> {
    return (
      state.registers.get(name) ?? {
        value: this.domain.constant(0n, this.declared.get(name)?.type.width ?? 32),
        from: this.none,
      }
    );
  }

  operand(state: State<V, C>, operand: Operand, width: number): RegisterValue<V, C> {
    if (operand.kind === 'constant')
      return { value: this.domain.constant(BigInt.asUintN(width, operand.value), width), from: this.none };
    const held = this.register(state, operand.name);
    return { value: this.domain.resize(held.value, width, false), from: held.from };
  }

  address(state: State<V, C>, address: Address, more: number): RegisterValue<V, C> {
    const offset = address.offset + BigInt(more);
    if (address.base.kind === 'constant')
      return { value: this.domain.constant(address.base.value + offset, 64), from: this.none };
    return this.plus(this.operand(state, address.base, 64), offset);
  }

  plus(base: RegisterValue<V, C>, offset: bigint): RegisterValue<V, C> {
    const { addresses } = this;
    return offset === 0n ? base : { ...base, value: addresses.add(base.value, addresses.number(offset)) };
  }

  /** What control depends on in a state. */
  protected controlOf({ control }: State<V, C>): Dependencies<C> {
    return [...control.values()].reduce((all, { from }) => this.union(all, from), this.none);
  }

  /** How control goes on where the thread is kept for ever under a condition. */
  protected without(kept: C, before: State<V, C>): State<V, C> {
    const { domain } = this;
    if (domain.isNo(kept)) return before;
    for (const branch of before.control.keys()) this.keeping.add(branch);
    return { ...before, condition: domain.and(before.condition, domain.not(kept)) };
  }

  /** The state where edges meet; `at`: the node there, or the number of nodes for the end of the thread. */
  protected merge(edges: readonly Edge[], at?: number): State<V, C> {
    const states = edges
      .map((edge) =>
        edge.from === undefined ? this.entry : (edge.when === 'taken' ? this.taken : this.next).get(edge.from),
      )
      .filter((state) => state !== undefined)
      .filter((state) => !this.domain.isNo(state.condition));
    const [first, ...others] = states;
    if (first === undefined) return { ...this.entry, condition: this.domain.no };
    const joined = others.reduce((merged, state) => this.join(state, merged), first);
    return at === undefined ? joined : this.closeBranches(joined, at, states);
  }

  /**
   * Where the ways of a branch join, it no longer decides what is executed, but what the registers hold that one of
   * them writes.
   */
  private closeBranches(joined: State<V, C>, at: number, states: readonly State<V, C>[]): State<V, C> {
    const closed = [...joined.control].flatMap(([branch, { from, reached }]) => {
      const join = this.joins.get(branch);
      return join?.node === at ? [{ branch, from, reached, join }] : [];
    });
    if (closed.length === 0) return joined;
    let { registers } = joined;
    for (const { from, join } of closed) {
      const depending = new Map<string, RegisterValue<V, C>>();
      for (const name of join.registers) {
        const held = this.register({ ...joined, registers }, name);
        depending.set(name, { ...held, from: this.union(held.from, from) });
      }
      registers = registers.with(depending);
    }
    const control = new Map([...joined.control].filter(([branch]) => this.joins.get(branch)?.node !== at));
    // All that came to such a branch comes here, and nothing else does.
    const only = closed.find(
      ({ branch }) =>
        !this.keeping.has(branch) && states.every((state) => state.control.get(branch)?.isPassedByAll === true),
    );
    return { condition: only?.reached ?? joined.condition, registers, control };
  }

  private join(a: State<V, C>, b: State<V, C>): State<V, C> {
    const { domain } = this;
    const registers = new Map<string, RegisterValue<V, C>>();
    for (const name of new Set([...a.registers.all().keys(), ...b.registers.all().keys()])) {
      const [x, y] = [this.register(a, name), this.register(b, name)];
      registers.set(
        name,
        x === y
          ? x
          : {
              value: x.value === y.value ? x.value : domain.choose(a.condition, x.value, y.value),
              from: this.union(this.under(a.condition, x.from), this.under(b.condition, y.from)),
            },
      );
    }
    const control = new Map([...a.control, ...b.control]);
    for (const [branch, { from, reached }] of control) {
      const [p, q] = [a.control.get(branch), b.control.get(branch)];
      const [x, y] = [p?.from ?? this.none, q?.from ?? this.none];
      control.set(branch, {
        reached,
        isPassedByAll: p?.isPassedByAll === true && q?.isPassedByAll === true,
        from: x === y && x === from ? from : this.union(this.under(a.condition, x), this.under(b.condition, y)),
      });
    }
    return { condition: domain.or(a.condition, b.condition), registers: RegisterFile.of(registers), control };
  }

  private under(condition: C, dependencies: Dependencies<C>): Dependencies<C> {
    return dependencies.size === 0
      ? dependencies
      : new Map([...dependencies].map(([event, when]) => [event, this.domain.and(condition, when)]));
  }

  union(a: Dependencies<C>, b: Dependencies<C>): Dependencies<C> {
    if (a.size === 0) return b;
    if (b.size === 0 || a === b) return a;
    const result = new Map(a);
    for (const [event, when] of b) {
      const earlier = result.get(event);
      result.set(event, earlier === undefined ? when : this.domain.or(earlier, when));
    }
    return result;
  }
}
