import type { Effect } from '../effects/effect.js';
import type { Recorder } from './recorder.js';
import { FENCED_SPACES, type FencedSpace } from './trace.js';
import type { Turn } from './turn.js';

/** What a fence of the async proxy covers, by its state space (PTX ISA 9.7.15.4). */
const COVERED: Readonly<Record<string, readonly FencedSpace[]>> = {
  all: FENCED_SPACES,
  global: ['global'],
  'shared::cta': ['shared'],
  'shared::cluster': ['shared', 'remote'],
};

/** Lanes execute a memory fence, or one between proxies. */
export function fence(recorder: Recorder, turn: Turn, effect: Extract<Effect, { readonly kind: 'fence' }>): void {
  const { tags, scope, restriction, proxyFence } = effect;
  const { synchronizations, accesses } = recorder;
  const { span } = turn.statement;
  const steps = recorder.stepsOfAll(turn);
  recorder.advance(turn);
  if (restriction === 'mbarrier_init') {
    recorder.fencesInits = true;
    for (const step of steps) if (recorder.initFences.has(step.thread)) recorder.initFences.set(step.thread, step);
    return;
  }
  if (proxyFence === undefined) {
    recorder.isFenced = true;
    if (restriction !== undefined) {
      recorder.isRestricted = true;
      return;
    }
    // Two of these may be in order by themselves.
    const isSequential = tags.includes('SC');
    if (isSequential) recorder.handsByAccesses = true;
    const [releases, acquires] = [!tags.includes('ACQ'), !tags.includes('REL')];
    if (releases) for (const { thread } of steps) recorder.releasing.add(thread);
    if (releases && scope !== undefined)
      for (const step of steps) {
        const own = { ofCta: step, ...(scope !== 'cta' && { ofCluster: step }) };
        recorder.releaseFences.set(step.thread, { ...recorder.releaseFences.get(step.thread), ...own });
      }
    const of = { row: accesses.count, steps, span };
    synchronizations.push({ kind: 'fence', ...of, scope, isSequential, releases, acquires });
    return;
  }
  const { proxy, order, readsOnly } = proxyFence;
  const isOfCluster = turn.warp.accessors.some(({ placement }) => placement.clusterSize > 1);
  if (proxy !== 'async' || (order !== undefined && (readsOnly || isOfCluster))) {
    recorder.hands = true;
    return;
  }
  if (order !== undefined) {
    // What synchronizes two of them besides barriers is not followed.
    recorder.isRestricted = true;
    synchronizations.push({ kind: `proxy-${order}`, row: accesses.count, steps, span });
    return;
  }
  const { space = 'all' } = proxyFence;
  const spaces = FENCED_SPACES.filter((one) => COVERED[space]?.includes(one));
  synchronizations.push({ kind: 'proxy-fence', row: accesses.count, steps, spaces, span });
}
