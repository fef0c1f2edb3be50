import type { DataType } from '../program/data-type.js';
import { canReach } from '../program/locations.js';
import { type Address, constant, type Operand, register } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { type FoundAddress, type InstructionDecoder, windowOf } from './instruction-decoder.js';

/**
 * What is accessed by an address that names its location, if that is inside it, aligned, and in the state space that
 * the instruction names. What a kernel does outside, or not aligned, is undefined where it is executed.
 */
export function checkPlace(
  at: InstructionDecoder,
  stateSpace: string | undefined,
  found: FoundAddress,
  bytes: number,
  alignment: number,
): FoundAddress | undefined {
  const { range, address } = found;
  if (range === undefined) return found;
  const { object, name } = range;
  const { offset } = address;
  const wrong = (message: string): undefined => at.refuse(undefined, message);
  const space = stateSpace?.startsWith('shared') === true ? 'shared' : stateSpace;
  const isElsewhere = space !== undefined && space !== object.space;
  const isOutside = offset < 0n || offset + BigInt(bytes) > BigInt(object.size);
  const isMisaligned = offset % BigInt(alignment) !== 0n;
  if ((isOutside || isMisaligned) && !isElsewhere && at.decoder.thread.isLaunched && object.space !== 'param')
    return { range, address: { ...address, base: inRegister(at, address.base) } };
  const access = `this access of ${bytes} bytes at offset ${offset}`;
  if (isOutside) return wrong(`${access} leaves ${name}, which has ${object.size} bytes`);
  if (isMisaligned)
    return wrong(`${access} of ${name} is not aligned to ${alignment === bytes ? 'its size' : `${alignment} bytes`}`);
  if (isElsewhere) return wrong(`.${stateSpace} is used for ${name}, which is .${object.space}`);
  if (!canReach(object, at.placement))
    return wrong(`${name} is in the shared memory of another cluster, which this thread cannot reach`);
  if (object.cta !== undefined && object.cta !== at.placement.cta && stateSpace !== 'shared::cluster')
    return wrong(`${name} is in another CTA's shared memory: only .shared::cluster reaches it`);
  return found;
}

/** An address that is judged like that in a register. */
function inRegister(at: InstructionDecoder, base: Operand): Operand {
  const type: DataType = { kind: 'b', width: 64 };
  const name = at.temporary(type);
  at.result(name, type, base);
  return register(name);
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
  return found && checkPlace(at, space, found, bytes, alignment)?.address;
}

/** An address as one value. */
export function inOne(at: InstructionDecoder, { base, offset }: Address): Operand {
  if (base.kind === 'constant') return constant(base.value + offset);
  return offset === 0n ? base : at.of(64).add(base, constant(BigInt.asUintN(64, offset)));
}
