import { type DataType, PREDICATE } from '../program/data-type.js';
import { constant } from '../program/operation.js';
import { EXECUTED, REGISTERS } from '../program/register-counts.js';
import { instruction, SYNC } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { literal } from './typed-operands.js';
import { together } from './warp-exchange.js';

/**
 * setmaxnreg (PTX ISA, setmaxnreg): a hint about registers, which all warps of a warpgroup must execute alike. It waits
 * for the lanes of its own warp, and orders nothing.
 */
const COUNT: DataType = { kind: 'u', width: 16 };
const HISTORY: DataType = { kind: 'u', width: 64 };
/** A hidden register: whether a thread has done since the last one what may wait for other warps. */
const SYNCHRONIZED = '#setmaxnreg.synchronized';
const WAITING = new Set(['bar', 'barrier', 'mbarrier', 'ld', 'atom']);
/** More than a number of registers, or a place in a source, can be. */
const FACTOR = 1_000_003n;

const NUMBER = literal(
  (count) => count >= 24n && count <= 256n && count % 8n === 0n,
  'setmaxnreg takes a multiple of 8 from 24 to 256',
);

export const SETMAXNREG = instruction({
  slots: { action: ['inc', 'dec'], ...SYNC, type: ['u32'] },
  required: ['action', 'sync', 'aligned', 'type'],
  operands: 'imm-reg-count',
  since: { ptx: '8.0', target: 'sm_90a' },
  typed: () => [NUMBER],
  decode: (at, { action }) => {
    const count = NUMBER.read(at, at.operands[0]);
    if (count === undefined) return;
    together(at);
    const of = at.of(COUNT.width);
    const before = at.hidden(REGISTERS, COUNT);
    const [least, most] = action === 'inc' ? [before, constant(count)] : [constant(count), before];
    at.require(at.of(1).or(of.equal(before, constant(0)), of.lessOrEqual(least, most)), 'register-count');
    const isFirst = of.equal(before, constant(0));
    at.require(at.of(1).or(isFirst, at.hidden(SYNCHRONIZED, PREDICATE)), 'register-count-again');
    at.keep(SYNCHRONIZED, PREDICATE, constant(0));
    at.keep(REGISTERS, COUNT, constant(count));
    const history = at.of(HISTORY.width);
    const executed = history.multiply(at.hidden(EXECUTED, HISTORY), constant(FACTOR));
    at.keep(EXECUTED, HISTORY, history.add(executed, constant(idOf(at, action === 'inc', count))));
  },
});

/** Threads of a launch execute the same instruction where they are at the same place of its module. */
const idOf = ({ decoder, span }: InstructionDecoder, isMore: boolean, count: bigint): bigint =>
  decoder.thread.isLaunched ? BigInt(span.start) + 1n : 2n * count + BigInt(isMore);

/** Whether a body has such instructions. */
export const countsRegisters = (
  statements: readonly { readonly kind: string; readonly mnemonic?: string }[],
): boolean => statements.some(({ kind, mnemonic }) => kind === 'instruction' && mnemonic === 'setmaxnreg');

/** After an instruction of a thread with such: all warps of the warpgroup must synchronize between two of them. */
export function noticeWaits(at: InstructionDecoder): void {
  if (WAITING.has(at.mnemonic)) at.keep(SYNCHRONIZED, PREDICATE, constant(1));
}
