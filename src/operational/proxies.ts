import type { ProgramEvent } from '../events/program-event.js';
import { has, membersOf, NONE } from './bits.js';
import { spaceOf, speaksOf } from './fence-reach.js';
import type { Fact, Knowledge } from './knowledge.js';
import { knowledgeOf, observedBy } from './learning.js';
import { inEachOthersScope } from './moral-strength.js';
import type { Setting } from './setting.js';
import type { State } from './state.js';

const PROXIES = ['ASYNC', 'TEX', 'SUR', 'CON'] as const;

/** A proxy fence moves what its thread knows from one way of access to another (PTX ISA 8.6; fence.proxy). */
export function executeProxyFence(setting: Setting, state: State, fence: ProgramEvent): void {
  const knowledge = knowledgeOf(setting, state, fence.id);
  if (fence.proxyFence?.order === 'release') releaseProxy(setting, state, fence, knowledge);
  else
    state.learn(
      fence.id,
      fence.proxyFence?.order === 'acquire'
        ? acquireProxy(setting, state, fence, knowledge)
        : join(setting, state, fence, knowledge),
    );
  state.finish(fence.id);
}

/**
 * A bi-directional fence joins its proxy, in its own CTA, to the generic one; the alias fence joins all addresses of a
 * location.
 */
function join(setting: Setting, state: State, fence: ProgramEvent, knowledge: Knowledge): Knowledge {
  const { facts, readings } = setting;
  const proxy = PROXIES.find((one) => fence.tags.has(one));
  const cta = readings.lenientProxyFences && proxy === 'ASYNC' ? undefined : fence.placement.cta;
  // What only a restricted fence made known binds accesses; a proxy fence is none.
  const known = facts.of(knowledge).filter(({ reach }) => typeof reach === 'string');
  const left = known.flatMap((fact): Fact[] => {
    const event = setting.event(fact.event);
    const location = setting.locationOf(state, fact.event);
    if (fact.readiness.kind !== 'known' || proxy === undefined || !event.tags.has(proxy) || location === undefined)
      return [];
    const here = cta === undefined || event.placement.cta === cta;
    return here && speaksOf(fence, setting.locationOf(state, fence.id), event, location)
      ? [{ ...fact, readiness: { kind: 'generic' } }]
      : [];
  });
  const entered = [...known, ...left].flatMap((fact): Fact[] => {
    const { readiness } = fact;
    const location = setting.locationOf(state, fact.event);
    const event = setting.event(fact.event);
    if (location === undefined || (event.kind !== 'read' && event.kind !== 'write')) return [];
    const generic = readiness.kind === 'generic' || (readiness.kind === 'known' && facts.meetsGeneric(event));
    if (proxy === undefined) return generic ? [{ ...fact, readiness: { kind: 'aliases' } }] : [];
    if ((!generic && readiness.kind !== 'aliases') || !spaceOf(fence, location.object)) return [];
    return [{ ...fact, readiness: { kind: 'proxy', proxy, cta, aliases: readiness.kind === 'aliases' } }];
  });
  return facts.with([...left, ...entered]);
}

/**
 * A uni-directional release takes with it the accesses that it speaks of; ::read is not cumulative: only those of its
 * own thread.
 */
function releaseProxy(setting: Setting, state: State, fence: ProgramEvent, knowledge: Knowledge): void {
  const own = setting.earlier[fence.id] ?? NONE;
  const taken = setting.facts.of(knowledge).filter((fact) => {
    const location = setting.locationOf(state, fact.event);
    if (fact.readiness.kind !== 'known' || typeof fact.reach !== 'string' || location === undefined) return false;
    if (fence.proxyFence?.readsOnly === true && !has(own, fact.event)) return false;
    return speaksOf(fence, setting.locationOf(state, fence.id), setting.event(fact.event), location);
  });
  state.released.set(fence.id, setting.facts.with(taken));
}

/**
 * A uni-directional acquire makes ready what release fences of its kind took: those of its thread, those that it knows
 * of, and those that its thread has observed.
 */
function acquireProxy(setting: Setting, state: State, fence: ProgramEvent, knowledge: Knowledge): Knowledge {
  const { facts } = setting;
  const earlier = setting.earlier[fence.id] ?? NONE;
  const knownOf = facts
    .of(knowledge)
    .filter(({ reach, readiness }) => reach === 'freely' && readiness.kind === 'known');
  const releases = new Set([
    ...membersOf(observedBy(setting, state, fence)),
    ...knownOf.map(({ event }) => event),
    ...membersOf(earlier & state.done),
  ]);
  const acquired = [...releases].flatMap((event): Fact[] => {
    const other = setting.event(event);
    if (other.proxyFence?.order !== 'release' || other.proxyFence.proxy !== fence.proxyFence?.proxy) return [];
    if (!has(earlier, event) && !inEachOthersScope(other, fence)) return [];
    return facts
      .of(state.released.get(event) ?? NONE)
      .map((fact) => ({ event: fact.event, readiness: { kind: 'acquired', by: fence.id }, reach: 'freely' }));
  });
  return facts.with(acquired);
}
