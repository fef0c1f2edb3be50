import { locate, scopeOf, spaceOf, updateOf } from './accesses.js';
import { BLOCKED, type Compiled, type Family, operandAt, typeOf, visible } from './compile.js';
import {
  actorOf,
  type Copy,
  inPieces,
  type Piece,
  type Place,
  type Reduction,
  type Stream,
  waitForGroups,
} from './copies.js';
import { Unsupported } from './launch.js';
import type { Machine } from './machine.js';
import { barrierAt, completeCopy, completeTransactions } from './mbarrier.js';
import { CLUSTER, GLOBAL, SHARED, type Space } from './memory.js';
import { type Instruction, widthOf } from './module.js';
import { CLUSTER_SCOPE, type Thread } from './threads.js';

/** `cp.async`, `cp.async.bulk` and `cp.reduce.async.bulk` (PTX ISA 9.7.10.28). */
export const copy: Family = (at, compiler) => {
  const { words } = at;
  const rest = words.slice(1).join('.');
  if (rest === 'async.commit_group') return visible(({ copies }) => copies.small.commit());
  if (rest === 'async.bulk.commit_group') return visible(({ copies }) => copies.bulk.commit());
  if (rest === 'async.wait_group' || rest.startsWith('async.bulk.wait_group') || rest === 'async.wait_all')
    return groupWait(at, compiler);
  if (rest.startsWith('async.bulk.prefetch')) return visible(() => {});
  if (words.includes('bulk')) return bulkCopy(at, compiler);
  return smallCopy(at, compiler);
};

const groupWait: Family = (at, compiler): Compiled => {
  const isBulk = at.words.includes('bulk');
  const isAll = at.words.includes('wait_all');
  const reads = at.words.includes('read');
  const count = compiler.source(at.operands[0] ?? { kind: 'number', value: 0n }, 32);
  return {
    run: (thread, machine) => {
      const { copies } = thread;
      if (isAll) copies.small.commit();
      const groups = isAll ? 0 : (thread.regs[count] as number);
      copies.waiting = { stream: isBulk ? copies.bulk : copies.small, groups, reads };
      machine.block(thread);
      waitForGroups(machine, thread);
      return BLOCKED;
    },
    isVisible: true,
  };
};

/** What a stream needs to follow its copies. */
export function begin(
  machine: Machine,
  thread: Thread,
  stream: Stream,
  isAsyncProxy: boolean,
): Pick<Copy, 'reader' | 'writer' | 'onRead' | 'onDone'> {
  if (stream.writes < 0) {
    stream.writes = machine.newComponent(thread.launch);
    stream.reads = isAsyncProxy ? machine.newComponent(thread.launch) : stream.writes;
  }
  const { epoch, group } = stream.begin();
  machine.hold(thread.launch);
  return {
    reader: actorOf(thread, stream.reads, epoch, isAsyncProxy),
    writer: actorOf(thread, stream.writes, epoch, isAsyncProxy),
    onRead: () => {
      group.unread--;
      waitForGroups(machine, thread);
    },
    onDone: () => {
      stream.end(epoch, group);
      waitForGroups(machine, thread);
      machine.letGo(thread.launch);
    },
  };
}

const smallCopy: Family = (at, compiler) => {
  const { words } = at;
  if (!/^(ca|cg)$/.test(words[2] ?? '')) throw new Unsupported(`${at.opcode} is not known`);
  const to = compiler.address(at.operands[0]);
  const from = compiler.address(at.operands[1]);
  const sizeSlot = compiler.source(at.operands[2], 32);
  const fourth = at.operands[3];
  const isPredicate = fourth?.kind === 'register' && fourth.width === 1;
  const read = fourth === undefined || fourth.kind === 'sink' ? sizeSlot : compiler.source(fourth, 32);
  return visible((thread, machine) => {
    const size = thread.regs[sizeSlot] as number;
    const given = thread.regs[read] as number;
    const length = isPredicate ? (given === 0 ? size : 0) : given;
    if (length > size || length < 0) machine.fail('cp.async-source-size', at);
    const target = placeOf(machine, thread, { space: SHARED, address: to(thread), size }, at);
    const pieces: Piece[] = [];
    if (length > 0) {
      const source = { space: GLOBAL, address: from(thread), size: length, align: size } as const;
      pieces.push({ from: placeOf(machine, thread, source, at), to: [target], size: length });
    }
    if (length < size) {
      const rest = { segment: target.segment, offset: target.offset + length };
      pieces.push({ from: undefined, to: [rest], size: size - length });
    }
    const parts = begin(machine, thread, thread.copies.small, false);
    machine.copies.push({ at, reduction: undefined, pieces, unread: pieces.length, ...parts });
  });
};

export function placeOf(
  machine: Machine,
  thread: Thread,
  place: { space: Space; address: number; size: number; align?: number },
  at: Instruction,
): Place {
  const segment = locate(machine, thread, place, at);
  return { segment, offset: machine.memory.offset };
}

/** The same place in the shared memory of each CTA of a mask. */
export function multicast({ segment, offset }: Place, thread: Thread, mask: number | undefined): Place[] {
  if (mask === undefined) return [{ segment, offset }];
  const index = segment.cta!.shared.indexOf(segment);
  return thread.cta.cluster.ctas
    .filter(({ rank }) => (mask >> rank) & 1)
    .map(({ shared }) => ({ segment: shared[index]!, offset }));
}

function reductionOf(at: Instruction): Reduction | undefined {
  if (!at.words.includes('reduce')) return undefined;
  const type = typeOf(at);
  const update = updateOf(at.words.find((word) => /^(add|min|max|inc|dec|and|or|xor)$/.test(word)) ?? '', type);
  if (update === undefined) throw new Unsupported(`${at.opcode} is not known`);
  return { update, size: widthOf(type) / 8, scope: 'sys' };
}

const bulkCopy: Family = (at, compiler) => {
  const { words } = at;
  const spaces = words.filter((word) => /^(global|shared(::\w+)?)$/.test(word));
  if (spaces.length !== 2 || scopeOf(words, CLUSTER_SCOPE) !== CLUSTER_SCOPE)
    throw new Unsupported(`${at.opcode} is not known`);
  const [toSpace, fromSpace] = spaces.map((word) => spaceOf([word])) as [Space, Space];
  const isGroup = words.includes('bulk_group');
  const isMulticast = words.includes('multicast::cluster');
  const to = compiler.address(operandAt(at, 0));
  const from = compiler.address(operandAt(at, 1));
  const sizeSlot = compiler.source(operandAt(at, 2), 32);
  const object = isGroup ? undefined : compiler.address(operandAt(at, 3));
  const maskSlot = isMulticast ? compiler.source(operandAt(at, 4), 16) : -1;
  const reduction = reductionOf(at);
  return visible((thread, machine) => {
    const size = (thread.regs[sizeSlot] as number) >>> 0;
    if (size % 16 !== 0) machine.fail('size-of-bulk-copy', at);
    const target = placeOf(machine, thread, { space: toSpace, address: to(thread), size, align: 16 }, at);
    const source = placeOf(machine, thread, { space: fromSpace, address: from(thread), size, align: 16 }, at);
    const mask = isMulticast ? (thread.regs[maskSlot] as number) & 0xffff : undefined;
    const pieces = inPieces(machine, source, multicast(target, thread, mask), size);
    const unread = pieces.length;
    if (object === undefined) {
      const parts = begin(machine, thread, thread.copies.bulk, true);
      machine.copies.push({ at, reduction, pieces, unread, ...parts });
      return;
    }
    const place = { space: toSpace === SHARED ? SHARED : CLUSTER, address: object(thread), size: 8 } as const;
    const barrier = placeOf(machine, thread, place, at);
    if (barrier.segment.cta !== target.segment.cta) machine.fail('mbarrier-of-another-cta', at);
    const told = multicast(barrier, thread, mask);
    machine.copies.push({ at, reduction, pieces, unread, ...tellsMbarriers(machine, thread, told, size, at) });
  });
};

/** A copy whose bytes mbarriers count; each is told when all bytes have moved. */
export function tellsMbarriers(
  machine: Machine,
  thread: Thread,
  told: readonly Place[],
  size: number,
  at: Instruction,
  isAsyncProxy = true,
): Pick<Copy, 'reader' | 'writer' | 'onRead' | 'onDone'> {
  const component = machine.newComponent(thread.launch);
  const actor = actorOf(thread, component, 1, isAsyncProxy);
  // The object itself is accessed as ever.
  const teller = { ...actor, isAsyncProxy: false };
  machine.hold(thread.launch);
  const onDone = (): void => {
    for (const { segment, offset } of told) {
      const what = { writes: true, scope: CLUSTER_SCOPE, way: 'mbarrier' } as const;
      machine.detector.access(teller, segment, offset, 8, what, at);
      const barrier = barrierAt(machine, segment, offset, at);
      completeCopy(machine, barrier, { component, epoch: 1 });
      completeTransactions(machine, barrier, size, at);
    }
    machine.letGo(thread.launch);
  };
  return { reader: actor, writer: actor, onRead: () => {}, onDone };
}

/** What waits for nothing. */
export const nothing: Family = () => visible(() => {});
