import { effectsOf } from '../effects/effects-of.js';
import type { AsyncOperation, GroupOperation } from '../program/async-operation.js';
import type { Manner } from '../program/locations.js';
import type { Address } from '../program/operation.js';
import { placeFor } from './lane-place.js';
import { at } from './lane-value.js';
import type { MemoryImage, Place } from './memory-image.js';
import type { Recorder } from './recorder.js';
import type { Turn } from './turn.js';
import { lanesIn } from './warp.js';

/** The asynchronous copies of a thread: those of the groups that it has committed, and those of none yet. */
interface ThreadCopies {
  groups: number[][];
  open: number[];
}

/**
 * Copies that a thread issues and waits for in groups (cp.async). Each is made at once where it is issued; that it may
 * be made later is in its accesses, which are complete only where the thread has waited for their group.
 */
export class AsyncCopies {
  private readonly copies = new Map<number, ThreadCopies>();

  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
  ) {}

  issue(turn: Turn, operation: AsyncOperation): void {
    const { source, destination, completion, reduction, multicast, tile } = operation;
    const isPlain = reduction === undefined && multicast === undefined && tile === undefined;
    if (completion.kind !== 'group' || completion.family !== 'cp.async' || !isPlain)
      throw turn.notFollowed('an asynchronous copy that an mbarrier or a bulk group tells of');
    if (source.kind !== 'memory' || destination === undefined) throw turn.notFollowed('an asynchronous operation');
    const size = Number(turn.uniform(source.bytes, 32, 'a size'));
    const [read, write] = ['read', 'write'].map((kind) => {
      const index = effectsOf(operation).findIndex((effect) => effect.kind === kind);
      const effect = effectsOf(operation)[index];
      if (effect?.kind !== 'read' && effect?.kind !== 'write') throw turn.notFollowed('an asynchronous operation');
      return this.recorder.kind(turn, index, {
        ...{ reads: kind === 'read', writes: kind === 'write', tags: effect.tags, scope: effect.scope },
      });
    });
    const given = source.given === undefined ? BigInt(size) : turn.value(source.given, 32);
    const ignored = source.ignored === undefined ? 0n : turn.value(source.ignored, 1);
    for (const lane of lanesIn(turn.lanes)) {
      const [bytes, isIgnored] = [at(given, lane), at(ignored, lane)];
      if (bytes === undefined || isIgnored === undefined) throw turn.notFollowed('a size that is open');
      const count = isIgnored === 1n ? 0 : Number(bytes);
      const target = this.place(turn, lane, destination, size, 'writes');
      const origin = count === 0 ? undefined : this.place(turn, lane, source.address, count, 'reads');
      const own = this.of(turn, lane);
      if (origin !== undefined && read !== undefined)
        own.open.push(this.recorder.access(turn, lane, read, origin, 0, count, IN_FLIGHT));
      if (write !== undefined) own.open.push(this.recorder.access(turn, lane, write, target, 0, size, IN_FLIGHT));
      for (let i = 0; i < size; i++) {
        const value = i >= count || origin === undefined ? 0n : this.image.read(origin.piece, origin.offset + i, 1);
        this.image.write(target.piece, target.offset + i, 1, value);
      }
    }
    this.recorder.advance(turn);
  }

  group(turn: Turn, { action, family, ...rest }: GroupOperation): void {
    if (family !== 'cp.async') throw turn.notFollowed('groups of bulk copies');
    this.recorder.advance(turn);
    const { pending, readsOnly } = { pending: undefined, readsOnly: false, ...rest };
    if (readsOnly) throw turn.notFollowed('a wait for sources alone');
    const steps = this.recorder.steps(turn);
    lanesIn(turn.lanes).forEach((lane, i) => {
      const own = this.of(turn, lane);
      if (action === 'commit') {
        own.groups.push(own.open);
        own.open = [];
        return;
      }
      const done = pending === undefined ? own.groups.splice(0) : own.groups.splice(0, own.groups.length - pending);
      if (pending === undefined) done.push(own.open.splice(0));
      for (const row of done.flat()) this.recorder.accesses.ends.set(row, steps[i]?.position ?? IN_FLIGHT);
    });
  }

  private of({ warp }: Turn, lane: number): ThreadCopies {
    const thread = warp.threads[lane]?.id ?? -1;
    const known = this.copies.get(thread) ?? { groups: [], open: [] };
    this.copies.set(thread, known);
    return known;
  }

  /** A copy is cut where other accesses tell its bytes apart: it is not asked to be aligned here. */
  private place(turn: Turn, lane: number, address: Address, bytes: number, manner: Manner): Place {
    const base = turn.value(address.base, 64);
    return placeFor(this.image, this.recorder, turn, lane, { base, address, bytes, alignment: 1, manner });
  }
}

/** Of an access that is not known to be complete before its grid is. */
const IN_FLIGHT = 0xffff_ffff;
