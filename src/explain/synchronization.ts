import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { ProgramEvent } from '../program/events.js';
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
export function reachOf(a: ProgramEvent, b: ProgramEvent): readonly Reach[] {
  const one = (from: ProgramEvent, to: ProgramEvent): readonly Reach[] =>
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

/** A release pattern that an acquire pattern observes: its first and last operation, and those in between that carry it. */
export interface Synchronization {
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
  definitions: readonly { readonly from: number; readonly to: number; readonly relation: string }[],
): readonly Synchronization[] {
  const found: Synchronization[] = [];
  definitions.forEach(({ relation, from }, i) => {
    if (relation !== 'release-pattern') return;
    const acquiring = definitions.slice(i).find((one) => one.relation === 'acquire-pattern');
    const write = definitions[i]?.to;
    const [release, acquire] = [execution.universe.events[from], execution.universe.events[acquiring?.to ?? -1]];
    if (acquiring === undefined || write === undefined || release === undefined || acquire === undefined) return;
    if (found.some((one) => one.release === from && one.acquire === acquiring.to)) return;
    found.push({ release: from, acquire: acquiring.to, write, read: acquiring.from, reach: reachOf(release, acquire) });
  });
  return found;
}
