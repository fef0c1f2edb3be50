import type { Window } from '../program/locations.js';
import type { Address, Operand } from '../program/operation.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import { checkPlace } from './decode-access.js';
import { type Decoder, windowOf } from './decoder.js';
import { constant, Steps } from './steps.js';

/** st.bulk and discard: accesses of one thread to a run of bytes (PTX ISA, st.bulk, discard). */
const LARGEST_STORE = 16_777_216;

/** The address that an operand in brackets gives, as one value. */
export function decodeAddressOf(
  decoder: Decoder,
  operand: OperandSyntax | undefined,
  window: Window,
): Operand | undefined {
  const at = decoder.address(operand, window);
  return at === undefined ? undefined : inOne(decoder, at.address);
}

function inOne(decoder: Decoder, { base, offset }: Address): Operand {
  if (base.kind === 'constant') return constant(base.value + offset);
  if (decoder.instruction === undefined || offset === 0n) return base;
  return new Steps(decoder, decoder.instruction).of(64).add(base, constant(BigInt.asUintN(64, offset)));
}

export function decodeBulkStore(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { space }: { readonly space?: string },
): void {
  const [memory, size, value] = instruction.operands;
  if (value?.kind !== 'number' || value.value !== 0n)
    return void decoder.refuse(value?.span ?? instruction.span, 'st.bulk stores 0');
  const window = space === undefined ? 'generic' : windowOf(space);
  const base = decodeAddressOf(decoder, memory, window);
  const bytes = decoder.value(size, { kind: 'u', width: 64 });
  if (base === undefined || bytes === undefined) return;
  const steps = new Steps(decoder, instruction);
  const of = steps.of(64);
  const fits = of.lessOrEqual(bytes, constant(LARGEST_STORE));
  const whole = of.equal(of.and(bytes, constant(7)), constant(0));
  decoder.emit(instruction, { kind: 'require', value: steps.of(1).and(fits, whole), rule: 'bulk-store-size' });
  steps.requireAligned(base, 8);
  decoder.emit(instruction, {
    kind: 'region',
    action: 'write',
    address: { base, offset: 0n, window: 'shared::cta' },
    bytes,
    contents: 'zero',
  });
}

const DISCARDED = 128;

export function decodeDiscard(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { space }: { readonly space?: string },
): void {
  const [memory, size] = instruction.operands;
  if (size?.kind !== 'number' || size.value !== BigInt(DISCARDED))
    return void decoder.refuse(size?.span ?? instruction.span, `discard is of ${DISCARDED} bytes`);
  const at = decoder.address(memory, 'global');
  if (at === undefined) return;
  if (!checkPlace(decoder, instruction, space, at.range, at.address.offset, DISCARDED, 1)) return;
  const base = inOne(decoder, at.address);
  new Steps(decoder, instruction).requireAligned(base, DISCARDED);
  decoder.emit(instruction, {
    kind: 'region',
    action: 'write',
    address: { base, offset: 0n, window: 'global' },
    bytes: constant(DISCARDED),
    contents: 'unstable',
  });
}
