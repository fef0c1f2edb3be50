import type { DataType } from '../program/data-type.js';
import { type Load, type Operand, register } from '../program/operation.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { inOne } from './place.js';
import { B64 } from './typed-operands.js';

const B8: DataType = { kind: 'b', width: 8 };

/**
 * Which of so many bytes a load uses, as bits: those of its `.pragma "used_bytes_mask …"` (PTX ISA, Pragma Strings),
 * without one all. Nobody looks at what is in the others, so that they are not read.
 */
export function usedBytes({ mnemonic, usedBytes: mask }: InstructionDecoder, bytes: number): bigint {
  return BigInt.asUintN(bytes, mnemonic === 'ld' && mask !== undefined ? mask : -1n);
}

/** Emits a load, of what is used of it: whole elements, and of an element that is used in part its bytes. */
export function emitLoad(at: InstructionDecoder, load: Load): void {
  const { type, targets } = load;
  const size = type.width / 8;
  const mask = usedBytes(at, size * targets.length);
  const used = targets.map((_, i) => BigInt.asUintN(size, mask >> BigInt(i * size)));
  const whole = BigInt.asUintN(size, -1n);
  // A strong access of an element is one: its bytes are not read apart.
  const isWhole = (part: bigint | undefined): boolean =>
    part === whole || (part !== undefined && part !== 0n && load.order !== 'weak');
  if (used.every(isWhole)) return at.emit(load);
  if (load.address.base.kind === 'register') at.requireMultiple(inOne(at, load.address), size * targets.length);
  const from = keptBase(at, load);
  const loadAt = (first: number, part: Pick<Load, 'type' | 'targets'>): void =>
    at.emit({ ...load, ...part, address: { ...from, offset: from.offset + BigInt(first) } });
  for (let i = 0; i < targets.length; ) {
    const count = [4, 2, 1].find((n) => i % n === 0 && range(n).every((j) => isWhole(used[i + j]))) ?? 0;
    if (count > 0) loadAt(i * size, { type, targets: targets.slice(i, i + count) });
    else {
      const bytes = range(size).map((byte): Operand => {
        if (((used[i] ?? 0n) & (1n << BigInt(byte))) === 0n) return at.open(8);
        const target = at.temporary(B8);
        loadAt(i * size + byte, { type: B8, targets: [target] });
        return register(target);
      });
      const target = targets[i];
      const value = used[i] === 0n ? at.open(type.width) : at.of(8).concatenate(bytes);
      if (target !== undefined) at.result(target, type, value);
    }
    i += Math.max(count, 1);
  }
}

/** The address, where a register that one of several loads writes is its base. */
function keptBase(at: InstructionDecoder, { address, targets }: Load): Load['address'] {
  const { base } = address;
  if (base.kind !== 'register' || !targets.includes(base.name)) return address;
  const kept = at.temporary(B64);
  at.result(kept, B64, base);
  return { ...address, base: register(kept) };
}

const range = (length: number): readonly number[] => Array.from({ length }, (_, i) => i);
