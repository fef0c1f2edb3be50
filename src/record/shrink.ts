import { citation } from '../diagnostics/source.js';
import { Follower } from '../follow/follower.js';
import { settingOf } from '../follow/setting.js';
import { planLaunches } from '../kernel/plan-launches.js';
import { type CheckBudget, describeUndecided, within } from '../program/undecided.js';
import { parseLitmus } from '../syntax/parse-litmus.js';
import type { KernelTest } from './kernel-test.js';
import type { Modules } from './modules.js';
import type { Size } from './recording.js';
import { sourceOf, textOf, type WrittenTest } from './write-tests.js';

/** A smaller launch that comes to the same lines, or why none is proposed. */
export type Shrunk = { readonly written: WrittenTest } | { readonly reason: string };

/** Which lines a test comes to, or why that is not known. */
type Reached = { readonly lines: string } | { readonly why: string };

const volume = ([x, y, z]: Size): number => x * y * z;

export const threadsOf = ({ launches }: KernelTest): number =>
  launches.reduce((sum, { grid, block }) => sum + volume(grid) * volume(block), 0);

/**
 * Proposes fewer CTAs for a test of more threads than so many, with the same scalars, buffers and blocks: as few as
 * come to the same lines as the whole launch does, where both can be followed: of the source program, if the module has
 * them, with what accesses memory or meets others. That says of the small launch that no such line of the large one is
 * left out, and nothing of who meets there, so it is a proposal.
 */
export function shrink(
  { test }: WrittenTest,
  modules: Modules,
  moreThan: number,
  /** What may be spent on following one launch. */
  budget: () => CheckBudget,
): Shrunk {
  if (threadsOf(test) <= moreThan) return { reason: `it has no more than ${moreThan} threads` };
  const candidates = smaller(test);
  if (candidates.length === 0) return { reason: 'it has no more CTAs than two, or than two clusters' };
  const whole = reached(textOf(test), modules, budget());
  if ('why' in whole) return { reason: `the launch cannot be followed to its end: ${whole.why}` };
  let last = 'no smaller launch comes to the same lines';
  for (const one of candidates) {
    const written = textOf(one);
    const part = reached(written, modules, budget());
    if ('why' in part) last = `a smaller launch cannot be followed to its end: ${part.why}`;
    else if (part.lines === whole.lines) return { written };
  }
  return { reason: last };
}

const MOST_STEPS = 12;

/** The same test with 2, 4, 8 … CTAs or clusters along each axis, as far as these are fewer. */
function smaller(test: KernelTest): readonly KernelTest[] {
  const made: KernelTest[] = [];
  for (let step = 1; step <= MOST_STEPS; step++) {
    const launches = test.launches.map((one) => ({ ...one, grid: fewer(one.grid, one.cluster, 2 ** step) }));
    const isSmaller = launches.some(({ grid }, i) => volume(grid) < volume(test.launches[i]?.grid ?? grid));
    if (!isSmaller) break;
    made.push({ ...test, name: `${test.name}-small`, sentence: sentenceOf(test, launches), launches });
  }
  return made;
}

function fewer([x, y, z]: Size, cluster: Size | undefined, count: number): Size {
  const [a, b, c] = cluster ?? [1, 1, 1];
  return [Math.min(x, count * a), Math.min(y, count * b), Math.min(z, count * c)];
}

function sentenceOf(test: KernelTest, launches: KernelTest['launches']): string {
  const sizes = (all: KernelTest['launches']): string => all.map(({ grid }) => `(${grid.join(', ')})`).join(' and ');
  return (
    `a proposal, made of ${test.name}: grid ${sizes(launches)} in place of ${sizes(test.launches)}, which comes to ` +
    'the same lines; nothing follows from its answers for the larger one'
  );
}

function reached(written: WrittenTest, modules: Modules, checkBudget: CheckBudget): Reached {
  return within<Reached>(
    () => {
      const { value: file, diagnostics } = parseLitmus(sourceOf(written, modules), checkBudget);
      if (file === undefined) return { why: diagnostics[0]?.message ?? 'it cannot be read' };
      const { unreached, stopped } = new Follower(settingOf(file, planLaunches(file), checkBudget), checkBudget).run();
      if (stopped !== undefined) return { why: `${stopped.what} (${citation(stopped.span)})` };
      return {
        lines: unreached
          .map((lines) =>
            lines
              .map(({ start }) => start)
              .sort()
              .join(','),
          )
          .join(';'),
      };
    },
    (reason) => ({ why: describeUndecided(reason) }),
  );
}
