import { type Placement, SCOPES, type Scope, scopeIncludes } from '../program/placement.js';

/** How strong an instruction is: of a fence `none` means that it is not there. */
export const STRENGTHS = ['none', 'weak', 'relaxed', 'acquire', 'release', 'acq_rel', 'sc'] as const;
export type Strength = (typeof STRENGTHS)[number];

/**
 * What a strength costs: fences sc > acq_rel > acquire and release > relaxed > weak. The numbers only rank; sums rank
 * sets of changes.
 */
const COST: Readonly<Record<Strength, number>> = {
  none: 0,
  weak: 0,
  relaxed: 10,
  acquire: 100,
  release: 100,
  acq_rel: 250,
  sc: 1000,
};
/** A fence is one instruction more. */
const FENCE = 50;
/** A wider scope costs more, but less than any order. */
const SCOPE: Readonly<Record<Scope, number>> = { cta: 1, cluster: 2, gpu: 3, sys: 4 };

export function costOf(strength: Strength, scope: Scope | undefined, isFence: boolean): number {
  return strength === 'none' ? 0 : COST[strength] + (scope === undefined ? 0 : SCOPE[scope]) + (isFence ? FENCE : 0);
}

const BELOW: Readonly<Record<Strength, readonly Strength[]>> = {
  none: [],
  weak: [],
  relaxed: ['weak'],
  acquire: ['relaxed', 'weak'],
  release: ['relaxed', 'weak'],
  acq_rel: ['acquire', 'release', 'relaxed', 'weak'],
  sc: ['acq_rel', 'acquire', 'release', 'relaxed', 'weak'],
};

/** Whether the first is as strong as the second or less so, in order and in scope. */
export function isAtMost(
  a: { readonly strength: Strength; readonly scope: Scope | undefined },
  b: { readonly strength: Strength; readonly scope: Scope | undefined },
): boolean {
  if (a.strength === 'none') return true;
  if (a.strength !== b.strength && !BELOW[b.strength].includes(a.strength)) return false;
  return a.scope === undefined || (b.scope !== undefined && SCOPES.indexOf(a.scope) <= SCOPES.indexOf(b.scope));
}

/**
 * The scopes that differ for a thread, given where the others are: of those that hold the same threads the smallest.
 */
export function differentScopes(at: Placement, others: readonly Placement[]): readonly Scope[] {
  const held = (scope: Scope): number => others.filter((other) => scopeIncludes(scope, at, other)).length;
  return SCOPES.filter((scope, i) => i === 0 || held(scope) > held(SCOPES[i - 1] ?? 'cta'));
}
