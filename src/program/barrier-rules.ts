import type { Operation } from './operation.js';
import type { Placement } from './placement.js';
import type { UndefinedRule } from './undefined-rules.js';

/** The barriers of a CTA, and what a thread count is a multiple of (PTX ISA 9.7.15.1). */
export const BARRIERS = 16n;
export const WARP_SIZE = 32n;

/** Whether a barrier is one of the own lane alone, which meets nobody: it marks that a guard has let the lane past. */
export const meetsNobody = (operation: Operation, { lane }: Placement): boolean =>
  operation.kind === 'barrier' &&
  operation.level === 'warp' &&
  operation.id.kind === 'constant' &&
  operation.id.value === 1n << BigInt(lane);

/** By which rule a barrier of that number, for so many threads, is undefined; undefined: by none. */
export function brokenBarrierRule(number: bigint, count: bigint | undefined): UndefinedRule | undefined {
  if (number >= BARRIERS) return 'barrier-number';
  return count !== undefined && (count <= 0n || count % WARP_SIZE !== 0n) ? 'barrier-count' : undefined;
}
