import type { Explanation } from '../cat/explain.js';
import type { ExecutionEvent } from '../events/program-event.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { type Placement, SCOPES, type Scope, scopeIncludes } from '../program/placement.js';

/** Whether a scope, seen from its thread, holds another thread; and the smallest one that holds both. */
export interface Reach {
  readonly from: number;
  readonly to: number;
  readonly scope: Scope;
  readonly reaches: boolean;
  readonly needed: Scope;
}

/** Each of two events that must be in the other's scope (PTX ISA 8.7). */
export function reachOf(a: ExecutionEvent, b: ExecutionEvent): readonly Reach[] {
  const one = (from: ExecutionEvent, to: ExecutionEvent): readonly Reach[] =>
    from.scope === undefined || from.placement === undefined || to.placement === undefined
      ? []
      : [
          {
            from: from.id,
            to: to.id,
            scope: from.scope,
            reaches: scopeIncludes(from.scope, from.placement, to.placement),
            needed: smallestScope(from.placement, to.placement),
          },
        ];
  return [...one(a, b), ...one(b, a)];
}

export function smallestScope(a: Placement, b: Placement): Scope {
  return SCOPES.find((scope) => scopeIncludes(scope, a, b)) ?? 'sys';
}

/** What makes one event come before another one of another thread, with what that needed. */
export type Synchronization = PatternSynchronization | FenceScSynchronization;

/** Two morally strong fence.sc, the first earlier in their one order (PTX ISA 8.9.3). */
export interface FenceScSynchronization {
  readonly kind: 'fence-sc';
  readonly first: number;
  readonly second: number;
  readonly reach: readonly Reach[];
}

/**
 * A release pattern that an acquire pattern observes: its first and last operation, and those in between that carry it.
 */
export interface PatternSynchronization {
  readonly kind: 'pattern';
  readonly release: number;
  readonly acquire: number;
  /** The write, or arrival, that is observed. */
  readonly write: number;
  /** The read, or wait, that observes it. */
  readonly read: number;
  readonly reach: readonly Reach[];
}

/** The synchronizations that an explanation uses, from the definitions that it passes on the way. */
export function synchronizationsIn(
  execution: CandidateExecution,
  { definitions, steps }: Explanation,
): readonly Synchronization[] {
  const found: PatternSynchronization[] = [];
  definitions.forEach(({ relation, from }, i) => {
    if (relation !== 'release-pattern') return;
    const acquiring = definitions.slice(i).find((one) => one.relation === 'acquire-pattern');
    const write = definitions[i]?.to;
    const [release, acquire] = [execution.universe.events[from], execution.universe.events[acquiring?.to ?? -1]];
    if (acquiring === undefined || write === undefined || release === undefined || acquire === undefined) return;
    if (found.some((one) => one.release === from && one.acquire === acquiring.to)) return;
    found.push({
      kind: 'pattern',
      release: from,
      acquire: acquiring.to,
      write,
      read: acquiring.from,
      reach: reachOf(release, acquire),
    });
  });
  const fences = steps.flatMap(({ from, to, relation }): readonly FenceScSynchronization[] => {
    const [first, second] = [execution.universe.events[from], execution.universe.events[to]];
    return relation !== 'sync_fence' || first === undefined || second === undefined
      ? []
      : [{ kind: 'fence-sc', first: from, second: to, reach: reachOf(first, second) }];
  });
  return [...found, ...fences];
}
