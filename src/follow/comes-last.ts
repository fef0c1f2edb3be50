import type { UpdateEffect } from '../effects/effect.js';
import { holdBack, placeOfUpdate } from './atomics.js';
import { lanesIn } from './lanes.js';
import type { MemoryImage } from './memory-image.js';
import type { Recorder } from './recorder.js';
import type { Turn } from './turn.js';

/** An atomic of a thread that comes after others, so that it finds a value. */
export interface ComesLast {
  readonly thread: number;
  readonly statement: number;
  /** How often the thread has executed the statement before. */
  readonly times: number;
  readonly finds: bigint;
}

/** Lanes that let others go first, until they find what they are to find. */
export class AtomicsThatComeLast {
  private readonly times = new Map<number, number>();
  private readonly waiting: {
    readonly turn: Turn;
    readonly lane: number;
    readonly one: ComesLast;
    readonly isDue: () => boolean;
  }[] = [];
  private readonly released = new Map<number, ComesLast>();

  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly all: readonly ComesLast[],
  ) {}

  /** Whether a lane is still held back. */
  get isAny(): boolean {
    return this.waiting.length > 0;
  }

  /** Of the lanes of a turn that come to an atomic, those that let others go first: they wait. */
  hold(turn: Turn, { at }: UpdateEffect): number {
    let held = 0;
    const going: { readonly lane: number; readonly finds: bigint }[] = [];
    for (const lane of lanesIn(turn.lanes)) {
      const thread = turn.warp.threads[lane]?.id ?? -1;
      const [one] = this.all.filter((of) => of.thread === thread && of.statement === turn.at);
      if (one === undefined) continue;
      if (this.released.delete(thread)) {
        going.push({ lane, finds: one.finds });
        continue;
      }
      const times = this.times.get(thread) ?? 0;
      this.times.set(thread, times + 1);
      if (times !== one.times) continue;
      const { piece, offset } = placeOfUpdate(this.image, this.recorder, turn, lane, at);
      const isDue = (): boolean => this.image.find(piece, offset, at.type.width / 8) === one.finds;
      this.waiting.push({ turn, lane, one, isDue });
      held = (held | (1 << lane)) >>> 0;
    }
    holdBack(this.recorder, turn, held, going);
    return held;
  }

  /** Lets the first go on that finds what it is to find; whether there is one. */
  release(): boolean {
    const at = this.waiting.findIndex(({ isDue }) => isDue());
    const [one] = at < 0 ? [] : this.waiting.splice(at, 1);
    if (one === undefined) return false;
    const { warp, at: here } = one.turn;
    this.released.set(warp.threads[one.lane]?.id ?? -1, one.one);
    warp.unpark(here, (1 << one.lane) >>> 0);
    return true;
  }
}
