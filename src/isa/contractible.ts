import type { TypeName } from '../program/data-type.js';
import type { Operand } from '../program/operation.js';
import type { InstructionDecoder } from './instruction-decoder.js';

/** What an instruction is to a product that goes into a sum: it makes it, hands it on, or adds it up. */
export type Part = 'product' | 'negation' | 'sum' | 'difference';

/** An instruction that may be made one with others: a product and a sum, by a fused multiply-add. */
export interface Contractible {
  readonly part: Part;
  readonly at: InstructionDecoder;
  readonly target: string;
  readonly operands: readonly Operand[];
  readonly typeName: TypeName;
  readonly words: ReadonlySet<string>;
  /** The statement that writes the target: the last one of the instruction. */
  readonly index: number;
}

const PRODUCT_ROUNDINGS = ['rn', 'rz', 'rm', 'rp', 'sat'];
const ROUNDINGS = ['rn', 'rz', 'rm', 'rp'];

/** Whether an instruction with these words may be contracted: none says how to round (PTX ISA 9.7.3, add, sub, mul). */
export const mayContract = (part: Part, words: ReadonlySet<string>): boolean =>
  part === 'negation' || !(part === 'product' ? PRODUCT_ROUNDINGS : ROUNDINGS).some((word) => words.has(word));
