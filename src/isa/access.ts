import type { DataType, TypeName } from '../program/data-type.js';
import type { AccessQualifiers, Order, Proxy } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import type { FoundAddress, InstructionDecoder } from './instruction-decoder.js';
import { checkPlace } from './place.js';
import type { Rule } from './qualifier-rules.js';
import { usedBytes } from './used-bytes.js';

/** What instructions that access memory have in common: ld, st, atom, red and multimem. */
export const VECTORS = ['v2', 'v4', 'v8'] as const;
export const STRONG = ['relaxed', 'acquire', 'release', 'acq_rel'];

export const WEAK_HAS_NO_SCOPE: Rule = {
  rule: (q) =>
    q.order === 'weak'
      ? `.weak takes no scope, but .${q.scope} is given`
      : `.${q.scope} needs an order: .relaxed, .acquire or .release; a plain access is .weak`,
  broken: (q) => q.scope !== undefined && (q.order === 'weak' || q.order === undefined) && q.mmio === undefined,
  always: true,
};
export const STRONG_HAS_SCOPE: Rule = {
  rule: (q) => `.${q.order} needs a scope: .cta, .cluster, .gpu or .sys`,
  broken: (q) => STRONG.includes(q.order ?? '') && q.scope === undefined,
  always: true,
};

/** What ld, st, atom and red are given (PTX ISA, ld, st, atom, red). */
export interface Given {
  readonly order: Order | 'volatile';
  readonly scope?: Scope;
  readonly mmio?: string;
  readonly space?: string;
  readonly vector?: 'v2' | 'v4' | 'v8';
  readonly readOnly?: 'nc' | 'proxy::readonly' | 'ldu';
  readonly type?: TypeName;
}

export function access({ order, scope, mmio, space }: Given, proxy: Proxy): AccessQualifiers {
  if (order === 'volatile' && space === 'local')
    return { order: 'weak', scope: undefined, proxy, volatile: true, mmio: false };
  // 8.4.2: a volatile operation is a relaxed one at system scope.
  if (order === 'volatile') return { order: 'relaxed', scope: 'sys', proxy, volatile: true, mmio: false };
  return { order, scope, proxy, volatile: false, mmio: mmio !== undefined };
}

export function vectorElements(
  at: InstructionDecoder,
  operand: OperandSyntax,
  vector: Given['vector'],
): readonly OperandSyntax[] | undefined {
  if (vector === undefined)
    return operand.kind === 'vector' ? at.refuse(operand, 'a vector operand needs .v2, .v4 or .v8') : [operand];
  const length = Number(vector.slice(1));
  if (operand.kind !== 'vector' || operand.elements.length !== length)
    return at.refuse(operand, `.v${length} needs a vector of ${length}: {a, b${length === 4 ? ', c, d' : ''}}`);
  return operand.elements;
}

/** One element in braces is that element, where ptxas takes it so: in ld, ldu, st and st.async. */
export const withoutBraces = (operand: OperandSyntax): OperandSyntax =>
  operand.kind === 'vector' && operand.elements.length === 1 ? (operand.elements[0] ?? operand) : operand;

/** What is accessed, if it can be what it says: inside its location, aligned, in its state space, through its proxy. */
export function checkAccess(
  at: InstructionDecoder,
  { space, vector }: Given,
  proxy: Proxy,
  found: FoundAddress,
  type: DataType,
  elements: number,
): FoundAddress | undefined {
  const bytes = (type.width / 8) * elements;
  // Of 32-byte accesses there are few (PTX ISA, ld and st: .v8 of 32 bits, .v4 of 64, in global memory).
  const wide = bytes === 32 && type.width >= 32 && (space === undefined || space === 'global');
  const wrong = (message: string): undefined => at.refuse(undefined, message);
  if (elements > 1 && (bytes > 16 ? !wide : vector === 'v8' && type.width !== 16))
    return wrong(
      `a vector access has at most 128 bits, or 256 as .v8 of 32 or .v4 of 64 bits in .global, this one ${8 * bytes}`,
    );
  const { range } = found;
  if (range?.proxy !== undefined && range.proxy !== proxy)
    return wrong(
      `${range.name} is reached through the ${range.proxy} proxy, but ${at.mnemonic} uses the ${proxy} proxy`,
    );
  const mask = usedBytes(at, bytes);
  return checkPlace(at, space, found, mask === 0n ? 0 : mask.toString(2).length, bytes);
}
