import type { ProgramEvent } from '../events/program-event.js';
import { type Bits, bit, bitsOf, has, membersOf, NONE } from './bits.js';
import { speaksOf } from './fence-reach.js';
import type { Fact, Knowledge } from './knowledge.js';
import { type Location, overlap } from './location.js';
import {
  canAcquire,
  inEachOthersScope,
  isAccess,
  isAcquire,
  isMemoryFence,
  isRelease,
  isStrong,
  morallyStrong,
} from './moral-strength.js';
import type { State } from './state.js';
import { tensorBefore } from './tensor-memory.js';

/** What operations know, hand on with a release and learn with an acquire (PTX ISA 8.8, 8.9.4, 8.9.5). */

/** What an operation knows when it executes: what is earlier in its thread, and what that has learned. */
export function knowledgeOf(state: State, event: number): Knowledge {
  const earlier = state.context.earlier[event] ?? NONE;
  let knowledge = state.done & earlier & state.context.knowable;
  for (const [learner, learned] of state.learned) if (has(earlier, learner)) knowledge |= learned;
  return knowledge;
}

/** The operations that are ordered before another, through whatever proxies. */
export function orderedBefore(state: State, knowledge: Knowledge, event: ProgramEvent, at: Location | undefined): Bits {
  const ordered = state.context.facts
    .of(knowledge)
    .filter((fact) => fact.readiness.kind === 'known' && state.context.facts.reaches(fact, state, event, at));
  return bitsOf(ordered.map((fact) => fact.event));
}

/**
 * The accesses that are causality-before one to that location: those that bind it, and what the reads among them have
 * observed (8.9.5).
 */
export function causalityBefore(state: State, knowledge: Knowledge, event: ProgramEvent, at: Location): Bits {
  const { context } = state;
  if (event.tags.has('TMEM')) return tensorBefore(state, event);
  let before = NONE;
  for (const fact of context.facts.of(knowledge)) {
    if (has(before, fact.event) || !isAccess(context.event(fact.event)) || !context.facts.binds(fact, state, event, at))
      continue;
    before |= bit(fact.event) | (state.links.get(fact.event) ?? NONE);
  }
  for (const earlier of membersOf(throughAsynchronous(state, before))) {
    const location = state.locationOf(earlier);
    if (location !== undefined && overlap(location, at)) before |= bit(earlier) | (state.links.get(earlier) ?? NONE);
  }
  return before;
}

/** What is before asynchronous accesses that are before another one. */
function throughAsynchronous(state: State, before: Bits): Bits {
  let through = NONE;
  for (const [access, earlier] of state.asyncBefore) if (has(before, access)) through |= earlier;
  return through;
}

/** Keeps what an asynchronous access comes after: what comes after it comes after that as well, at the same bytes. */
export function rememberBefore(state: State, { id, tags }: ProgramEvent, before: Bits): void {
  const known = (before | throughAsynchronous(state, before)) & state.context.accessBits;
  if (tags.has('ASY') && !tags.has('TMEM') && known !== NONE) state.asyncBefore.set(id, known);
}

/**
 * The heads of the release patterns that a strong write or an arrival ends: itself, fences before it, releases of its
 * location before it (8.8).
 */
export function releasePacketsOf(state: State, event: ProgramEvent): Bits {
  const earlier = state.done & (state.context.earlier[event.id] ?? NONE);
  let heads = NONE;
  if (isRelease(event)) heads |= bit(event.id);
  if (!isStrong(event) && event.barrier === undefined) return heads;
  for (const head of membersOf(earlier)) {
    const other = state.context.event(head);
    if (isMemoryFence(other) && isRelease(other)) heads |= bit(head);
    // A proxy fence does not synchronize by itself, but is observed in the same way.
    else if (other.proxyFence?.order === 'release' && !event.tags.has('ASY')) heads |= bit(head);
    else if (
      isAccess(event) &&
      other.kind === 'write' &&
      isRelease(other) &&
      !event.tags.has('ASY') &&
      sameLocation(state, head, event.id)
    )
      heads |= bit(head);
  }
  return heads;
}

function sameLocation(state: State, a: number, b: number): boolean {
  const [x, y] = [state.locationOf(a), state.locationOf(b)];
  return x !== undefined && y !== undefined && x.virtualAddress === y.virtualAddress && x.bytes === y.bytes;
}

/**
 * The heads that an acquire can synchronize with besides those of its own source: those observed earlier in its thread;
 * an access, at its location only (8.8).
 */
export function observedBy(state: State, acquire: ProgramEvent): Bits {
  const earlier = state.context.earlier[acquire.id] ?? NONE;
  let heads = NONE;
  for (const [observer, observed] of state.observed) {
    const event = state.context.event(observer);
    if (observer === acquire.id || !canAcquire(event)) continue;
    if (has(earlier, observer)) {
      if (!isAccess(acquire) || (isAccess(event) && sameLocation(state, observer, acquire.id))) heads |= observed;
    } else if (isMemoryFence(acquire) && event.tags.has('ASY') && toldBefore(state, observer, earlier))
      heads |= observed;
  }
  return heads;
}

/** An asynchronous access is told to be complete by a wait earlier in the thread. */
function toldBefore(state: State, access: number, earlier: Bits): boolean {
  return [...state.completions].some(([wait, accesses]) => has(earlier, wait) && has(accesses, access));
}

/** What the acquire learns from the heads that are morally strong with it. */
export function acquireFrom(state: State, heads: Bits, acquire: ProgramEvent): Knowledge {
  let knowledge = NONE;
  for (const head of membersOf(heads)) {
    const release = state.context.event(head);
    if (release.proxyFence !== undefined) continue;
    if (morallyStrong(release, state.locationOf(head), acquire, state.locationOf(acquire.id), state.context.readings))
      knowledge |= carried(state, release, acquire);
  }
  return knowledge;
}

/**
 * What goes from the head of a release to the tail of an acquire; a restricted fence on either side lets only some of
 * it through (PTX ISA, fence).
 */
export function carried(state: State, release: ProgramEvent, acquire: ProgramEvent): Knowledge {
  const { context } = state;
  const all = state.released.get(release.id) ?? NONE;
  if (release.restriction === undefined && acquire.restriction === undefined) return all;
  const at = state.locationOf(release.id);
  const reach: Fact['reach'] = acquire.restriction === undefined ? 'onward' : { only: acquire.id };
  const facts = context.facts.of(all).filter((fact) => {
    if (fact.reach !== 'freely') return false;
    if (release.restriction === undefined) return true;
    const location = state.locationOf(fact.event);
    return (
      fact.readiness.kind === 'known' &&
      location !== undefined &&
      speaksOf(release, at, context.event(fact.event), location)
    );
  });
  return context.facts.with(facts.map((fact) => ({ ...fact, reach })));
}

/** What a release hands on: what it knows, and itself. */
export function release(state: State, event: ProgramEvent, knowledge: Knowledge): void {
  state.released.set(event.id, knowledge | (bit(event.id) & state.context.knowable));
}

/**
 * What a memory fence does: the acquire part first, then what fence.sc learns from those before it, then the release
 * part.
 */
export function executeFence(state: State, fence: ProgramEvent): void {
  const { context } = state;
  const earlier = context.earlier[fence.id] ?? NONE;
  let learned = NONE;
  if (isAcquire(fence)) {
    learned |= acquireFrom(state, observedBy(state, fence), fence);
    const reach: Fact['reach'] = fence.restriction === undefined ? 'freely' : { only: fence.id };
    for (const [wait, accesses] of state.completions) {
      if (!has(earlier, wait) || context.event(wait).mbarrier === undefined) continue;
      learned |= context.facts.with(
        membersOf(accesses).map((event): Fact => ({ event, readiness: { kind: 'known' }, reach })),
      );
    }
  }
  if (fence.tags.has('SC')) {
    learned |= toldByFences(state, fence);
    state.fences = [...state.fences, fence.id];
  }
  state.learn(fence.id, learned);
  if (isRelease(fence)) release(state, fence, knowledgeOf(state, fence.id) | learned);
  state.finish(fence.id);
}

/** What a fence.sc learns from those executed before it, by the order of all of them (8.9.3). */
export function toldByFences(state: State, fence: ProgramEvent): Knowledge {
  const isTold = (before: ProgramEvent): boolean => before.thread === fence.thread || inEachOthersScope(before, fence);
  return state.fences
    .filter((other) => isTold(state.context.event(other)))
    .reduce((told, other) => told | (state.released.get(other) ?? NONE), NONE);
}
