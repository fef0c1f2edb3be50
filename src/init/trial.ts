import type { Span } from '../diagnostics/source.js';
import { citation } from '../diagnostics/source.js';
import { effectsOf } from '../effects/effects-of.js';
import { type Followed, Follower } from '../follow/follower.js';
import { OPEN_ADDRESS } from '../follow/lane-place.js';
import { settingOf } from '../follow/setting.js';
import type { Code } from '../kernel/code.js';
import { planLaunches } from '../kernel/plan-launches.js';
import { isShared } from '../order/remarks.js';
import { type CheckBudget, within } from '../program/undecided.js';
import { parseLitmus } from '../syntax/parse-litmus.js';
import { type Candidate, type Names, type Sizes, threadsOf, trialText } from './candidate.js';
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
  /** Comparisons that come out one way only. */
  readonly oneSided: number;
  readonly isShared: boolean;
  /** Why it was not followed to its end, and where. */
  readonly stopped: { readonly what: string; readonly span: Span } | undefined;
  /** What a thread does wrong by itself. */
  readonly finding: string | undefined;
  /** In bytes, by the name of an array: how much of it is touched. */
  readonly touched: Sizes;
  /** Steps of warps. */
  readonly steps: number;
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
  const { value: file, diagnostics } = parseLitmus({ path: 'k.litmus', text: test, modules: { m: { path, text } } });
  if (file === undefined) return unusable(diagnostics[0]?.message ?? 'it cannot be read');
  const plan = planLaunches(file);
  const wrong = plan.diagnostics.find(({ severity }) => severity === 'error');
  if (wrong !== undefined) return unusable(wrong.message);
  return within(
    () => {
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
        oneSided: coverage.oneSided,
        isShared: threadsOf(candidate) === 1 || isShared(followed.trace),
        stopped: followed.stopped,
        finding: followed.trace.findings[0]?.rule,
        touched: touchedIn(
          followed,
          setting.memory.locations.ranges.map(({ name }) => name),
        ),
        steps: coverage.steps,
        lines: code === undefined ? 0 : linesOf(effective(code)).length,
      };
    },
    () => unusable(TOO_LONG),
  );
}

export const TOO_LONG = 'following it takes too long';

const unusable = (problem: string): Outcome => ({
  ...{ problem, unreached: [], short: [], oneSided: 0, isShared: false, stopped: undefined, finding: undefined },
  ...{ touched: new Map(), steps: 0, lines: 0 },
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

/** The lines of a program, or of its module, in order. */
export const linesOf = (spans: readonly Span[]): readonly string[] => [
  ...new Set(spans.map((span) => citation(span).replace(/ .*/, ''))),
];
