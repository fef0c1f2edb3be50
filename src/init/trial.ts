import type { Span } from '../diagnostics/source.js';
import { citation } from '../diagnostics/source.js';
import { effectsOf } from '../effects/effects-of.js';
import type { Followed } from '../follow/followed.js';
import { Follower } from '../follow/follower.js';
import { OPEN_ADDRESS } from '../follow/lane-place.js';
import { settingOf } from '../follow/setting.js';
import { kindOf } from '../follow/trace.js';
import type { Code } from '../kernel/code.js';
import { planLaunches } from '../kernel/plan-launches.js';
import { look } from '../order/look.js';
import { isShared } from '../order/remarks.js';
import type { OpenConflict } from '../order/whole-run.js';
import { type CheckBudget, within } from '../program/undecided.js';
import { parseLitmus } from '../syntax/parse-litmus.js';
import { type Candidate, type Names, type Sizes, threadsOf, trialText, withNumbers } from './candidate.js';
import { Coverage } from './coverage.js';
import type { KernelFacts } from './kernel-facts.js';

/** What a launch comes to when its threads are followed. */
export interface Outcome {
  /** Why there is nothing to follow, if so. */
  readonly problem: string | undefined;
  /** The first instructions of lines that no thread comes to. */
  readonly unreached: readonly Span[];
  /** Where loops begin that no thread goes round twice. */
  readonly short: readonly Span[];
  /** By line that does something to global memory: in how many CTAs threads come there. */
  readonly ctasAt: ReadonlyMap<string, number>;
  /** Comparisons that come out one way only. */
  readonly oneSided: number;
  /** Instructions that do something to memory, or meet other threads, and that no thread executes. */
  readonly missed: number;
  readonly isShared: boolean;
  /** Why it was not followed to its end, and where. */
  readonly stopped: { readonly what: string; readonly span: Span } | undefined;
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

/** Follows the threads of a launch, and says how much of the kernel that shows. */
export function tryLaunch(
  facts: KernelFacts,
  candidate: Candidate,
  names: Names,
  sizes: Sizes,
  checkBudget: CheckBudget,
): Outcome {
  const { path, text } = facts.module.source;
  const test = trialText(facts, candidate, names, sizes);
  const { value: read, diagnostics } = parseLitmus({ path: 'k.litmus', text: test, modules: { m: { path, text } } });
  if (read === undefined) return unusable(diagnostics[0]?.message ?? 'it cannot be read');
  const file = { ...read, declarations: withNumbers(read.declarations, candidate, names, sizes) };
  const plan = planLaunches(file);
  const wrong = plan.diagnostics.find(({ severity }) => severity === 'error');
  if (wrong !== undefined) return unusable(wrong.message);
  return within(
    (): Outcome => {
      const coverage = new Coverage();
      const setting = settingOf(file, plan, checkBudget, coverage);
      const plain = new Follower(setting, checkBudget).run();
      const followed =
        plain.stopped?.what === OPEN_ADDRESS ? new Follower(setting, checkBudget, { counted: new Map() }).run() : plain;
      const code = setting.launches[0]?.ranks[0]?.code;
      const starts = code === undefined ? [] : coverage.shortLoops(code);
      return {
        problem: undefined,
        unreached: followed.unreached[0] ?? [],
        short: starts,
        ctasAt: code === undefined ? new Map<string, number>() : coverage.ctasAt(code),
        oneSided: coverage.oneSided,
        missed: code === undefined ? 0 : coverage.missed(code),
        isShared: threadsOf(candidate) === 1 || isShared(followed.trace),
        stopped: followed.stopped,
        finding: followed.trace.findings[0]?.rule,
        touched: touchedIn(
          followed,
          setting.memory.locations.ranges.map(({ name }) => name),
        ),
        shared: sharedIn(
          facts,
          followed,
          setting.memory.locations.ranges.map(({ name }) => name),
        ),
        cost: followed.trace.accesses.count + OF_MEETING * followed.trace.synchronizations.length,
        active: activeIn(followed),
        lines: code === undefined ? 0 : linesOf(effective(code)).length,
      };
    },
    () => unusable(TOO_LONG),
  );
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

/**
 * What looks like a block that the kernel is not for: 2 where threads read what nothing has written, 1 where they race,
 * and 0 otherwise.
 */
export function misfit(facts: KernelFacts, candidate: Candidate, names: Names, checkBudget: CheckBudget): 0 | 1 | 2 {
  const { path, text } = facts.module.source;
  const test = trialText(facts, candidate, names, new Map());
  const { value: read } = parseLitmus({ path: 'k.litmus', text: test, modules: { m: { path, text } } });
  if (read === undefined) return 0;
  const file = { ...read, declarations: withNumbers(read.declarations, candidate, names, new Map()) };
  return within(
    () => {
      const setting = settingOf(file, planLaunches(file), checkBudget);
      const { conflicts, uninitialized } = look(setting, checkBudget, {}).run;
      return uninitialized.length > 0 ? 2 : conflicts.some(isRace) ? 1 : 0;
    },
    () => 0,
  );
}

const isRace = ({ kind }: OpenConflict): boolean => kind === 'race';

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

/** Of each location: where the last byte is that is accessed. */
function touchedIn({ trace }: Followed, names: readonly string[]): Sizes {
  const touched = new Map<string, number>();
  const { accesses } = trace;
  for (let row = 0; row < accesses.count; row++) {
    const name = names[accesses.ranges.at(row)] ?? '';
    const end = accesses.starts.at(row) + accesses.sizes.at(row);
    if (end > (touched.get(name) ?? 0)) touched.set(name, end);
  }
  return touched;
}

/** Of the arrays whose size a launch gives: how many bytes are touched, in words. */
function sharedIn({ dynamic }: KernelFacts, followed: Followed, names: readonly string[]): number {
  const own = [...touchedIn(followed, names)].filter(([name]) => dynamic.some((one) => isNamed(name, one)));
  return 4 * Math.ceil(Math.max(0, ...own.map(([, bytes]) => bytes)) / 4);
}

/** A variable of a launch has the name that it has in the module, or one behind that of the launch. */
const isNamed = (name: string, variable: string): boolean => name === variable || name === `K.${variable}`;

/** The lines of a program, or of its module, in order. */
export const linesOf = (spans: readonly Span[]): readonly string[] => [
  ...new Set(spans.map((span) => citation(span).replace(/ .*/, ''))),
];
