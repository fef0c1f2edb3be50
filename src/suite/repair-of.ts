import { advise } from '../advise/advise.js';
import { Judge } from '../advise/verdicts.js';
import type { Model } from '../cat/model.js';
import { UsageError } from '../diagnostics/usage-error.js';
import type { Program } from '../program/program.js';
import { reportAdvice } from '../report/advice.js';
import { PLAIN } from '../report/text.js';
import type { Workplace } from './job.js';
import { sourcePrograms } from './source-programs.js';

/** In milliseconds: a suite with many broken tests must end; `advise` alone takes its time. */
const LONGEST = 20_000;

/** What would mend a broken test, as `advise` prints it; undefined where it does not change such tests. */
export async function repairOf(
  program: Program,
  model: Model,
  { solver, limits }: Workplace,
  unroll: number,
): Promise<string | undefined> {
  const movesLines = program.allowances.some(({ lines }) => lines.some(({ file }) => file?.endsWith('.ptx') !== false));
  if (program.source.path.endsWith('.test') || movesLines) return undefined;
  const judge = new Judge(solver, model, { ...limits, unroll, timeout: Math.min(LONGEST, limits.timeout) });
  const programs = program.launches.length === 0 ? undefined : await sourcePrograms();
  try {
    return reportAdvice(program, await advise(program, judge, programs), judge, PLAIN);
  } catch (thrown) {
    // What it does not change, such as tests of many sizes.
    if (thrown instanceof UsageError) return undefined;
    throw thrown;
  }
}
