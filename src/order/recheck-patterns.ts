import type { LastStep } from '../follow/last-step.js';
import { type FollowedThread, kindOf, type Step, type Synchronization, type Trace, threadOf } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import type { Scope } from '../program/placement.js';
import type { Cases, Claims, Steps } from './recheck-links.js';

type FenceEntry = Extract<Synchronization, { readonly kind: 'fence' }>;

/** What a thread is behind, from a step on: in each case, by thread, what that has done before a step. */
export interface Acquired {
  readonly cases: readonly Steps[];
  readonly behind: Step;
}

/** What an access has found, as far as it is known. */
interface Found {
  readonly read: number;
  /** Who has found it: who makes the access, or does what whoever makes it does. */
  readonly reader: FollowedThread;
  readonly cases: Cases;
}

/** Release and acquire patterns (PTX ISA 8.8) of a run whose polls have found what is claimed. */
export class Patterns {
  /** By thread, its fences so far. */
  private readonly fences = new Map<number, { readonly position: number; readonly scope: Scope }[]>();
  /** By thread, the polls behind its last fence that acquires. */
  private readonly found = new Map<number, Found[]>();
  /** By thread, its fences that acquire. */
  private readonly acquiring = new Map<number, { readonly position: number; readonly scope: Scope }[]>();
  /** By the bytes and the thread: writes that release. */
  private readonly releases = new Map<string, number[]>();

  constructor(
    private readonly trace: Trace,
    private readonly claims: Claims,
  ) {
    const isLast = trace.synchronizations.some(({ kind }) => kind === 'last');
    if (claims.polls.size === 0 && claims.ways.size === 0 && !isLast) return;
    for (let row = 0; row < trace.accesses.count; row++) {
      const { writes, tags } = kindOf(this.trace, row);
      if (!writes || !tags.has('REL')) continue;
      const key = this.bytesOf(row);
      const own = this.releases.get(key) ?? [];
      this.releases.set(key, own);
      own.push(row);
    }
  }

  /** A thread has found what it has waited for: by a read that may acquire. */
  poll(one: PollStep): readonly Acquired[] {
    const { thread, position } = one.step;
    const { tags, scope } = kindOf(this.trace, one.read);
    if (tags.has('RED')) return [];
    const cases = this.claims.polls.get(one.read) ?? [];
    const found = { read: one.read, reader: threadOf(this.trace, one.read), cases };
    this.found.set(thread, [...(this.found.get(thread) ?? []), found]);
    if (!tags.has('ACQ') || scope === undefined) return [];
    return [{ cases: this.handed(found, scope), behind: { thread, position: position + 1 } }];
  }

  /** A thread begins as whoever makes the last of some atomics, which has found all of them. */
  last({ thread, rows, read }: LastStep): readonly Acquired[] {
    const { tags, scope } = kindOf(this.trace, read);
    const reader = this.trace.threads[thread];
    if (tags.has('RED') || reader === undefined) return [];
    const found = { read, reader, cases: [rows] };
    this.found.set(thread, [found]);
    if (!tags.has('ACQ') || scope === undefined) return [];
    return [{ cases: this.handed(found, scope), behind: { thread, position: 1 } }];
  }

  /** A thread begins a way: what it is behind besides, if it is behind where that is acquired. */
  way(thread: number): readonly (Pick<Acquired, 'cases'> & { readonly at: Step })[] {
    const { way } = this.trace.threads[thread] ?? {};
    if (way === undefined) return [];
    const reader = threadOf(this.trace, way.row);
    const found = { read: way.row, reader, cases: this.claims.ways.get(thread) ?? [] };
    const isOwn = [thread, ...this.beginningOf(thread)].some(
      (one) => this.trace.threads[one]?.way?.of.thread === reader.id,
    );
    this.found.set(thread, [...(this.found.get(way.of.thread) ?? []), ...(isOwn ? [found] : [])]);
    if (reader.ctaId !== this.trace.threads[thread]?.ctaId) return [];
    const position = this.trace.accesses.positions.at(way.row);
    const { tags, scope } = kindOf(this.trace, way.row);
    const line = [reader.id, ...this.beginningOf(thread)];
    const fences = line.flatMap((of) =>
      (this.acquiring.get(of) ?? []).flatMap((one) =>
        of === reader.id && one.position <= position ? [] : [{ scope: one.scope, thread: of, position: one.position }],
      ),
    );
    const own = tags.has('ACQ') && scope !== undefined ? [{ scope, thread: reader.id, position }] : [];
    return [...own, ...fences].map((one) => ({
      cases: this.handed(found, one.scope),
      at: { thread: one.thread, position: one.position + 1 },
    }));
  }

  /** Those that a thread on a way has been before, if the access by which it goes there is one of theirs. */
  private beginningOf(thread: number): readonly number[] {
    const { threads } = this.trace;
    const { way } = threads[thread] ?? {};
    if (way === undefined) return [];
    const line: number[] = [];
    for (let at = way.of.thread; at !== threadOf(this.trace, way.row).id; ) {
      line.push(at);
      const next = threads[at]?.way?.of.thread;
      if (next === undefined) return [];
      at = next;
    }
    return line;
  }

  /** A fence may acquire what has been found before it, and release what is written behind it. */
  fence(step: Step, { scope, releases, acquires }: FenceEntry): readonly Acquired[] {
    if (scope === undefined) return [];
    const found = acquires ? (this.found.get(step.thread) ?? []) : [];
    // In a wider scope what is found may be acquired again.
    if (acquires && (scope === 'gpu' || scope === 'sys')) this.found.delete(step.thread);
    if (acquires) {
      const all = this.acquiring.get(step.thread) ?? [];
      this.acquiring.set(step.thread, all);
      all.push({ position: step.position, scope });
    }
    const own = this.fences.get(step.thread) ?? [];
    this.fences.set(step.thread, own);
    if (releases) own.push({ position: step.position, scope });
    return found.map((one) => ({ cases: this.handed(one, scope), behind: step }));
  }

  /** In each case, by thread, up to where what it has done is handed on. */
  private handed({ read, reader, cases }: Found, scope: Scope): readonly Steps[] {
    return cases.map((rows) => this.handedBy(rows, read, reader, scope));
  }

  private handedBy(rows: readonly number[], read: number, reader: FollowedThread, scope: Scope): Map<number, number> {
    const own = kindOf(this.trace, read);
    const handed = new Map<number, number>();
    for (const row of rows) {
      const [writer, kind] = [threadOf(this.trace, row), kindOf(this.trace, row)];
      const isStrong = !kind.tags.has('WEAK') && !own.tags.has('WEAK');
      if (!isStrong || !reach(kind.scope, writer, reader) || !reach(own.scope, reader, writer)) return new Map();
      if (!reach(scope, reader, writer)) continue;
      const { positions } = this.trace.accesses;
      let until = handed.get(writer.id) ?? -1;
      for (const { position, scope: of } of this.fences.get(writer.id) ?? [])
        if (position < positions.at(row) && position > until && reach(of, writer, reader)) until = position;
      for (const one of this.releases.get(this.bytesOf(row)) ?? [])
        if (one <= row && positions.at(one) > until && reach(kindOf(this.trace, one).scope, writer, reader))
          until = positions.at(one);
      if (until >= 0) handed.set(writer.id, until);
    }
    return handed;
  }

  private bytesOf(row: number): string {
    const { threads, pieces, ranges, starts, sizes } = this.trace.accesses;
    return [threads, pieces, ranges, starts, sizes].map((column) => column.at(row)).join(' ');
  }
}

/** Whether a scope of one thread has another one in it (PTX ISA 8.5). */
export function reach(scope: Scope | undefined, from: FollowedThread, to: FollowedThread): boolean {
  const within: Readonly<Record<Scope, boolean>> = {
    cta: from.ctaId === to.ctaId,
    cluster: from.clusterId === to.clusterId,
    gpu: from.gpu === to.gpu,
    sys: true,
  };
  return scope !== undefined && within[scope];
}

/** Whether generic accesses are strong, in scopes that hold each other: of those of one kind in a CTA one speaks. */
export function reachEachOther(trace: Trace, rows: readonly number[]): boolean {
  const speakers = new Map(rows.map((row) => [`${kindOf(trace, row).id} ${threadOf(trace, row).ctaId}`, row]));
  return [...speakers.values()].every((a) => {
    const { tags, scope } = kindOf(trace, a);
    const isStrong = !tags.has('WEAK') && tags.has('GEN');
    return isStrong && [...speakers.values()].every((b) => reach(scope, threadOf(trace, a), threadOf(trace, b)));
  });
}
