import { arithmeticOf } from './decode-access.js';
import type { EventStructure, ProgramEvent } from './events.js';
import type { Address, Arithmetic, Atomic, Operand, Operation } from './operation.js';
import type { Edge, Node } from './unroll.js';

/**
 * What an execution of a thread computes with: bit patterns and truth values. With bigints and booleans it is a run; with
 * sets of values it is the value analysis; with formulas it is the encoding. The semantics of PTX is written once, below.
 */
export interface ValueDomain<V, C> {
  readonly yes: C;
  readonly no: C;
  and(a: C, b: C): C;
  or(a: C, b: C): C;
  not(a: C): C;
  /** Whether a truth value is certainly false, so that what depends on it can be left out. */
  isNo(a: C): boolean;
  constant(bits: bigint, width: number): V;
  compute(arithmetic: Arithmetic, operands: readonly V[]): V;
  /** Cuts or widens, by sign or zeros. */
  resize(value: V, width: number, signed: boolean): V;
  choose(condition: C, whenTrue: V, whenFalse: V): V;
  /** Whether a one-bit value is 1. */
  truth(value: V): C;
}

/** Where the values that a thread does not compute itself come from. */
export interface Environment<V> {
  /** The value that a read takes, of the width of its type. */
  read(event: ProgramEvent): V;
  /** The result of a barrier reduction. */
  barrierResult(event: ProgramEvent): V;
}

/** The reads that a value comes from, each with the condition under which it does. */
export type Dependencies<C> = ReadonlyMap<number, C>;

export interface EventRun<V, C> {
  readonly event: ProgramEvent;
  readonly executed: C;
  /** 64 bits; of memory events. */
  readonly address?: V;
  /** What is read or written; of a barrier reduction the predicate given. */
  readonly value?: V;
  /** The number (or mask) of a barrier, and its count of threads. */
  readonly barrierId?: V;
  readonly barrierCount?: V;
  /** What a barrier reduction returns. */
  readonly result?: V;
  readonly addressDependencies: Dependencies<C>;
  readonly dataDependencies: Dependencies<C>;
  readonly controlDependencies: Dependencies<C>;
}

export interface ThreadRun<V, C> {
  readonly events: readonly EventRun<V, C>[];
  /** Registers at the end, of the width of their type. */
  readonly registers: ReadonlyMap<string, V>;
  /** The thread ran to its end. */
  readonly ended: C;
  /** It would go round a loop more often than the bound allows. */
  readonly cut: C;
}

interface Held<V, C> {
  readonly value: V;
  readonly from: Dependencies<C>;
}

interface State<V, C> {
  readonly condition: C;
  readonly registers: ReadonlyMap<string, Held<V, C>>;
  /** Reads that the branches so far depend on. */
  readonly control: Dependencies<C>;
}

/** Runs an unrolled thread in a domain: every node once, states merged where control flow joins. */
export function interpretThread<V, C>(structure: EventStructure, threadIndex: number, domain: ValueDomain<V, C>, environment: Environment<V>): ThreadRun<V, C> {
  const unrolled = structure.threads[threadIndex];
  if (unrolled === undefined) throw new Error(`no thread ${threadIndex}`);
  return new Interpreter(structure, threadIndex, domain, environment).run(unrolled.nodes, unrolled.ends, unrolled.cuts);
}

class Interpreter<V, C> {
  private readonly none: Dependencies<C> = new Map();
  private readonly taken = new Map<number, State<V, C>>();
  private readonly next = new Map<number, State<V, C>>();
  private readonly entry: State<V, C>;
  private readonly types: ReadonlyMap<string, { readonly width: number }>;
  private readonly runs: EventRun<V, C>[] = [];

  constructor(
    private readonly structure: EventStructure,
    private readonly threadIndex: number,
    private readonly domain: ValueDomain<V, C>,
    private readonly environment: Environment<V>,
  ) {
    const { registers } = structure.program.threads[threadIndex] ?? { registers: new Map() };
    const initial = new Map<string, Held<V, C>>();
    const types = new Map<string, { readonly width: number }>();
    for (const [name, register] of registers) {
      types.set(name, register.type);
      initial.set(name, { value: domain.constant(register.initial, register.type.width), from: this.none });
    }
    this.types = types;
    this.entry = { condition: domain.yes, registers: initial, control: this.none };
  }

  run(nodes: readonly Node[], ends: readonly Edge[], cuts: readonly Edge[]): ThreadRun<V, C> {
    for (const node of nodes) this.step(node);
    const end = this.merge(ends);
    const registers = new Map([...end.registers].map(([name, held]) => [name, held.value]));
    return { events: this.runs, registers, ended: end.condition, cut: this.merge(cuts).condition };
  }

  private step(node: Node): void {
    const before = this.merge(node.incoming);
    const { operation, guard } = node.statement;
    const { domain } = this;
    let executes = before.condition;
    let guardFrom: Dependencies<C> = this.none;
    if (guard !== undefined) {
      const held = this.register(before, guard.register);
      const truth = domain.truth(held.value);
      executes = domain.and(executes, guard.negated ? domain.not(truth) : truth);
      guardFrom = held.from;
    }
    if (operation.kind === 'branch' || operation.kind === 'exit') {
      const control = this.union(before.control, guardFrom);
      this.taken.set(node.id, { ...before, condition: executes, control });
      const falls = guard === undefined ? domain.no : domain.and(before.condition, domain.not(executes));
      this.next.set(node.id, { ...before, condition: falls, control });
      return;
    }
    const written = this.execute(node, operation, { ...before, condition: executes }, this.union(before.control, guardFrom));
    if (written.size === 0) {
      this.next.set(node.id, before);
      return;
    }
    const registers = new Map(before.registers);
    for (const [name, held] of written) {
      if (guard === undefined) {
        registers.set(name, held);
        continue;
      }
      // Under a guard the register is a choice between the new and the old value, and depends on the guard too.
      const old = this.register(before, name);
      registers.set(name, { value: domain.choose(executes, held.value, old.value), from: this.union(this.union(held.from, guardFrom), old.from) });
    }
    this.next.set(node.id, { ...before, registers });
  }

  /** Executes one operation and gives the registers it writes. */
  private execute(node: Node, operation: Exclude<Operation, { kind: 'branch' | 'exit' }>, state: State<V, C>, control: Dependencies<C>): ReadonlyMap<string, Held<V, C>> {
    const events = this.structure.eventsOf(this.threadIndex, node.id);
    const written = new Map<string, Held<V, C>>();
    const { domain } = this;
    switch (operation.kind) {
      case 'compute': {
        const operands = operation.operands.map((operand, i) => this.operand(state, operand, operandWidth(operation.arithmetic, i)));
        const value = domain.compute(
          operation.arithmetic,
          operands.map((operand) => operand.value),
        );
        this.write(
          written,
          operation.target,
          value,
          operation.type.kind === 's',
          operands.reduce<Dependencies<C>>((all, operand) => this.union(all, operand.from), this.none),
        );
        break;
      }
      case 'load':
        events.forEach((event, i) => {
          const address = this.address(state, operation.address, i * (operation.type.width / 8));
          const value = this.environment.read(event);
          this.runs.push({
            event,
            executed: state.condition,
            address: address.value,
            value,
            addressDependencies: address.from,
            dataDependencies: this.none,
            controlDependencies: control,
          });
          const target = operation.targets[i];
          if (target !== undefined) this.write(written, target, value, operation.type.kind === 's', new Map([[event.id, domain.yes]]));
        });
        break;
      case 'store':
        events.forEach((event, i) => {
          const address = this.address(state, operation.address, i * (operation.type.width / 8));
          const data = this.operand(state, operation.values[i] ?? { kind: 'constant', value: 0n }, operation.type.width);
          this.runs.push({
            event,
            executed: state.condition,
            address: address.value,
            value: data.value,
            addressDependencies: address.from,
            dataDependencies: data.from,
            controlDependencies: control,
          });
        });
        break;
      case 'atomic':
        this.atomic(operation, events, state, control, written);
        break;
      case 'barrier':
        for (const event of events) {
          const id = this.operand(state, operation.id, 32);
          const count = operation.count === undefined ? undefined : this.operand(state, operation.count, 32);
          const predicate = operation.reduction === undefined ? undefined : this.operand(state, operation.reduction.predicate, 1);
          const result = operation.reduction === undefined ? undefined : this.environment.barrierResult(event);
          this.runs.push({
            event,
            executed: state.condition,
            barrierId: id.value,
            addressDependencies: this.none,
            dataDependencies: predicate?.from ?? this.none,
            controlDependencies: control,
            ...(count === undefined ? {} : { barrierCount: count.value }),
            ...(predicate === undefined ? {} : { value: predicate.value }),
            ...(result === undefined ? {} : { result }),
          });
          if (operation.reduction !== undefined && result !== undefined) this.write(written, operation.reduction.target, result, false, predicate?.from ?? this.none);
        }
        break;
      case 'fence':
      case 'proxy-fence':
        for (const event of events) this.runs.push({ event, executed: state.condition, addressDependencies: this.none, dataDependencies: this.none, controlDependencies: control });
    }
    return written;
  }

  /** An atomic: a read, the new value computed from it, and a write; a failing cas writes nothing (8.4, Table 20). */
  private atomic(operation: Atomic, events: readonly ProgramEvent[], state: State<V, C>, control: Dependencies<C>, written: Map<string, Held<V, C>>): void {
    const [read, write] = events;
    if (read === undefined || write === undefined) throw new Error('an atomic without its events');
    const { domain } = this;
    const { width } = operation.type;
    const address = this.address(state, operation.address, 0);
    const operands = operation.values.map((value) => this.operand(state, value, width));
    const old = this.environment.read(read);
    const fromOld: Dependencies<C> = new Map([[read.id, domain.yes]]);
    const [first, second] = operands;
    if (first === undefined) throw new Error('an atomic without operands');
    let executed = state.condition;
    let value = first.value;
    let from = operands.reduce<Dependencies<C>>((all, operand) => this.union(all, operand.from), this.none);
    if (operation.operation === 'cas') {
      const equal = domain.compute({ name: 'equal', signed: false, width, resultWidth: 1 }, [old, first.value]);
      executed = domain.and(executed, domain.truth(equal));
      value = second?.value ?? value;
      from = this.union(from, fromOld);
    } else {
      const arithmetic = arithmeticOf(operation.operation, operation.type);
      if (arithmetic !== undefined) {
        value = domain.compute(arithmetic, [old, first.value]);
        from = this.union(from, fromOld);
      }
    }
    const common = { address: address.value, addressDependencies: address.from, controlDependencies: control };
    this.runs.push({ event: read, executed: state.condition, value: old, dataDependencies: this.none, ...common });
    this.runs.push({ event: write, executed, value, dataDependencies: from, ...common });
    if (operation.target !== undefined) this.write(written, operation.target, old, operation.type.kind === 's', fromOld);
  }

  private write(written: Map<string, Held<V, C>>, register: string, value: V, signed: boolean, from: Dependencies<C>): void {
    written.set(register, { value: this.domain.resize(value, this.types.get(register)?.width ?? 32, signed), from });
  }

  private register(state: State<V, C>, name: string): Held<V, C> {
    return state.registers.get(name) ?? { value: this.domain.constant(0n, this.types.get(name)?.width ?? 32), from: this.none };
  }

  private operand(state: State<V, C>, operand: Operand, width: number): Held<V, C> {
    if (operand.kind === 'constant') return { value: this.domain.constant(BigInt.asUintN(width, operand.value), width), from: this.none };
    const held = this.register(state, operand.name);
    return { value: this.domain.resize(held.value, width, false), from: held.from };
  }

  private address(state: State<V, C>, address: Address, more: number): Held<V, C> {
    const offset = address.offset + BigInt(more);
    if (address.base.kind === 'constant') return { value: this.domain.constant(address.base.value + offset, 64), from: this.none };
    const base = this.operand(state, address.base, 64);
    const value = this.domain.compute({ name: 'add', signed: false, width: 64, resultWidth: 64 }, [base.value, this.domain.constant(BigInt.asUintN(64, offset), 64)]);
    return { value: offset === 0n ? base.value : value, from: base.from };
  }

  private merge(edges: readonly Edge[]): State<V, C> {
    const states = edges
      .map((edge) => (edge.from === undefined ? this.entry : (edge.when === 'taken' ? this.taken : this.next).get(edge.from)))
      .filter((state) => state !== undefined);
    const [first, ...others] = states.filter((state) => !this.domain.isNo(state.condition));
    if (first === undefined) return { ...this.entry, condition: this.domain.no };
    return others.reduce((merged, state) => this.join(state, merged), first);
  }

  private join(a: State<V, C>, b: State<V, C>): State<V, C> {
    const { domain } = this;
    const registers = new Map<string, Held<V, C>>();
    for (const name of new Set([...a.registers.keys(), ...b.registers.keys()])) {
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
    return { condition: domain.or(a.condition, b.condition), registers, control: this.union(this.under(a.condition, a.control), this.under(b.condition, b.control)) };
  }

  private under(condition: C, dependencies: Dependencies<C>): Dependencies<C> {
    return dependencies.size === 0 ? dependencies : new Map([...dependencies].map(([event, when]) => [event, this.domain.and(condition, when)]));
  }

  private union(a: Dependencies<C>, b: Dependencies<C>): Dependencies<C> {
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

function operandWidth(arithmetic: Arithmetic, index: number): number {
  if (arithmetic.name === 'select' && index === 0) return 1;
  if ((arithmetic.name === 'shift-left' || arithmetic.name === 'shift-right') && index === 1) return 32;
  return arithmetic.width;
}
