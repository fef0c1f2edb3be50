import type { Span } from '../diagnostics/source.js';
import { citation } from '../diagnostics/source.js';
import { effectsOf } from '../effects/effects-of.js';
import type { Followed } from '../follow/followed.js';
import { Follower } from '../follow/follower.js';
import { OPEN_ADDRESS } from '../follow/lane-place.js';
import { type Setting, settingOf } from '../follow/setting.js';
import { kindOf } from '../follow/trace.js';
import type { Code } from '../kernel/code.js';
import { type LaunchPlan, planLaunches } from '../kernel/plan-launches.js';
import { readWhole } from '../order/follow-whole.js';
import { type Look, look } from '../order/look.js';
import { isShared } from '../order/remarks.js';
import { isLikeEvery, mayHappen } from '../order/whole-run.js';
import { type CheckBudget, within } from '../program/undecided.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { parseLitmus } from '../syntax/parse-litmus.js';
import { type Candidate, type Names, type Sizes, threadsOf, trialText, withNumbers } from './candidate.js';
import { Coverage, type ShortLoop, touchedIn } from './coverage.js';
import type { KernelFacts, Slot } from './kernel-facts.js';

/** What a launch comes to when its threads are followed. */
export interface Outcome {
  /** Why there is nothing to follow, if so. */
  readonly problem: string | undefined;
  /** The first instructions of lines that no thread comes to. */
  readonly unreached: readonly Span[];
  /** Loops that no thread goes round often enough. */
  readonly short: readonly ShortLoop[];
  /** By line that does something to global memory: in how many CTAs threads come there. */
  readonly ctasAt: ReadonlyMap<string, number>;
  /** Comparisons that come out one way only. */
  readonly oneSided: number;
  /** Instructions that do something to memory, or meet other threads, and that no thread executes. */
  readonly missed: number;
  readonly isShared: boolean;
  /** Why it was not followed to its end, and where. */
  readonly stopped: Open | undefined;
  /** What a thread does wrong by itself. */
  readonly finding: string | undefined;
  /** In bytes, by the name of an array: how much of it is touched. */
  readonly touched: Sizes;
  /** In bytes: how much of the arrays is touched whose size a launch gives. */
  readonly shared: number;
  /** How much there is to be ordered: accesses, and where threads meet. */
  readonly cost: number;
  /** How many threads write to memory that all share. */
  readonly active: number;
  /** Lines that do something to memory, or meet other threads. */
  readonly lines: number;
}

/** What may be found wrong with a launch besides what single threads do. */
export interface Faults {
  /** Pairs of lines that race, each with how many threads do. */
  readonly races: ReadonlyMap<string, number>;
  /** Lines that read what nothing has written. */
  readonly unwritten: ReadonlySet<string>;
  /** Why one run says nothing of the others, and where; undefined where it does, or something is wrong in any case. */
  readonly open: Open | undefined;
  /** Where it does: a line at which something else may be found, so that not all that may go wrong is known. */
  readonly doubtful: Span | undefined;
}

/** What is not known when threads are followed, and where. */
export interface Open {
  readonly what: string;
  readonly span: Span;
}

interface Whole extends Pick<Faults, 'open' | 'doubtful'> {
  readonly touched: Sizes;
}

/** How much is followed. */
export interface TrialLimits {
  /** Of one launch, and of all: in steps of warps and accesses of lanes, which are the same on every machine. */
  readonly mostWork: number;
  readonly allWork: number;
  /** A last limit of one launch, on machines where that takes long. */
  readonly budget: () => CheckBudget;
}

/** Follows launches of a kernel, and says how much of it they show. */
export class Trials {
  /** What has been done so far. */
  work = 0;
  private readonly known = new WeakMap<Candidate, Faults | undefined>();
  private readonly whole = new WeakMap<Candidate, Whole>();

  constructor(
    readonly facts: KernelFacts,
    readonly names: Names,
    readonly limits: TrialLimits,
  ) {}

  /** `sizes`: of arrays; where there is none there is plenty. */
  follow(candidate: Candidate, sizes: Sizes = NO_SIZES): Outcome {
    const { facts, limits } = this;
    const coverage = new Coverage(limits.mostWork);
    const outcome = this.plan(
      candidate,
      sizes,
      (file, plan) => {
        const budget = limits.budget();
        const setting = settingOf(file, plan, budget, coverage);
        const plain = new Follower(setting, budget).run();
        const isTicket = plain.stopped?.what === OPEN_ADDRESS;
        const followed = isTicket ? new Follower(setting, budget, { counted: new Map() }).run() : plain;
        return outcomeOf(facts, candidate, setting, followed, coverage);
      },
      unusable,
    );
    this.work += coverage.work + OF_PLANNING;
    return outcome;
  }

  /** Which accesses race, and which read what nothing has written; undefined where that is not to be had. */
  faults(candidate: Candidate): Faults | undefined {
    if (this.known.has(candidate)) return this.known.get(candidate);
    const { limits } = this;
    const coverage = new Coverage(limits.mostWork);
    const faults = this.plan(
      candidate,
      NO_SIZES,
      (file, plan) => {
        const budget = limits.budget();
        const { run } = look(settingOf(file, plan, budget, coverage), budget, {});
        return faultsOf(run);
      },
      () => undefined,
    );
    this.work += OF_LOOKING * coverage.work + OF_PLANNING;
    this.known.set(candidate, faults);
    return faults;
  }

  /** Why all that may be known of a launch, in cases and on all ways, is no answer; undefined where it is one. */
  openIn(candidate: Candidate, sizes: Sizes = NO_SIZES): Open | undefined {
    return this.wholeOf(candidate, sizes)?.open;
  }

  /** In bytes, by the name of an array: how much of it is touched in some case, where that may be more. */
  touchedIn(candidate: Candidate): Sizes {
    return this.wholeOf(candidate, NO_SIZES)?.touched ?? NO_SIZES;
  }

  /** A line at which what is found is not known, where one run is like all others but for that. */
  doubtIn(candidate: Candidate): Span | undefined {
    return (this.wholeOf(candidate, NO_SIZES) ?? this.faults(candidate))?.doubtful;
  }

  /** What is known of a launch by all cases and ways, if one run does not say it. */
  private wholeOf(candidate: Candidate, sizes: Sizes): Whole | undefined {
    const faults = this.faults(candidate);
    if (faults === undefined || faults.open === undefined) return undefined;
    const isPlain = sizes === NO_SIZES;
    const known = isPlain ? this.whole.get(candidate) : undefined;
    if (known !== undefined) return known;
    const coverage = new Coverage(OF_CASES * this.limits.mostWork);
    const unknown: Whole = { ...faults, touched: NO_SIZES };
    const whole = this.plan<Whole>(
      candidate,
      sizes,
      (file) => {
        const budget = this.limits.budget();
        const { whole: test } = readWhole(file, budget, budget, { isOutline: true }, coverage);
        if (test === undefined) return unknown;
        const run = test.follow(budget);
        return { open: openIn(run), doubtful: doubtfulIn(run), touched: coverage.touched };
      },
      () => unknown,
    );
    this.work += OF_LOOKING * coverage.work + OF_PLANNING;
    if (isPlain) this.whole.set(candidate, whole);
    return whole;
  }

  private plan<T>(
    candidate: Candidate,
    sizes: Sizes,
    work: (file: LitmusFile, plan: LaunchPlan) => T,
    otherwise: (problem: string) => T,
  ): T {
    const { facts, names } = this;
    const { path, text } = facts.module.source;
    const test = trialText(facts, candidate, names, sizes);
    const { value: read, diagnostics } = parseLitmus({ path: 'k.litmus', text: test, modules: { m: { path, text } } });
    if (read === undefined) return otherwise(diagnostics[0]?.message ?? 'it cannot be read');
    const file = { ...read, declarations: withNumbers(facts, read.declarations, candidate, names, sizes) };
    const plan = planLaunches(file);
    const wrong = plan.diagnostics.find(({ severity }) => severity === 'error');
    if (wrong !== undefined) return otherwise(wrong.message);
    return within(
      () => work(file, plan),
      () => otherwise(TOO_LONG),
    );
  }
}

const NO_SIZES: Sizes = new Map();
/** What it takes to read and decode a test, and how much longer it is looked at than followed, in such steps. */
const OF_PLANNING = 8000;
const OF_LOOKING = 3;
/** How much more may be followed where that is done in cases. */
const OF_CASES = 2;

function outcomeOf(
  facts: KernelFacts,
  candidate: Candidate,
  setting: Setting,
  followed: Followed,
  coverage: Coverage,
): Outcome {
  const code = setting.launches[0]?.ranks[0]?.code;
  const names = setting.memory.locations.ranges.map(({ name }) => name);
  return {
    problem: undefined,
    unreached: followed.unreached[0] ?? [],
    short: code === undefined ? [] : coverage.shortLoops(code),
    ctasAt: code === undefined ? new Map<string, number>() : coverage.ctasAt(code),
    oneSided: coverage.oneSided,
    missed: code === undefined ? 0 : coverage.missed(code),
    isShared: threadsOf(candidate) === 1 || isShared(followed.trace),
    stopped: followed.stopped,
    finding: followed.trace.findings[0]?.rule,
    touched: touchedIn(followed.trace, names),
    shared: sharedIn(facts, followed, names),
    cost: followed.trace.accesses.count + OF_MEETING * followed.trace.synchronizations.length,
    active: activeIn(followed),
    lines: code === undefined ? 0 : linesOf(effective(code)).length,
  };
}

/** What it takes to order where threads meet, in accesses. */
const OF_MEETING = 16;

/** Threads that write to memory which all share; where none does, those that access any. */
function activeIn({ trace }: Followed): number {
  const { accesses, pieces } = trace;
  const [writing, accessing] = [new Set<number>(), new Set<number>()];
  for (let row = 0; row < accesses.count; row++) {
    const thread = accesses.threads.at(row);
    accessing.add(thread);
    if (pieces[accesses.pieces.at(row)]?.object.space === 'global' && kindOf(trace, row).writes) writing.add(thread);
  }
  return writing.size > 0 ? writing.size : accessing.size;
}

/** Why a run is not like every other, if nothing is wrong in any case. */
function openIn(run: Look['run']): Open | undefined {
  const { conflicts, findings, open } = run;
  if (isLikeEvery(run) || findings.length > 0 || conflicts.some(({ isCertain }) => isCertain)) return undefined;
  const [span] = conflicts.flatMap(({ threads }) => threads.map((one) => one.span));
  return open ?? (span && { span, what: 'what is found there may be different in other executions' });
}

/** Where what conflicts may race, be read before it is written, or be undefined, and is not known to. */
function doubtfulIn(run: Look['run']): Span | undefined {
  const { conflicts } = run;
  const found = conflicts.find((one) => MAY_BE_FOUND.some((what) => mayHappen(what, { ...run, conflicts: [one] })));
  return conflicts.some(({ isCertain }) => isCertain) ? undefined : found?.threads[0].span;
}

const MAY_BE_FOUND = ['race', 'uninitialized', 'undefined'] as const;

function faultsOf(run: Look['run']): Faults {
  const { conflicts, uninitialized } = run;
  const races = new Map<string, number>();
  for (const { kind, threads, pairs } of conflicts) {
    if (kind !== 'race') continue;
    const lines = linesOf(threads.map(({ span }) => span))
      .toSorted()
      .join(' and ');
    races.set(lines, (races.get(lines) ?? 0) + pairs);
  }
  return {
    races,
    unwritten: new Set(linesOf(uninitialized.map(({ span }) => span))),
    open: openIn(run),
    doubtful: doubtfulIn(run),
  };
}

export const TOO_LONG = 'following it takes too long';

const unusable = (problem: string): Outcome => ({
  ...{
    problem,
    unreached: [],
    short: [],
    ctasAt: new Map(),
    oneSided: 0,
    missed: 0,
    isShared: false,
    stopped: undefined,
    finding: undefined,
  },
  ...{ touched: new Map(), shared: 0, cost: 0, active: 0, lines: 0 },
});

const effective = ({ statements }: Code): readonly Span[] =>
  statements.flatMap(({ operation, span }) => (effectsOf(operation).length > 0 ? [span] : []));

/** Of the arrays whose size a launch gives: how many bytes are touched, in words. */
function sharedIn({ dynamic }: KernelFacts, followed: Followed, names: readonly string[]): number {
  const own = [...touchedIn(followed.trace, names)].filter(([name]) => dynamic.some((one) => isNamed(name, one)));
  return 4 * Math.ceil(Math.max(0, ...own.map(([, bytes]) => bytes)) / 4);
}

/** A variable of a launch has the name that it has in the module, or one behind that of the launch. */
const isNamed = (name: string, variable: string): boolean => name === variable || name === `K.${variable}`;

/** The lines of a program, or of its module, in order. */
export const linesOf = (spans: readonly Span[]): readonly string[] => [
  ...new Set(spans.map((span) => citation(span).replace(/ .*/, ''))),
];

/** An integer, as a person knows it. */
export function sizeNamed({ facts, names }: Trials, { parameter, at }: Slot): string {
  const isField = facts.entry.parameters[parameter]?.elements !== undefined;
  return `${names.parameters[parameter] ?? ''}${isField ? `, at byte ${at}` : ''}`;
}

/** What goes wrong, in words. */
export const wrongIn = (faults: Faults | undefined): ReadonlySet<string> =>
  new Set([
    ...[...(faults?.races.keys() ?? [])].map((lines) => `a race at ${lines}`),
    ...[...(faults?.unwritten ?? [])].map((line) => `a read of what nothing has written at ${line}`),
  ]);
