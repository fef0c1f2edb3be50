import { withComponent } from './clock.js';
import type { What } from './detector.js';
import type { Operation as Arithmetic } from './integers.js';
import type { Machine } from './machine.js';
import { arriveOn, barrierAt, completeCopy } from './mbarrier.js';
import type { Segment } from './memory.js';
import type { Instruction } from './module.js';
import { type Actor, CLUSTER_SCOPE, SYS, type Thread, WEAK } from './threads.js';

/**
 * Asynchronous copies: threads of their own, after what came before them in theirs (PTX ISA 8.9.1). Their bytes move
 * at any time, in pieces in any order.
 */
export interface Place {
  readonly segment: Segment;
  readonly offset: number;
}

export interface Piece {
  /** Nothing is read where zeros are written. */
  readonly from: Place | undefined;
  readonly to: readonly Place[];
  readonly size: number;
  bytes?: Uint8Array;
}

/** What a bulk reduction does to its elements. */
export interface Reduction {
  readonly update: Arithmetic;
  readonly size: number;
  readonly scope: 'cluster' | 'sys';
}

export interface Copy {
  readonly at: Instruction;
  readonly reader: Actor;
  readonly writer: Actor;
  readonly reduction: Reduction | undefined;
  /** Pieces that are still to be read or written. */
  readonly pieces: Piece[];
  unread: number;
  readonly onRead: () => void;
  readonly onDone: () => void;
}

/** Copies of a thread that groups complete: in the order in which they were begun. */
export class Stream {
  /** Clock components of their reads and writes; the same one where both are complete at once. */
  reads = -1;
  writes = -1;
  private begun = 0;
  private groups: Group[] = [];
  private open: Group = { unread: 0, undone: 0, last: 0 };
  /** Of each copy that has begun: whether it is complete; and before which all are. */
  private readonly done: boolean[] = [];
  private complete = 0;
  private readonly arrivals: { readonly before: number; readonly arrive: () => void }[] = [];

  begin(): { readonly epoch: number; readonly group: Group } {
    const { open } = this;
    open.unread++;
    open.undone++;
    open.last = ++this.begun;
    return { epoch: this.begun, group: open };
  }

  /** A copy is complete. */
  end(epoch: number, group: Group): void {
    group.undone--;
    this.done[epoch] = true;
    while (this.done[this.complete + 1]) this.complete++;
    for (const arrival of this.arrivals.splice(0))
      if (arrival.before <= this.complete) arrival.arrive();
      else this.arrivals.push(arrival);
  }

  commit(): void {
    this.groups.push(this.open);
    this.open = { unread: 0, undone: 0, last: this.begun };
  }

  /** The last copy that is complete when all groups but so many are, or `undefined` while they are not. */
  waited(groups: number, reads: boolean): number | undefined {
    const old = this.groups.slice(0, Math.max(this.groups.length - groups, 0));
    if (old.some(({ unread, undone }) => (reads ? unread : undone) > 0)) return undefined;
    if (!reads) this.groups = this.groups.slice(old.length - (old.length > 0 ? 1 : 0));
    return old.at(-1)?.last ?? 0;
  }

  /** Calls when all copies that have begun so far are complete. */
  whenComplete(arrive: () => void): void {
    if (this.complete >= this.begun) arrive();
    else this.arrivals.push({ before: this.begun, arrive });
  }

  get all(): number {
    return this.begun;
  }
}

interface Group {
  unread: number;
  undone: number;
  last: number;
}

export interface CopyState {
  /** Of `cp.async`. */
  readonly small: Stream;
  /** Of `cp.async.bulk` with groups. */
  readonly bulk: Stream;
  /** What the thread waits for. */
  waiting: { readonly stream: Stream; readonly groups: number; readonly reads: boolean } | undefined;
}

export function actorOf(thread: Thread, component: number, epoch: number, isAsyncProxy: boolean): Actor {
  const { clock, covered } = thread;
  return { component, epoch, clock: clock.slice(), covered, isAsyncProxy, thread };
}

/** So many bytes in random pieces, no border within 16 bytes. */
export function inPieces(machine: Machine, from: Place | undefined, to: readonly Place[], size: number): Piece[] {
  const pieces: Piece[] = [];
  const step = 16 * (1 + machine.random.below(Math.max(1, Math.ceil(size / 16))));
  const moved = ({ segment, offset }: Place, by: number): Place => ({ segment, offset: offset + by });
  for (let at = 0; at < size; at += step)
    pieces.push({
      from: from === undefined ? undefined : moved(from, at),
      to: to.map((place) => moved(place, at)),
      size: Math.min(step, size - at),
    });
  return pieces;
}

const READ: What = { writes: false, scope: WEAK, way: 'plain' };
const WRITE: What = { writes: true, scope: WEAK, way: 'plain' };
const UPDATE: Readonly<Record<Reduction['scope'], What>> = {
  cluster: { writes: true, scope: CLUSTER_SCOPE, way: 'plain' },
  sys: { writes: true, scope: SYS, way: 'plain' },
};

/** Moves a piece, or half of it; tells whether the copy is complete. */
export function progress(machine: Machine, copy: Copy): boolean {
  const { pieces } = copy;
  if (pieces.length > 0) {
    const index = machine.random.below(pieces.length);
    const piece = pieces[index]!;
    if (piece.bytes === undefined) {
      readPiece(machine, copy, piece);
      if (--copy.unread === 0) copy.onRead();
      if (machine.random.chance(0.5)) return false;
    }
    writePiece(machine, copy, piece);
    pieces[index] = pieces.at(-1)!;
    pieces.pop();
    machine.changed();
  }
  if (pieces.length > 0) return false;
  copy.onDone();
  return true;
}

function readPiece(machine: Machine, { reader, at }: Copy, piece: Piece): void {
  const { from, size } = piece;
  piece.bytes = new Uint8Array(size);
  if (from === undefined) return;
  checkEnded(machine, from.segment, reader, at);
  if (from.segment.isTracked) machine.detector.access(reader, from.segment, from.offset, size, READ, at);
  piece.bytes.set(from.segment.bytes.subarray(from.offset, from.offset + size));
}

/** Shared memory of another CTA must still be there. */
function checkEnded(machine: Machine, { cta }: Segment, { thread }: Actor, at: Instruction): void {
  if (cta?.alive === 0 && cta !== thread.cta) machine.note('shared-memory-of-ended-cta', at);
}

function writePiece(machine: Machine, { writer, at, reduction }: Copy, { to, size, bytes }: Piece): void {
  for (const { segment, offset } of to) {
    checkEnded(machine, segment, writer, at);
    const element = reduction?.size ?? size;
    const what = reduction === undefined ? WRITE : UPDATE[reduction.scope];
    for (let done = 0; done < size; done += element)
      machine.detector.access(writer, segment, offset + done, element, what, at);
    machine.releases.weakWrite(segment, offset, size);
    if (reduction === undefined) segment.bytes.set(bytes!, offset);
    else reduce(segment, offset, bytes!, reduction);
  }
}

function reduce(segment: Segment, offset: number, bytes: Uint8Array, { update, size }: Reduction): void {
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += size) {
    const low = view.getInt32(at, true);
    const value = size === 4 ? low : Number(view.getBigUint64(at, true));
    segment.write(offset + at, size, update(segment.read(offset + at, size), value, 0, 0));
  }
}

/** Goes on when the groups are complete that the thread waits for; tells whether they are. */
export function waitForGroups(machine: Machine, thread: Thread): boolean {
  const { waiting } = thread.copies;
  if (waiting === undefined) return true;
  const { stream, groups, reads } = waiting;
  const last = stream.waited(groups, reads);
  if (last === undefined) return false;
  thread.copies.waiting = undefined;
  if (last > 0) {
    thread.clock = withComponent(thread.clock, stream.reads, last);
    if (!reads) thread.clock = withComponent(thread.clock, stream.writes, last);
  }
  machine.resume(thread);
  return true;
}

/** An arrival at an mbarrier when all `cp.async` of the thread so far are complete. */
export function arriveWhenCopied(
  machine: Machine,
  thread: Thread,
  segment: Segment,
  offset: number,
  at: Instruction,
): void {
  const { small } = thread.copies;
  const last = small.all;
  machine.hold(thread.launch);
  const onDone = (): void => {
    const barrier = barrierAt(machine, segment, offset, at);
    if (last > 0) completeCopy(machine, barrier, { component: small.writes, epoch: last });
    arriveOn(machine, barrier, 1, at);
    machine.changed();
    machine.letGo(thread.launch);
  };
  const none = { at, reader: thread, writer: thread, reduction: undefined, unread: 0, onRead: () => {} };
  small.whenComplete(() => machine.copies.push({ ...none, pieces: [], onDone }));
}
