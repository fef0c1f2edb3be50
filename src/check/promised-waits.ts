import { citation } from '../diagnostics/source.js';
import type { GroupWait, PlaceInLaunch, WholeRun } from '../order/whole-run.js';
import { printForwardProgress } from '../program/forward-progress.js';
import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import type { ProgressModel } from '../syntax/forward-progress.js';

/** What is promised to groups where one of them waits for another. */
interface GroupPromise {
  readonly model: ProgressModel;
  /** All of a cooperative grid are one group. */
  readonly isByCuda: boolean;
}

/** Of whose waits it is enough to know; undefined: every thread goes on that can. */
function promiseOf({ progress }: Program): GroupPromise | 'unknown' | undefined {
  const stated = progress?.stated ?? { kind: 'alone', model: 'fair' };
  if (stated.kind === 'cuda') return { model: 'obe', isByCuda: true };
  const models = stated.kind === 'alone' ? { gpu: stated.model } : Object.fromEntries(stated.models);
  const { gpu = 'fair', cta = 'fair' } = models as Partial<Record<'gpu' | 'cta', ProgressModel>>;
  if (cta !== 'fair') return 'unknown';
  return gpu === 'fair' ? undefined : { model: gpu, isByCuda: false };
}

/**
 * Whether each wait of a run ends by those who are promised to go on. Where a cluster waits only for what clusters do
 * that have made a step by then, that is so under `obe`; only for lower ones, under `hsa`, since the lowest that has
 * not ended waits for nobody; for either, under `lobe`. A reason where that does not say it.
 */
export function whyNotPromised({ waits }: Pick<WholeRun, 'waits'>, program: Program): Undecided | undefined {
  const promise = promiseOf(program);
  if (promise === undefined) return undefined;
  const said = program.progress === undefined ? '' : printForwardProgress(program.progress.stated);
  const unknown = (what: string): Undecided => ({ kind: 'coverage', what: `forward progress ${said}: ${what}` });
  if (promise === 'unknown') return unknown('what is promised within a CTA is known of few threads only');
  const { model, isByCuda } = promise;
  if (model === 'unfair') return unknown('that every wait ends is known of few threads only');
  const pairs = waits.pairs.filter(({ isTogether }) => !(isByCuda && isTogether));
  const isAsked = ({ isStarted, isLower }: GroupWait): boolean =>
    model === 'lobe' ? !isStarted && !isLower : model === 'hsa' ? !isLower : !isStarted;
  const areLower = pairs.every(({ isLower }) => isLower);
  if (model === 'hsa-obe' && areLower && !waits.hasTurns) return undefined;
  const missing = pairs.find(isAsked);
  if (missing !== undefined) return unknown(waitWords(missing));
  return model === 'hsa' && waits.hasTurns
    ? unknown('threads wait for their turns, whoever has the lowest id')
    : undefined;
}

/**
 * Under which condition a launch has no deadlock where CUDA does not promise as much as is asked: who waits for whom,
 * and what would mend it. Undefined where CUDA promises it, or another model is asked for.
 */
export function ifResident({ waits }: Pick<WholeRun, 'waits'>, program: Program): string | undefined {
  if (promiseOf(program) !== undefined) return undefined;
  const missing = waits.pairs.find(({ isStarted, isTogether }) => !isStarted && !isTogether);
  return missing === undefined ? undefined : residence(program, missing.waiter, missing.other);
}

/** Under which condition executions are like a run in which lanes ask which are active (PTX ISA, activemask). */
export function ifActive({ activeTogether }: Pick<WholeRun, 'activeTogether'>): string | undefined {
  const places = [...new Set(activeTogether.map(citation))];
  return places.length === 0
    ? undefined
    : `if the lanes of a warp that come to ${places.join(', ')} by the same way are active there together`;
}

/** A thread of a launch. */
type Launched = Pick<PlaceInLaunch, 'launch' | 'cta'>;

/** `if all 4 CTAs are resident together: CTA 0 waits for CTA 3, and nothing promises that it has started; …`. */
export function residence({ launches }: Program, waiter: Launched, other: Launched): string {
  const isOne = waiter.launch === other.launch;
  const named = ({ launch, cta }: Launched): string => `CTA ${cta}${launches.length > 1 ? ` of ${launch}` : ''}`;
  const all = new Set([waiter.launch, other.launch]);
  const count = launches.filter(({ name }) => all.has(name)).reduce((sum, { ctas }) => sum + ctas, 0);
  const advice = isOne
    ? 'launch cooperatively, or take tiles by an atomic counter in the order in which CTAs start'
    : 'let the one that is waited for come first in one stream, or make one cooperative grid of both';
  return (
    `if all ${count} CTAs are resident together: ${named(waiter)} waits for ${named(other)}, and nothing promises ` +
    `that it has started; ${advice}`
  );
}

const waitWords = ({ waiter, other }: GroupWait): string =>
  `${placeIn(waiter)} waits for ${placeIn(other)}, and it is not known here that this one goes on`;

const placeIn = ({ launch, cta, tid, span }: PlaceInLaunch): string =>
  `${launch} CTA ${cta}, thread ${tid} (${citation(span)})`;
