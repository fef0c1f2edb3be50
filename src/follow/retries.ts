import type { Turn } from './turn.js';
import type { Warp } from './warp.js';

const OPEN_ROUNDS = 'how often a loop is gone through depends on an open value';

/**
 * Lanes at a branch that makes an update again if its compare-and-swap has failed, where that is open. What rounds do
 * that fail can be left out, but for the first: so they make the first, and one that finds anything, and go on.
 */
export class Retries {
  /** By branch: the lanes that are in their last round. */
  private readonly last = new Map<number, number>();

  constructor(private readonly warp: Warp) {}

  /** Lets lanes of which it is open whether they go back go round once more, or on; none executes anything now. */
  goOn(turn: Turn, target: number): 0 {
    const { warp } = this;
    const { at: here, lanes } = turn;
    const { carried } = warp.code.retries.get(here) ?? {};
    const { guard } = turn.statement;
    if (carried === undefined) throw turn.notFollowed(OPEN_ROUNDS, guard && turn.cutAt(guard.register));
    const last = this.last.get(here) ?? 0;
    const again = carried.length === 0 ? 0 : (lanes & ~last) >>> 0;
    for (const name of carried) warp.set(warp.code.indexOf.get(name) ?? -1, again, undefined);
    this.last.set(here, ((last & ~lanes) | again) >>> 0);
    warp.put(target, again);
    warp.put(here + 1, (lanes & ~again) >>> 0);
    return 0;
  }
}
