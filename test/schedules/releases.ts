import { type Clock, type Covered, joinCovered, joinInto, knows } from './clock.js';
import type { Segment } from './memory.js';
import { CTA, type Cta, isMutual, type Observed, type Scope, SYS, type Thread, WEAK } from './threads.js';

/**
 * Release and acquire patterns (PTX ISA 8.8), and what they order (8.9.4): between the first operation of the one and
 * the last one of the other, if the scope of each holds the other's thread. What an acquire reads of it must be the
 * strong write of the pattern, or an atomic after it in a row of atomics, all morally strong in turn (8.9.2).
 */
export interface Release {
  readonly thread: Thread;
  readonly scope: Scope;
  /** Of the thread, when it released. */
  readonly epoch: number;
  readonly clock: Clock;
  readonly covered: Covered;
}

/** What is to be had from the value at a place that strong accesses go to. */
export interface Flag {
  readonly start: number;
  readonly size: number;
  releases: Release[];
  /** Who wrote the value. */
  writer: Thread;
  scope: Scope;
  /** The last release operations on this place, by thread and scope: a strong write of the thread carries them. */
  readonly heads: Release[];
}

/** What has been ordered before now by the thread; what comes after is not. */
export function releaseOf(thread: Thread, scope: Scope): Release {
  const { epoch, clock, covered } = thread;
  const release = { thread, scope, epoch, clock: clock.slice(), covered };
  thread.advance();
  return release;
}

export function acquire(
  thread: Thread,
  { clock, covered }: { readonly clock: Clock; readonly covered: Covered },
): void {
  thread.clock = joinInto(thread.clock, clock);
  thread.covered = joinCovered(thread.covered, covered);
}

function takeUp(thread: Thread, release: Release, scope: Scope): boolean {
  if (!isMutual(release.thread, release.scope, thread, scope)) return false;
  acquire(thread, release);
  return true;
}

/** Of several releases of one thread those that a wider and later one does not hold. */
export function strongest(releases: Iterable<Release | undefined>): Release[] {
  const best: (Release | undefined)[] = [];
  for (const release of releases) {
    if (release === undefined) continue;
    const known = best[release.scope];
    if (known === undefined || known.epoch < release.epoch) best[release.scope] = release;
  }
  const kept: Release[] = [];
  let latest = -1;
  for (let scope = SYS as number; scope >= CTA; scope--) {
    const one = best[scope];
    if (one === undefined || one.epoch <= latest) continue;
    latest = one.epoch;
    kept.push(one);
  }
  return kept;
}

export class Releases {
  /** Of the fences with `.sc`, by how far they reach. */
  private readonly fences = new Map<object, { clock: Clock; covered: Covered }>();

  /** A strong write, or the write of an atomic (`isUpdate`). */
  strongWrite(
    thread: Thread,
    segment: Segment,
    start: number,
    size: number,
    scope: Scope,
    { isRelease, isUpdate }: { readonly isRelease: boolean; readonly isUpdate: boolean },
  ): void {
    const flag = this.flagAt(segment, start, size, thread, scope);
    if (flag !== undefined && !(isUpdate && isMutual(flag.writer, flag.scope, thread, scope))) flag.releases = [];
    const own: (Release | undefined)[] = [...thread.fences];
    if (flag !== undefined) for (const head of flag.heads) if (head.thread === thread) own.push(head);
    if (isRelease) {
      const head = releaseOf(thread, scope);
      own.push(head);
      if (flag !== undefined) {
        const at = flag.heads.findIndex((one) => one.thread === thread && one.scope === scope);
        if (at < 0) flag.heads.push(head);
        else flag.heads[at] = head;
      }
    }
    if (flag === undefined) return;
    flag.writer = thread;
    flag.scope = scope;
    for (const release of strongest(own)) {
      const at = flag.releases.findIndex((one) => one.thread === thread && one.scope === release.scope);
      if (at < 0) flag.releases.push(release);
      else flag.releases[at] = release;
    }
  }

  /** A weak write, or one by a copy: nothing is released by it. */
  weakWrite(segment: Segment, start: number, size: number): void {
    if (!segment.hasFlags) return;
    for (let cell = start >> 3; cell <= (start + size - 1) >> 3; cell++)
      for (const flag of segment.flags[cell] ?? [])
        if (flag.start < start + size && start < flag.start + flag.size) flag.releases = [];
  }

  /** A strong read; `isAcquire` also takes up what the thread has observed there before. */
  strongRead(thread: Thread, segment: Segment, start: number, size: number, scope: Scope, isAcquire: boolean): void {
    const flag = segment.flags[start >> 3]?.find((one) => one.start === start && one.size === size);
    if (flag !== undefined && flag.releases.length > 0 && isMutual(flag.writer, flag.scope, thread, scope))
      for (const release of flag.releases) {
        if (release.thread === thread || knows(thread.clock, release.thread.component, release.epoch)) continue;
        if (!(isAcquire && takeUp(thread, release, scope))) this.observe(thread, { release, segment, offset: start });
      }
    if (isAcquire && thread.observed.length > 0)
      thread.observed = thread.observed.filter(
        (one) => !(one.segment === segment && one.offset === start && takeUp(thread, one.release, scope)),
      );
  }

  observe(thread: Thread, observed: Observed): void {
    if (!thread.observed.some(({ release }) => release === observed.release)) thread.observed.push(observed);
  }

  fence(thread: Thread, scope: Scope, sense: 'acquire' | 'release' | 'acq_rel' | 'sc'): void {
    if (sense !== 'release' && thread.observed.length > 0)
      thread.observed = thread.observed.filter(({ release }) => !takeUp(thread, release, scope));
    if (sense === 'sc') this.takeUpFences(thread, scope);
    if (sense === 'acquire') return;
    const release = releaseOf(thread, scope);
    thread.fences[scope] = release;
    if (sense === 'sc') this.leaveFence(thread, scope, release);
  }

  /** Fences whose scopes hold each other's threads come in one order: the one in which they are executed. */
  private takeUpFences(thread: Thread, scope: Scope): void {
    for (const domain of domainsOf(thread, scope)) {
      const left = this.fences.get(domain);
      if (left !== undefined) acquire(thread, left);
    }
  }

  private leaveFence(thread: Thread, scope: Scope, { clock, covered }: Release): void {
    for (const domain of domainsOf(thread, scope)) {
      const left = this.fences.get(domain);
      if (left === undefined) this.fences.set(domain, { clock: clock.slice(), covered });
      else {
        left.clock = joinInto(left.clock, clock);
        left.covered = joinCovered(left.covered, covered);
      }
    }
  }

  private flagAt(segment: Segment, start: number, size: number, thread: Thread, scope: Scope): Flag | undefined {
    const cell = start >> 3;
    let flags = segment.flags[cell];
    if (flags === undefined) {
      flags = [];
      segment.flags[cell] = flags;
    }
    let found: Flag | undefined;
    for (const flag of flags) {
      if (flag.start === start && flag.size === size) found = flag;
      else if (flag.start < start + size && start < flag.start + flag.size) flag.releases = [];
    }
    if (found === undefined && scope !== WEAK) {
      found = { start, size, releases: [], writer: thread, scope, heads: [] };
      flags.push(found);
      segment.hasFlags = true;
    }
    return found;
  }
}

const SYSTEM = {};
const GPUS: object[] = [];

/** The sets of threads that a fence of this scope reaches, each as an object: CTA, cluster, GPU, system. */
function domainsOf({ cta }: { readonly cta: Cta }, scope: Scope): readonly object[] {
  const { gpu } = cta.launch.plan;
  GPUS[gpu] ??= {};
  return [cta, cta.cluster, GPUS[gpu], SYSTEM].slice(0, scope);
}
