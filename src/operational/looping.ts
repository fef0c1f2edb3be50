import { targetOf } from '../flow/graph.js';
import { type Liveness, liveRegisters } from '../flow/liveness.js';
import { type Promises, tellsSteps } from '../program/forward-progress.js';
import { BOUND, checkDeadline, type Undecided } from '../program/undecided.js';
import { endlessRun } from '../progress/endless-run.js';
import { type Moved, stateGraph, type Walk } from '../progress/state-graph.js';
import { buildEvents } from '../semantics/build-events.js';
import { initialBytes } from '../semantics/cells.js';
import type { ConcreteValue } from '../semantics/concrete-values.js';
import type { Way } from '../unroll/unroll-along.js';
import type { Hangs } from './hangs.js';
import type { Location } from './location.js';
import { MachineContext, type ThreadView } from './machine-context.js';
import { comesInOneOrder } from './one-place.js';
import { type LoopStep, repeatedRun } from './repeat-run.js';
import { State } from './state.js';
import type { ExploreOptions } from './walk-states.js';

/** How often loops are unrolled: the rounds in which a thread comes to all that its registers may hold at a loop. */
const ROUNDS = [2, 4, 8];

/** Whether threads go round loops that write for ever: by runs that execute one operation after another, in order. */
export function loopsForEver(explored: MachineContext, promises: Promises, options: ExploreOptions): Hangs {
  const checkBudget = (): void => checkDeadline(options.deadline);
  let open: Undecided = BOUND;
  for (const bound of ROUNDS) {
    const context = unrolled(explored, bound, checkBudget);
    if ('kind' in context) return { found: undefined, open: context };
    const odd = notInOrder(context);
    if (odd !== undefined) return { found: undefined, open: odd };
    const walk = new LoopWalk(context);
    const graph = stateGraph(walk, tellsSteps(promises), checkBudget);
    if ('kind' in graph) {
      open = graph;
      if (graph.kind !== 'bound') break;
      continue;
    }
    const run = endlessRun(graph, promises);
    if (run === undefined) return { found: undefined, open: comesInOneOrder(context) ? undefined : BOUND };
    const found = repeatedRun(context, walk.begun, run, checkBudget);
    return found === undefined ? { found, open: BOUND } : { found, open: undefined };
  }
  return { found: undefined, open };
}

function unrolled(
  { structure: { program, failingCasWrites }, readings }: MachineContext,
  bound: number,
  checkBudget: () => void,
): MachineContext | Undecided {
  const structure = buildEvents(program, { bound, spinRounds: bound, failingCasWrites });
  return 'kind' in structure ? structure : MachineContext.of(structure, readings, checkBudget);
}

/** What is not executed one by one in program order, or by what is not known. */
function notInOrder({ events, hasChoices, mayMatter }: MachineContext): Undecided | undefined {
  const odd = events.find(
    ({ kind, tags }) =>
      tags.has('ASY') || tags.has('TMEM') || !(['read', 'write', 'fence', 'exit'] as const).some((one) => one === kind),
  );
  if (odd !== undefined) return { kind: 'machine', what: `a loop that writes, and operations of kind ${odd.kind}` };
  return hasChoices || mayMatter
    ? { kind: 'value', what: 'a loop that writes, and values that are left open' }
    : undefined;
}

/** What a thread has executed: what its reads found, and the last node. */
interface History {
  readonly answers: readonly (readonly [event: number, bits: bigint])[];
  readonly after: number;
}

/** Where that leaves it: before a node or its last instruction, at its end, or going round a loop that does nothing. */
interface Stand extends History {
  readonly next: number | 'last' | 'end' | 'loop';
  /** The statements that it executes by itself on the way there. */
  readonly lead: readonly number[];
  /** Its statement, and what live registers hold: what goes on alike has the same. */
  readonly key: string;
}

interface Looping {
  readonly threads: readonly Stand[];
  /** By object and offset, of bytes that are not as at first. */
  readonly memory: ReadonlyMap<string, number>;
}

/**
 * Runs of the machine in which each operation is executed in program order and finds the latest writes. A thread that
 * comes to where it was, with the same in its registers, is taken back to there: so few rounds stand for all.
 */
class LoopWalk implements Walk<Looping, LoopStep> {
  private readonly live: readonly Liveness[];
  private readonly names: readonly (readonly string[])[];
  /** By thread, statement and registers, how a thread came there first. */
  private readonly first = new Map<string, History>();
  private readonly stands = new Map<string, Stand | Undecided>();

  constructor(private readonly context: MachineContext) {
    const { threads } = context.structure.program;
    this.names = threads.map(({ registers }) => [...registers.keys()]);
    this.live = threads.map((thread, i) => liveRegisters(thread, this.names[i] ?? [], { asked: [] }));
  }

  get threads(): number {
    return this.context.structure.threads.length;
  }

  get initial(): Looping {
    const threads = this.context.structure.threads.map((_, thread) => this.stand(thread, { answers: [], after: -1 }));
    // A thread that comes to no operation within the bound has not begun: it says so when it steps.
    return { threads: threads.map((one) => ('next' in one ? one : OPEN)), memory: new Map() };
  }

  /** By thread, the statements before its first operation, and where that is. */
  get begun(): readonly Way[] {
    return this.initial.threads.map((one, thread) => ({
      statements: one.next === 'last' ? [] : one.lead,
      stop: this.statementOf(thread, one),
    }));
  }

  keyOf({ threads, memory }: Looping): string {
    return `${threads.map(({ key }) => key).join('|')}|${[...memory].map((pair) => pair.join('=')).sort()}`;
  }

  isEnded({ threads }: Looping, thread: number): boolean {
    return threads[thread]?.next === 'end';
  }

  step(state: Looping, thread: number): Moved<Looping, LoopStep> | Undecided {
    const own = state.threads[thread];
    if (own === undefined || own === OPEN) return BOUND;
    const { structure } = this.context;
    const at = this.statementOf(thread, own);
    if (own.next === 'last') {
      const stand: Stand = { ...own, next: 'end', key: 'end', lead: [] };
      const what = { statements: own.lead, reads: [], next: this.statementOf(thread, stand) };
      return { state: { threads: state.threads.with(thread, stand), memory: state.memory }, what };
    }
    if (typeof own.next !== 'number') return { state, what: { statements: [], reads: [], next: at } };
    const events = structure.eventsOf(thread, own.next);
    const before = this.view(thread, own);
    const found: (readonly [number, bigint])[] = [];
    for (const { id, kind } of events) {
      if (kind !== 'read' || before.runs.get(id)?.executed !== true) continue;
      const bits = this.found(state.memory, before.locations.get(id));
      if (bits === undefined) return { kind: 'value', what: 'a loop that writes, and memory whose contents are open' };
      found.push([id, bits]);
    }
    const history = { answers: [...own.answers, ...found], after: own.next };
    const after = this.view(thread, history);
    let { memory } = state;
    for (const { id, kind } of events) {
      const run = after.runs.get(id);
      if (kind !== 'write' || run?.executed !== true) continue;
      const at = after.locations.get(id);
      if (at === undefined || run.value === undefined) return { kind: 'address', what: 'an address outside of memory' };
      memory = this.written(memory, at, run.value.bits);
    }
    const stand = this.stand(thread, history);
    if (!('next' in stand)) return stand;
    // Threads that stand alike may have come there on other ways: what led here belongs to this step.
    const what = {
      statements: [at, ...(stand.next === 'last' ? [] : stand.lead)],
      reads: found.map(([, bits]) => bits),
      next: this.statementOf(thread, stand),
    };
    return { state: { threads: state.threads.with(thread, stand), memory }, what };
  }

  /** The statement before which a thread stands. */
  private statementOf(thread: number, { next, lead }: Stand): number {
    const { nodes, thread: own } = this.context.structure.threads[thread] ?? {};
    if (next === 'end') return own?.statements.length ?? 0;
    return next === 'loop' || next === 'last' ? (lead[0] ?? 0) : (nodes?.[next]?.index ?? 0);
  }

  /** Where a thread stands that has executed so much; taken back to where it stood so before. */
  private stand(thread: number, history: History, seen: ReadonlySet<string> = new Set()): Stand | Undecided {
    const name = `${thread}/${history.after}/${history.answers.map((one) => one.join('=')).join()}`;
    if (seen.has(name)) return { ...history, next: 'loop', key: `loop ${name}`, lead: [] };
    const known = this.stands.get(name);
    if (known !== undefined) return known;
    const stand = this.newStand(thread, history, new Set([...seen, name]));
    this.stands.set(name, stand);
    return stand;
  }

  private newStand(thread: number, history: History, seen: ReadonlySet<string>): Stand | Undecided {
    const { structure } = this.context;
    const { run } = this.view(thread, history);
    const unrolled = structure.threads[thread];
    if (unrolled === undefined) throw new Error(`no thread ${thread}`);
    if (run.trapped === true) return { kind: 'machine', what: 'a loop that writes, and a trap' };
    const next = run.events
      .filter(({ event, executed }) => executed === true && event.node > history.after && event.kind !== 'exit')
      .reduce((least, { event }) => Math.min(least, event.node), Number.POSITIVE_INFINITY);
    const registers = this.context.registersAt(this.state(thread, history), thread);
    const lead: number[] = [];
    let last = '';
    for (const [node, held] of registers) {
      if (node <= history.after || node > next) continue;
      const key = this.keyAt(thread, unrolled.nodes[node]?.index ?? 0, held);
      if (key === undefined) return OPEN_REGISTER;
      if (!this.first.has(key)) this.first.set(key, { ...history, after: node - 1 });
      last = key;
      if (node < next) lead.push(unrolled.nodes[node]?.index ?? 0);
    }
    if (next !== Number.POSITIVE_INFINITY) return { ...history, next, key: last, lead };
    // What it does by itself before its end is done by its last instruction.
    if (run.ended === true && lead.length > 0) return { ...history, next: 'last', key: `last ${lead.join()}`, lead };
    if (run.ended === true) return { ...history, next: 'end', key: 'end', lead };
    // It would go round once more: where it goes it has been, or more rounds are needed.
    const branch = unrolled.nodes[Math.max(...registers.keys())];
    const target = branch === undefined ? undefined : targetOf(unrolled.thread, branch.index);
    const held = registers.get(branch?.id ?? -1);
    if (target === undefined || held === undefined) return BOUND;
    const before = this.first.get(this.keyAt(thread, target, held) ?? '');
    if (before === undefined) return BOUND;
    const again = this.stand(thread, before, seen);
    return 'next' in again ? { ...again, lead: [...lead, ...again.lead] } : again;
  }

  /** Where a thread is, and what its live registers hold; undefined where that is open. */
  private keyAt(
    thread: number,
    index: number,
    registers: ReadonlyMap<string, { readonly value: unknown }>,
  ): string | undefined {
    const names = this.names[thread] ?? [];
    const values = (this.live[thread]?.before(index) ?? []).map((place) => {
      const name = names[place] ?? '';
      const held = registers.get(name);
      if (held === undefined) return this.context.structure.program.threads[thread]?.registers.get(name)?.initial;
      return (held.value as ConcreteValue | undefined)?.bits;
    });
    return values.includes(undefined) ? undefined : `${thread}@${index}:${values.join()}`;
  }

  private state(thread: number, { answers }: History): State {
    const state = State.first(this.context);
    for (const [event, bits] of answers) state.answer(thread, event, bits);
    return state;
  }

  private view(thread: number, history: History): ThreadView {
    return this.context.view(this.state(thread, history), thread);
  }

  private found(memory: Looping['memory'], at: Location | undefined): bigint | undefined {
    if (at === undefined) return undefined;
    const initial = initialBytes(at.object, at.offset, at.bytes);
    let bits = 0n;
    for (let i = 0; i < at.bytes; i++) {
      const byte = memory.get(`${at.object.id}+${at.offset + i}`) ?? initial[i];
      if (byte === undefined) return undefined;
      bits |= BigInt(byte) << BigInt(8 * i);
    }
    return bits;
  }

  private written(memory: Looping['memory'], at: Location, bits: bigint): Looping['memory'] {
    const after = new Map(memory);
    for (const [i, initial] of initialBytes(at.object, at.offset, at.bytes).entries()) {
      const key = `${at.object.id}+${at.offset + i}`;
      const byte = Number((bits >> BigInt(8 * i)) & 0xffn);
      if (byte === initial) after.delete(key);
      else after.set(key, byte);
    }
    return after;
  }
}

const OPEN_REGISTER: Undecided = { kind: 'value', what: 'a loop that writes, and registers whose contents are open' };
const OPEN: Stand = { answers: [], after: -1, next: 'loop', key: 'open', lead: [] };
