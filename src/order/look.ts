import type { Span } from '../diagnostics/source.js';
import type { ComesLast } from '../follow/comes-last.js';
import type { Followed } from '../follow/followed.js';
import { Follower } from '../follow/follower.js';
import { OPEN_ADDRESS } from '../follow/lane-place.js';
import { lastsIn } from '../follow/last-of-all.js';
import { comesAfter } from '../follow/launch-order.js';
import { type Contested, NOT_CONTESTED } from '../follow/memory-image.js';
import { namesOf } from '../follow/open-words.js';
import { codesOf, hasTraps, type Setting } from '../follow/setting.js';
import {
  type FollowedThread,
  isOfLaunch,
  kindOf,
  type Results,
  type Trace,
  threadOf,
  wordAt,
} from '../follow/trace.js';
import { WAIT_FOR_EVER } from '../follow/wait-for-ever.js';
import type { WhichRun } from '../follow/which-run.js';
import { WARP_SIZE } from '../kernel/grid.js';
import { later } from '../program/remembered.js';
import type { CheckBudget } from '../program/undecided.js';
import { isOfRegisters } from '../program/undefined-rules.js';
import { isReadOnly } from './access-kinds.js';
import type { Conflict } from './conflict.js';
import { Conflicts } from './conflicts.js';
import { uninitializedIn } from './contested-bytes.js';
import { unstartedIn } from './cta-starts.js';
import { edgesOf } from './edges-of-run.js';
import { endlessIn } from './endless-retries.js';
import { exitingIn, exitsIn, leftBehind, remoteIn } from './exits.js';
import { Locks } from './locks.js';
import type { Late } from './mbarrier-phases.js';
import { MustOrder } from './must-order.js';
import { accessAt, openConflict } from './open-conflict.js';
import { type OfRun, ofRun } from './races-of-run.js';
import { type OrderedPair, reasonsOf } from './reasons.js';
import { recheck } from './recheck.js';
import type { Claims, CoherenceChoices } from './recheck-links.js';
import { remarksOf, timeoutsIn } from './remarks.js';
import { Tickets } from './tickets.js';
import { Variables } from './variables.js';
import type { GroupWaits, OpenConflict, PlaceInLaunch, RunRemark, WholeFinding, WholeRun } from './whole-run.js';

/** What following the launches of a test has brought. */
export interface FollowedTest {
  readonly setting: Setting;
  readonly followed: Pick<Followed, 'image' | 'register'>;
  readonly run: Omit<WholeRun, 'states' | 'ends'>;
}

/** The coherence order of atomics of a word in a case: their threads, and by place those that may come instead. */
export interface CoherenceOfCase {
  readonly threads: readonly number[];
  readonly choices: CoherenceChoices;
}

/** What one run brings, and how it is looked at a second time. */
export interface Look extends FollowedTest {
  readonly followed: Followed;
  readonly contested: Contested;
  readonly oneIsLast: readonly ComesLast[];
  /** Words whose atomics find what matters, in an order that is open. */
  readonly openWords: readonly string[];
  /** By word whose coherence order is that of the case: the threads in order, and who may come instead. */
  readonly coherence: ReadonlyMap<string, CoherenceOfCase>;
  /** What may be found in words, where more than one value decides what a thread does. */
  readonly mayFind: Results;
  /** Atomics of which one may come last in each execution, as far as this run says. */
  readonly lasts: () => readonly (readonly ComesLast[])[];
  readonly recheck: () => string | undefined;
  readonly remarks: () => readonly RunRemark[];
  /** What orders accesses to the same bytes. */
  readonly reasons: () => readonly OrderedPair[];
}

/**
 * Follows all threads in one run, and finds what conflicts. Where an address is open it is followed once more with what
 * atomics find as tickets, once for each thread or as often as in the run; and then with what they decide open.
 */
export function look(setting: Setting, checkBudget: CheckBudget, which: WhichRun): Look {
  checkBudget(); // Small runs never come to where it is asked for what is left.
  const plain = lookAt(setting, checkBudget, which);
  if (plain.run.open?.what !== OPEN_ADDRESS) return plain;
  for (const how of [{}, { areTicketsOpen: true }] as const) {
    const counting = (counted: WhichRun['counted']) => lookAt(setting, checkBudget, { ...which, ...how, counted });
    const first = counting(new Map());
    const { areAny, drawn } = first.tickets;
    const isAnywhere = first.run.open?.what === OPEN_ADDRESS;
    const once = areAny && isAnywhere ? counting(drawn) : first;
    // An address that is open all the same is none of a ticket, unless a condition on one decides it.
    if (isAnywhere && once.run.open?.what === OPEN_ADDRESS) {
      if (areAny) continue;
      break;
    }
    const all = once.tickets.counted === undefined ? once : counting(once.tickets.counted);
    if (all.run.open === undefined) return all;
  }
  return plain;
}

/** How threads are told of a run, and what is out of the ordinary there. */
function placesIn(
  { launches, isAsked, words }: Setting,
  trace: Trace,
  given: WhichRun['given'],
): (thread: FollowedThread, span: Span) => PlaceInLaunch {
  const nameOf = (launch: number): string => launches[launch]?.planned.launch.syntax.name ?? '';
  const [torn] = [...trace.torn.keys()].map((row) => kindOf(trace, row).span);
  const chosen = [...chosenIn(trace, nameOf), ...namesOf(words)];
  return (thread, span) => {
    const { launch, cta, tid, isElected = false } = thread;
    const place = { launch: nameOf(launch), cta, tid, isElected, span, given, torn, chosen };
    return isAsked(thread) ? place : { ...place, isUnasked: true };
  };
}

/** Whether the test asks about the thread of an access. */
const askedAt =
  ({ isAsked }: Setting, trace: Trace) =>
  (row: number): boolean =>
    isAsked(threadOf(trace, row));

type LookAtTickets = Look & { readonly tickets: Tickets };

/** Follows all threads in one run as it is asked for, and finds what conflicts. */
export function lookAt(setting: Setting, checkBudget: CheckBudget, which: WhichRun): LookAtTickets {
  const { without = NOT_CONTESTED, given } = which;
  const followed = new Follower(setting, checkBudget, which).run();
  const { trace, stopped } = followed;
  setting.watch?.ends(trace, stopped !== undefined);
  const locks = new Locks(trace);
  const order = new MustOrder(trace, (...of) => new Variables(...of, locks));
  const tickets = new Tickets(trace);
  const conflicts = new Conflicts(trace, without, locks, tickets, askedAt(setting, trace), checkBudget);
  // Of tickets that are not as they were taken to be nothing is said.
  order.replay((row, before) => (tickets.unforced === undefined ? conflicts.add(row, before) : undefined));
  const placeOf = placesIn(setting, trace, given);
  const [all, remote] = [[...conflicts.found.values()], remoteIn(trace)];
  const run = ofRun(trace, all, order);
  const mayRace = (row: number): boolean =>
    stopped !== undefined && stopped.what !== WAIT_FOR_EVER && !order.isKnownToAll(row);
  const uninitialized = uninitializedIn(trace, conflicts, mayRace);
  const opened = (one: Conflict): OpenConflict => openConflict(trace, one, placeOf, run);
  const found = all.map(opened);
  const isOver = stopped === undefined || (stopped.what === WAIT_FOR_EVER && order.doubtfulHalt === undefined);
  // Where it was not followed to its end, nothing is known of exits.
  const unknownAtExit = isOver ? exitingIn(trace, remote).filter((one) => !order.isOver(one)) : [];
  const late = exitsIn(trace, unknownAtExit.filter(run.isTooLate));
  const others = [...late, ...writtenWhileReadOnly(trace, conflicts, setting, run)];
  const findings = [...brokenIn(trace, order), ...others, ...(isOver ? lateIn(trace, run) : [])];
  const open =
    stopped === undefined || isOver
      ? (order.unforced ??
        doubtfulIn(trace, order) ??
        unforcedIn(locks, tickets, conflicts) ??
        endlessIn(trace, codesOf(setting), all) ??
        leftBehind(unknownAtExit) ??
        requested(trace))
      : { span: stopped.span, what: stopped.what };
  const ofRegisters = trace.findings.filter(isOfRegisters);
  const ofOthers = trace.findings.filter((one) => !isOfRegisters(one));
  const isLooked = open === undefined && (found.length === 0 || without.bytes.size + without.sameValue.size > 0);
  const whole = {
    ...{ threads: trace.threads.filter(isOfLaunch).length, accesses: trace.accesses.count },
    edges: new Set([...edgesOf(trace), ...order.edges, ...conflicts.edges]),
    findings: [...ofOthers, ...findings].map((one) => findingAt(one, placeOf)),
    registerFindings: ofRegisters.map((one) => findingAt(one, placeOf)),
    conflicts: found,
    byOwner: [...conflicts.byOwner.values()].map(opened),
    uninitialized: uninitialized.rows.map((row) => accessAt(trace, row, placeOf)),
    remarks: [],
    waits: groupWaitsIn(trace, order, setting, placeOf),
    unstarted: unstartedIn(trace, remote, order, placeOf),
    ...{ isSettled: found.length === 0, activeTogether: trace.activeTogether, open, unconfirmed: undefined },
    ...{ exchanges: trace.exchanges, mayBeUninitialized: uninitialized.isOpen },
    hasTraps: hasTraps(setting),
  };
  const areStrong = found.every(({ kind }) => kind === 'strong');
  const again = isLooked ? later(recheck, trace, order.claims, without, areStrong, checkBudget) : () => undefined;
  const remarked = { setting, trace, unreached: followed.unreached, conflicts: all };
  const remarks = stopped === undefined ? later(remarksOf, remarked) : later(timeoutsIn, setting);
  const cases = casesIn(trace, order, setting, stopped === undefined ? all : undefined);
  const seen = { contested: conflicts.contested, reasons: later(reasonsOf, trace, order.claims, placeOf), tickets };
  return { setting, followed, run: whole, ...seen, ...cases, recheck: again, remarks };
}

const findingAt = (
  { rule, thread, span, behind }: Trace['findings'][number],
  placeOf: (thread: FollowedThread, span: Span) => PlaceInLaunch,
): WholeFinding => ({
  ...{ rule, thread: placeOf(thread, span), behind: behind && placeOf(behind.thread, behind.span) },
});

/** What tells cases of a run apart; nothing where it is not followed to its end, or does something wrong. */
function casesIn(
  trace: Trace,
  order: MustOrder,
  setting: Setting,
  conflicts: readonly Conflict[] | undefined,
): Pick<Look, 'oneIsLast' | 'openWords' | 'coherence' | 'mayFind' | 'lasts'> {
  const coherence = coherenceOf(trace, order.claims);
  const lasts = later(lastsIn, trace, codesOf(setting));
  if (conflicts === undefined || !trace.findings.every(isOfRegisters))
    return { oneIsLast: [], openWords: [], coherence, mayFind: new Map(), lasts };
  const { oneIsLast, mayFind } = order;
  return { oneIsLast, openWords: openWordsIn(trace, conflicts, order), coherence, mayFind, lasts };
}

/**
 * The words of atomics that come in no order and do not come to the same, and that of one whose result matters; where
 * there may be a race, those of updates that end waits: in some order of these it may be shown.
 */
function openWordsIn(trace: Trace, conflicts: readonly Conflict[], { openWord }: MustOrder): readonly string[] {
  const isAtomic = (row: number): boolean => kindOf(trace, row).tags.has('RMW');
  const words = conflicts.flatMap(({ kind, first }) =>
    kind === 'results' || (kind === 'strong' && first.every(isAtomic)) ? [wordAt(trace, first[0])] : [],
  );
  const isDoubtful = conflicts.some(({ kind }) => kind === 'race');
  const updated = trace.synchronizations.flatMap((one) =>
    isDoubtful && one.kind === 'poll' && one.makes !== undefined ? [wordAt(trace, one.read)] : [],
  );
  return [...new Set([...words, ...(openWord === undefined ? [] : [openWord]), ...updated])];
}

function coherenceOf(trace: Trace, { coherence }: Claims): Look['coherence'] {
  const threads = (rows: readonly number[]): readonly number[] => rows.map((row) => trace.accesses.threads.at(row));
  return new Map(
    trace.coherence.flatMap(({ word, rows }) => {
      const choices = coherence.get(word);
      return choices === undefined ? [] : [[word, { threads: threads(rows), choices }] as const];
    }),
  );
}

/** Accesses, or what is not followed, may order more than is known. */
const handsOver = ({ hands, handsByAccesses, observes }: Trace): boolean => hands || handsByAccesses || observes;

function doubtfulIn(trace: Trace, order: MustOrder): WholeRun['open'] {
  const [doubtful] = handsOver(trace) ? order.brokenRules : [];
  return doubtful && { span: doubtful.span, what: 'what may be undefined in tensor memory' };
}

/** What may come to locks, and to words that are counted, in another order. */
const unforcedIn = (locks: Locks, tickets: Tickets, { onLock }: Conflicts): WholeRun['open'] =>
  locks.unforced ?? tickets.unforced ?? onLock;

/** Rules that the run breaks, if nothing orders more than is known. */
const brokenIn = (trace: Trace, order: MustOrder): Trace['findings'] =>
  handsOver(trace) ? [] : [...order.brokenRules, ...earlyIn(trace, order.beforeInit)];

/**
 * What is done to mbarriers before they are initialized in an execution: all that must happen before it happens there,
 * and the init does not. A fence of what is initialized may order that with a relaxed arrival; ways are not all gone.
 */
function earlyIn(trace: Trace, beforeInit: MustOrder['beforeInit']): Trace['findings'] {
  const isRelaxed = trace.synchronizations.some(
    (one) => one.kind === 'mbarrier' && one.step === 'arrive' && one.order === 'relaxed',
  );
  if ((trace.fencesInits && isRelaxed) || trace.threads.some(({ way }) => way !== undefined)) return [];
  const bySpan = new Map(beforeInit.toReversed().map((one) => [one.span, one]));
  return [...bySpan.values()].flatMap(({ step, span }): Trace['findings'] => {
    const thread = trace.threads[step.thread];
    return thread === undefined ? [] : [{ rule: 'mbarrier-uninitialized', thread, span }];
  });
}

/** By thread and instruction, the first. */
function firstOfEach(all: readonly Late[]): readonly Late[] {
  const found = new Map<string, Late>();
  for (const one of all) {
    const key = `${one.step.thread} ${one.span.start}`;
    if (!found.has(key)) found.set(key, one);
  }
  return [...found.values()];
}

/** Arrivals that another execution has behind the end of their mbarriers; which lane is elected is not told apart. */
const lateIn = ({ threads }: Trace, run: OfRun): Trace['findings'] =>
  firstOfEach(run.afterEnd()).flatMap(({ step, span, end }): Trace['findings'] => {
    const [thread, other] = [threads[step.thread], threads[end.step.thread]];
    if (thread === undefined || other === undefined || thread.isElected === true || other.isElected === true) return [];
    return [{ rule: 'mbarrier-uninitialized', thread, span, behind: { thread: other, span: end.span } }];
  });

/**
 * Reads through the read-only path of bytes that a grid writes whose end is in no order with theirs (PTX ISA 9.7.10.9;
 * models/ptx-9.4.cat, read-only-path-of-written-bytes): nothing else makes that defined. What is in no order at all in
 * the run is not behind the end of a grid, either.
 */
function writtenWhileReadOnly(
  trace: Trace,
  { found }: Conflicts,
  { launches }: Setting,
  run: OfRun,
): Trace['findings'] {
  return [...found.values()].flatMap((conflict) => {
    const { first, isFirstOrdered } = conflict;
    const kinds = first.map((row) => kindOf(trace, row));
    const at = kinds.findIndex(isReadOnly);
    const read = first[at];
    const [{ launch: a, way }, { launch: b, way: other }] = [threadOf(trace, first[0]), threadOf(trace, first[1])];
    // On ways not all is in one execution.
    const areBothMade = way === undefined && other === undefined && !kinds.some(({ isPossible }) => isPossible);
    if (read === undefined || !areBothMade) return [];
    const mayWait = comesAfter(launches, a, b) || comesAfter(launches, b, a);
    if (mayWait && (isFirstOrdered || !run.isRace(conflict))) return [];
    const rule = 'read-only-path-of-written-bytes' as const;
    return [{ rule, thread: threadOf(trace, read), span: kindOf(trace, read).span }];
  });
}

/** Where a CTA may be canceled, which then does nothing: followed is what is done where none is. */
function requested({ requests: [span] }: Trace): WholeRun['open'] {
  return span && { span, what: 'which CTAs are canceled, and by whom, is open: only requests that fail are followed' };
}

/** What of that which PTX leaves to the hardware is so in a run, in words. */
function chosenIn({ choices, threads }: Trace, nameOf: (launch: number) => string): readonly string[] {
  const named = (thread: FollowedThread | undefined): string =>
    thread === undefined ? '' : `${nameOf(thread.launch)} cta ${thread.cta}, tid ${thread.tid}`;
  return choices.flatMap(({ kind, taken, threads: of = [] }) => {
    if (kind === 'start' || taken < 0) return [];
    const who = of.flatMap((id) => threads[id] ?? []);
    if (kind === 'leader') return [`${named(who.find(({ tid }) => tid % WARP_SIZE === taken))} is elected`];
    return [`${named(who[0])} cancels cta ${threads.find(({ clusterId }) => clusterId === taken)?.cta}`];
  });
}

/** For which other clusters, or CTAs, threads wait. */
function groupWaitsIn(
  trace: Trace,
  { awaited }: MustOrder,
  setting: Setting,
  placeOf: (thread: FollowedThread, span: Span) => PlaceInLaunch,
): GroupWaits {
  const isCooperative = ({ launch }: FollowedThread): boolean =>
    setting.launches[launch]?.planned.launch.cooperative === true;
  const pairs = awaited.all.map(({ waiter, span, other, at, isStarted }) => ({
    waiter: placeOf(waiter, span),
    other: placeOf(other, at),
    // Of a grid that another one follows, or depends on, each CTA has made a step when that begins.
    isStarted: isStarted || comesAfter(setting.launches, waiter.launch, other.launch),
    isLower: waiter.gpu === other.gpu && other.clusterId < waiter.clusterId,
    isTogether: waiter.launch === other.launch && isCooperative(waiter),
  }));
  return { pairs, hasTurns: awaited.hasTurns || trace.synchronizations.some(({ kind }) => kind === 'take') };
}
