import type { Window } from '../program/locations.js';
import { type Address, constant, type Operand } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { type InstructionDecoder, windowOf } from './instruction-decoder.js';
import { checkPlace } from './place.js';

/** st.bulk and discard: accesses of one thread to a run of bytes (PTX ISA, st.bulk, discard). */
const LARGEST_STORE = 16_777_216;

/** The address that an operand in brackets gives, as one value. */
export function decodeAddressOf(
  at: InstructionDecoder,
  operand: OperandSyntax | undefined,
  window: Window,
): Operand | undefined {
  const found = at.address(operand, window);
  return found === undefined ? undefined : inOne(at, found.address);
}

function inOne(at: InstructionDecoder, { base, offset }: Address): Operand {
  if (base.kind === 'constant') return constant(base.value + offset);
  return offset === 0n ? base : at.of(64).add(base, constant(BigInt.asUintN(64, offset)));
}

export function decodeBulkStore(at: InstructionDecoder, { space }: { readonly space?: string }): void {
  const [memory, size, value] = at.operands;
  if (value?.kind !== 'number' || value.value !== 0n) return void at.refuse(value, 'st.bulk stores 0');
  const window = space === undefined ? 'generic' : windowOf(space);
  const base = decodeAddressOf(at, memory, window);
  const bytes = at.value(size, { kind: 'u', width: 64 });
  if (base === undefined || bytes === undefined) return;
  const of = at.of(64);
  const fits = of.lessOrEqual(bytes, constant(LARGEST_STORE));
  const whole = of.equal(of.and(bytes, constant(7)), constant(0));
  at.require(at.of(1).and(fits, whole), 'bulk-store-size');
  at.requireAligned(base, 8);
  at.emit({
    kind: 'region',
    action: 'write',
    address: { base, offset: 0n, window: 'shared::cta' },
    bytes,
    contents: 'zero',
  });
}

const DISCARDED = 128;

export function decodeDiscard(at: InstructionDecoder, { space }: { readonly space?: string }): void {
  const [memory, size] = at.operands;
  if (size?.kind !== 'number' || size.value !== BigInt(DISCARDED))
    return void at.refuse(size, `discard is of ${DISCARDED} bytes`);
  const found = at.address(memory, 'global');
  if (found === undefined) return;
  if (!checkPlace(at, space, found, DISCARDED, 1)) return;
  const base = inOne(at, found.address);
  at.requireAligned(base, DISCARDED);
  at.emit({
    kind: 'region',
    action: 'write',
    address: { base, offset: 0n, window: 'global' },
    bytes: constant(DISCARDED),
    contents: 'unstable',
  });
}
