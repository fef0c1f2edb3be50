import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import { ABSENT_LEVEL, type Progress, promisesOf } from '../program/forward-progress.js';
import type { Thread } from '../program/program.js';
import { readForwardProgress } from '../syntax/forward-progress.js';
import type { LaunchSyntax } from '../syntax/launch-ast.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';

/** What is promised to the threads of a test: as it says itself, or as is asked of all tests. */
export function progressOf(
  { declarations, source, launches, threads: [thread] }: LitmusFile,
  threads: readonly Thread[],
  report: (diagnostic: Diagnostic) => void,
): Progress | undefined {
  const cooperative = new Set(launches.flatMap((one, grid) => (isCooperative(one) ? [grid] : [])));
  const [own, second] = declarations.filter((one) => one.kind === 'forward-progress');
  if (second !== undefined) report(error('L0217', second.span, 'forward-progress is said twice'));
  const text = own?.promise ?? source.forwardProgress;
  const span: Span = own?.span ?? thread?.span ?? launches[0]?.span ?? { source, start: 0, end: 0 };
  if (text === undefined) return cooperative.size === 0 ? undefined : { stated: FAIR, cooperative };
  const stated = readForwardProgress(text);
  const problem = 'problem' in stated ? stated.problem : missingIn(stated, threads, launches);
  if (problem !== undefined) report(error('L0217', span, problem));
  return 'problem' in stated ? undefined : { stated, cooperative };
}

const FAIR: Progress['stated'] = { kind: 'alone', model: 'fair' };

const isCooperative = ({ place }: LaunchSyntax): boolean => place.some(({ kind }) => kind === 'cooperative');

/** A level that the test does not have; of launches all threads count, not those that are run. */
function missingIn(
  stated: Progress['stated'],
  threads: readonly Thread[],
  launches: readonly LaunchSyntax[],
): string | undefined {
  if (launches.length === 0) {
    const promises = promisesOf(stated, threads);
    return 'missing' in promises ? promises.missing : undefined;
  }
  const sizes = (of: 'grid' | 'block'): readonly number[] =>
    launches.map(({ place }) => {
      const size = place.find(({ kind }) => kind === of);
      return size !== undefined && 'size' in size ? size.size.reduce((product, one) => product * one, 1) : 1;
    });
  const levels =
    stated.kind === 'levels' ? [...stated.models].flatMap(([level, model]) => (model === 'fair' ? [] : [level])) : [];
  const isThere = { gpu: sum(sizes('grid')) > 1, cta: Math.max(...sizes('block')) > 1 };
  const missing = levels.find((level) => !isThere[level]);
  return missing === undefined ? undefined : ABSENT_LEVEL[missing];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
