import { canReach } from '../program/locations.js';
import { type Address, constant, type Operand } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { type FoundAddress, type InstructionDecoder, windowOf } from './instruction-decoder.js';

/**
 * Whether an address that names its location is inside it, aligned, and in the state space that the instruction names.
 */
export function checkPlace(
  at: InstructionDecoder,
  stateSpace: string | undefined,
  { range, address: { offset } }: FoundAddress,
  bytes: number,
  alignment: number,
): boolean {
  if (range === undefined) return true;
  const { object, name } = range;
  const wrong = (message: string): false => at.refuse(undefined, message) ?? false;
  const access = `this access of ${bytes} bytes at offset ${offset}`;
  if (offset < 0n || offset + BigInt(bytes) > BigInt(object.size))
    return wrong(`${access} leaves ${name}, which has ${object.size} bytes`);
  if (offset % BigInt(alignment) !== 0n)
    return wrong(`${access} of ${name} is not aligned to ${alignment === bytes ? 'its size' : `${alignment} bytes`}`);
  const space = stateSpace?.startsWith('shared') === true ? 'shared' : stateSpace;
  if (space !== undefined && space !== object.space)
    return wrong(`.${stateSpace} is used for ${name}, which is .${object.space}`);
  if (!canReach(object, at.placement))
    return wrong(`${name} is in the shared memory of another cluster, which this thread cannot reach`);
  if (object.cta !== undefined && object.cta !== at.placement.cta && stateSpace !== 'shared::cluster')
    return wrong(`${name} is in another CTA's shared memory: only .shared::cluster reaches it`);
  return true;
}

/** The address that an operand in brackets gives, if so many bytes of the state space may be there. */
export function place(
  at: InstructionDecoder,
  operand: OperandSyntax | undefined,
  space: string | undefined,
  bytes: number,
  alignment: number,
): Address | undefined {
  const found = at.address(operand, windowOf(space));
  return found !== undefined && checkPlace(at, space, found, bytes, alignment) ? found.address : undefined;
}

/** An address as one value. */
export function inOne(at: InstructionDecoder, { base, offset }: Address): Operand {
  if (base.kind === 'constant') return constant(base.value + offset);
  return offset === 0n ? base : at.of(64).add(base, constant(BigInt.asUintN(64, offset)));
}
