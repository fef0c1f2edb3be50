import type { Term } from '../../src/syntax/condition-ast.js';
import { cut, extend, type Instruction, type Source, UPDATES } from './decode.js';
import type { Layout, Thread } from './layout.js';
import {
  candidates,
  type Event,
  type Events,
  morallyStrong,
  type Run,
  type Setting,
  tokenOf,
  touches,
} from './model.js';

/**
 * All runs of one thread alone: every way through its code, every candidate value for every read, both answers of every
 * wait, and at every barrier, start of a grid and wait for one both to go on and to stay. Each register carries the
 * events on whose results it depends (PTX ISA "No Thin Air"). A round of a loop that leaves the live registers as they
 * were and changes no memory ends the run: whatever follows it also follows without it, so such rounds matter only for
 * waiting for ever.
 */
type Register = { readonly value: bigint; readonly deps: bigint };
type Registers = ReadonlyMap<string, Register>;

interface State {
  readonly pc: number;
  readonly events: Events;
  readonly registers: Registers;
  /** Branches whose ways have not joined yet. */
  readonly control: readonly { readonly branch: number; readonly deps: bigint }[];
  /** How often each backward branch was taken. */
  readonly taken: ReadonlyMap<number, number>;
  /** By instruction: the state when it was reached last. */
  readonly visited: ReadonlyMap<number, State>;
  readonly ending?: Run['ending'];
  readonly idleFrom?: number;
}

type Code = readonly Instruction[];
type Terms = readonly Term[];
const UNSET: Register = { value: 0n, deps: 0n };

/** `writes` are those that any run is known to make. */
export function runsOf(thread: Thread, code: Code, layout: Layout, writes: Events, terms: Terms, setting: Setting) {
  const observed = terms.filter((term) => term.kind === 'register').filter((term) => term.thread === thread.name);
  const flow = new ControlFlow(code, new Set(observed.map((term) => term.register)));
  const cta = layout.threads.filter((other) => other.cta === thread.cta);
  const aloneInWarp = cta.every((other) => other === thread || other.warp !== thread.warp);
  const goTo = (state: State, pc: number): State => {
    const joined = state.control.filter(({ branch }) => flow.joins[branch] === pc);
    let { registers } = state;
    for (const { branch, deps } of joined)
      for (const name of flow.assigned(branch)) registers = depend(registers, name, deps);
    const next = { ...state, pc, registers, control: state.control.filter((one) => !joined.includes(one)) };
    return { ...next, visited: new Map(state.visited).set(pc, next) };
  };
  const jump = (state: State, to: number): State => {
    const before = state.visited.get(to);
    if (to > state.pc || before === undefined) return goTo(state, to);
    const idleFrom = before.events.length;
    const changed = [...state.registers].filter(
      ([name, { value }]) => value !== (before.registers.get(name) ?? UNSET).value,
    );
    const same = !changed.some(([name]) => flow.isLive(name, to));
    if (same && state.events.slice(idleFrom).every((event) => changesNothing(event, writes)))
      return { ...state, ending: 'idle', idleFrom };
    const count = (state.taken.get(state.pc) ?? 0) + 1;
    if (count > setting.rounds) return { ...state, ending: 'cut' };
    return goTo({ ...state, taken: new Map(state.taken).set(state.pc, count) }, to);
  };

  /** All ways in which an event goes; none if that is undefined behavior. */
  const alternatives = (event: Event, earlier: Events): Events => {
    const { kind, action, reduce, update, address, type, at, size, data, part, parts } = event;
    if (kind === 'fence' || kind === 'grid' || (kind === 'barrier' && reduce === undefined)) return [event];
    const returning = (most: number): Events =>
      [...Array(most + 1).keys()].map((i) => ({ ...event, result: BigInt(i) }));
    if (kind === 'barrier') return returning(reduce === 'popc' ? cta.length : 1);
    const place = layout.at(at, size);
    if (place === undefined || (at - part * size) % (size * parts) !== 0) return [];
    const isShared = place.cta !== undefined;
    if (address!.shared !== undefined && address!.shared !== isShared) return [];
    const located = { ...event, place, start: place.start + at - place.address };
    if (kind === 'mbarrier') {
      if (!isShared || place.cta !== thread.cta) return [];
      if (action !== 'wait') return [{ ...located, result: tokenOf(event) }];
      return returning(1).map(({ result }) => ({ ...located, result: result! }));
    }
    if (place.mbarrier !== undefined) return [];
    const bits = (value: bigint): bigint => BigInt.asUintN(size * 8, value);
    if (update === undefined && data.length > 0) return [{ ...located, write: bits(data[0]!) }];
    return [...candidates(located, earlier, writes, setting)].map((value) => {
      const loaded = { ...located, read: value, result: value };
      if (update === undefined) return loaded;
      const written = UPDATES[update]!([cut(value, type), ...data], type);
      const failed = setting.failingCasWrites ? value : undefined;
      return { ...loaded, write: written === undefined ? failed : bits(written) };
    });
  };
  const execute = (state: State): readonly State[] => {
    const { pc, registers, events } = state;
    const instruction = code[pc];
    if (instruction === undefined) return [{ ...state, ending: 'done' }];
    if (instruction.kind === 'label') return [goTo(state, pc + 1)];
    const { kind, guard, target, address, type, part } = instruction;
    const read = ({ register, value }: Source): Register =>
      register === undefined ? { value, deps: 0n } : (registers.get(register) ?? UNSET);
    const depsOf = (list: readonly Source[]): bigint => list.reduce((deps, source) => deps | read(source).deps, 0n);
    const valueOf = (source: Source): bigint =>
      cut(source.negated === true ? ~read(source).value : read(source).value, source.type);
    const guardDeps = guard === undefined ? 0n : read(guard).deps;
    const executed = guard === undefined || valueOf(guard) === 1n;
    if (kind === 'branch') {
      const before = state.control.find(({ branch }) => branch === pc)?.deps ?? 0n;
      const others = state.control.filter(({ branch }) => branch !== pc);
      const control = guard === undefined ? others : [...others, { branch: pc, deps: before | guardDeps }];
      return [executed ? jump({ ...state, control }, flow.next[pc]![0]!) : goTo({ ...state, control }, pc + 1)];
    }
    if (!executed) {
      const guarded = target === undefined ? registers : depend(registers, target.register, guardDeps);
      return [goTo({ ...state, registers: guarded }, pc + 1)];
    }
    if (kind === 'trap') return [{ ...state, ending: 'trap' }];
    const assign = (value: bigint, deps: bigint): Registers => {
      if (target === undefined) return registers;
      return new Map(registers).set(target.register, { value: extend(value, target.type), deps: deps | guardDeps });
    };
    const data = instruction.sources.map(valueOf);
    const feeds = depsOf(instruction.sources);
    if (kind === 'compute') return [goTo({ ...state, registers: assign(instruction.compute!(data), feeds) }, pc + 1)];
    const control = state.control.reduce((deps, one) => deps | one.deps, guardDeps);
    const needs = control | depsOf(instruction.operands) | (address === undefined ? 0n : read(address.base).deps);
    const size = kind === 'memory' ? type.bits / 8 : kind === 'mbarrier' ? 8 : 0;
    const at = address === undefined ? 0 : Number(BigInt.asUintN(48, read(address.base).value + address.offset));
    const id = events.length;
    const common = { id, index: id, head: id - part, thread, needs, feeds, at, start: 0, size };
    const event: Event = { ...instruction, ...common, given: instruction.operands.map(valueOf), data };
    const ways = alternatives(event, events);
    if (ways.length === 0) return [{ ...state, ending: 'fault' }];
    const after = ways.map((way) => {
      const result = way.result === undefined ? registers : assign(way.result, 1n << BigInt(id));
      return { ...state, events: [...events, way], registers: result };
    });
    const mayStay = kind === 'barrier' && (instruction.action !== 'arrive' || !aloneInWarp);
    setting.step(10 * ways.length);
    const waitsForGrids = kind === 'grid' && instruction.action !== 'launch_dependents';
    const staying: readonly State[] = mayStay
      ? [{ ...after[0]!, ending: 'blocked' }]
      : waitsForGrids
        ? [{ ...state, ending: 'withheld' }]
        : [];
    return [...staying, ...after.map((one) => goTo(one, pc + 1))];
  };
  const initial = new Map([...layout.initialRegisters(thread)].map(([name, value]) => [name, { value, deps: 0n }]));
  const start = { pc: 0, events: [], registers: initial, control: [], taken: new Map(), visited: new Map() };
  const open = [goTo(start, 0)];
  const runs: Run[] = [];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    setting.step(20);
    const { ending, events, idleFrom = events.length } = state;
    const registers = new Map([...state.registers].map(([name, { value }]) => [name, value]));
    if (ending === undefined) open.push(...execute(state));
    else runs.push({ events, ending, registers, idleFrom });
  }
  return runs;
}

function depend(registers: Registers, name: string, deps: bigint): Registers {
  const { value, deps: known } = registers.get(name) ?? UNSET;
  return new Map(registers).set(name, { value, deps: known | deps });
}

/**
 * Whether a round of a loop may hold this and still leave memory and barriers as they were. A value that is written
 * back does not, where it may overwrite what came in between: a write with which the operation is not atomic.
 */
function changesNothing(event: Event, writes: Events): boolean {
  const { kind, write, read, action } = event;
  if (kind === 'mbarrier' || kind === 'grid') return action === 'wait';
  if (kind === 'barrier') return false;
  const isAtomicWith = (other: Event): boolean =>
    other.thread === event.thread || !touches(other, event) || morallyStrong(other, event);
  return write === undefined || (write === read && writes.every(isAtomicWith));
}

/**
 * Where the ways of a branch join, what is assigned in between, and which registers are live. PTX ISA "No Thin Air"
 * leaves the notion of a dependency open. Here control reaches from a branch to the join (its immediate post-dominator)
 * and on through those registers; from a branch that decides whether a loop is left it reaches to the thread's end.
 */
class ControlFlow {
  /** By instruction: what may come after it, a branch that is taken first. */
  readonly next: readonly (readonly number[])[];
  /** Where the ways of a branch join; the number of instructions stands for the end of the thread, and for no join. */
  readonly joins: readonly number[];
  constructor(
    private readonly code: Code,
    private readonly observed: ReadonlySet<string>,
  ) {
    this.next = code.map(({ kind, label, guard }, at) => {
      if (kind !== 'branch') return [at + 1];
      const jump = code.findIndex((one) => one.kind === 'label' && one.label === label);
      return guard === undefined ? [jump] : [jump, at + 1];
    });
    this.joins = code.map(({ guard, kind }, at) => (guard && kind === 'branch' ? this.join(at) : code.length));
  }

  /** The instructions that can be reached, `without` one. */
  private reach(from: readonly number[], without?: number): ReadonlySet<number> {
    const seen = new Set<number>();
    const open = [...from];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node === without || seen.has(node)) continue;
      seen.add(node);
      open.push(...(this.next[node] ?? []));
    }
    return seen;
  }

  /** Whether a branch closes a loop or leads out of one. */
  private decides(branch: number): boolean {
    const loops = this.next.flatMap((list, tail) =>
      list.filter((head) => head <= tail).map((head) => ({ head, tail })),
    );
    return loops.some(({ head, tail }) => {
      const inside = [...this.reach([head])].filter((one) => one === head || this.reach([one], head).has(tail));
      const leaves = inside.includes(branch) && !this.next[branch]!.every((one) => inside.includes(one));
      return inside.includes(tail) && (branch === tail || leaves);
    });
  }

  private join(branch: number): number {
    const end = this.code.length;
    if (this.decides(branch) || !this.reach([branch]).has(end)) return end;
    const all = this.code.map((_, node) => node);
    const passed = [...all, end].filter((node) => node !== branch && !this.reach([branch], node).has(end));
    return passed.find((node) => passed.every((other) => other === node || !this.reach([node], other).has(end)))!;
  }

  assigned(branch: number): readonly string[] {
    const between = [...this.reach(this.next[branch]!, this.joins[branch])];
    return between.flatMap((node) => this.code[node]?.target?.register ?? []);
  }

  isLive(register: string, at: number, seen = new Set<number>()): boolean {
    const instruction = this.code[at];
    if (instruction === undefined) return this.observed.has(register);
    if (seen.has(at)) return false;
    seen.add(at);
    const { guard, sources, operands, address, target } = instruction;
    if ([guard, address?.base, ...sources, ...operands].some((source) => source?.register === register)) return true;
    if (guard === undefined && target?.register === register) return false;
    return this.next[at]!.some((next) => this.isLive(register, next, seen));
  }
}
