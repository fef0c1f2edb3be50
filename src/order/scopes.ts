import type { FollowedThread } from '../follow/trace.js';
import { SCOPES, type Scope } from '../program/placement.js';

/** Whether a scope, taken at one thread, contains another one (PTX ISA 8.5). */
export function holds(scope: Scope, a: FollowedThread, b: FollowedThread): boolean {
  switch (scope) {
    case 'cta':
      return a.ctaId === b.ctaId;
    case 'cluster':
      return a.clusterId === b.clusterId;
    case 'gpu':
      return a.gpu === b.gpu;
    case 'sys':
      return true;
  }
}

/** Whether the scopes of all of some threads contain all of them. */
export function holdEachOther(
  all: readonly { readonly scope: Scope | undefined; readonly thread: FollowedThread }[],
): boolean {
  const [first] = all;
  const narrowest = SCOPES.find((scope) => all.some((one) => one.scope === scope));
  if (first === undefined || narrowest === undefined) return true;
  return all.every(({ scope, thread }) => scope !== undefined && holds(narrowest, first.thread, thread));
}
