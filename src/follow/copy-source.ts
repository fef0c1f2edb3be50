import type { AsyncOperation } from '../program/async-operation.js';
import { constant } from '../program/operation.js';
import type { Dimensions } from '../syntax/launch-ast.js';
import type { Turn } from './turn.js';

/** What memory, or registers, give to an asynchronous copy. */
export type Source = Extract<AsyncOperation['source'], { readonly kind: 'memory' | 'values' }>;

/** The answer to a request, as this tool lays it out (isa/launch-control.ts): the first CTA of what is canceled. */
export function answerOf(canceled: Dimensions | undefined): Source {
  const words = canceled === undefined ? [0, 0, 0, 0] : [1, ...canceled];
  const [success = 0n, x = 0n, y = 0n, z = 0n] = words.map(BigInt);
  const values = [success | (x << WORD), y | (z << WORD)].map((value) => constant(value));
  return { kind: 'values', values, type: { kind: 'b', width: 64 } };
}

const WORD = 32n;

/** How many bytes a lane gives. */
export function sizeOf(turn: Turn, source: Source): number {
  if (source.kind === 'values') return (source.values.length * source.type.width) / 8;
  return Number(turn.uniform(source.bytes, 32, 'a size'));
}
