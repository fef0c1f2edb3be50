import type { Term } from '../../src/syntax/condition-ast.js';
import type { LitmusFile } from '../../src/syntax/litmus-ast.js';
import { groupBarriers } from './barriers.js';
import { decode, textOf } from './decode.js';
import { agreesWithStart, Grids, gridOrders } from './grids.js';
import { Layout, type Thread, Unsupported } from './layout.js';
import { agrees, scheduleMbarriers } from './mbarriers.js';
import type { Event, Events, Execution, Run, Setting, Step } from './model.js';
import * as model from './model.js';
import { runsOf } from './runs.js';

/**
 * A brute-force reference for the engines: every run of every thread, every way to combine them, every reads-from,
 * barrier phase, mbarrier order, Fence-SC order and coherence order, held against the axioms of the PTX ISA chapter
 * "Memory Consistency Model". It shares nothing with the engines but the parser. What it does not know it refuses. Its
 * budget is of elementary steps, by default some seconds, and of how often a thread may take one backward branch.
 */
export type Budget = Readonly<{ work: number; rounds: number }>;

/** `cut`: a run was cut at the bound of rounds. What was found is real, what was not found may exist. */
type Found = Readonly<Record<'race' | 'undefined' | 'deadlock' | 'trap' | 'cut', boolean> & { work: number }>;
export type Reference =
  | (Readonly<{ kind: 'answer'; outcomes: ReadonlySet<string> }> & Found)
  | Readonly<{ kind: 'unsupported'; feature: string } | { kind: 'exceeded'; work: number }>;

/** Scalar accesses need not be whole; a failing compare-and-swap writes. */
export type Options = Readonly<{ tearing?: boolean; failingCasWrites?: boolean }>;

type Candidate = Execution & { readonly idle: Events };
type Bytes = ReadonlyMap<number, number>;
type View<T> = (runs: readonly Run[], memory: Bytes) => T;

class Exceeded extends Error {}

export function enumerate(
  file: LitmusFile,
  observed: readonly Term[],
  budget: Partial<Budget> = {},
  { tearing = false, failingCasWrites = false }: Options = {},
): Reference {
  let work = 0;
  const step = (steps: number): void => {
    work += steps;
    if (work > (budget.work ?? 4_000_000)) throw new Exceeded();
  };
  try {
    const layout = new Layout(file, observed);
    const { initial, threads } = layout;
    const view = observe(observed, layout);
    const setting: Setting = { initial, tearing, failingCasWrites, rounds: budget.rounds ?? 3, step };
    const outcomes = new Set<string>();
    const found = { race: false, undefined: false, deadlock: false, trap: false, cut: false };
    const grids = new Grids(gridOrders(file), threads);
    for (const runs of model.product(allRuns(file, layout, observed, setting))) {
      const endings = runs.map((run) => run.ending);
      for (const candidate of candidatesOf(threads, grids, runs, setting)) {
        const solved = candidate.regions.map((memory) => solve(candidate, memory, view.bytes, step));
        if (solved.some((solution) => solution === undefined)) continue;
        const { grouping, schedules, idle } = candidate;
        const { race, mixedSize } = model.findRaces(candidate.regions.flat(), candidate.causality);
        // A thread that a barrier has let go goes on, and what it does then may still order what it did before.
        const isHalfWay = endings.some((one, i) => one === 'blocked' && !grouping.waiting.has(threads[i]!));
        found.race ||= race && !isHalfWay;
        found.undefined ||= mixedSize || candidate.broken || endings.includes('fault');
        found.trap ||= endings.includes('trap') && !grouping.undefined;
        found.cut ||= endings.includes('cut');
        if (grouping.undefined) continue;
        if (endings.every((ending) => ending === 'done')) {
          for (const bytes of model.product(solved.map((solution) => solution!.finals)))
            outcomes.add(view.outcome(runs, new Map([initial, ...bytes].flatMap((one) => [...one]))));
          continue;
        }
        const stays = (ending: string, i: number): boolean =>
          ['done', 'idle', 'withheld'].includes(ending) || (ending === 'blocked' && grouping.waiting.has(threads[i]!));
        const waits = idle.filter((event) => event.kind === 'mbarrier');
        const last = waits.every((wait) => schedules.some(({ lasting }) => lasting.has(wait)));
        found.deadlock ||=
          endings.every(stays) && grids.mayStay(runs) && last && solved.every((solution) => solution!.stuck);
      }
    }
    return { kind: 'answer', outcomes, ...found, work };
  } catch (thrown) {
    if (thrown instanceof Unsupported) return { kind: 'unsupported', feature: thrown.message };
    if (thrown instanceof Exceeded) return { kind: 'exceeded', work };
    throw thrown;
  }
}

/** All registers and locations that the clauses of a test name. */
export function termsOf({ clauses }: LitmusFile): readonly Term[] {
  const within = (syntax: object): readonly Term[] => {
    if ('kind' in syntax && ['register', 'location', 'address'].includes(`${syntax.kind}`)) return [syntax as Term];
    const parts = Object.entries(syntax).filter(([key, part]) => key !== 'span' && typeof part === 'object');
    return parts.flatMap(([, part]) => within(part));
  };
  return [...new Map(within(clauses).map((term) => [textOf(term), term])).values()];
}

/**
 * The runs of each thread, over the bytes that any run writes. No-Thin-Air makes chains of values acyclic, so as many
 * rounds as there can be writes are enough.
 */
function allRuns(file: LitmusFile, layout: Layout, terms: readonly Term[], setting: Setting) {
  const codes = layout.threads.map((thread) => decode(file, thread, layout));
  const writesOf = (run: Run): Events => run.events.filter((event) => event.write !== undefined);
  let known = new Map<string, Event>();
  for (let round = 0; ; round++) {
    const runs = layout.threads.map((thread, i) =>
      runsOf(thread, codes[i]!, layout, [...known.values()], terms, setting),
    );
    const most = runs.map((list) => list.reduce((count, run) => Math.max(count, writesOf(run).length), 0));
    const writes = runs.flat().flatMap(writesOf);
    const named = new Map(writes.map((one) => [[one.thread.index, one.at, one.size, one.write].join(), one]));
    if (named.size === known.size || round > most.reduce((sum, count) => sum + count, 0)) return runs;
    known = named;
  }
}

/** All candidate executions in which the threads run so. */
function* candidatesOf(threads: readonly Thread[], grids: Grids, runs: readonly Run[], setting: Setting) {
  const { step, tearing } = setting;
  const events = runs.flatMap((run) => run.events).map((event, id) => ({ ...event, id }));
  step(20 + events.length * 5);
  const memory = events.filter((event) => event.kind === 'memory').sort((a, b) => a.start - b.start);
  const writes = memory.filter((event) => event.write !== undefined);
  const reads = memory.filter((event) => event.read !== undefined);
  const ways = reads.map((read) => model.waysToRead(read, writes, setting));
  if (ways.some((list) => list.length === 0)) return;
  const starts = grids.starts(runs, events);
  const groupings = starts.length === 0 ? [] : groupBarriers(threads, runs, events, step);
  if (groupings.length === 0) return;
  const pairs = groupings.flatMap((grouping) => starts.map((start) => [grouping, start] as const));
  /** Operations that touch common bytes, directly or through others. */
  const regions: Event[][] = [];
  for (const event of memory)
    if (regions.at(-1)?.some((other) => model.touches(other, event))) regions.at(-1)!.push(event);
    else regions.push([event]);
  /** Operations of rounds of loops that would have to repeat for ever. */
  const idle = events.filter(({ thread, index }) => index >= runs[thread.index]!.idleFrom);
  const scheduled = scheduleMbarriers(events, step);
  const releases = (head: Event): Events => events.filter((write) => model.isRelease(head, write));
  const acquires = (tail: Event): Events => events.filter((read) => model.isAcquire(read, tail));
  const fences = events.filter((event) => event.kind === 'fence' && event.order === 'sc');
  for (const chosen of model.product(ways)) {
    const readsFrom = new Map(reads.map((read, i) => [read, chosen[i]!]));
    // Observation order: morally strong reads-from, atomic operations passing it on.
    const observation = new model.Relation(events.length);
    for (const [read, sources] of readsFrom)
      for (const write of sources) if (write && model.morallyStrong(write, read)) observation.add(write, read);
    observation.close();
    for (const schedules of model.product(scheduled)) {
      const observes = (write: Event, read: Event): boolean =>
        observation.has(write, read) || schedules.some((schedule) => schedule.observes(write, read));
      const synchronizes = (head: Event, tail: Event): boolean =>
        releases(head).some((write) => acquires(tail).some((read) => observes(write, read)));
      for (const [grouping, start] of pairs) {
        step(20 + events.length ** 2);
        // What undefined behavior gives comes after it, and so does not justify it.
        const orders = schedules.flatMap(({ order, rest }) => [order, ...rest.map((one) => [...order, one])]);
        const { executed, exits } = grouping;
        const isClosed = ([read, sources]: [Event, readonly (Event | undefined)[]]): boolean =>
          !executed(read) || sources.every((write) => write === undefined || executed(write));
        if (grouping.undefined && ![...readsFrom].every(isClosed)) continue;
        // A thread has exited when its reads have returned, and its waits for mbarriers.
        const returned = exits.flatMap(([thread, waiter]) =>
          events
            .filter((one) => one.thread === thread && (one.read !== undefined || one.action.includes('wait')))
            .map((one): model.Edge => [one, waiter]),
        );
        const before = [...returned, ...grouping.together, ...start.before];
        if (model.isCircular(events, readsFrom, grouping.edges, orders, before)) continue;
        const ordered = new model.Relation(events.length);
        for (const a of events) for (const b of events) if (model.po(a, b)) ordered.add(a, b);
        for (const [from, to] of [...grouping.edges, ...start.edges]) ordered.add(from, to);
        for (const head of events)
          for (const tail of events)
            if (model.morallyStrong(head, tail) && synchronizes(head, tail)) ordered.add(head, tail);
        const known = ordered.close().copy();
        for (const { fence, first, begin } of start.early) if (known.has(fence, first)) ordered.add(fence, begin);
        for (const base of model.orderStrong(ordered.close(), fences)) {
          step(20 + events.length ** 2);
          if (!schedules.every((schedule) => agrees(schedule, base)) || !agreesWithStart(start, base)) continue;
          if (exits.some(([thread, waiter]) => events.some((one) => one.thread === thread && base.has(waiter, one))))
            continue;
          const causality = model.causalityOrder(events, memory, base, observation);
          const broken = grouping.undefined || schedules.some((schedule) => schedule.isUndefined);
          yield { events, regions, idle, readsFrom, schedules, grouping, causality, tearing, broken };
        }
      }
    }
  }
}

/** Final values of a region, and whether idle reads may last; undefined if no coherence order is consistent. */
function solve(candidate: Candidate, memory: Events, observed: ReadonlySet<number>, step: Step) {
  const writes = memory.filter((event) => event.write !== undefined);
  const bytes = [...observed].filter((byte) => writes.some((write) => model.covers(write, byte)));
  const repeated = candidate.idle.filter((event) => event.read !== undefined && memory.includes(event));
  const finals = new Map<string, Bytes>();
  let consistent = false;
  let stuck = repeated.length === 0;
  for (const co of model.coherenceOrders(candidate, memory, step)) {
    consistent = true;
    stuck ||= model.readsLast(candidate, writes, co, repeated);
    for (const final of model.finalBytes(writes, co, bytes, candidate.tearing)) finals.set([...final].join(), final);
    if (stuck && bytes.length === 0) break;
  }
  return consistent ? { finals: [...finals.values()], stuck } : undefined;
}

/** The physical bytes that a condition looks at in a final state, and the values of all its terms, in their order. */
function observe(terms: readonly Term[], layout: Layout) {
  const seen = new Set<number>();
  const views = terms.map((term): View<bigint> => {
    if (term.kind === 'number') {
      const { value } = term;
      if (typeof value === 'number') throw new Unsupported('number with a decimal point');
      return () => value;
    }
    if (term.kind === 'register') {
      const thread = layout.threads.find((one) => one.name === term.thread);
      if (thread === undefined) throw new Unsupported(`register of unknown thread ${term.thread}`);
      return (runs) => {
        const value = runs[thread.index]!.registers.get(term.register) ?? 0n;
        if (value >> 60n === 1n) throw new Unsupported('value of an mbarrier token');
        return value;
      };
    }
    const { address, start, element, size, mbarrier } = layout.observe(term);
    if (term.kind === 'address') return () => BigInt(address) + term.offset;
    if (mbarrier !== undefined) throw new Unsupported('value of an mbarrier object');
    const offset = Number(term.index ?? 0n) * element + Number(term.offset ?? 0n);
    if (offset < 0 || offset + element > size) throw new Unsupported(`bytes outside ${term.name} in a condition`);
    const bytes = Array.from({ length: element }, (_, i) => start + offset + i);
    for (const byte of bytes) seen.add(byte);
    return (_runs, memory) => bytes.reduceRight((value, byte) => value * 256n + BigInt(memory.get(byte)!), 0n);
  });
  const outcome: View<string> = (runs, memory) => views.map((view) => view(runs, memory)).join(',');
  return { bytes: seen, outcome };
}
