import { locate, noMbarrier, spaceOf } from './accesses.js';
import { BLOCKED, type Compiled, type Family, operandAt, partsOf, type Run } from './compile.js';
import type { What } from './detector.js';
import { Unsupported } from './launch.js';
import type { Machine } from './machine.js';
import type { Space } from './memory.js';
import type { Instruction } from './module.js';
import { type Thread, WEAK } from './threads.js';
import { low } from './values.js';
import { gather } from './warps.js';

/**
 * `ldmatrix`, `stmatrix`, `movmatrix` of 8 by 8 elements of 16 bits (PTX ISA 9.7.16.5): each lane accesses the bytes
 * that it gets or gives. What `mma` computes is some function of what all lanes give.
 */
const READ: What = { writes: false, scope: WEAK, way: 'plain' };
const WRITE: What = { writes: true, scope: WEAK, way: 'plain' };

/** Of the whole warp, each lane with its own operands. */
function ofWarp(at: Instruction, slots: readonly number[], act: (lanes: readonly Thread[], machine: Machine) => void) {
  const run: Run = (thread, machine) => {
    const finish = (lanes: readonly Thread[]): void => {
      act(lanes, machine);
      for (const lane of lanes) machine.resume(lane);
    };
    gather(machine, thread, { key: `${at.opcode} ${at.line}`, mask: -1, at, slots, finish });
    return BLOCKED;
  };
  return { run, isVisible: true } satisfies Compiled;
}

/** The two elements of a lane: their rows, and where in these. */
function elementsOf(lane: number, isTransposed: boolean): readonly (readonly [row: number, column: number])[] {
  const quarter = lane >> 2;
  const pair = 2 * (lane & 3);
  return isTransposed
    ? [
        [pair, quarter],
        [pair + 1, quarter],
      ]
    : [
        [quarter, pair],
        [quarter, pair + 1],
      ];
}

export const matrixAccess: Family = (at, compiler) => {
  const { words } = at;
  const isLoad = words[0] === 'ldmatrix';
  const count = Number(words.find((word) => /^x[124]$/.test(word))?.slice(1) ?? 0);
  if (!words.includes('m8n8') || count === 0) throw new Unsupported(`${at.opcode} is not known`);
  const isTransposed = words.includes('trans');
  const address = compiler.address(operandAt(at, isLoad ? 1 : 0));
  const parts = partsOf(operandAt(at, isLoad ? 0 : 1));
  const registers = parts.map((part) => (isLoad ? compiler.target(part) : compiler.source(part, 32)));
  const space = spaceOf(words);
  return ofWarp(at, [], (lanes, machine) => {
    const rows = new Map<number, number>(lanes.map((lane) => [lane.lane, address(lane)]));
    for (const lane of lanes)
      registers.forEach((register, matrix) => {
        let value = 0;
        elementsOf(lane.lane, isTransposed).forEach(([row, column], i) => {
          const start = rows.get(8 * matrix + row)! + 2 * column;
          const half = (low(lane.regs[register]!) >>> (16 * i)) & 0xffff;
          value |= element(machine, lane, { space, start, at }, isLoad ? undefined : half) << (16 * i);
        });
        if (isLoad) lane.regs[register] = value;
      });
  });
};

/** One element: what is read, or was written. */
function element(
  machine: Machine,
  lane: Thread,
  { space, start, at }: { readonly space: Space; readonly start: number; readonly at: Instruction },
  written: number | undefined,
): number {
  const segment = locate(machine, lane, { space, address: start, size: 2 }, at);
  const { offset } = machine.memory;
  noMbarrier(machine, segment, offset, 2, at);
  machine.detector.access(lane, segment, offset, 2, written === undefined ? READ : WRITE, at);
  if (written === undefined) return segment.read(offset, 2) as number;
  machine.releases.weakWrite(segment, offset, 2);
  machine.put(segment, offset, 2, written);
  return written;
}

export const movmatrix: Family = (at, compiler) => {
  const target = compiler.target(at.operands[0]);
  const source = compiler.source(at.operands[1], 32);
  return ofWarp(at, [], (lanes) => {
    const given = new Map<number, number>(lanes.map((lane) => [lane.lane, low(lane.regs[source]!)]));
    const at2 = (row: number, column: number): number =>
      ((given.get(4 * row + (column >> 1)) ?? 0) >>> (16 * (column & 1))) & 0xffff;
    for (const { lane, regs } of lanes) {
      const [first, second] = elementsOf(lane, true);
      regs[target] = at2(first![0], first![1]) | (at2(second![0], second![1]) << 16);
    }
  });
};

/** The same for the same operands, and otherwise anything. */
export const mma: Family = (at, compiler) => {
  const targets = partsOf(operandAt(at, 0)).map((part) => compiler.target(part));
  const sources = at.operands.slice(1).flatMap((one) => partsOf(one).map((part) => compiler.source(part, 32)));
  return ofWarp(at, [], (lanes) => {
    let hash = 17;
    for (const { regs } of lanes) for (const source of sources) hash = (Math.imul(hash, 31) + low(regs[source]!)) | 0;
    for (const { regs, lane } of lanes)
      targets.forEach((target, i) => {
        // As a small number, whatever the type.
        regs[target] = 0x3f800000 | (Math.imul(hash + 32 * i + lane, 0x9e3779b1) >>> 12);
      });
  });
};
