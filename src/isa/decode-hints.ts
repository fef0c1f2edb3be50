import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import type { Decoder } from './decoder.js';
import { constant, Steps } from './steps.js';

/** Instructions that tell caches something: their operands are read, and nothing follows. */
export function decodeHint(decoder: Decoder, { operands }: InstructionSyntax): void {
  for (const operand of operands)
    if (operand.kind === 'address' || operand.kind === 'tensor') decoder.address(operand, 'generic');
}

/** `cp.async.bulk.prefetch`: nothing tells of its completion, and nothing is returned. */
export function decodePrefetch(decoder: Decoder, instruction: InstructionSyntax): void {
  decodeHint(decoder, instruction);
  const [, size] = instruction.operands;
  const bytes = size === undefined ? undefined : decoder.value(size, { kind: 'u', width: 32 });
  if (bytes === undefined) return;
  const of = new Steps(decoder, instruction).of(32);
  const value = of.equal(of.and(bytes, constant(15)), constant(0));
  decoder.emit(instruction, { kind: 'require', value, rule: 'prefetch-size' });
}

export function decodePolicy(decoder: Decoder, instruction: InstructionSyntax): void {
  const type = { kind: 'b', width: 64 } as const;
  const target = decoder.target(instruction.operands[0], type);
  const steps = new Steps(decoder, instruction);
  if (target !== undefined) steps.result(target, type, steps.open(64));
}
