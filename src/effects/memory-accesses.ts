import type { Operand, Operation } from '../program/operation.js';
import type { MbarrierStep, MemoryOperand } from './effect.js';
import { effectsOf } from './effects-of.js';

/** Bytes that an operation touches by one of its addresses. */
export interface MemoryAccess extends Pick<MemoryOperand, 'address' | 'bytes' | 'what'> {
  /** It may be both. */
  readonly reads: boolean;
  readonly writes: boolean;
  /** At the address is a tensor map: touched is a tile of the tensor that this describes, and not what is there. */
  readonly tile: MemoryOperand['tile'];
  /** Touched are the bytes at the same offset in each CTA of the cluster that the mask names, not those there. */
  readonly multicast: Operand | undefined;
}

/** All that an operation touches in memory, at once or later. */
export const memoryAccesses = (operation: Operation): readonly MemoryAccess[] =>
  effectsOf(operation).flatMap((effect) => {
    switch (effect.kind) {
      case 'read':
        // What is behind the address in a descriptor is read with that.
        return effect.at.parts === 'descriptor' ? [] : accessOf(effect.at, READS);
      case 'write':
        return accessOf(effect.at, WRITES);
      case 'update':
        return accessOf(effect.at, UPDATES);
      case 'mbarrier':
        return accessOf(effect.at, STEPS[effect.step]);
      case 'barrier':
      case 'fence':
      case 'group':
      case 'grid':
      case 'check':
      case 'issue':
      case 'tensor-step':
        return [];
    }
  });

function accessOf({ address, bytes, what, tile, multicast }: MemoryOperand, how: How): MemoryAccess {
  return { address: tile?.descriptor ?? address, bytes, what, tile, multicast, ...how };
}

/** A run of bytes that is cut where other accesses tell them apart; undefined: an operation accesses none. */
export function cutOperand(operation: Operation): MemoryOperand | undefined {
  for (const effect of effectsOf(operation)) {
    if (effect.kind !== 'read' && effect.kind !== 'write' && effect.kind !== 'update') continue;
    if (typeof effect.at.parts !== 'number' && effect.at.parts !== 'descriptor') return effect.at;
  }
  return undefined;
}

type How = Pick<MemoryAccess, 'reads' | 'writes'>;
const READS: How = { reads: true, writes: false };
const WRITES: How = { reads: false, writes: true };
const UPDATES: How = { reads: true, writes: true };

const STEPS: Readonly<Record<MbarrierStep, How>> = {
  init: WRITES,
  inval: WRITES,
  wait: READS,
  arrive: UPDATES,
  increment: UPDATES,
  expect_tx: UPDATES,
  complete_tx: UPDATES,
};
