import type { AsyncOperation, AsyncSource } from '../program/async-operation.js';
import type { Address, Operand } from '../program/operation.js';
import type { InstructionDecoder } from './instruction-decoder.js';

/** What asynchronous operations have in common: how they are emitted, and words of theirs. */
export const BYTES = 'mbarrier::complete_tx::bytes';
export const REDUCTIONS = ['add', 'inc', 'dec', 'min', 'max', 'and', 'or', 'xor'] as const;

/** A plain asynchronous access; issued by nobody in particular order. */
export const WEAK = { order: 'weak', scope: undefined, volatile: false, mmio: false } as const;

/** Emits an asynchronous operation, by what it does not have in common with most. */
export function emitAsync(
  at: InstructionDecoder,
  own: Pick<AsyncOperation, 'source' | 'destination' | 'completion'> & Partial<AsyncOperation>,
): void {
  const common = { reduction: undefined, multicast: undefined, tile: undefined, rules: [] };
  at.emit({ kind: 'async', proxy: 'async', ...WEAK, ...common, ...own });
}

/** Bytes of memory, all of which are read. */
export const fromMemory = (address: Address, bytes: Operand): Extract<AsyncSource, { kind: 'memory' }> => ({
  ...{ kind: 'memory', address, bytes, given: undefined, ignored: undefined },
});
