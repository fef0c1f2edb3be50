import type { ProgramEvent } from '../events/program-event.js';
import { pairOf } from '../program/placement.js';
import { has, membersOf, NONE } from './bits.js';
import { spaceOf, speaksOf } from './fence-reach.js';
import type { Fact, Knowledge } from './knowledge.js';
import { knowledgeOf, observedBy } from './learning.js';
import type { MachineContext } from './machine-context.js';
import { inEachOthersScope } from './moral-strength.js';
import type { State } from './state.js';

const PROXIES = ['ASYNC', 'TEX', 'SUR', 'CON'] as const;
type Proxy = (typeof PROXIES)[number];

/** A proxy fence moves what its thread knows from one way of access to another (PTX ISA 8.6; fence.proxy). */
export function executeProxyFence(state: State, fence: ProgramEvent): void {
  const knowledge = knowledgeOf(state, fence.id);
  if (fence.proxyFence?.order === 'release') releaseProxy(state, fence, knowledge);
  else
    state.learn(
      fence.id,
      fence.proxyFence?.order === 'acquire' ? acquireProxy(state, fence, knowledge) : join(state, fence, knowledge),
    );
  state.finish(fence.id);
}

/**
 * A bi-directional fence joins its proxy, in its own CTA, to the generic one; the alias fence joins all addresses of a
 * location.
 */
function join(state: State, fence: ProgramEvent, knowledge: Knowledge): Knowledge {
  const { context } = state;
  const { facts } = context;
  const proxy = PROXIES.find((one) => fence.tags.has(one));
  const reach = reachOf(context, fence, proxy);
  // What only a restricted fence made known binds accesses; a proxy fence is none.
  const known = facts.of(knowledge).filter((fact) => typeof fact.reach === 'string');
  const left = known.flatMap((fact): Fact[] => {
    const event = context.event(fact.event);
    const location = state.locationOf(fact.event);
    if (fact.readiness.kind !== 'known' || proxy === undefined || !event.tags.has(proxy) || location === undefined)
      return [];
    return reach.leaves(event) && speaksOf(fence, state.locationOf(fence.id), event, location)
      ? [{ ...fact, readiness: { kind: 'generic', by: reach.by } }]
      : [];
  });
  const entered = [...known, ...left].flatMap((fact): Fact[] => {
    const { readiness } = fact;
    const location = state.locationOf(fact.event);
    const event = context.event(fact.event);
    if (location === undefined || (event.kind !== 'read' && event.kind !== 'write')) return [];
    const generic = readiness.kind === 'generic' || (readiness.kind === 'known' && facts.meetsGeneric(event));
    const by = readiness.kind === 'generic' || readiness.kind === 'aliases' ? readiness.by : undefined;
    if (proxy === undefined) return generic ? [{ ...fact, readiness: { kind: 'aliases', by } }] : [];
    if ((!generic && readiness.kind !== 'aliases') || !spaceOf(fence, location.object)) return [];
    if (!reach.enters(event, by)) return [];
    const near = { cta: reach.ctaFor(event), pair: pairOf(fence.placement) };
    return [{ ...fact, readiness: { kind: 'proxy', proxy, ...near, aliases: readiness.kind === 'aliases' } }];
  });
  return facts.with([...left, ...entered]);
}

/** For which accesses a fence counts by where it is executed (docs/decisions/proxy-fence-place.md). */
interface ReachOfFence {
  /** Whether what went through its proxy has left it. */
  leaves(event: ProgramEvent): boolean;
  /** The fence itself, where only its own thread has to do with what left. */
  readonly by: number | undefined;
  /** Whether what is ready for the generic proxy, perhaps by a fence, enters its own. */
  enters(event: ProgramEvent, by: number | undefined): boolean;
  /** The CTA in which that counts; undefined: any. */
  ctaFor(event: ProgramEvent): string | undefined;
}

const nearOf = ({ placement }: ProgramEvent): { readonly cta: string; readonly pair: string } => ({
  cta: placement.cta,
  pair: pairOf(placement),
});

function reachOf(context: MachineContext, fence: ProgramEvent, proxy: Proxy | undefined): ReachOfFence {
  const { facts, readings } = context;
  const own = fence.placement.cta;
  if (readings.proxyFencesOfGenericThreads && proxy === 'ASYNC')
    return {
      leaves: () => true,
      by: fence.id,
      // Between two asynchronous accesses the CTA counts, as by default.
      enters: (event, by) =>
        event.tags.has('GEN')
          ? event.thread === fence.thread
          : by === undefined || facts.isNear(nearOf(context.event(by)), event),
      ctaFor: (event) => (event.tags.has('GEN') ? undefined : own),
    };
  const cta = readings.lenientProxyFences && proxy === 'ASYNC' ? undefined : own;
  return {
    leaves: (event) => facts.isNear({ ...nearOf(fence), cta }, event),
    by: undefined,
    enters: () => true,
    ctaFor: () => cta,
  };
}

/**
 * A uni-directional release takes with it the accesses that it speaks of; ::read is not cumulative: only those of its
 * own thread.
 */
function releaseProxy(state: State, fence: ProgramEvent, knowledge: Knowledge): void {
  const { context } = state;
  const own = context.earlier[fence.id] ?? NONE;
  const taken = context.facts.of(knowledge).filter((fact) => {
    const location = state.locationOf(fact.event);
    if (fact.readiness.kind !== 'known' || typeof fact.reach !== 'string' || location === undefined) return false;
    if (fence.proxyFence?.readsOnly === true && !has(own, fact.event)) return false;
    return speaksOf(fence, state.locationOf(fence.id), context.event(fact.event), location);
  });
  state.released.set(fence.id, context.facts.with(taken));
}

/**
 * A uni-directional acquire makes ready what release fences of its kind took: those of its thread, those that it knows
 * of, and those that its thread has observed; and what earlier grids have done.
 */
function acquireProxy(state: State, fence: ProgramEvent, knowledge: Knowledge): Knowledge {
  const { context } = state;
  const { facts } = context;
  const earlier = context.earlier[fence.id] ?? NONE;
  const knownOf = facts
    .of(knowledge)
    .filter(({ reach, readiness }) => reach === 'freely' && readiness.kind === 'known');
  const releases = new Set([
    ...membersOf(observedBy(state, fence)),
    ...knownOf.map(({ event }) => event),
    ...membersOf(earlier & state.done),
  ]);
  const acquired = [...releases].flatMap((event): Fact[] => {
    const other = context.event(event);
    if (other.proxyFence?.order !== 'release' || other.proxyFence.proxy !== fence.proxyFence?.proxy) return [];
    if (!has(earlier, event) && !inEachOthersScope(other, fence)) return [];
    return facts
      .of(state.released.get(event) ?? NONE)
      .map((fact) => ({ event: fact.event, readiness: { kind: 'acquired', by: fence.id }, reach: 'freely' }));
  });
  // The end of a grid releases to the proxies that do not acquire by themselves (8.9.4).
  const fromGrids = facts
    .of(knowledge)
    .filter(({ reach, readiness }) => reach === 'freely' && readiness.kind === 'grid')
    .map((fact): Fact => ({ ...fact, readiness: { kind: 'acquired', by: fence.id } }));
  return facts.with([...acquired, ...fromGrids]);
}
