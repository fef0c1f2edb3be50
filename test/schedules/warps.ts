import {
  BLOCKED,
  type Compiled,
  type Compiler,
  type Family,
  isSigned,
  NEXT,
  operandAt,
  type Run,
  typeOf,
} from './compile.js';
import { integer } from './integers.js';
import { Unsupported } from './launch.js';
import type { Machine } from './machine.js';
import { type Instruction, widthOf } from './module.js';
import type { Operand } from './operands.js';
import type { Gathering, Thread, Warp } from './threads.js';
import type { Value } from './values.js';

/** One string for each number: those are compared at once. */
export class Keys {
  private readonly known = new Map<number, string>();
  private readonly make: (number: number) => string;

  constructor(make: (number: number) => string) {
    this.make = make;
  }

  of(number: number): string {
    let key = this.known.get(number);
    if (key === undefined) {
      key = this.make(number);
      this.known.set(number, key);
    }
    return key;
  }
}

/** What lanes of a warp do together (PTX ISA 9.7.10.6, 9.7.15.10 and on). None of it orders memory. */
export function gather(machine: Machine, thread: Thread, gathering: Gathering): void {
  if (((gathering.mask >>> thread.lane) & 1) === 0) machine.fail('lane-outside-of-mask', gathering.at);
  thread.gathering = gathering;
  machine.block(thread);
  const { warp } = thread;
  warp.waiting++;
  // If all lanes are meant most of them find that some are missing.
  if (gathering.mask !== -1 || warp.waiting >= warp.alive) finishIfAll(machine, warp, gathering);
}

const isAlignedBarrier = ({ key }: Gathering): boolean => key.startsWith('bar ');

function finishIfAll(machine: Machine, warp: Warp, gathering: Gathering): void {
  const { mask, key } = gathering;
  const lanes: Thread[] = [];
  let isMissing = false;
  for (const lane of warp.lanes) {
    if (((mask >>> lane.lane) & 1) === 0 || lane.state === 'done') continue;
    if (lane.gathering?.key === key) lanes.push(lane);
    else {
      isMissing = true;
      // Lanes at two places of which each is for the whole warp.
      if (lane.gathering !== undefined && isAlignedBarrier(gathering) && isAlignedBarrier(lane.gathering))
        machine.note('aligned-barrier-by-part-of-a-warp', gathering.at);
    }
  }
  if (isMissing || lanes.length === 0) return;
  const slots = lanes.map((lane) => lane.gathering!.slots);
  for (const lane of lanes) lane.gathering = undefined;
  warp.waiting -= lanes.length;
  gathering.finish(lanes, slots);
}

/** A lane has ended: the others of its warp wait for it no longer. */
export function laneLeaves(machine: Machine, warp: Warp): void {
  const seen = new Set<string>();
  for (const { gathering } of warp.lanes) {
    if (gathering === undefined || seen.has(gathering.key)) continue;
    seen.add(gathering.key);
    finishIfAll(machine, warp, gathering);
  }
}

/** Lanes that wait at an aligned barrier for others which wait for them elsewhere. */
export function apartAtBarrier({ lanes }: Warp): Instruction | undefined {
  const waiting = lanes.flatMap(({ gathering }) => gathering ?? []);
  const aligned = waiting.find(isAlignedBarrier);
  return aligned !== undefined && waiting.some(({ key }) => key !== aligned.key) ? aligned.at : undefined;
}

/** Of each lane: itself, and where its operands are. */
interface Part {
  readonly lane: number;
  readonly regs: Value[];
  readonly slots: readonly number[];
  readonly warp: Warp;
}
type Exchange = (parts: readonly Part[], machine: Machine) => void;

const maskOf = (parts: readonly Part[]): number => parts.reduce((mask, { lane }) => mask | (1 << lane), 0);

/** An instruction for which the lanes of a mask wait for each other. */
function together(
  at: Instruction,
  compiler: Compiler,
  mask: Operand | undefined,
  slots: readonly number[],
  exchange: Exchange,
): Compiled {
  const maskSlot = compiler.source(mask, 32);
  const keys = new Keys((lanesMask) => `${at.opcode} ${lanesMask}`);
  const run: Run = (thread, machine) => {
    const lanesMask = thread.regs[maskSlot] as number;
    const finish: Gathering['finish'] = (lanes, slotsOf) => {
      exchange(
        lanes.map(({ lane, regs, warp }, i) => ({ lane, regs, warp, slots: slotsOf[i]! })),
        machine,
      );
      for (const lane of lanes) machine.resume(lane);
    };
    gather(machine, thread, { key: keys.of(lanesMask), mask: lanesMask, at, slots, finish });
    return BLOCKED;
  };
  return { run, isVisible: true };
}

/** Where a result goes that may be a value and a predicate: `d|p`. */
function resultsOf(at: Instruction, compiler: Compiler): readonly [d: number, p: number] {
  const into = operandAt(at, 0);
  if (into.kind !== 'pair') return [compiler.target(into), compiler.target(undefined)];
  return [compiler.target(into.first), compiler.target(into.second)];
}

/** The lane that one asks, and whether it may. */
function sourceLane(mode: string, lane: number, b: number, c: number): readonly [from: number, isIn: boolean] {
  const by = b & 31;
  const segment = (c >>> 8) & 31;
  const lowest = lane & segment;
  const highest = lowest | (c & ~segment & 31);
  if (mode === 'up') return [lane - by, lane - by >= highest];
  const from = mode === 'down' ? lane + by : mode === 'bfly' ? lane ^ by : lowest | (by & ~segment & 31);
  return [from, from <= highest];
}

/** `shfl.sync.MODE.b32 d|p, a, b, c, mask`. */
export const shfl: Family = (at, compiler) => {
  const mode = at.words[2] ?? '';
  const sources = at.operands.slice(1, 4).map((one) => compiler.source(one, 32));
  const slots = [...resultsOf(at, compiler), ...sources];
  return together(at, compiler, at.operands[4], slots, (parts, machine) => {
    const values = new Map<number, Value>(parts.map((part) => [part.lane, part.regs[part.slots[2]!]!]));
    for (const { lane, regs, slots: own } of parts) {
      const [d = 0, p = 0, , b = 0, c = 0] = own;
      const [from, isIn] = sourceLane(mode, lane, regs[b] as number, regs[c] as number);
      // A lane that does not take part gives anything.
      regs[d] = isIn ? (values.get(from) ?? machine.random.next()) : values.get(lane)!;
      regs[p] = isIn ? 1 : 0;
    }
  });
};

/** `vote.sync.{all,any,uni,ballot}`. */
export const vote: Family = (at, compiler) => {
  const mode = at.words[2];
  const { slot, sense } = compiler.predicate(at.operands[1]);
  const slots = [compiler.target(at.operands[0]), slot, sense];
  return together(at, compiler, at.operands[2], slots, (parts) => {
    const holding = parts.filter(({ regs, slots: [, from = 0, holds] }) => regs[from] === holds);
    const isAll = holding.length === parts.length || (mode === 'uni' && holding.length === 0);
    const result = mode === 'ballot' ? maskOf(holding) : Number(mode === 'any' ? holding.length > 0 : isAll);
    for (const { regs, slots: own } of parts) regs[own[0]!] = result;
  });
};

/** `match.any.sync d, a, mask`, `match.all.sync d|p, a, mask`. */
export const match: Family = (at, compiler) => {
  const slots = [...resultsOf(at, compiler), compiler.source(at.operands[1], widthOf(typeOf(at)))];
  const isAny = at.words[1] === 'any';
  return together(at, compiler, at.operands[2], slots, (parts) => {
    const values = parts.map(({ regs, slots: own }) => regs[own[2]!]!);
    const all = maskOf(parts);
    const masks = values.map((value) => maskOf(parts.filter((_, i) => values[i] === value)));
    parts.forEach(({ regs, slots: own }, i) => {
      const [d = 0, p = 0] = own;
      const agrees = masks[i] === all;
      regs[d] = isAny ? masks[i]! : agrees ? all : 0;
      if (!isAny) regs[p] = agrees ? 1 : 0;
    });
  });
};

/** `redux.sync.OP.TYPE d, a, mask`. */
export const redux: Family = (at, compiler) => {
  const operation = integer(at.words[2] ?? '', 32, isSigned(typeOf(at)));
  if (operation === undefined || at.words.length > 4) throw new Unsupported(`${at.opcode} is not known`);
  const slots = [compiler.target(at.operands[0]), compiler.source(at.operands[1], 32)];
  return together(at, compiler, at.operands[2], slots, (parts) => {
    const values = parts.map(({ regs, slots: own }) => regs[own[1]!]!);
    const result = values.reduce((all, one) => operation.run(all, one, 0, 0));
    for (const { regs, slots: own } of parts) regs[own[0]!] = result;
  });
};

/** `elect.sync d|p, mask`: any lane, the same one whenever the warp asks for this mask. */
export const elect: Family = (at, compiler) =>
  together(at, compiler, at.operands[1], resultsOf(at, compiler), (parts) => {
    const { chance } = parts[0]!.warp;
    const elected = parts[(Math.imul(maskOf(parts) ^ chance, 0x9e3779b1) >>> 8) % parts.length]!;
    for (const { lane, regs, slots: own } of parts) {
      regs[own[0]!] = elected.lane;
      regs[own[1]!] = lane === elected.lane ? 1 : 0;
    }
  });

/** Some lanes that are at the instruction, all with the same answer; the others come to it later. */
export const activemask: Family = (at, compiler) => {
  const target = compiler.target(at.operands[0]);
  const { guard } = at;
  const executes = ({ regs }: Thread): boolean => guard === undefined || regs[guard.slot] === (guard.negated ? 0 : 1);
  const run: Run = (thread, machine) => {
    const isHere = (lane: Thread): boolean => lane.state === 'ready' && lane.pc === thread.pc && executes(lane);
    const here = thread.warp.lanes.filter((lane) => lane === thread || (isHere(lane) && machine.random.chance(0.9)));
    const mask = here.reduce((all, { lane }) => all | (1 << lane), 0);
    for (const lane of here) {
      lane.regs[target] = mask;
      if (lane !== thread) lane.pc++;
    }
    return NEXT;
  };
  return { run, isVisible: true };
};
