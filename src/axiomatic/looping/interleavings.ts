import { WHOLE } from '../../events/chunks.js';
import { type EventStructure, makeEvents } from '../../events/events.js';
import { placeOf } from '../../events/program-event.js';
import { targetOf } from '../../flow/graph.js';
import { type Liveness, liveRegisters } from '../../flow/liveness.js';
import type { Located } from '../../program/locations.js';
import type { Operation, ProgramStatement } from '../../program/operation.js';
import type { Program, Register, Thread } from '../../program/program.js';
import type { Undecided } from '../../program/undecided.js';
import type { Moved, Walk } from '../../progress/state-graph.js';
import { initialBytes } from '../../semantics/cells.js';
import { CONCRETE_VALUES, type ConcreteValue, settledResult } from '../../semantics/concrete-values.js';
import { Interpreter } from '../../semantics/interpret.js';
import type { EventRun, Surroundings } from '../../semantics/value-domain.js';
import type { UnrolledThread } from '../../unroll/unroll.js';

/** Where threads are, what their live registers hold, and what is in memory, where that is not the initial value. */
export interface Interleaved {
  readonly threads: readonly ThreadPoint[];
  /** By object and offset. */
  readonly memory: ReadonlyMap<string, number>;
}

interface ThreadPoint {
  readonly at: number;
  readonly registers: ReadonlyMap<string, bigint>;
  readonly key: string;
}

/** A statement that was executed, and whether it was a branch that was taken. */
export interface Executed {
  readonly statement: number;
  readonly isTaken: boolean;
  readonly accesses: readonly Access[];
}

/** What an access found or left. */
export interface Access {
  readonly kind: 'read' | 'write';
  readonly at: Located;
  readonly value: bigint;
}

type Values = EventRun<ConcreteValue, boolean>;

/** What executing one statement comes to. */
interface Outcome {
  readonly registers: ReadonlyMap<string, bigint>;
  readonly accesses: readonly Access[];
}

const notWalked = (what: string): Undecided => ({
  kind: 'machine',
  what: `a loop that writes, and ${what}: that is not followed without end`,
});

/**
 * The interleavings of the threads of a program, statement by statement: each access goes to memory at once. Every such
 * execution is one of the model. What threads do by themselves is done with the step before it.
 */
export class Interleavings implements Walk<Interleaved, readonly Executed[]> {
  readonly initial: Interleaved;
  private readonly structure: EventStructure;
  private readonly live: readonly Liveness[];
  private readonly names: readonly (readonly string[])[];
  private readonly known = new Map<string, Outcome | Undecided>();

  static of(program: Program, failingCasWrites: boolean): Interleavings | Undecided {
    const threads = program.threads.map(inOneLine);
    const operations = program.threads.flatMap(({ statements }) => statements.map(({ operation }) => operation));
    const other = operations.find(({ kind }) => !FOLLOWED.includes(kind));
    if (other !== undefined) return notWalked(WORDS[other.kind] ?? `an operation of kind ${other.kind}`);
    const structure = makeEvents(program, threads, failingCasWrites, () => WHOLE);
    return 'kind' in structure ? structure : new Interleavings(program, structure);
  }

  private constructor(
    private readonly program: Program,
    structure: EventStructure,
  ) {
    this.structure = structure;
    this.names = program.threads.map(({ registers }) => [...registers.keys()]);
    this.live = program.threads.map((thread, i) =>
      liveRegisters(thread, this.names[i] ?? [], { asked: [], isStrong: true }),
    );
    this.initial = {
      threads: program.threads.map(({ registers }, thread) =>
        this.point(thread, 0, new Map([...registers].map(([name, { initial }]) => [name, initial]))),
      ),
      memory: new Map(),
    };
  }

  get threads(): number {
    return this.program.threads.length;
  }

  keyOf({ threads, memory }: Interleaved): string {
    return `${threads.map(({ key }) => key).join('|')}|${[...memory].map(([at, value]) => `${at}=${value}`).sort()}`;
  }

  isEnded({ threads }: Interleaved, thread: number): boolean {
    return (threads[thread]?.at ?? 0) >= (this.program.threads[thread]?.statements.length ?? 0);
  }

  step(state: Interleaved, thread: number): Moved<Interleaved, readonly Executed[]> | Undecided {
    const executed: Executed[] = [];
    const seen = new Set<string>();
    let point = state.threads[thread];
    let { memory } = state;
    while (point !== undefined && !this.isOver(thread, point.at)) {
      // The next access is another step; who goes round by itself stays there.
      if (executed.length > 0 && (seen.has(point.key) || !this.isLocal(thread, point.at))) break;
      seen.add(point.key);
      const next = this.execute(thread, point, memory);
      if ('kind' in next) return next;
      // It ends by its last instruction, before which it may stop.
      if (executed.length > 0 && this.isOver(thread, next.point.at)) break;
      executed.push(next.executed);
      ({ point, memory } = next);
    }
    if (point === undefined) throw new Error(`no thread ${thread}`);
    return { state: { threads: state.threads.with(thread, point), memory }, what: executed };
  }

  private isOver(thread: number, at: number): boolean {
    return at >= (this.program.threads[thread]?.statements.length ?? 0);
  }

  private isLocal(thread: number, at: number): boolean {
    return this.structure.eventsOf(thread, at).every(({ kind }) => kind === 'fence');
  }

  /** Executes the statement that a thread has come to. */
  private execute(
    thread: number,
    { at, registers }: ThreadPoint,
    memory: Interleaved['memory'],
  ): { readonly executed: Executed; readonly point: ThreadPoint; readonly memory: Interleaved['memory'] } | Undecided {
    const body = this.program.threads[thread];
    const statement = body?.statements[at];
    if (body === undefined || statement === undefined) throw new Error(`no statement ${at} of thread ${thread}`);
    const { operation, guard } = statement;
    const holds = guard === undefined || (registers.get(guard.register) === 1n) !== guard.negated;
    const to = (next: number, held = registers): ThreadPoint => this.point(thread, next, held);
    const plain = { statement: at, isTaken: false, accesses: [] };
    if (operation.kind === 'trap') return notWalked('a trap');
    if (operation.kind === 'exit')
      return { executed: { ...plain, isTaken: holds }, point: to(holds ? body.statements.length : at + 1), memory };
    if (operation.kind === 'branch') {
      const target = targetOf(body, at) ?? body.statements.length;
      return { executed: { ...plain, isTaken: holds }, point: to(holds ? target : at + 1), memory };
    }
    if (!holds) return { executed: plain, point: to(at + 1), memory };
    const outcome = this.outcome(thread, at, registers, memory);
    if ('kind' in outcome) return outcome;
    const { accesses } = outcome;
    return {
      executed: { ...plain, accesses },
      point: to(at + 1, outcome.registers),
      memory: written(memory, accesses),
    };
  }

  /** A thread at a statement, with the registers that are live there. */
  private point(thread: number, at: number, registers: ReadonlyMap<string, bigint>): ThreadPoint {
    const names = this.names[thread] ?? [];
    const live = (this.live[thread]?.before(at) ?? []).map((index) => names[index] ?? '');
    const held = live.map((name) => [name, registers.get(name) ?? 0n] as const);
    return { at, registers: new Map(held), key: `${at}:${held.map(([, value]) => value).join()}` };
  }

  /** What a statement does, by what its registers hold and what it finds in memory. */
  private outcome(
    thread: number,
    at: number,
    registers: ThreadPoint['registers'],
    memory: Interleaved['memory'],
  ): Outcome | Undecided {
    const key = `${thread}/${at}/${[...registers.values()].join()}`;
    const remember = (found: string, make: () => Outcome | Undecided): Outcome | Undecided => {
      const old = this.known.get(found);
      if (old !== undefined) return old;
      const made = make();
      this.known.set(found, made);
      return made;
    };
    // Where accesses go does not depend on what they find.
    const blind = remember(key, () => this.interpreted(thread, at, registers, () => 0n));
    if ('kind' in blind || blind.accesses.every(({ kind }) => kind === 'write')) return blind;
    const found = blind.accesses.filter(({ kind }) => kind === 'read').map((read) => valueAt(memory, read.at));
    if (found.includes(undefined)) return notWalked('a read of memory whose initial value is open');
    return remember(`${key}/${found.join()}`, () =>
      this.interpreted(thread, at, registers, (read) => found[read] ?? 0n),
    );
  }

  private interpreted(
    thread: number,
    at: number,
    registers: ThreadPoint['registers'],
    read: (which: number) => bigint,
  ): Outcome | Undecided {
    const { structure, program } = this;
    const body = program.threads[thread];
    const statement = body?.statements[at];
    if (body === undefined || statement === undefined) throw new Error(`no statement ${at} of thread ${thread}`);
    let isOpen = false;
    let reads = 0;
    const surroundings: Surroundings<ConcreteValue, boolean> = {
      read: ({ type: { width } }) => ({ bits: read(reads++), width }),
      open: (_, width, of, operands) => {
        const bits = settledResult(of, operands);
        isOpen ||= bits === undefined;
        return { bits: bits ?? 0n, width };
      },
      either: (_, [first, second]) => {
        isOpen ||= first.bits !== second.bits;
        return first;
      },
      barrierResult: never,
      mbarrierResult: never,
      unspecified: never,
      passes: () => true,
    };
    const held = new Map<string, Register>(
      [...body.registers].map(([name, one]) => [name, { ...one, initial: registers.get(name) ?? 0n }]),
    );
    const interpreter = new Interpreter(structure, thread, CONCRETE_VALUES, surroundings, held);
    const run = interpreter.run(alone(body, statement, at));
    const events = run.events.filter(({ event, executed }) => event.node === at && executed);
    if (isOpen) return notWalked('a value that PTX leaves open');
    const accesses = events.map((one) => this.accessOf(one));
    if (accesses.includes('outside')) return notWalked('an address outside of memory');
    return {
      registers: new Map([...run.registers].map(([name, { bits }]) => [name, bits])),
      accesses: accesses.filter((one) => typeof one === 'object'),
    };
  }

  private accessOf({ event, address, value }: Values): Access | 'outside' | undefined {
    const place = placeOf(event);
    if (address === undefined || place === undefined || !(event.kind === 'read' || event.kind === 'write'))
      return undefined;
    const { locations } = this.program;
    const at = locations.locate({ bytes: place.type.width / 8, ...place }, event.placement, address.bits);
    return at === undefined ? 'outside' : { kind: event.kind, at, value: value?.bits ?? 0n };
  }
}

/** What interleavings follow; all else orders threads in ways of its own. */
const FOLLOWED: readonly Operation['kind'][] = [
  ...(['compute', 'open', 'load', 'store', 'atomic'] as const),
  ...(['fence', 'proxy-fence', 'branch', 'exit', 'trap'] as const),
];
const WORDS: Partial<Record<Operation['kind'], string>> = {
  barrier: 'barriers',
  'cluster-barrier': 'barriers',
  mbarrier: 'mbarriers',
  async: 'asynchronous operations',
  group: 'asynchronous operations',
  'grid-wait': 'grids that wait for others',
};

function never(): never {
  throw new Error('interleavings have reads and writes only');
}

/** The statements of a thread as nodes, each by itself. */
function inOneLine(thread: Thread): UnrolledThread {
  const nodes = thread.statements.map((statement, index) => ({ id: index, statement, index, incoming: [] }));
  return { thread, nodes, ends: [], cuts: [], traps: [], spins: [], beyond: [], joins: new Map() };
}

function alone(thread: Thread, statement: ProgramStatement, index: number): UnrolledThread {
  const node = { id: index, statement, index, incoming: [{ from: undefined, when: 'next' as const }] };
  const rest = { cuts: [], traps: [], spins: [], beyond: [], joins: new Map() };
  return { thread, nodes: [node], ends: [{ from: index, when: 'next' }], ...rest };
}

const placeKey = ({ object }: Located, offset: number): string => `${object.id}:${offset}`;

/** What is in the bytes of a place; undefined where some of it is open. */
function valueAt(memory: Interleaved['memory'], at: Located): bigint | undefined {
  const initial = initialBytes(at.object, at.offset, at.bytes);
  let value = 0n;
  for (let i = 0; i < at.bytes; i++) {
    const byte = memory.get(placeKey(at, at.offset + i)) ?? initial[i];
    if (byte === undefined) return undefined;
    value |= BigInt(byte) << BigInt(8 * i);
  }
  return value;
}

function written(memory: Interleaved['memory'], accesses: readonly Access[]): Interleaved['memory'] {
  const writes = accesses.filter(({ kind }) => kind === 'write');
  if (writes.length === 0) return memory;
  const after = new Map(memory);
  for (const { at, value } of writes) {
    const initial = initialBytes(at.object, at.offset, at.bytes);
    for (let i = 0; i < at.bytes; i++) {
      const byte = Number((value >> BigInt(8 * i)) & 0xffn);
      const key = placeKey(at, at.offset + i);
      if (byte === initial[i]) after.delete(key);
      else after.set(key, byte);
    }
  }
  return after;
}
