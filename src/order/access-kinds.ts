import { type AccessKind, kindOf, type Trace, threadOf } from '../follow/trace.js';

/** Whether two are one operation of integers, which comes to the same in any order (`inc`, `dec` if by one bound). */
export const isOneOperation = ({ change: a }: AccessKind, { change: b }: AccessKind): boolean =>
  typeof a === 'object' && typeof b === 'object' && a.name === b.name && a.signed === b.signed;

/** Whether an access is by a proxy whose order with the others is known; to tensor memory there is none. */
export const isKnownProxy = ({ tags }: AccessKind): boolean =>
  tags.has('GEN') || tags.has('ASYNC') || tags.has('TMEM') || tags.has('RO');

/** Through the read-only path (ld.global.nc, ldu): in order with what only the end of a grid is between. */
export const isReadOnly = ({ tags }: AccessKind): boolean => tags.has('RO');

/**
 * Whether the second goes to memory by the async proxy, and the first by the generic one, or from another CTA: then a
 * fence must be between them (PTX ISA 8.9.5). The other way completion is one.
 */
export function isFenceNeeded(trace: Trace, first: number, second: number): boolean {
  if (!kindOf(trace, second).tags.has('ASYNC')) return false;
  return kindOf(trace, first).tags.has('GEN') || threadOf(trace, first).ctaId !== threadOf(trace, second).ctaId;
}
