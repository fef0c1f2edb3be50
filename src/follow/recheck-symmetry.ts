import { effectsOf } from '../effects/effects-of.js';
import { memoryAccesses } from '../effects/memory-accesses.js';
import { TouchedObjects } from '../flow/touched-objects.js';
import { meetsNobody } from '../program/barrier-rules.js';
import { append } from '../program/group-by.js';
import { initialValue, type MemoryObject } from '../program/locations.js';
import type { Operand, ProgramStatement } from '../program/operation.js';
import type { Program, Thread } from '../program/program.js';
import type { SymmetricThreads } from './symmetric-threads.js';

/** A byte of an object, and what one thread does to it. */
interface ByteTouch {
  readonly object: MemoryObject;
  readonly offset: number;
  readonly writes: boolean;
}

/** A byte, by its object and its offset there. */
type Byte = `${number}+${number}`;
const byteOf = ({ object, offset }: ByteTouch): Byte => `${object.id}+${offset}`;

/**
 * Whether each thread that is left out does what the one does which it is said to be like. Looks at them side by side,
 * statement by statement and byte by byte, and shares nothing with what found them but what operations do: the bytes of
 * the one go to those of the other, all that touch a byte that is moved are moved with it, and what is not moved is not
 * written (docs/decisions/symmetric-threads.md).
 */
export const isSymmetric = (program: Program, like: SymmetricThreads): boolean =>
  new SymmetryChecker(program, like).holds();

class SymmetryChecker {
  /** By thread that is left out, the one that it is like. */
  private readonly imageOf = new Map<number, number>();
  private readonly touchers = new Map<Byte, Set<number>>();
  private readonly written = new Set<Byte>();
  /** Objects of which it is not known which bytes are touched, by their number: none of them may move. */
  private readonly blurred = new Map<number, 'read' | 'written'>();
  private readonly objects: TouchedObjects;
  private readonly asked = new Set<Byte>();
  /** Where bytes go that are touched by threads that are left out. */
  private readonly movedTo = new Map<Byte, Byte>();

  constructor(
    private readonly program: Program,
    private readonly like: SymmetricThreads,
  ) {
    this.objects = new TouchedObjects(program.threads, program.locations);
    for (const [image, others] of like) for (const other of others) this.imageOf.set(other, image);
    for (const { kind, ...one } of program.observed)
      if (kind === 'memory' && 'object' in one)
        for (let i = 0; i < one.type.width / 8; i++) this.asked.add(`${one.object.id}+${one.offset + i}`);
  }

  holds(): boolean {
    const { threads, observed } = this.program;
    const touches = threads.map((thread) => thread.statements.map((statement) => this.touchesOf(thread, statement)));
    if (touches.flat().includes(undefined)) return false;
    touches.forEach((own, thread) => {
      for (const one of own.flatMap((list) => list ?? [])) {
        const byte = byteOf(one);
        const touchers = this.touchers.get(byte) ?? new Set();
        this.touchers.set(byte, touchers.add(thread));
        if (one.writes) this.written.add(byte);
      }
    });
    const isEachThere = this.like.size + this.imageOf.size === threads.length;
    const isAsked = observed.some((one) => one.kind === 'register' && this.imageOf.has(one.thread));
    return (
      isEachThere &&
      !isAsked &&
      [...this.imageOf].every(([one, other]) => this.isLike(one, other, touches[one] ?? [], touches[other] ?? [])) &&
      [...this.movedTo].every(([from, to]) => this.isOwn(from, to)) &&
      this.areMeetingsWhole()
    );
  }

  /** What a statement does to each byte that it touches; undefined: to which objects is not known. */
  private touchesOf(thread: Thread, { operation }: ProgramStatement): readonly ByteTouch[] | undefined {
    const touches: ByteTouch[] = [];
    for (const access of memoryAccesses(operation)) {
      const { address, bytes, tile, multicast, writes } = access;
      const known = address.base.kind === 'constant' ? address.base.value + address.offset : undefined;
      const size =
        bytes?.kind === 'constant' && tile === undefined && multicast === undefined ? bytes.value : undefined;
      if (known === undefined || size === undefined) {
        const objects = this.objects.of(thread, access);
        if (objects === undefined || this.imageOf.has(thread.index)) return undefined;
        for (const { id } of objects)
          if (writes || !this.blurred.has(id)) this.blurred.set(id, writes ? 'written' : 'read');
        continue;
      }
      const range = this.program.locations.at(known, Number(size), thread.index);
      if (range === undefined) return undefined;
      for (let i = 0; i < Number(size); i++)
        touches.push({ object: range.object, offset: Number(known - range.base) + i, writes });
    }
    return touches;
  }

  /** Whether one thread does to its bytes what another does to those that they go to. */
  private isLike(one: number, other: number, own: readonly Touches[], others: readonly Touches[]): boolean {
    const [left, kept] = [this.program.threads[one], this.program.threads[other]];
    if (left === undefined || kept === undefined || this.imageOf.has(other)) return false;
    if (left.placement.cta !== kept.placement.cta || left.launched?.launch !== kept.launched?.launch) return false;
    if (left.statements.length !== kept.statements.length) return false;
    return left.statements.every((statement, i) => {
      const [from, to] = [own[i] ?? [], others[i] ?? []];
      const same = kept.statements[i];
      return (
        same !== undefined &&
        isStraight(left, statement, i) &&
        isStraight(kept, same, i) &&
        done(statement, left) === done(same, kept) &&
        from.length === to.length &&
        from.every((touch, j) => this.goesTo(touch, to[j] ?? touch))
      );
    });
  }

  /** Whether a byte stays where it is, and is only read, or goes to another, and to no third. */
  private goesTo(from: ByteTouch, to: ByteTouch): boolean {
    const [byte, goal] = [byteOf(from), byteOf(to)];
    const isKnown = ({ object, offset }: ByteTouch): boolean => initialValue(object, offset, 1) !== undefined;
    if (isKnown(from) !== isKnown(to) || from.object.space !== to.object.space) return false;
    const isBlurred = this.blurred.has(from.object.id) || this.blurred.has(to.object.id);
    if (![from, to].some((one) => this.isWritten(one)))
      return from.object.isUninitialized === to.object.isUninitialized;
    if (isBlurred && byte !== goal) return false;
    const before = this.movedTo.get(byte) ?? goal;
    this.movedTo.set(byte, before);
    return before === goal && (byte !== goal || !from.writes);
  }

  private isWritten(touch: ByteTouch): boolean {
    return this.written.has(byteOf(touch)) || this.blurred.get(touch.object.id) === 'written';
  }

  /** Whether nobody else knows of a byte that is moved, nor of the one to which it goes, and nothing asks for it. */
  private isOwn(from: Byte, to: Byte): boolean {
    if (from === to) return true;
    const touchers = [...(this.touchers.get(from) ?? [])];
    const images = new Set(touchers.map((one) => this.imageOf.get(one)));
    const others = this.touchers.get(to) ?? new Set();
    return (
      images.size === touchers.length &&
      images.size === others.size &&
      [...images].every((one) => one !== undefined && others.has(one)) &&
      !this.asked.has(from)
    );
  }

  /** Whether threads that are left out meet no others but with all of their CTA, and warps not in parts. */
  private areMeetingsWhole(): boolean {
    const byWarp = new Map<string, Thread[]>();
    const parted = new Set<string>();
    for (const thread of this.program.threads) {
      append(byWarp, thread.placement.warp, thread);
      for (const { operation } of thread.statements) {
        if (operation.kind !== 'barrier' || meetsNobody(operation, thread.placement)) continue;
        if (operation.level !== 'cta') parted.add(thread.placement.warp);
        else if (operation.action !== 'sync' || operation.count !== undefined) parted.add(thread.placement.cta);
      }
    }
    const isUniform = ({ placement: { warp } }: Thread): boolean => {
      const own = byWarp.get(warp) ?? [];
      const isEachStraight = own.every((one) => one.statements.every((statement, i) => isStraight(one, statement, i)));
      return isEachStraight && new Set(own.map(barriersOf)).size === 1;
    };
    return [...this.imageOf].every(([one, other]) => {
      const [left, kept] = [this.program.threads[one], this.program.threads[other]];
      if (left === undefined || kept === undefined) return false;
      const { cta, warp } = left.placement;
      if (parted.has(cta) || parted.has(warp)) return false;
      return warp === kept.placement.warp || (isUniform(left) && isUniform(kept));
    });
  }
}

type Touches = readonly ByteTouch[] | undefined;

/** It is executed in every execution, once. */
const isStraight = ({ labels }: Thread, { operation, guard }: ProgramStatement, at: number): boolean => {
  if (operation.kind === 'compute' || operation.kind === 'open') return true;
  return guard === undefined && (operation.kind !== 'branch' || (labels.get(operation.label) ?? 0) > at);
};

/** What a statement does, but for where and with which values. */
const done = ({ operation, guard, span }: ProgramStatement, { placement }: Thread): string =>
  JSON.stringify([
    span.start,
    operation.kind,
    guard,
    meetsNobody(operation, placement) ? 'alone' : operation.kind === 'barrier' && valueOf(operation.id),
    effectsOf(operation).map(({ kind, tags, scope }) => [kind, tags, scope]),
  ]);

const valueOf = (operand: Operand): string | undefined =>
  operand.kind === 'constant' ? `${operand.value}` : undefined;

const barriersOf = ({ statements, placement }: Thread): string =>
  statements
    .filter(({ operation }) => operation.kind === 'barrier' || operation.kind === 'cluster-barrier')
    .filter(({ operation }) => !meetsNobody(operation, placement))
    .map(({ span }) => span.start)
    .join();
