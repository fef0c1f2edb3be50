import { hasErrors } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import { buildTest } from '../follow/build-test.js';
import { areFew } from '../follow/choose-threads.js';
import { planLaunches } from '../kernel/plan-launches.js';
import { type CheckBudget, describeUndecided, within } from '../program/undecided.js';
import { parseLitmus } from '../syntax/parse-litmus.js';
import { type KernelTest, kernelTest } from './kernel-test.js';
import type { Modules } from './modules.js';
import { printTest } from './print-test.js';
import type { RecordedLaunch, Recording } from './recording.js';
import { TestNames } from './test-names.js';

/** A test of a launch, as it is written. */
export interface WrittenTest {
  readonly test: KernelTest;
  readonly text: string;
  /** The modules that it launches, by their names beside it. */
  readonly modules: readonly string[];
}

/** What became of a launch: exactly one of these. */
export type Outcome =
  | { readonly kind: 'written'; readonly launch: RecordedLaunch; readonly written: WrittenTest }
  | { readonly kind: RefusedKind; readonly launch: RecordedLaunch; readonly reason: string };

/** No PTX; what tests cannot say; what was not recorded of it; more tests than are asked for. */
export type RefusedKind = 'no-ptx' | 'not-said' | 'not-read' | 'left-out';

/** Writes a test of each launch, as far as that can be, and says of the others why not. */
export function writeTests(
  recording: Recording,
  modules: Modules,
  most: Bounds,
  /** What may be spent on each. */
  budget: () => CheckBudget,
): readonly Outcome[] {
  const names = new TestNames();
  let count = 0;
  const ofKernel = new Map<string, number>();
  return recording.launches.map((launch): Outcome => {
    const made = kernelTest(launch, recording, modules);
    if ('reason' in made) return { launch, ...made };
    const kernel = `${launch.image} ${launch.entry}`;
    const before = ofKernel.get(kernel) ?? 0;
    const beyond = beyondBounds(count, before, most);
    if (beyond !== undefined) return { kind: 'left-out', launch, reason: beyond };
    const written = textOf({ ...made, name: names.of(launch.entry) });
    const wrong = whyUnread(sourceOf(written, modules), budget());
    if (wrong !== undefined) return { kind: 'not-said', launch, reason: wrong };
    count += 1;
    ofKernel.set(kernel, before + 1);
    return { kind: 'written', launch, written };
  });
}

/** How many tests are asked for: in all, and of one kernel, whose scalars may differ in each launch. */
export interface Bounds {
  readonly all: number;
  readonly ofKernel: number;
}

function beyondBounds(count: number, ofKernel: number, most: Bounds): string | undefined {
  if (count >= most.all) return `more tests than ${most.all} were not asked for (--most)`;
  return ofKernel >= most.ofKernel
    ? `more tests of one kernel than ${most.ofKernel} were not asked for (--most-of-kernel)`
    : undefined;
}

export const textOf = (test: KernelTest): WrittenTest => ({
  test,
  text: printTest(test),
  modules: [...new Set(test.launches.map(({ module }) => module))],
});

/** A test as it will be read, with its modules. */
export function sourceOf({ test, text, modules }: WrittenTest, all: Modules): Source {
  const texts = modules.map((path) => [path, { path, text: all.textAt(path) ?? '' }] as const);
  return { path: `${test.name}.litmus`, text, modules: Object.fromEntries(texts) };
}

/** Why a test would be refused; what takes too long to be read is one that may be asked. */
function whyUnread(source: Source, checkBudget: CheckBudget): string | undefined {
  return within(
    () => {
      const { value: file, diagnostics } = parseLitmus(source, checkBudget);
      if (file === undefined) return `the test cannot be read: ${diagnostics[0]?.message}`;
      // Of few threads check may want to know what each does.
      const isOutline = !areFew(planLaunches(file), {});
      const built = buildTest(file, checkBudget, { isOutline });
      const found = built.diagnostics.find((one) => hasErrors([one]));
      return found && `the test would be refused: ${found.code} ${found.message}`;
    },
    (reason) =>
      reason.kind === 'timeout' ? undefined : `the test is too large to be read: ${describeUndecided(reason)}`,
  );
}
