import { textOf } from './decode.js';
import type { Thread } from './layout.js';
import { type Edge, type Event, type Events, holdsThread, po, type Run, releasing, type Step } from './model.js';

/**
 * Execution barriers: PTX ISA "bar, barrier", "bar.warp.sync" and "barrier.cluster". A machine takes the barrier
 * operations and the ends of the threads in every possible order and groups arrivals into phases. A warp (of 32
 * hardware threads, whatever part of it the test shows) has arrived when all its threads that have not exited have.
 */
export interface Grouping {
  /** Which events completed barriers order. */
  readonly edges: readonly Edge[];
  /** Threads that no barrier lets go. */
  readonly waiting: ReadonlySet<Thread>;
  /** Threads whose exit a barrier waited for, each with what it let go. */
  readonly exits: readonly (readonly [Thread, Event])[];
  /** Arrivals, each with what waited for it: with a barrier operation, or the arrival of another lane of its warp. */
  readonly together: readonly Edge[];
  readonly undefined: boolean;
  /** What has been executed by then, if the behavior is undefined before the threads are at their ends. */
  readonly executed: (event: Event) => boolean;
}

/** The arrivals of threads that are at a barrier again before the phase of their first arrivals is complete. */
const AGAIN = ' again';

/** By thread: how many of its barrier operations are done, whether it waits at the last of them, and has exited. */
interface State extends Readonly<{ done: readonly number[]; waits: readonly boolean[]; exited: readonly boolean[] }> {
  /** By barrier: the arrivals of the phase that is open. */
  readonly open: ReadonlyMap<string, Events>;
  /** By thread: what it may wait for, the arrivals of the last phase of its cluster's barrier. */
  readonly phases: readonly (Events | undefined)[];
  readonly edges: readonly Edge[];
  readonly exits: Grouping['exits'];
  readonly together: Grouping['together'];
}

const WARP = 32n;

export function groupBarriers(threads: readonly Thread[], runs: readonly Run[], events: Events, step: Step) {
  const operations = threads.map((thread) => events.filter((one) => one.kind === 'barrier' && one.thread === thread));
  const found = new Map<string, Grouping>();
  const seen = new Set<string>();
  const matesOf = (thread: Thread): readonly Thread[] => threads.filter((other) => other.warp === thread.warp);
  const executed = ({ done }: State, { index }: Thread): Events => operations[index]!.slice(0, done[index]);
  const nameOf = ({ family, action, thread, given }: Event): string => {
    if (family === 'cta') return `${thread.cta} barrier ${given[0]}`;
    if (family === 'warp') return `${thread.warp} mask ${given[0]}`;
    return action === 'arrive' ? thread.cluster : `${thread.warp} wait`;
  };
  const isInMask = ({ given }: Event, { lane }: Thread): boolean => ((given[0]! >> BigInt(lane)) & 1n) === 1n;
  const comesTo = (list: Events, one: Thread): boolean => list.some((event) => event.thread === one);
  const isWholeIn = ({ exited }: State, list: Events, one: Thread): boolean =>
    matesOf(one).every((mate) => comesTo(list, mate) || exited[mate.index]);
  /** Of a barrier of the CTA a warp has arrived when all its lanes have that have not exited: a lane alone has not. */
  const arrivedOf = (state: State, open: Events): Events =>
    open[0]?.family === 'cta' ? open.filter(({ thread }) => isWholeIn(state, open, thread)) : open;
  const isComplete = (state: State, arrivals: Events): boolean => {
    const [first] = arrivals;
    if (first === undefined) return false;
    const { family, action, given, thread } = first;
    const isThere = (one: Thread): boolean => comesTo(arrivals, one);
    const level = family === 'cluster' ? family : 'cta';
    if (family === 'warp')
      return matesOf(thread)
        .filter((mate) => isInMask(first, mate))
        .every(isThere);
    if (action === 'wait')
      return isWholeIn(state, arrivals, thread) && arrivals.every((one) => state.phases[one.thread.index]);
    if (given[1] === undefined)
      return threads.every((one) => one[level] !== thread[level] || isThere(one) || state.exited[one.index]);
    return BigInt(new Set(arrivals.map((one) => one.thread.warp)).size) * WARP === given[1];
  };

  /** What follows a complete phase; undefined if a reduction has another result than its run says. */
  const complete = (state: State, name: string, arrivals: Events): State | undefined => {
    const { phases, waits, edges } = { phases: [...state.phases], waits: [...state.waits], edges: [...state.edges] };
    const [exits, together] = [[...state.exits], [...state.together]];
    const isThere = (one: Thread): boolean => arrivals.some((event) => event.thread === one);
    const excuses = ({ family, given, thread }: Event, one: Thread): boolean => {
      const level = family === 'cluster' ? family : 'cta';
      return (
        family !== 'warp' && (thread.warp === one.warp || (given[1] === undefined && thread[level] === one[level]))
      );
    };
    const count = arrivals.filter((one) => one.data[0] === 1n).length;
    const results = { popc: count, and: Number(count === arrivals.length), or: Number(count > 0) };
    for (const event of arrivals) {
      const { action, family, reduce, thread } = event;
      if (reduce !== undefined && BigInt(results[reduce]) !== event.result) return undefined;
      if (family === 'cluster') phases[thread.index] = action === 'arrive' ? arrivals : undefined;
      if (action === 'arrive') continue;
      for (const source of family === 'cluster' ? state.phases[thread.index]! : arrivals)
        if (source.thread !== thread) {
          edges.push(...orderedBefore(events, source, event));
          together.push([source, event]);
        }
      const gone = threads.filter((one) => state.exited[one.index] && !isThere(one) && excuses(event, one));
      exits.push(...gone.map((one): [Thread, Event] => [one, event]));
      waits[thread.index] = false;
    }
    const left = (state.open.get(name) ?? []).filter((one) => !arrivals.includes(one));
    const open = new Map(state.open)
      .set(name, [...left, ...(state.open.get(name + AGAIN) ?? [])])
      .set(name + AGAIN, []);
    return { ...state, waits, phases, edges, exits, together, open };
  };

  /** Lets go the warps that have only to arrive and have arrived, and ends the phases that are complete. */
  const settle = (state: State): State | undefined => {
    const [exits, together] = [[...state.exits], [...state.together]];
    const waits = threads.map((thread, i) => {
      const last = executed(state, thread).at(-1);
      const arrivals = [...state.open.values()].find((list) => last !== undefined && list.includes(last)) ?? [];
      const isThere = (mate: Thread): boolean => arrivals.some((one) => one.thread === mate);
      const mates = matesOf(thread);
      const goesOn = last?.action === 'arrive' && mates.every((one) => isThere(one) || state.exited[one.index]);
      if (state.waits[i] && goesOn && last) {
        exits.push(...mates.filter((one) => !isThere(one)).map((one): [Thread, Event] => [one, last]));
        together.push(...arrivals.filter((one) => mates.includes(one.thread)).map((one): Edge => [one, last]));
      }
      return state.waits[i]! && !goesOn;
    });
    for (const [name, given] of state.open) {
      const arrivals = arrivedOf(state, given);
      if (name.endsWith(AGAIN) || !isComplete(state, arrivals)) continue;
      const next = complete({ ...state, waits, exits, together }, name, arrivals);
      return next && settle(next);
    }
    return { ...state, waits, exits, together };
  };

  /** Whether the ISA leaves open what an arrival does. */
  const isUndefined = (state: State, event: Event): boolean => {
    const { thread, family, action, given } = event;
    const [number, count] = given;
    if (family === 'warp') return !isInMask(event, thread);
    const last = executed(state, thread).findLast((one) => one.family === family);
    if (family === 'cluster') return (last?.action === 'arrive') !== (action === 'wait');
    if (number! > 15n || (count !== undefined && (count % WARP !== 0n || count === 0n))) return true;
    const unlike = (one: Event): boolean => one.given[1] !== count || (one.action === 'red') !== (action === 'red');
    const open = state.open.get(nameOf(event)) ?? [];
    // A lane that only arrives again before the phase is complete does so with its warp (see arrivesAgain); one that
    // waits is there again by itself.
    if (open.some((one) => one.thread === thread)) return action !== 'arrive';
    const isThere = (one: Thread): boolean =>
      one === thread || open.some((other) => other.thread === one) || state.exited[one.index]!;
    const isWhole = (one: Thread): boolean => matesOf(one).every(isThere);
    return open.some((one) => one.thread !== thread && isWhole(thread) && isWhole(one.thread) && unlike(one));
  };

  /** A warp, not only some of its lanes, is at a barrier again before the phase that it arrived in is complete. */
  const arrivesAgain = ({ open, exited }: State): boolean =>
    [...open].some(([name, list]) => {
      const isThere = (one: Thread): boolean => list.some((event) => event.thread === one) || exited[one.index]!;
      return name.endsWith(AGAIN) && list.some(({ thread }) => matesOf(thread).every(isThere));
    });

  const isOneBody = (a: Thread, b: Thread): boolean => textOf(a.statements) === textOf(b.statements);
  const isSame = (a: Event, b: Event): boolean =>
    a.aligned === b.aligned &&
    String(a.given) === String(b.given) &&
    (a.statement === b.statement || !isOneBody(a.thread, b.thread));
  /**
   * `.aligned`: lanes of a warp execute the same barrier instructions in turn; none runs short of them but by `exit`,
   * `ret`. Where a test gives each lane a body of its own, instructions of the same words stand for one.
   */
  const isMisaligned = (state: State): boolean => {
    const alignedOf = (thread: Thread): Events => executed(state, thread).filter((one) => one.aligned);
    const differs = (event: Event, i: number, mate: Thread): boolean => {
      const other = alignedOf(mate)[i];
      return other === undefined ? state.exited[mate.index]! && mate.fallsOff : !isSame(event, other);
    };
    const isAlone = (event: Event, i: number): boolean => matesOf(event.thread).some((mate) => differs(event, i, mate));
    return threads.some((thread) => alignedOf(thread).some(isAlone));
  };
  /** Nobody goes on: of two lanes of a warp one waits at an aligned instruction, and for it the other one elsewhere. */
  const areApart = (state: State): boolean => {
    const lastOf = (thread: Thread): Event | undefined =>
      state.waits[thread.index] ? executed(state, thread).at(-1) : undefined;
    const isFor = (other: Event, one: Thread): boolean => other.family !== 'warp' || isInMask(other, one);
    // Runs that stop at a barrier which lets them go are none.
    const areStuck = threads.every(
      ({ index: i }) => state.done[i] === operations[i]!.length && state.waits[i] === (runs[i]!.ending === 'blocked'),
    );
    if (!areStuck) return false;
    return threads.some((thread) => {
      const own = lastOf(thread);
      const others = own?.aligned === undefined ? [] : matesOf(thread).flatMap((mate) => lastOf(mate) ?? []);
      return others.some((other) => own !== undefined && !isSame(own, other) && isFor(other, thread));
    });
  };
  const record = ({ done, waits, edges, exits, together }: State, broken: boolean): void => {
    const passed = threads.every(({ index }) => {
      const rest = operations[index]!.length - done[index]!;
      return rest === 0 && (runs[index]!.ending === 'blocked' || !waits[index]);
    });
    const waiting = new Set(threads.filter(({ index }) => waits[index]));
    const last = threads.map(({ index }) => (waits[index] ? done[index]! - 1 : done[index]!));
    const isDone = (event: Event): boolean => {
      const stop = operations[event.thread.index]![last[event.thread.index]!];
      return stop === undefined || po(event, stop);
    };
    const awaited = exits.map(([one, event]) => `${one.index}-${event.id}`);
    const key = [idsOf(edges), awaited, idsOf(together), waits, broken && last].join(' ');
    if (passed || broken) found.set(key, { edges, waiting, exits, together, undefined: broken, executed: isDone });
  };
  const explore = (state: State | undefined): void => {
    step(threads.length * 20);
    if (state === undefined) return;
    const { done, waits, exited, open, phases, edges, exits, together } = state;
    const pending = [...open.values(), ...phases].map((list) => list?.map((one) => one.id).sort());
    const awaited = exits.map(([one, event]) => [one.index, event.id]);
    const key = JSON.stringify([done, exited, pending, idsOf(edges), awaited, idsOf(together)]);
    if (seen.has(key)) return;
    seen.add(key);
    const canGoOn = ({ index: i }: Thread): boolean => done[i]! < operations[i]!.length || runs[i]!.ending === 'done';
    const free = threads.filter((thread) => !waits[thread.index] && !exited[thread.index] && canGoOn(thread));
    if (free.length === 0) record(state, areApart(state));
    for (const { index } of free) {
      const event = operations[index]![done[index]!];
      const first = event === undefined ? '' : nameOf(event);
      const isThere = event?.family === 'cta' && open.get(first)?.some((one) => one.thread === event.thread);
      const name = isThere === true ? first + AGAIN : first;
      const arrivals = event && new Map(open).set(name, [...(open.get(name) ?? []), event]);
      const arrived = arrivals && { done: done.with(index, done[index]! + 1), open: arrivals };
      const next: State = { ...state, ...(arrived ?? { exited: exited.with(index, true) }) };
      if (isMisaligned(next) || arrivesAgain(next) || (event !== undefined && isUndefined(state, event)))
        record({ ...next, waits: waits.with(index, event !== undefined) }, true);
      else explore(settle(event === undefined ? next : { ...next, waits: waits.with(index, true) }));
    }
  };
  const none = threads.map(() => false);
  const phases = threads.map(() => undefined);
  const nothing = { open: new Map(), edges: [], exits: [], together: [] };
  explore({ done: threads.map(() => 0), waits: none, exited: none, phases, ...nothing });
  return [...found.values()];
}

const idsOf = (edges: readonly Edge[]): string => String(edges.map(([from, to]) => `${from.id}-${to.id}`).sort());

/** What a completed barrier puts before a waiter: the arrival, or, if that is relaxed, release fences that reach it. */
function orderedBefore(events: Events, arrival: Event, waiter: Event): readonly Edge[] {
  if (arrival.order !== 'relaxed') return [[arrival, waiter]];
  const fences = events.filter((one) => one.kind === 'fence' && releasing(one.order) && po(one, arrival));
  return fences.filter((one) => holdsThread(one.scope, one.thread, waiter.thread)).map((fence) => [fence, waiter]);
}
