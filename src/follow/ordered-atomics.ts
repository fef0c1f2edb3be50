import type { UpdateEffect } from '../effects/effect.js';
import { holdBack, placeOfUpdate } from './atomics.js';
import { at } from './lane-value.js';
import { lanesIn } from './lanes.js';
import type { MemoryImage } from './memory-image.js';
import type { Recorder } from './recorder.js';
import { type OrderedAtomics, wordOf } from './trace.js';
import type { Turn } from './turn.js';

/** A lane that has come to an atomic of a word whose coherence order is chosen. */
interface Comer {
  readonly turn: Turn;
  readonly lane: number;
  readonly thread: number;
  readonly word: string;
}

/**
 * Atomics of words whose coherence order is that of a case: a lane that comes to one waits until nobody else can go on;
 * then the next of the order does its atomic, and behind the order the one that is the first of the launch.
 */
export class AtomicsInOrder {
  /** By word: the accesses that have been made, in coherence order. */
  private readonly made = new Map<string, number[]>();
  private readonly waiting: Comer[] = [];
  private readonly released = new Set<number>();

  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly orders: ReadonlyMap<string, readonly number[]>,
  ) {}

  /** Whether a lane still waits for its place. */
  get isAny(): boolean {
    return this.waiting.length > 0;
  }

  get all(): readonly OrderedAtomics[] {
    return [...this.made].map(([word, rows]) => ({ word, rows }));
  }

  /** Of the lanes of a turn that come to an atomic, those that let others go first: they wait. */
  hold(turn: Turn, { at: where }: UpdateEffect): number {
    if (this.orders.size === 0 || where.parts !== 1 || turn.isPossible) return 0;
    let held = 0;
    const going: { readonly lane: number; readonly word: string; readonly finds: bigint }[] = [];
    const base = turn.value(where.address.base, 64);
    for (const lane of lanesIn(turn.lanes)) {
      if (at(base, lane) === undefined) continue;
      const { piece, offset } = placeOfUpdate(this.image, this.recorder, turn, lane, where);
      const [word, thread] = [wordOf(piece, offset), turn.warp.threads[lane]?.id ?? -1];
      if (!this.orders.has(word)) continue;
      if (!this.released.delete(thread)) {
        this.waiting.push({ turn, lane, thread, word });
        held = (held | (1 << lane)) >>> 0;
        continue;
      }
      const finds = this.image.find(piece, offset, where.type.width / 8);
      if (finds === undefined) throw turn.notFollowed('an atomic of a word whose value is open');
      going.push({ lane, word, finds });
    }
    const rows = holdBack(this.recorder, turn, held, going);
    for (const [i, { word }] of going.entries())
      this.made.set(word, [...(this.made.get(word) ?? []), rows[i] as number]);
    return held;
  }

  /** Lets the next of an order go on; whether there is one. */
  release(): boolean {
    for (const [word, order] of this.orders) {
      const next = order[this.made.get(word)?.length ?? 0];
      const index = this.waiting.findIndex((one) => one.word === word && (next ?? one.thread) === one.thread);
      const [one] = index < 0 ? [] : this.waiting.splice(index, 1);
      if (one === undefined) continue;
      this.released.add(one.thread);
      one.turn.warp.unpark(one.turn.at, (1 << one.lane) >>> 0);
      return true;
    }
    return false;
  }
}
