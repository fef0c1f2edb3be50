import { constant } from '../program/operation.js';
import type { InstructionDecoder } from './instruction-decoder.js';

/** Instructions that tell caches something: their operands are read, and nothing follows. */
export function decodeHint(at: InstructionDecoder): void {
  for (const operand of at.operands)
    if (operand.kind === 'address' || operand.kind === 'tensor') at.address(operand, 'generic');
}

/** `cp.async.bulk.prefetch`: nothing tells of its completion, and nothing is returned. */
export function decodePrefetch(at: InstructionDecoder): void {
  decodeHint(at);
  const [, size] = at.operands;
  const bytes = size === undefined ? undefined : at.value(size, { kind: 'u', width: 32 });
  if (bytes === undefined) return;
  const of = at.of(32);
  const value = of.equal(of.and(bytes, constant(15)), constant(0));
  at.require(value, 'prefetch-size');
}

export function decodePolicy(at: InstructionDecoder): void {
  const type = { kind: 'b', width: 64 } as const;
  const target = at.target(at.operands[0], type);
  if (target !== undefined) at.result(target, type, at.open(64));
}
