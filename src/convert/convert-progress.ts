import { promisesOf } from '../program/forward-progress.js';
import type { Placement } from '../program/placement.js';
import { readForwardProgress } from '../syntax/forward-progress.js';
import type { LitmusFile, ProgressDeclaration } from '../syntax/litmus-ast.js';
import { Inexpressible } from './written-thread.js';

/** What is promised to threads of a test, where they become those of launches: a model alone speaks of CTAs there. */
export function progressOfLaunches(one: ProgressDeclaration, placements: readonly Placement[]): ProgressDeclaration {
  const stated = readForwardProgress(one.promise);
  if ('problem' in stated || stated.kind !== 'alone' || stated.model === 'fair') return one;
  if (new Set(placements.map(({ cta }) => cta)).size === placements.length) return one;
  throw new Inexpressible(
    `forward-progress ${one.promise} for threads of a CTA`,
    one.span,
    'give models by level, such as gpu=obe,cta=obe',
  );
}

/** What is promised to launches, where their threads become those of a test: a model alone speaks of each there. */
export function progressOfThreads(
  one: ProgressDeclaration,
  placements: readonly Placement[],
  { launches }: LitmusFile,
): readonly ProgressDeclaration[] {
  const stated = readForwardProgress(one.promise);
  if ('problem' in stated) return [one];
  const isCooperative = launches.some(({ place }) => place.some(({ kind }) => kind === 'cooperative'));
  if (stated.kind === 'cuda' && isCooperative) throw new Inexpressible('what CUDA promises to a cooperative launch');
  if (stated.kind === 'alone' && stated.model === 'fair') return [one];
  const promise = stated.kind === 'alone' ? `gpu=${stated.model}` : one.promise;
  const written = readForwardProgress(promise);
  const threads = placements.map((placement) => ({ placement }));
  const found = 'problem' in written ? [] : promisesOf(written, threads);
  if (!('missing' in found)) return [{ ...one, promise }];
  if (stated.kind === 'alone') return [];
  throw new Inexpressible(`forward-progress ${one.promise}: ${found.missing}`);
}
