import { citation, citations, type Span } from '../diagnostics/source.js';
import type { Encounter } from '../order/encounters.js';
import {
  isAsked,
  isLikeEvery,
  type OpenConflict,
  type PlaceInLaunch,
  type UnlikeRounds,
  type WholeFinding,
  type WholeRun,
} from '../order/whole-run.js';
import { type Allowance, accepts } from '../program/allowance.js';
import type { ResolvedExpectation } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { FINDING_WORDS, ruleSentence, type UndefinedRule } from '../program/undefined-rules.js';
import type { Finding } from '../syntax/condition-ast.js';
import { type AcceptedFinding, allowancesFor, nothingKnown, nothingOf } from './accepted-findings.js';
import { meaningless } from './decide-condition.js';
import { expectationResult, type Happening } from './expectation-result.js';
import { leftOpen, type Remark, remarkOf } from './remarks.js';
import { type ExpectationResult, foundNothing, foundSomething, type TestResult } from './result.js';

/**
 * The first race of the run itself that is undefined: it modifies the source of a copy in flight, or accesses its
 * destination, or the two overlap partially, of which the model says nothing more (PTX ISA 8.7.2).
 */
function undefinedRaceIn(
  races: readonly OpenConflict[],
  doRace: (conflict: OpenConflict) => Racing,
): { readonly rule: UndefinedRule; readonly threads: OpenConflict['threads'] } | undefined {
  const first = (is: (one: OpenConflict) => boolean): OpenConflict | undefined =>
    races.find((one) => is(one) && doRace(one) === 'certainly');
  const early = first(({ isTooEarly }) => isTooEarly);
  if (early !== undefined) return { rule: 'asynchronous-operation-in-flight', threads: early.threads };
  const mixed = first(({ isPartial }) => isPartial);
  return mixed && { rule: 'mixed-size-race', threads: mixed.threads };
}

/** Whether two threads race: `certainly`, since the run does; `never`, by the engines; undefined: it is not known. */
export type Racing = 'certainly' | 'never' | undefined;

/**
 * What a run of all threads does, put into the answers about all of them: it is an execution, so what it does happens.
 */
export function withWholeRun(
  result: TestResult,
  run: WholeRun | undefined,
  doRace: (conflict: OpenConflict) => Racing,
): TestResult {
  if (run === undefined) return result;
  const isAccepted = acceptedIn(result);
  const all = run.conflicts.filter((one) => one.kind === 'race' && !isAcceptedRace(isAccepted, one));
  const findings = [...run.findings, ...run.registerFindings].filter(
    ({ rule, thread }) => rule === 'trap' || rule === 'deadlock' || !isAccepted('undefined', [thread.span]),
  );
  const races = all.filter(({ threads }) => threads.some(isAsked));
  const own = findings.filter(({ thread }) => isAsked(thread));
  const expectations = result.expectations.map((one) => {
    if (foundSomething(one)) return one;
    const { finding } = one.expectation;
    const happening =
      finding === 'uninitialized' ? uninitializedIn(run, isAccepted) : happeningOf(finding, races, own, doRace);
    const isNews = happening?.happens === true || foundNothing(one);
    return happening === undefined || !isNews ? one : expectationResult(one.expectation, happening);
  });
  // What other threads do wrong is not asked about; of the end nothing is known all the same.
  const race = undefinedRaceIn(all, doRace);
  const [wrong = race && { rule: race.rule, thread: race.threads[0] }] = findings.filter(
    ({ rule }) => rule !== 'trap' && rule !== 'deadlock',
  );
  if (wrong === undefined || result.undefinedBy !== undefined) return { ...result, expectations };
  const { rule, thread } = wrong;
  const sentence = `${ruleSentence(rule)} (${nameOf(thread)}, ${citation(thread.span)})`;
  return {
    ...result,
    undefinedBy: { rule, sentence, witness: undefined, events: [], shownAt: [placeIn(thread)], advice: undefined },
    conditions: result.conditions.map(({ condition }) => meaningless(condition)),
    states: undefined,
    expectations,
  };
}

/** Whether a test accepts what threads do at their lines. */
export function acceptedIn({
  program,
  model,
}: Pick<TestResult, 'program' | 'model'>): (finding: Finding, spans: readonly Span[]) => boolean {
  const allowances = allowancesFor(program, model);
  return (finding, spans) => allowances.some((one) => one.finding === finding && accepts(one, spans));
}

/** Whether a test accepts a race, or all that are of the same value. */
export const isAcceptedRace = (
  isAccepted: ReturnType<typeof acceptedIn>,
  { threads, isSameValue }: OpenConflict,
): boolean =>
  isAccepted('race', spansOf(threads)) || (isSameValue === true && isAccepted('same-value-race', spansOf(threads)));

/** Why nothing is known of all threads of launches that have too many to be decided together. */
export function whyNotAll(run: WholeRun | undefined): Undecided {
  if (run === undefined) return { kind: 'coverage', what: 'the threads were not followed in time' };
  const { open } = run;
  const rounds = run.unlikeRounds === undefined ? '' : `; ${whyNotInRounds(run.unlikeRounds)}`;
  if (open === undefined) return { kind: 'coverage', what: `${openIn(run).what}${rounds}` };
  // What the launch itself is about is no line of its code.
  const isOfTest = open.span.source.compiledFrom === undefined;
  const where = isOfTest ? `the launch at ${citation(open.span)} of the test` : citation(open.span);
  return { kind: 'coverage', what: `the threads were followed as far as ${where}: ${open.what}${rounds}` };
}

/** Why a launch that draws from a queue is not decided by a few of its rounds: what was in the way there. */
function whyNotInRounds(unlike: UnlikeRounds): string {
  const because = (what: string): string => `a few rounds of its queue do not stand for all: ${what}`;
  if (typeof unlike === 'string') return because(unlike);
  const { open, findings, conflicts, uninitialized, unstarted } = unlike;
  if (open !== undefined) return because(`${open.what} (${citation(open.span)})`);
  const [finding] = findings;
  if (finding !== undefined)
    return because(`${ruleSentence(finding.rule)} in one of them (${citation(finding.thread.span)})`);
  const [conflict] = conflicts;
  if (conflict !== undefined) return because(`${pairOf(conflict)} may be at the same bytes, and nothing orders them`);
  const [place] = [...uninitialized, ...unstarted.map(({ thread }) => thread)];
  return because(`memory may have no value${place === undefined ? '' : ` (${citation(place.span)})`}`);
}

function pairOf({ threads }: OpenConflict): string {
  const places = citations(spansOf(threads));
  return threads.map((one, i) => `${nameOf(one)} (${places[i]})`).join(' and ');
}

/** In what other executions may be unlike a run, and where. */
function openIn({ open, findings, conflicts }: WholeRun): { readonly what: string; readonly places: readonly Span[] } {
  if (open !== undefined) return { what: open.what, places: [open.span] };
  const [finding] = findings;
  if (finding !== undefined) {
    const { span } = finding.thread;
    return { what: `what all do otherwise is not known (${citation(span)})`, places: [span] };
  }
  const conflict = conflicts.find(({ kind }) => kind !== 'race') ?? conflicts[0];
  if (conflict === undefined)
    return { what: 'that what orders all of them does so under this model is not known', places: [] };
  const what = `what ${pairOf(conflict)} find in the same bytes may be different in other executions`;
  return { what, places: [] };
}

/** Limits of the engines, which say nothing of what the threads do. */
const LIMITS: ReadonlySet<Undecided['kind']> = new Set(['bound', 'timeout', 'memory', 'states', 'size']);

/** What the run leaves open, where answers are open for limits of the engines. */
function openRemarks(
  { conditions, expectations }: Pick<TestResult, 'conditions' | 'expectations'>,
  run: WholeRun,
): readonly Remark[] {
  const isOpen = [...conditions, ...expectations].some(({ undecided }) => LIMITS.has(undecided?.kind ?? 'value'));
  const { what, places } = openIn(run);
  return isOpen ? [leftOpen(what, places)] : [];
}

export const spansOf = (threads: readonly PlaceInLaunch[]): readonly Span[] => threads.map(({ span }) => span);

/** What the run shows besides, and what of it the `allow` lines of the test accept. */
export function withRemarks<Of extends Omit<TestResult, 'time'>>(result: Of, run: WholeRun): Of {
  const isAccepted = acceptedIn(result);
  // What no thread of the run comes to, one of another run may, where that is not like it.
  const remarks = run.remarks
    .map(remarkOf)
    .filter(({ kind, places }) =>
      kind === 'relaxed' ? !isAccepted('relaxed', places) : kind === 'timeout' || isLikeEvery(run),
    );
  const open = (one: Allowance): AcceptedFinding =>
    isLikeEvery(run) ? nothingOf(one) : nothingKnown(one, whyNotAll(run));
  const all = [...remarks, ...openRemarks(result, run)];
  const { accepted: known = allowancesFor(result.program, result.model).map(open) } = result;
  const accepted = known.map((one) => (one.outcome === 'found' ? one : acceptedBy(one, run)));
  return { ...result, ...(all.length > 0 && { remarks: all }), ...(accepted.length > 0 && { accepted }) };
}

const isSameValueRace = ({ isCertain, isSameValue }: OpenConflict): boolean => isCertain && isSameValue === true;

/** What an `allow` line accepts of what the run does. */
function acceptedBy(one: AcceptedFinding, run: WholeRun): AcceptedFinding {
  const { allowance } = one;
  const found = (sentence: string, of: readonly (readonly Span[])[]): AcceptedFinding =>
    of.some((spans) => accepts(allowance, spans)) ? { ...one, outcome: 'found', undecided: undefined, sentence } : one;
  switch (allowance.finding) {
    case 'race':
      return found(
        FINDING_WORDS.race,
        run.conflicts.filter(({ isCertain }) => isCertain).map(({ threads }) => spansOf(threads)),
      );
    case 'same-value-race':
      return found(
        'a data race of writes of the same value',
        run.conflicts.filter(isSameValueRace).map(({ threads }) => spansOf(threads)),
      );
    case 'uninitialized':
      return found(
        FINDING_WORDS.uninitialized,
        run.uninitialized.map(({ span }) => [span]),
      );
    case 'undefined': {
      const all = [...run.findings, ...run.registerFindings];
      const rules = all.filter(({ rule }) => rule !== 'trap' && rule !== 'deadlock');
      const [first] = rules.filter(({ thread }) => accepts(allowance, [thread.span]));
      return found(
        ruleSentence(first?.rule ?? ''),
        rules.map(({ thread }) => [thread.span]),
      );
    }
    case 'relaxed':
      return found(
        'a hand-over by relaxed accesses',
        run.remarks.flatMap((remark) => (remark.kind === 'relaxed' ? [remark.places] : [])),
      );
  }
}

/** What the run reads that nothing has written, and the test does not accept. */
export function uninitializedIn(run: WholeRun, isAccepted: ReturnType<typeof acceptedIn>): Happening | undefined {
  const places = run.uninitialized.filter((place) => isAsked(place) && !isAccepted('uninitialized', [place.span]));
  if (places.length === 0) return undefined;
  const reason = `an execution has ${FINDING_WORDS.uninitialized}`;
  return { happens: true, reason, shownAt: places.slice(0, MOST_SHOWN).map(placeIn) };
}

function happeningOf(
  finding: Exclude<ResolvedExpectation['finding'], 'uninitialized'>,
  races: readonly OpenConflict[],
  findings: readonly WholeFinding[],
  doRace: (conflict: OpenConflict) => Racing,
): Happening | undefined {
  switch (finding) {
    case 'race':
      return raceOf(races, doRace);
    case 'undefined': {
      const own = findings.filter(({ rule }) => rule !== 'trap' && rule !== 'deadlock');
      if (own.length > 0) return happens(own, ruleSentence(own[0]?.rule ?? ''));
      const race = undefinedRaceIn(races, doRace);
      if (race !== undefined)
        return { happens: true, reason: ruleSentence(race.rule), shownAt: race.threads.map(placeIn) };
      const partial = races.find((one) => one.isPartial && doRace(one) !== 'never');
      return partial === undefined ? undefined : open(partial, 'which overlap partially');
    }
    case 'deadlock':
    case 'trap': {
      const own = findings.filter(({ rule }) => rule === finding);
      const what = finding === 'trap' ? 'an execution comes to a trap' : 'threads wait for ever';
      return own.length === 0 ? undefined : happens(own, what);
    }
  }
}

const MOST_SHOWN = 4;

function happens(findings: readonly WholeFinding[], what: string): Happening {
  const threads = new Set(findings.map(({ thread }) => nameOf(thread))).size;
  const count = threads === 1 ? '1 thread' : `${threads} threads`;
  const first = findings.find(({ behind }) => behind !== undefined)?.behind;
  const after = first === undefined ? '' : `; nothing orders it before ${citation(first.span)}`;
  const reason = `${what} (${count}${whereGiven(findings[0]?.thread)})${after}`;
  /** The first thread of each line. */
  const lines = new Map<string, PlaceInLaunch>();
  for (const { thread, behind } of findings)
    for (const one of behind === undefined ? [thread] : [behind, thread]) {
      const line = `${one.span.source.path} ${one.span.start}`;
      if (!lines.has(line)) lines.set(line, one);
    }
  const isByLetter = findings.every((one) => one.isByLetter === true);
  const shownAt = [...lines.values()].slice(0, MOST_SHOWN).map(placeIn);
  return { happens: true, reason, shownAt, ...(isByLetter && { advice: BY_LETTER }) };
}

function raceOf(races: readonly OpenConflict[], doRace: (conflict: OpenConflict) => Racing): Happening | undefined {
  const certain = races.filter((one) => one.isCertain && doRace(one) === 'certainly');
  // What comes to the same is told where nothing else is.
  const [shown] = [...certain.filter((one) => one.isSameValue !== true), ...certain];
  if (shown !== undefined) return race(shown);
  const doubtful = races.find((one) => doRace(one) === undefined);
  return doubtful === undefined ? undefined : open(doubtful, 'and nothing seen orders them');
}

function race(conflict: OpenConflict): Happening {
  const { pairs, threads, encounter, acrossProxies, forProxies, isByLetter, isSameValue } = conflict;
  const where = encounter === undefined ? '' : ` at ${encounter.bytes}${metAt(encounter)}`;
  const hints = encounter && [...waitedFor(encounter, threads), ...writing(encounter, isSameValue)];
  const how = pairs === 1 ? '' : `; ${pairs} pairs of accesses at these lines are like this one`;
  const reason = `an execution has a data race${where}${whereGiven(threads[0])}${how}${hints?.join('') ?? ''}`;
  const unfenced = forProxies === 'another fence' ? FENCED_ELSEWHERE : undefined;
  const apart = acrossProxies && (unfenced ?? `${ACROSS_PROXIES}; ${SEEN[acrossProxies]}`);
  const advice = isByLetter === true ? BY_LETTER : apart;
  return { happens: true, reason, shownAt: threads.map(placeIn), ...(advice && { advice }) };
}

const BY_LETTER =
  'by the letter: vote.sync, shfl.sync, match.sync and redux.sync wait for lanes and order no memory; put ' +
  'bar.warp.sync (__syncwarp()) behind; under --variant warp-exchange=memory they order it, and this does not happen';
const ACROSS_PROXIES = 'they are ordered, but not across their proxies: put fence.proxy.async between them';

const FENCED_ELSEWHERE =
  'they are ordered, but not across their proxies: the fence.proxy.async between them is of another CTA than that of ' +
  'the asynchronous access (docs/decisions/proxy-fence-place.md): put one there; under --variant proxy-fence=lenient ' +
  'it counts';

/** What a GPU was seen to do without the fence (observations/h100-1/controls.tsv), or else what asks for less. */
const SEEN: Readonly<Record<NonNullable<OpenConflict['acrossProxies']>, string>> = {
  'store then read': 'without it an H100 was seen to copy what was there before, in 40,448 of 40,448 tries',
  'load then write': 'without it an H100 was seen to load what the copy brought, in 60,284 of 60,800 tries',
  other: 'that is by the letter of PTX ISA 8.9.5',
};

/** Where the threads have met last. */
function metAt({ met }: Encounter): string {
  if (met === undefined) return '';
  return `, since both were at ${citation(met.span)}${met.times === 1 ? '' : ` for the ${ordinal(met.times)} time`}`;
}

/** For which phases of mbarriers the threads have waited last, if they have at all. */
function waitedFor({ waits }: Encounter, threads: OpenConflict['threads']): readonly string[] {
  return threads.flatMap((thread, i) => {
    const wait = waits[i];
    return wait === undefined
      ? []
      : [`; ${nameOf(thread)} has waited last at ${citation(wait.span)}, for the ${ordinal(wait.phase)} phase`];
  });
}

function writing({ written }: Encounter, isSameValue: boolean | undefined): readonly string[] {
  if (written === undefined && isSameValue !== true) return [];
  return [`; both write ${written ?? 'the same value'} there, which is a race all the same (PTX ISA 8.7.1)`];
}

function ordinal(number: number): string {
  const isTeen = Math.floor(number / 10) % 10 === 1;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${ending}`;
}

/**
 * What is out of the ordinary in the run that is told of: contents of memory that are open, elements found old, and
 * what the hardware has chosen.
 */
function whereGiven(place: PlaceInLaunch | undefined): string {
  const { given, torn, chosen = [] } = place ?? {};
  const contents = given === undefined ? '' : `, where each element that is given as ? is ${given}`;
  const elements = 'finds one element of a vector new and another one old, which come in no order (PTX ISA 8.2.4)';
  const old = torn === undefined ? '' : `, where ${citation(torn)} ${elements}`;
  const [some, more] = [chosen.slice(0, MOST_CHOSEN), chosen.length > MOST_CHOSEN ? ' …' : ''];
  return `${contents}${old}${some.length === 0 ? '' : `, where ${some.join(', ')}${more}`}`;
}

/** So much of what is chosen is told. */
const MOST_CHOSEN = 4;

/** Two accesses of which it is not known whether they race. */
function open({ threads: [a, b] }: OpenConflict, what: string): Happening {
  const where = (one: PlaceInLaunch): string => `${nameOf(one)} (${citation(one.span)})`;
  const reason: Undecided = {
    kind: 'coverage',
    what: `${where(a)} and ${where(b)} access the same bytes, ${what}`,
  };
  return { happens: undefined, undecided: reason };
}

const nameOf = ({ launch, cta, tid, isElected }: PlaceInLaunch): string =>
  `${launch} cta ${cta}, ${isElected ? `the elected lane of the warp of tid ${tid}` : `tid ${tid}`}`;

/** What a thread of a launch does, with its name. */
export type NamedPlace = NonNullable<ExpectationResult['shownAt']>[number];

export const placeIn = (place: PlaceInLaunch): NamedPlace => ({
  thread: nameOf(place),
  span: place.span,
});
