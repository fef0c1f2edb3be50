import { type Code, spanAt } from '../kernel/code.js';
import type { PlacedLane } from '../kernel/grid.js';
import type { Manner, Window } from '../program/locations.js';
import { registersWritten } from '../program/operands.js';
import type { Address, Operand, Operation, ProgramStatement } from '../program/operation.js';
import type { CheckBudget } from '../program/undecided.js';
import { move } from './lane-arithmetic.js';
import { agreed, at, each, type LaneValue, lift, same } from './lane-value.js';
import { anyOrigins, type BaseOf, isKnownToAll, originsOfKnown, originsOfResult, sameOrigins } from './origins.js';
import { type Fork, type Path, parted } from './path.js';
import { resultsOf } from './results.js';
import type { Moves, SpecializedProgram } from './specialized-program.js';

/** What is known of memory before the launch. */
export interface KnownMemory {
  /** Some bytes; undefined where they are not known, or the access that they are of is undefined. */
  readonly contents: (address: bigint, bytes: number, access: KnownAccess) => bigint | undefined;
  readonly baseOf: BaseOf;
}

/** An access to memory that may be known. */
export interface KnownAccess {
  readonly address: bigint;
  readonly bytes: number;
  readonly window: Window;
  readonly manner: Manner;
}

/** What is told on the way. */
export interface LockstepHooks {
  /** The threads of a path come to an operation. */
  readonly onOperation?: (lockstep: Lockstep, path: Path) => void;
  /** Threads come to an instruction that has no meaning. */
  readonly onRefused?: (statement: number) => void;
  /** They come to a trap, or once more to a loop in the same state. */
  readonly onStop?: (path: Path) => void;
  /** Asked now and then whether there is time to go on. */
  readonly checkBudget?: CheckBudget;
}

/** Following that does not end; `statement`: in the loop that begins there. */
export class EndlessExecution extends Error {
  constructor(readonly statement: number) {
    super('following a kernel does not end');
  }
}

/** A loop whose rounds are not told apart by what is known: its registers are taken as unknown. */
class Widened extends Error {}

/** Rounds of one loop that may be entered while it is not known whether they are; then it is kept as a loop. */
const MOST_UNCERTAIN_ROUNDS = 48;
/** Rounds of one loop in all: one that goes on may be endless, and is kept as a loop then. */
const MOST_ROUNDS = 1 << 18;
/** Earlier rounds of a loop that a round is held against. */
const MOST_COMPARED = 64;
const MOST_STEPS = 4_000_000;

/**
 * Follows threads through a kernel by what is known before the launch. Where that settles a branch, threads that go
 * different ways part for good; where it does not, both ways are gone, up to where they come together.
 */
export class Lockstep {
  private steps = 0;
  private labels = 0;

  constructor(
    readonly code: Code,
    readonly lanes: readonly PlacedLane[],
    readonly memory: KnownMemory,
    /** Headers of loops whose registers are taken as unknown. */
    private readonly widened: Set<number>,
    private readonly hooks: LockstepHooks = {},
  ) {}

  /** The threads that go the same way to the end, group by group. */
  run(initial: ReadonlyMap<string, LaneValue>, specialized?: SpecializedProgram): readonly (readonly number[])[] {
    const own = this.lanes.map((_, lane) => lane);
    const start: Path = {
      lanes: own,
      at: 0,
      state: this.code.names.map((name) => initial.get(name) ?? this.code.registers.get(name)?.initial ?? 0n),
      forks: [],
      rounds: new Map(),
      specialized,
      origins: new Map(),
    };
    const paths = [start];
    const groups: (readonly number[])[] = [];
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      for (;;) {
        const parts = this.step(path);
        if (parts === 'ended') {
          groups.push(path.lanes);
          break;
        }
        if (parts === undefined) continue;
        paths.push(...parts.toReversed());
        break;
      }
    }
    return groups;
  }

  /** One step; gives the parts where threads part, and 'ended' at the end. */
  private step(path: Path): readonly Path[] | 'ended' | undefined {
    this.steps += 1;
    if (this.steps % 1024 === 0) this.hooks.checkBudget?.();
    if (this.steps > MOST_STEPS) throw new EndlessExecution(path.at);
    const fork = path.forks.at(-1);
    if (fork !== undefined && path.at === fork.join) {
      this.arrive(path, fork);
      return undefined;
    }
    const statement = this.code.statements[path.at];
    if (statement === undefined) {
      this.settle(path);
      return this.endArm(path);
    }
    if (this.code.headers.has(path.at) && this.closes(path)) return this.endArm(path);
    if (this.code.idleBranches.has(path.at)) {
      path.at = this.code.joins[path.at] ?? this.code.statements.length;
      return undefined;
    }
    const { operation, guard } = statement;
    const held = guard === undefined ? undefined : this.truthOf(path, guard);
    if (typeof held === 'object') return parted(path, held);
    const executes = guard === undefined ? 1n : held;
    if (executes === 0n) {
      path.at += 1;
      return undefined;
    }
    if (this.code.refused.has(path.at)) this.hooks.onRefused?.(path.at);
    if (operation.kind === 'branch') {
      if (executes === undefined) this.fork(path, statement);
      else path.at = this.code.targets[path.at] ?? this.code.statements.length;
      return undefined;
    }
    if (operation.kind === 'exit' || operation.kind === 'trap') {
      if (operation.kind === 'trap') this.hooks.onStop?.(path);
      this.settle(path);
      path.specialized?.step(executes === undefined ? statement : { ...statement, guard: undefined });
      path.at += 1;
      return executes === undefined ? undefined : this.endArm(path);
    }
    this.execute(path, statement, operation, executes === 1n);
    path.at += 1;
    return undefined;
  }

  private truthOf(path: Path, { register, negated }: NonNullable<ProgramStatement['guard']>): LaneValue {
    const value = path.state[this.code.indexOf.get(register) ?? -1];
    const truth = (bits: bigint | undefined): bigint | undefined =>
      bits === undefined ? undefined : (bits & 1n) === (negated ? 0n : 1n) ? 1n : 0n;
    return typeof value === 'object' ? each(path.lanes.length, (lane) => truth(value[lane])) : truth(value);
  }

  /** Whether control has been here in the same state: then a loop is closed, if not, the state is kept. */
  private closes(path: Path): boolean {
    if (this.widened.has(path.at)) this.widen(path);
    const depth = path.forks.length;
    const rounds = path.rounds.get(path.at) ?? { recent: [], entered: depth, uncertain: 0, all: 0 };
    const known = rounds.recent.find((one) => this.isSame(path.at, one, path));
    if (known !== undefined) {
      path.specialized?.jump(known.label, spanAt(this.code, path.at));
      this.hooks.onStop?.(path);
      return true;
    }
    if (rounds.uncertain > MOST_UNCERTAIN_ROUNDS || rounds.all > MOST_ROUNDS) {
      if (this.widened.has(path.at)) throw new EndlessExecution(path.at);
      this.widened.add(path.at);
      throw new Widened();
    }
    const label = this.label();
    path.specialized?.label(label);
    path.rounds.set(path.at, {
      ...rounds,
      recent: [...rounds.recent.slice(1 - MOST_COMPARED), { state: [...path.state], origins: path.origins, label }],
      uncertain: rounds.uncertain + (depth > rounds.entered ? 1 : 0),
      all: rounds.all + 1,
    });
    return false;
  }

  private isSame(header: number, a: Pick<Path, 'state' | 'origins'>, b: Path): boolean {
    const live = this.code.liveAt(header);
    const isSameState = live.every((register) => same(a.state[register], b.state[register]));
    return isSameState && (b.specialized !== undefined || sameOrigins(a.origins, b.origins, live));
  }

  /** Before a loop that is kept as one, what its rounds change is put into the registers, and known no more. */
  private widen(path: Path): void {
    const moves = path.specialized?.moves();
    for (const register of this.code.writtenInLoop(path.at)) {
      this.moveInto(moves, path, register, path.state[register]);
      path.state[register] = undefined;
      this.pointTo(path, register, undefined);
    }
  }

  private moveInto(moves: Moves | undefined, path: Path, register: number, value: LaneValue): void {
    const bits = at(value, path.specialized?.lane ?? 0);
    const found = this.code.registers.get(this.code.names[register] ?? '');
    const { span } = this.code.statements[path.at] ?? this.code.statements.at(-1) ?? {};
    if (moves !== undefined && bits !== undefined && found !== undefined && span !== undefined)
      moves.push(move(found, bits, span));
  }

  private readonly label = () => `#${++this.labels}`;

  private fork(path: Path, statement: ProgramStatement): void {
    const index = path.at;
    const target = this.code.targets[index] ?? this.code.statements.length;
    const join = this.code.joins[index] ?? this.code.statements.length;
    const back = this.code.headers.has(target)
      ? path.rounds.get(target)?.recent.find((one) => this.isSame(target, one, path))
      : undefined;
    path.at = index + 1;
    if (back !== undefined && !this.widened.has(target)) {
      path.specialized?.branch(statement, back.label, false);
      return;
    }
    const label = this.label();
    const fork: Fork = { join, label, other: undefined, reached: undefined, ends: [] };
    path.forks.push(fork);
    if (target === join || index + 1 === join) {
      fork.ends.push({ state: [...path.state], origins: path.origins, moves: path.specialized?.moves() });
      fork.reached = [...path.state];
      path.specialized?.branch(statement, label, target !== join);
      if (target !== join) path.at = target;
      return;
    }
    const second = this.label();
    fork.other = { at: target, state: [...path.state], origins: path.origins, label: second };
    path.specialized?.branch(statement, second, false);
  }

  /** A way of a fork comes to where both come together. */
  private arrive(path: Path, fork: Fork): void {
    const { reached, other } = fork;
    fork.ends.push({ state: path.state, origins: path.origins, moves: path.specialized?.moves() });
    fork.reached =
      reached === undefined ? path.state : reached.map((value, i) => agreed(path.lanes.length, value, path.state[i]));
    if (other === undefined) this.join(path, fork);
    else {
      path.specialized?.jump(fork.label, spanAt(this.code, path.at));
      this.takeOther(path, fork, other);
    }
  }

  private takeOther(path: Path, fork: Fork, other: NonNullable<Fork['other']>): void {
    fork.other = undefined;
    path.specialized?.label(other.label);
    path.at = other.at;
    path.state = [...other.state];
    path.origins = other.origins;
  }

  /** Both ways are gone: what they do not agree on is put into registers at the end of each. */
  private join(path: Path, fork: Fork): void {
    path.forks.pop();
    const reached = fork.reached ?? path.state;
    const lane = path.specialized?.lane ?? 0;
    const origins = new Map<number, readonly LaneValue[]>();
    for (const register of this.code.liveAt(fork.join)) {
      if (at(reached[register], lane) === undefined)
        for (const { state, moves } of fork.ends) this.moveInto(moves, path, register, state[register]);
      if (isKnownToAll(reached[register])) continue;
      const own = anyOrigins(fork.ends.map((end) => this.originsIn({ ...end, lanes: path.lanes }, register)));
      if (own !== undefined) origins.set(register, own);
    }
    path.specialized?.label(fork.label);
    path.at = fork.join;
    path.state = [...reached];
    path.origins = origins;
  }

  /** Where a thread may end, what is known of registers that are asked for is put into them. */
  private settle(path: Path): void {
    if (path.specialized === undefined) return;
    const moves = path.specialized.moves();
    for (const register of this.code.liveAt(this.code.statements.length))
      this.moveInto(moves, path, register, path.state[register]);
  }

  /** A way ends without coming to where it would meet the other. */
  private endArm(path: Path): 'ended' | undefined {
    const fork = path.forks.at(-1);
    if (fork === undefined) return 'ended';
    if (fork.other !== undefined) this.takeOther(path, fork, fork.other);
    else if (fork.reached !== undefined) this.join(path, fork);
    else {
      path.forks.pop();
      return this.endArm(path);
    }
    return undefined;
  }

  private execute(
    path: Path,
    statement: ProgramStatement,
    operation: Exclude<Operation, { kind: 'branch' | 'exit' | 'trap' }>,
    certain: boolean,
  ): void {
    this.hooks.onOperation?.(this, path);
    const lane = path.specialized?.lane ?? 0;
    const results = certain ? resultsOf(this, path, operation) : undefined;
    const isKnown = results?.every(([, value]) => at(value, lane) !== undefined) === true;
    const isStatic = isKnown && path.specialized?.onlyGives(operation) === true;
    const fulfilled = operation.kind === 'require' && this.value(path, operation.value, 1) === 1n;
    if (!isStatic && !fulfilled) {
      // Under a guard the old value may stay.
      if (!certain)
        for (const name of registersWritten(operation)) {
          const register = this.code.indexOf.get(name) ?? -1;
          this.moveInto(path.specialized?.moves(), path, register, path.state[register]);
        }
      path.specialized?.operation(this, path, statement, operation, certain, isKnown);
    }
    if (isStatic) path.specialized?.settled(this, path, statement, operation);
    for (const name of registersWritten(operation)) {
      const register = this.code.indexOf.get(name);
      if (register === undefined) continue;
      const value = results?.find(([other]) => other === name)?.[1];
      const old = certain ? [] : [this.originsIn(path, register)];
      const origins = isKnownToAll(value) ? undefined : anyOrigins([this.originsOf(path, operation), ...old]);
      path.state[register] = value;
      this.pointTo(path, register, origins);
    }
  }

  private pointTo(path: Path, register: number, origins: readonly LaneValue[] | undefined): void {
    if (origins === undefined && !path.origins.has(register)) return;
    const all = new Map(path.origins);
    if (origins === undefined) all.delete(register);
    else all.set(register, origins);
    path.origins = all;
  }

  /** Where the result of an operation may point to. */
  private originsOf(path: Path, operation: Operation): readonly LaneValue[] | undefined {
    if (operation.kind !== 'compute') return undefined;
    const operands = operation.operands.map((operand) =>
      operand.kind === 'constant'
        ? originsOfKnown(operand.value, path.lanes.length, this.memory.baseOf)
        : this.originsIn(path, this.code.indexOf.get(operand.name) ?? -1),
    );
    return originsOfResult(operands, operation.arithmetic.name === 'select');
  }

  private originsIn(
    path: Pick<Path, 'state' | 'origins' | 'lanes'>,
    register: number,
  ): readonly LaneValue[] | undefined {
    const value = path.state[register];
    return isKnownToAll(value)
      ? originsOfKnown(value, path.lanes.length, this.memory.baseOf)
      : path.origins.get(register);
  }

  /** Where an address that is not known may lie; undefined: anywhere. */
  origins(path: Path, { base }: Address): readonly LaneValue[] | undefined {
    return base.kind === 'constant' ? [base.value] : path.origins.get(this.code.indexOf.get(base.name) ?? -1);
  }

  /** Whether the value that an operation puts into a register is used, and is not known. */
  isAsked(path: Path, target: string): boolean {
    const register = this.code.indexOf.get(target);
    return register !== undefined && this.code.liveAt(path.at + 1).includes(register);
  }

  value(path: Path, operand: Operand, width: number): LaneValue {
    if (operand.kind === 'constant') return BigInt.asUintN(width, operand.value);
    const held = path.state[this.code.indexOf.get(operand.name) ?? -1];
    const own = this.code.registers.get(operand.name)?.type.width ?? 0;
    return own <= width ? held : lift(path.lanes.length, [held], ([bits = 0n]) => BigInt.asUintN(width, bits));
  }

  address(path: Path, { base, offset }: Address): LaneValue {
    return lift(path.lanes.length, [this.value(path, base, 64)], ([bits = 0n]) => BigInt.asUintN(64, bits + offset));
  }
}

/** Follows; where a loop turns out to be one of which the rounds are not known, once more from the beginning. */
export function widening<T>(follow: () => T): T {
  for (;;) {
    try {
      return follow();
    } catch (thrown) {
      if (!(thrown instanceof Widened)) throw thrown;
    }
  }
}
