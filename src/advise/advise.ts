import { parseTests } from '../check/load-tests.js';
import type { Source } from '../diagnostics/source.js';
import { UsageError } from '../diagnostics/usage-error.js';
import type { Program } from '../program/program.js';
import { familyOf } from '../ranges/family.js';
import { barriersOf } from './barriers.js';
import { KernelAdviser, type SourcePrograms } from './kernel/kernel-adviser.js';
import { applied } from './patch.js';
import { type Repair, repair, type Way } from './repair.js';
import { costOfChoices } from './search.js';
import { gapsOf, type Site, sitesOf } from './sites.js';
import { different, type Suggestion, suggestionOf } from './suggestion.js';
import { areSame, type Judge } from './verdicts.js';
import { weaken } from './weaken.js';

/** What was found for a test: how it can be weakened, how it can be repaired, or why neither was looked for. */
export type Advice =
  /** All that the test expects is met: what it can do without. */
  | {
      readonly kind: 'weaken';
      readonly alone: readonly Suggestion[];
      readonly together: readonly Suggestion[];
      readonly cost: number;
      /** Of a kernel: larger launches for which all of that was asked as well. */
      readonly alsoFor?: readonly string[];
    }
  /** An expectation is broken: the smallest changes that mend it, and by what they were looked for. */
  | {
      readonly kind: 'repair';
      readonly repairs: readonly Repair[];
      readonly tried: readonly Way[];
      /** Of kernels: by what they are undefined. */
      readonly undefinedBy?: string;
    }
  | { readonly kind: 'nothing'; readonly reason: string };

/**
 * Finds out what a test can do without, or, where what it expects is broken, what would mend it. Every change is
 * decided before it is proposed: none brings in a race, a deadlock or undefined behavior.
 *
 * @example
 * ```ts
 * const judge = new Judge(solver, model, { timeout: 10_000 });
 * const advice = await advise(program, judge);
 * if (advice.kind === 'repair') for (const { way, patch } of advice.repairs) console.log(way, patch);
 * ```
 *
 * @param program - A test in the litmus format: its text is what is changed.
 * @param programs - Of kernels: what their modules are compiled from, to say changes there.
 */
export async function advise(program: Program, judge: Judge, programs?: SourcePrograms): Promise<Advice> {
  const { source } = program;
  const [file] = parseTests(source).value ?? [];
  if (file === undefined) throw new UsageError('advise changes the text of litmus files; convert this one first');
  if (familyOf(file) !== undefined)
    throw new UsageError('advise is about a test of one size, and this one has ranges: choose values, as in --at n=3');
  const before = await judge.verdicts(source);
  if (before === undefined) throw new Error('the test itself cannot be read');
  if (before.met.length === 0)
    return { kind: 'nothing', reason: 'the test has no condition: there is nothing that a change would have to keep' };
  const isMet = before.met.every((met) => met);
  if (!isMet && before.open !== undefined)
    return { kind: 'nothing', reason: `the test itself is undecided: ${before.open}` };
  if (program.launches.length > 0) {
    const adviser = new KernelAdviser(source, file, judge, before, programs);
    return isMet ? adviser.weaken() : adviser.repair();
  }
  const names = program.threads.map(({ name }) => name);
  const sites = valid(sitesOf(program, file), source, judge);
  const verdictsOf: Parameters<typeof repair>[0]['verdictsOf'] = (choices) => judge.verdicts(applied(source, choices));
  if (isMet) {
    // No verdict changes: no outcome comes in or goes, no race, no deadlock, no undefined behavior.
    const { alone, together } = await weaken(sites, async (choices) => areSame(before, await verdictsOf(choices)));
    const told = (of: typeof alone): readonly Suggestion[] => of.map((one) => suggestionOf(source, sites, one, names));
    const cost = costOfChoices(sites, new Map());
    return { kind: 'weaken', alone: told(alone), together: different(told(together)), cost };
  }
  const gaps = valid(gapsOf(program, file), source, judge);
  return repair({ source, names, before, verdictsOf, sites, gaps, barriers: barriersOf(program, file) });
}

/** Without the choices that PTX does not have. */
function valid(sites: readonly Site[], source: Source, judge: Judge): readonly Site[] {
  return sites
    .map((site) => ({
      ...site,
      others: site.others.filter((choice) => judge.isValid(applied(source, new Map([[site, choice]])))),
    }))
    .filter(({ others }) => others.length > 0);
}
