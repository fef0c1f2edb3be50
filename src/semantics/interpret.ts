import type { EventStructure } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import { ofKind } from '../events/program-event.js';
import type { DataType } from '../program/data-type.js';
import { type FloatFunction, isChoice, widthOf } from '../program/float-function.js';
import { atomicArithmetic } from '../program/integer.js';
import { operandWidth } from '../program/operand-width.js';
import type { AtomicOperation, BarrierOperation, Operation } from '../program/operation.js';
import type { Node, UnrolledThread } from '../unroll/unroll.js';
import { collectiveResult } from './collective-result.js';
import { electionResult } from './elections.js';
import { NodeExecution } from './node-execution.js';
import { ThreadStates } from './thread-states.js';
import type {
  Dependencies,
  EventRun,
  RegisterValue,
  State,
  Surroundings,
  ThreadRun,
  ValueDomain,
} from './value-domain.js';

/** Runs an unrolled thread in a domain: every node once, states merged where control flow joins. */
export function interpretThread<V, C>(
  structure: EventStructure,
  threadIndex: number,
  domain: ValueDomain<V, C>,
  environment: Surroundings<V, C>,
): ThreadRun<V, C> {
  const unrolled = structure.threads[threadIndex];
  if (unrolled === undefined) throw new Error(`no thread ${threadIndex}`);
  return new Interpreter(structure, threadIndex, domain, environment).run(unrolled);
}

export class Interpreter<V, C> extends ThreadStates<V, C> {
  private blocked: C;
  private halted: C;
  private assumed: C;
  private readonly spinning: ReadonlySet<number | undefined>;
  private readonly runs: EventRun<V, C>[] = [];

  constructor(
    readonly structure: EventStructure,
    private readonly threadIndex: number,
    domain: ValueDomain<V, C>,
    readonly environment: Surroundings<V, C>,
    /** What registers hold at first. */
    registers = structure.program.threads[threadIndex]?.registers ?? new Map(),
  ) {
    super(domain, registers, structure.threads[threadIndex]?.joins ?? new Map());
    this.blocked = domain.no;
    this.halted = domain.no;
    this.assumed = domain.yes;
    this.spinning = new Set(
      environment.leavesLoops === true ? structure.threads[threadIndex]?.spins.map(({ edge }) => edge.from) : [],
    );
  }

  run({ nodes, ends, cuts, traps, spins }: UnrolledThread): ThreadRun<V, C> {
    for (const node of nodes) this.step(node);
    const end = this.goesOn(nodes.length, this.merge(ends, nodes.length));
    const registers = new Map([...end.registers.all()].map(([name, held]) => [name, held.value]));
    for (const event of this.structure.eventsOf(this.threadIndex, nodes.length))
      this.record({
        event,
        executed: end.condition,
        addressDependencies: this.none,
        dataDependencies: this.none,
        controlDependencies: this.controlOf(end),
      });
    const cut = this.merge(cuts);
    return {
      events: this.runs,
      registers,
      ended: end.condition,
      cut: cut.condition,
      cutDependencies: this.controlOf(cut),
      trapped: this.merge(traps).condition,
      spins: spins.map(({ edge }) => this.merge([edge]).condition),
      blocked: this.blocked,
      halted: this.halted,
      assumed: this.assumed,
    };
  }

  /** Notes that an event is executed. (Runs are made in great numbers: what is spread last costs V8 far less.) */
  record(run: EventRun<V, C>): void {
    this.runs.push(run);
  }

  private step(node: Node): void {
    const before = this.goesOn(node.id, this.merge(node.incoming, node.id));
    const { operation, guard } = node.statement;
    const { domain } = this;
    this.environment.visits?.(node, before.registers, before.condition);
    let executes = before.condition;
    let holds = domain.yes;
    let guardFrom: Dependencies<C> = this.none;
    if (guard !== undefined) {
      const held = this.register(before, guard.register);
      const truth = domain.truth(held.value);
      holds = guard.negated ? domain.not(truth) : truth;
      executes = domain.and(executes, holds);
      guardFrom = held.from;
    }
    if (operation.kind === 'branch' || operation.kind === 'exit' || operation.kind === 'trap') {
      const branch = { from: guardFrom, reached: before.condition, isPassedByAll: true };
      const control = guard === undefined ? before.control : new Map([...before.control, [node.id, branch]]);
      if (guard !== undefined && this.spinning.has(node.id)) {
        this.assumed = domain.and(this.assumed, domain.not(executes));
        this.next.set(node.id, { ...before, control });
        return;
      }
      this.taken.set(node.id, { ...before, condition: executes, control });
      const falls = guard === undefined ? domain.no : domain.and(before.condition, domain.not(executes));
      this.next.set(node.id, { ...before, condition: falls, control });
      return;
    }
    const written = this.execute(
      node,
      operation,
      { ...before, condition: executes },
      this.union(this.controlOf(before), guardFrom),
    );
    const after = this.pass(node, before, executes);
    if (written.size === 0) {
      this.next.set(node.id, after);
      return;
    }
    if (guard === undefined) {
      this.next.set(node.id, { ...after, registers: before.registers.with(written) });
      return;
    }
    const registers = new Map<string, RegisterValue<V, C>>();
    for (const [name, held] of written) {
      // Under a guard the register is a choice between the new and the old value, and depends on the guard too; whether
      // control comes here at all does not matter to what it holds if it does.
      const old = this.register(before, name);
      registers.set(name, {
        value: domain.choose(holds, held.value, old.value),
        from: this.union(this.union(held.from, guardFrom), old.from),
      });
    }
    this.next.set(node.id, { ...after, registers: before.registers.with(registers) });
  }

  /** Where a thread may stop for good before a node, control comes to it only if it does not. */
  private goesOn(node: number, before: State<V, C>): State<V, C> {
    const { domain, environment, structure } = this;
    if (structure.halts === undefined || environment.halts === undefined) return before;
    if (structure.halts === 'at the start' && node > 0) return before;
    const halts = domain.and(before.condition, environment.halts(this.threadIndex, node, before.condition));
    this.halted = domain.or(this.halted, halts);
    return this.without(halts, before);
  }

  /** Control goes on only past what does not keep the thread for ever. */
  private pass(node: Node, before: State<V, C>, executes: C): State<V, C> {
    const { domain } = this;
    const waiting = this.structure.eventsOf(this.threadIndex, node.id).filter(canBlock);
    if (waiting.length === 0) return before;
    const passes = waiting.map((event) => this.environment.passes(event, executes));
    const goesOn = passes.reduce((all, one) => domain.and(all, one));
    const kept = domain.and(executes, domain.not(goesOn));
    this.blocked = domain.or(this.blocked, kept);
    return this.without(kept, before);
  }

  /** Executes one operation and gives the registers it writes. */
  private execute(
    node: Node,
    operation: Operation,
    state: State<V, C>,
    control: Dependencies<C>,
  ): ReadonlyMap<string, RegisterValue<V, C>> {
    if (operation.kind === 'compute' || operation.kind === 'open') return this.computed(node, operation, state);
    const effects = new NodeExecution(this, node.id, state, control);
    effects.run(this.structure.eventsOf(this.threadIndex, node.id));
    return effects.written;
  }

  /** What a register computed from registers holds. */
  private computed(
    node: Node,
    operation: Extract<Operation, { kind: 'compute' | 'open' }>,
    state: State<V, C>,
  ): ReadonlyMap<string, RegisterValue<V, C>> {
    const written = new Map<string, RegisterValue<V, C>>();
    const of = operation.kind === 'open' ? operation.function : undefined;
    const operands = operation.operands.map((operand, i) => {
      if (operation.kind === 'compute') return this.operand(state, operand, operandWidth(operation.arithmetic, i));
      return this.operand(state, operand, of === undefined ? operation.type.width : widthOf(of.from));
    });
    const { value, from } =
      operation.kind === 'open'
        ? this.openValue(`${node.id}`, operation.type.width, of, operands, state.condition)
        : {
            value: this.domain.compute(
              operation.arithmetic,
              operands.map((operand) => operand.value),
            ),
            from: this.fromAll(operands),
          };
    this.write(written, operation.target, value, operation.type.kind === 's', from);
    return written;
  }

  private fromAll(operands: readonly RegisterValue<V, C>[]): Dependencies<C> {
    return operands.reduce<Dependencies<C>>((all, { from }) => this.union(all, from), this.none);
  }

  openValue(
    step: string,
    width: number,
    of: FloatFunction | undefined,
    operands: readonly RegisterValue<V, C>[],
    executed = this.domain.yes,
  ): RegisterValue<V, C> {
    const [name, values] = [`${this.threadIndex}/${step}`, operands.map(({ value }) => value)];
    return {
      value: isChoice(of)
        ? this.environment.either(name, values as [V, V], executed)
        : this.environment.open(name, width, of, values),
      from: this.fromAll(operands),
    };
  }

  /** A barrier or a warp instruction. */
  barrier(
    operation: BarrierOperation,
    event: ProgramEvent,
    state: State<V, C>,
    control: Dependencies<C>,
    written: Map<string, RegisterValue<V, C>>,
  ): void {
    const { reduction } = operation;
    const id = this.operand(state, operation.id, 32);
    const count = operation.count === undefined ? undefined : this.operand(state, operation.count, 32);
    const given = reduction === undefined ? undefined : this.operand(state, reduction.value, reduction.width);
    const represented = (reduction?.represented ?? []).map(({ lane, value }) => ({
      lane,
      present: this.domain.yes,
      value: this.operand(state, value, reduction?.width ?? 32).value,
    }));
    const results =
      reduction === undefined
        ? []
        : [
            {
              target: reduction.target,
              result:
                this.resultAlone(operation, event, id.value, given?.value, represented) ??
                this.environment.barrierResult(ofKind('barrier', event)),
            },
          ];
    this.record({
      event,
      executed: state.condition,
      barrierId: id.value,
      addressDependencies: this.none,
      dataDependencies: [id, count, given].reduce(
        (all, operand) => this.union(all, operand?.from ?? this.none),
        this.none,
      ),
      controlDependencies: control,
      ...(count === undefined ? {} : { barrierCount: count.value }),
      ...(given === undefined ? {} : { value: given.value }),
      ...(represented.length === 0 ? {} : { represented }),
      ...results.map(({ result }) => ({ result }))[0],
    });
    // In a domain of values that are partly unknown the result may be so too; the target then is.
    for (const { target, result } of results)
      if (target !== '') this.write(written, target, result, false, given?.from ?? this.none);
  }

  /** The result of a warp instruction in a warp of which the test shows one lane. */
  private resultAlone(
    { level, reduction }: BarrierOperation,
    event: ProgramEvent,
    mask: V,
    value: V | undefined,
    represented: NonNullable<EventRun<V, C>['represented']>,
  ): V | undefined {
    const { lane, lanes } = event.placement;
    if (level !== 'lanes' || lanes > 1 || reduction === undefined || value === undefined) return undefined;
    if (reduction.operation === 'active') return this.domain.constant(1n << BigInt(lane), reduction.resultWidth);
    if (reduction.operation === 'elect') return this.domain.constant(electionResult(lane, lane), reduction.resultWidth);
    const own = { lane, value };
    // What a lane gives that is not in its own mask is undefined; what it gets is what the others make of it.
    const present = this.domain.truth(
      this.domain.compute({ name: 'and', signed: false, width: 32, resultWidth: 32 }, [
        mask,
        this.domain.constant(1n << BigInt(lane), 32),
      ]),
    );
    return collectiveResult(this.domain, reduction, own, [{ ...own, present }, ...represented]);
  }

  /** The new value of an atomic or a reduction; of exch the operand itself. */
  update(
    operation: AtomicOperation,
    type: DataType,
    old: RegisterValue<V, C>,
    operand: RegisterValue<V, C>,
  ): RegisterValue<V, C> {
    const arithmetic = atomicArithmetic(operation, type);
    if (arithmetic === undefined) return operand;
    const value = this.domain.compute(arithmetic, [old.value, operand.value]);
    return { value, from: this.union(operand.from, old.from) };
  }
}

/** Whether a thread may be kept at an event for ever; an mbarrier wait never blocks, its loop does. */
export function canBlock({ barrier, grid }: ProgramEvent): boolean {
  return grid !== undefined || (barrier !== undefined && barrier.action !== 'arrive');
}
