import { type LaunchedThread, laneOf, type Shape } from '../kernel/grid.js';
import type { DataType } from '../program/data-type.js';
import type { Window } from '../program/locations.js';
import { mapOperands } from '../program/operands.js';
import type { BarrierOperation, Operand, Operation, ProgramStatement } from '../program/operation.js';
import type { Register } from '../program/program.js';
import { at, type LaneValue } from './lane-value.js';
import type { Lockstep } from './lockstep.js';
import type { Path } from './path.js';

/** Statements that may still be added at a place. */
export type Moves = ProgramStatement[];

/** What a thread executes, as it stands in the module: for writing it down. */
export type Traced =
  | { readonly kind: 'label'; readonly name: string }
  | { readonly kind: 'statements'; readonly statements: readonly ProgramStatement[] }
  | {
      readonly kind: 'instruction';
      readonly span: ProgramStatement['span'];
      /** The guard is known to hold. */
      readonly certain: boolean;
      /** What is known of a register before it. */
      readonly known: (register: string) => bigint | undefined;
      /** Of an arrival: how many it is. */
      readonly arrivals: bigint | undefined;
    };

type Item =
  | { readonly kind: 'statements'; readonly statements: Moves }
  | { readonly kind: 'label'; readonly name: string };

/** Steps of one instruction, at most. */
const LONGEST_INSTRUCTION = 4096;
const UNKNOWN_LANES: ReadonlySet<string> = new Set(['sync', 'arrive']);

/** Warp instructions to which the others give no values; elect.sync takes a lane that is run. */
const TAKES_NOTHING: ReadonlySet<string> = new Set(['converge', 'active', 'elect']);

/** No other thread finds anything there. */
const UNSHARED: ReadonlySet<Window> = new Set(['const', 'param', 'local']);

/** What a thread is told of those around it, and what is wanted of it. */
export interface SpecializationSettings {
  /** Those that are followed: threads of its warp that go the same way. */
  readonly threads: readonly LaunchedThread[];
  /** Whether a lane of its warp is run. */
  readonly isRun: (lane: number) => boolean;
  readonly shape: Shape;
  /** As how many threads it counts. */
  readonly weight: number;
  /** Some threads of its CTA are not run. */
  readonly isPartial: boolean;
  /**
   * It matters that a read has returned, whatever it reads: where a grid ends and lets a dependent one start, a
   * `fence.sc` before the read came before all of that one (PTX ISA 9.7.15.14).
   */
  readonly keepsReads: boolean;
  /** Keep what is executed. */
  readonly traces: boolean;
}

/** What is left of a kernel for one thread: the operations that do something, with numbers where values are known. */
export class SpecializedProgram {
  private readonly items: Item[] = [];
  /** Kept where it is asked for. */
  readonly traced: Traced[] = [];
  /** What no test without launches can say of it. */
  readonly unsaid = new Set<string>();
  private last = { span: 0, statement: 0, items: -1 };

  /** Registers of our own, for what lanes give of which nothing is known. */
  readonly registers = new Map<string, Register>();

  constructor(
    /** The thread's place among those that lockstep. */
    public lane: number,
    private readonly told: SpecializationSettings,
  ) {}

  /** The lanes of its warp that are run, as bits. */
  get lanesRun(): bigint {
    return Array.from({ length: 32 }, (_, lane) => lane).reduce(
      (mask, lane) => (this.told.isRun(lane) ? mask | (1n << BigInt(lane)) : mask),
      0n,
    );
  }

  private get place(): ReturnType<typeof laneOf> {
    const own = this.told.threads[this.lane];
    if (own === undefined)
      throw new Error(`no lane ${this.lane} among ${this.told.threads.length} threads that are followed`);
    return laneOf(this.told.shape, own);
  }

  /** The lanes of its warp that are not run, as bits. */
  private get lanesNotRun(): bigint {
    return this.place.warpMask & ~this.lanesRun;
  }

  /** Whether an operation does nothing but give its results. */
  onlyGives(operation: Operation): boolean {
    if (operation.kind === 'load') {
      if (operation.targets.every((target) => target === undefined)) return false;
      return !this.told.keepsReads || UNSHARED.has(operation.address.window);
    }
    return operation.kind === 'compute' || operation.kind === 'open';
  }

  /** A branch, an end, or a number put into a register. */
  step(statement: ProgramStatement): void {
    this.traced.push({ kind: 'statements', statements: [statement] });
    this.push(statement);
  }

  private push(statement: ProgramStatement): void {
    const last = this.items.at(-1);
    if (last?.kind === 'statements') last.statements.push(statement);
    else this.items.push({ kind: 'statements', statements: [statement] });
  }

  label(name: string): void {
    this.traced.push({ kind: 'label', name });
    this.items.push({ kind: 'label', name });
  }

  /** A place where statements can be added later. */
  moves(): Moves {
    const statements: Moves = [];
    this.traced.push({ kind: 'statements', statements });
    this.items.push({ kind: 'statements', statements }, { kind: 'statements', statements: [] });
    return statements;
  }

  jump(label: string, span: ProgramStatement['span']): void {
    this.step({ operation: { kind: 'branch', label }, guard: undefined, span });
  }

  /** The branch to another label; `inverted`: where it is not taken. */
  branch({ guard, span }: ProgramStatement, label: string, inverted: boolean): void {
    const own = guard === undefined ? undefined : { ...guard, negated: guard.negated !== inverted };
    this.step({ operation: { kind: 'branch', label }, guard: own, span });
  }

  operation(
    lockstep: Lockstep,
    path: Path,
    statement: ProgramStatement,
    operation: Operation,
    certain: boolean,
    isKnown: boolean,
  ): void {
    const known = (operand: Operand): Operand => {
      if (operand.kind === 'constant') return operand;
      const value = at(lockstep.value(path, operand, 128), this.lane);
      return value === undefined ? operand : { kind: 'constant', value };
    };
    if (operation.kind === 'barrier' && this.isIdle(lockstep, path, operation, isKnown)) return;
    const weight = lockstep.code.ofLeaders.has(path.at) ? 1 : this.told.weight;
    const own = this.counted(mapOperands(operation, known), weight);
    if (this.told.traces) this.trace(lockstep, path, statement, own, certain);
    const guard = certain ? undefined : statement.guard;
    const all =
      own.kind === 'barrier' && operation.kind === 'barrier'
        ? this.withRepresented(lockstep, path, own, operation, statement)
        : own;
    const { reduction } = all.kind === 'barrier' ? all : {};
    if (reduction?.operation === 'active' && this.lanesNotRun !== 0n) {
      this.activeLanes(reduction.target, guard, statement.span);
      return;
    }
    if (all.kind !== 'barrier' || reduction === undefined || all.level !== 'cta' || !this.told.isPartial) {
      this.push({ operation: all, guard, span: statement.span });
      return;
    }
    // What it returns depends on threads that are not run; that it reduces something others must match (9.7.15.1).
    this.unsaid.add('a reduction at a barrier by threads that are not run');
    const { target, resultWidth } = reduction;
    const { reduction: _, ...rest } = all;
    const type: DataType = { kind: 'b', width: resultWidth };
    const result: Operation = { kind: 'open', target, type, function: undefined, operands: [] };
    this.push({ operation: rest, guard, span: statement.span });
    this.push({ operation: result, guard, span: statement.span });
  }

  /** What activemask returns where some lanes are not run: the bit of its own lane, and any of the warp's others. */
  private activeLanes(target: string, guard: ProgramStatement['guard'], span: ProgramStatement['span']): void {
    this.unsaid.add('activemask in a warp some lanes of which are not run');
    const type: DataType = { kind: 'b', width: 32 };
    const bitwise = (name: 'and' | 'or', value: bigint): Operation => {
      const operands: readonly Operand[] = [{ kind: 'register', name: target }, constant(value)];
      const arithmetic = { name, signed: false, width: 32, resultWidth: 32 } as const;
      return { kind: 'compute', target, type, arithmetic, operands };
    };
    const { lane, warpMask } = this.place;
    for (const operation of [
      { kind: 'open', target, type, function: undefined, operands: [] } as const,
      bitwise('and', warpMask),
      bitwise('or', 1n << BigInt(lane)),
    ])
      this.push({ operation, guard, span });
  }

  /** A step whose result is known: of an instruction that works by registers of our own, such as wgmma.fence. */
  settled(lockstep: Lockstep, path: Path, statement: ProgramStatement, operation: Operation): void {
    const isOurs = operation.kind === 'compute' && /^#\D/.test(operation.target);
    if (this.told.traces && isOurs) this.trace(lockstep, path, statement, operation, true);
  }

  /** An instruction may take several steps: the first of them that is left stands for it. */
  private trace(lockstep: Lockstep, path: Path, { span }: ProgramStatement, own: Operation, certain: boolean): void {
    const { last } = this;
    const isSame =
      last.span === span.start && path.at > last.statement && path.at - last.statement < LONGEST_INSTRUCTION;
    this.last = { span: span.start, statement: path.at, items: this.traced.length };
    if (isSame && last.items === this.traced.length) return;
    const state = [...path.state];
    const arrivals =
      own.kind === 'mbarrier' && own.action === 'arrive' && this.told.weight > 1 && own.count.kind === 'constant'
        ? own.count.value
        : undefined;
    this.traced.push({
      kind: 'instruction',
      span,
      certain,
      known: (register) => at(state[lockstep.code.indexOf.get(register) ?? -1], this.lane),
      arrivals,
    });
    this.last = { ...this.last, items: this.traced.length };
  }

  /**
   * A warp instruction that nobody else in the warp is run to meet, and whose result nothing asks for; that a lane is
   * not in its own mask is undefined.
   */
  private isIdle(lockstep: Lockstep, path: Path, operation: BarrierOperation, isKnown: boolean): boolean {
    const { level, id, reduction } = operation;
    if (level !== 'lanes' || reduction === undefined) return false;
    const { lane } = this.place;
    const mask = at(lockstep.value(path, id, 32), this.lane);
    if (operation.action === 'red' && mask !== undefined && ((mask >> BigInt(lane)) & 1n) === 0n) return false;
    const isAlone = !Array.from({ length: 32 }, (_, other) => other).some(
      (other) => other !== lane && this.told.isRun(other),
    );
    return isAlone && (isKnown || !lockstep.isAsked(path, reduction.target));
  }

  /** What is counted by threads, for all that the thread stands for. */
  private counted(operation: Operation, weight: number): Operation {
    if (weight === 1) return operation;
    const times = (operand: Operand): Operand =>
      operand.kind === 'constant' ? { kind: 'constant', value: operand.value * BigInt(weight) } : operand;
    if (operation.kind === 'async' && operation.completion.kind === 'mbarrier') {
      this.unsaid.add('copies of represented threads that an mbarrier counts');
      return { ...operation, completion: { ...operation.completion, times: weight } };
    }
    if (operation.kind === 'launch-dependents') {
      this.unsaid.add('griddepcontrol.launch_dependents of represented threads');
      return { ...operation, represented: true };
    }
    if (operation.kind !== 'mbarrier') return operation;
    if (operation.action === 'init' || operation.action === 'inval' || operation.action === 'wait') return operation;
    if (operation.action !== 'arrive' || operation.expect !== undefined)
      this.unsaid.add(`mbarrier.${operation.action} of represented threads`);
    switch (operation.action) {
      case 'arrive': {
        const { count, expect } = operation;
        return { ...operation, count: times(count), expect: expect === undefined ? undefined : times(expect) };
      }
      case 'expect_tx':
      case 'complete_tx':
        return { ...operation, bytes: times(operation.bytes) };
      case 'async_arrive':
        return operation.increment ? operation : { ...operation, arrivals: weight };
    }
  }

  /** A warp instruction, with what the lanes give that are not run. */
  private withRepresented(
    lockstep: Lockstep,
    path: Path,
    operation: BarrierOperation,
    given: BarrierOperation,
    { span }: ProgramStatement,
  ): BarrierOperation {
    const { reduction, level, action, id } = operation;
    if (reduction === undefined || UNKNOWN_LANES.has(action) || given.reduction === undefined) return operation;
    if (level !== 'lanes' || id.kind !== 'constant') return operation;
    if (TAKES_NOTHING.has(reduction.operation)) return operation;
    const { warpMask } = this.place;
    const values: LaneValue = lockstep.value(path, given.reduction.value, reduction.width);
    const places = new Map(this.told.threads.map((thread, place) => [laneOf(this.told.shape, thread).lane, place]));
    const represented = Array.from({ length: 32 }, (_, lane) => lane)
      .filter((lane) => (((id.value & warpMask) >> BigInt(lane)) & 1n) === 1n && !this.told.isRun(lane))
      .map((lane) => {
        const place = places.get(lane);
        const value = place === undefined ? undefined : at(values, place);
        return { lane, value: value === undefined ? this.unknown(reduction.width, span) : constant(value) };
      });
    if (represented.length > 0) this.unsaid.add('what lanes give to a warp instruction that are not run');
    return represented.length === 0 ? operation : { ...operation, reduction: { ...reduction, represented } };
  }

  private unknown(width: number, span: ProgramStatement['span']): Operand {
    const name = `#lane${this.registers.size}`;
    const type: DataType = { kind: 'b', width };
    this.registers.set(name, { name, type, initial: 0n });
    this.push({
      operation: { kind: 'open', target: name, type, function: undefined, operands: [] },
      guard: undefined,
      span,
    });
    return { kind: 'register', name };
  }

  /** The statements, and the one before which each label stands. */
  finished(): { readonly statements: readonly ProgramStatement[]; readonly labels: ReadonlyMap<string, number> } {
    const statements: ProgramStatement[] = [];
    const labels = new Map<string, number>();
    for (const item of this.items)
      if (item.kind === 'label') labels.set(item.name, statements.length);
      else statements.push(...item.statements);
    return { statements, labels };
  }
}

const constant = (value: bigint): Operand => ({ kind: 'constant', value });
