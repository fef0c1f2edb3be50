import type { UpdateEffect } from '../effects/effect.js';
import { holdBack, placeOfUpdate } from './atomics.js';
import { at } from './lane-value.js';
import { lanesIn } from './lanes.js';
import type { MemoryImage } from './memory-image.js';
import type { Recorder } from './recorder.js';
import { type OrderedAtomics, wordOf } from './trace.js';
import type { Turn } from './turn.js';

/** A lane that has come to an atomic, and lets others go first. */
export interface Comer {
  readonly thread: number;
  readonly word: string;
  /** Whether what is there now lets it make its atomic. */
  readonly isDue: () => boolean;
  /** It does so; the access, where that is made at once. */
  readonly go: () => number | undefined;
}

/**
 * Atomics of words whose coherence order is that of a case: a lane that comes to one waits until nobody else can go on;
 * then the next of the order does its atomic, and behind the order the one that is there first. So do atomics that are
 * made when a value is found, whatever their word is: the one that is there first of those that find it.
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

  /** Whether a lane waits for its place that could make its atomic now. */
  get isAnyDue(): boolean {
    return this.waiting.some((one) => one.isDue());
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
        this.wait({ thread, word, isDue: () => true, go: () => this.letGo(turn, lane, thread) });
        held = (held | (1 << lane)) >>> 0;
        continue;
      }
      const finds = this.image.find(piece, offset, where.type.width / 8);
      if (finds === undefined) throw turn.notFollowed('an atomic of a word whose value is open');
      going.push({ lane, word, finds });
    }
    const rows = holdBack(this.recorder, turn, held, going);
    for (const [i, { word }] of going.entries()) this.make(word, rows[i] as number);
    return held;
  }

  /** Lets a lane wait until it is its turn. */
  wait(one: Comer): void {
    this.waiting.push(one);
  }

  /** Lets the next of an order go on; whether there is one. */
  release(): boolean {
    const index = this.waiting.findIndex((one) => {
      const next = this.orders.get(one.word)?.[this.made.get(one.word)?.length ?? 0];
      return (next ?? one.thread) === one.thread && one.isDue();
    });
    const [one] = index < 0 ? [] : this.waiting.splice(index, 1);
    if (one === undefined) return false;
    const row = one.go();
    if (row !== undefined) this.make(one.word, row);
    return true;
  }

  private letGo({ warp, at: here }: Turn, lane: number, thread: number): undefined {
    this.released.add(thread);
    warp.unpark(here, (1 << lane) >>> 0);
  }

  private make(word: string, row: number): void {
    if (this.orders.has(word)) this.made.set(word, [...(this.made.get(word) ?? []), row]);
  }
}
