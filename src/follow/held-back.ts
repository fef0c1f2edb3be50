import type { UpdateEffect } from '../effects/effect.js';
import type { ChosenInCase } from './choices.js';
import { AtomicsThatComeLast, type ComesLast } from './comes-last.js';
import type { MemoryImage } from './memory-image.js';
import { AtomicsInOrder, type Comer } from './ordered-atomics.js';
import type { Recorder } from './recorder.js';
import type { OrderedAtomics } from './trace.js';
import type { Turn } from './turn.js';

/** The case that is followed: which atomics come last, and by word in which coherence order; and what is chosen. */
export interface Case {
  readonly last?: readonly ComesLast[];
  /** Atomics one of which comes last, whichever: what its thread does then is done apart. */
  readonly anybody?: readonly (readonly ComesLast[])[];
  /** By word: the threads whose atomics come first there in coherence order; others come as they may. */
  readonly coherence?: ReadonlyMap<string, readonly number[]>;
  /** Which clusters start, and which requests cancel the others; where that is not said all start. */
  readonly cancellations?: ChosenInCase;
  /** Which lanes elect.sync takes; where that is not said any of their warp. */
  readonly leaders?: ChosenInCase;
  /** Locks are taken in a coherence order like other atomics, so that it is known what is found under them. */
  readonly areLocksOrdered?: true;
}

/** Lanes that let others go first, so that the run is one of its case. */
export class HeldBack {
  private readonly last: AtomicsThatComeLast;
  private readonly ordered: AtomicsInOrder;

  constructor(image: MemoryImage, recorder: Recorder, { last = [], coherence = new Map() }: Case) {
    this.last = new AtomicsThatComeLast(image, recorder, last);
    this.ordered = new AtomicsInOrder(image, recorder, coherence);
  }

  /** Why the run does not come to its end: a lane is still held back. */
  get unfinished(): string | undefined {
    if (this.last.isAny) return 'an atomic that cannot come last';
    return this.ordered.isAnyDue ? 'atomics that cannot come in this order' : undefined;
  }

  /** Atomics that have been made in coherence order. */
  get coherence(): readonly OrderedAtomics[] {
    return this.ordered.all;
  }

  /** Of the lanes of a turn that come to an atomic, those that let others go first: they wait. */
  hold(turn: Turn, effect: UpdateEffect): number {
    const held = this.last.hold(turn, effect);
    return held === turn.lanes ? held : (held | this.ordered.hold(turn.of((turn.lanes & ~held) >>> 0), effect)) >>> 0;
  }

  /** Lets a lane wait until it is its turn to make an atomic. */
  wait(one: Comer): void {
    this.ordered.wait(one);
  }

  /** Lets one go on whose turn it is; whether there is one. */
  release(): boolean {
    return this.last.release() || this.ordered.release();
  }
}
