import type { ExecutionEvent } from '../events/program-event.js';
import { scopeIncludes } from '../program/placement.js';
import { mutuallyInScope } from './base-relations.js';

/**
 * Whether a read that is repeated for ever must come to see a write (inferred). PTX ISA 8.6.1 promises it across
 * proxies only: of strong operations, of .sys scope whatever their addresses, of .gpu scope between the generic and the
 * async proxy. Within one proxy we take the same where both are strong and the scope of each holds the thread of the
 * other.
 */
export function mustComeToSee(write: ExecutionEvent, read: ExecutionEvent, oneAddress: boolean): boolean {
  if (!mutuallyInScope(write, read)) return false;
  const proxy = ({ tags }: ExecutionEvent): string =>
    tags.has('GEN') ? 'generic' : tags.has('ASYNC') ? 'async' : 'other';
  const [a, b] = [proxy(write), proxy(read)];
  if (a === b && oneAddress && a !== 'other') return true;
  if (write.scope === 'sys' && read.scope === 'sys' && a !== 'other' && b !== 'other') return true;
  const wide = [write, read].every(({ scope }) => scope === 'gpu' || scope === 'sys');
  return wide && a !== b && a !== 'other' && b !== 'other';
}

/** The words of an answer that rests on it. */
export const PROGRESS_RULE =
  'a read that is repeated comes to see a write where both are strong and the ' +
  'scope of each holds the thread of the other (8.6.1 says the like across proxies)';

/** The scope of one does not hold the thread of the other. */
export function tooNarrow(one: ExecutionEvent, other: ExecutionEvent): boolean {
  return (
    one.scope !== undefined &&
    one.placement !== undefined &&
    other.placement !== undefined &&
    !scopeIncludes(one.scope, one.placement, other.placement)
  );
}
