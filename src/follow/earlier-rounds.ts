import { effectsOf } from '../effects/effects-of.js';
import { lanesIn } from './lanes.js';
import type { MemoryImage, Place } from './memory-image.js';
import type { Others } from './others-of-wait.js';
import type { Recorder } from './recorder.js';
import type { Turn } from './turn.js';

/** A round of a wait that goes on. */
export interface EarlierRound {
  /** The looks of one in which each word is as it was at first, and whether that is so in the run. */
  readonly looks: readonly { readonly at: number; readonly place: Place | undefined }[];
  readonly isOfRun: boolean;
  /** What the lane finds first. */
  readonly found: bigint | undefined;
  readonly others: Others;
}

/** Indices of accesses of rounds that are left out, beside those of the effects of an instruction. */
const EARLIER = 3;

/**
 * What rounds of a wait do to memory that are left out: they come before what ends it has been acquired, so that others
 * may not be behind what the last round is behind. The first look of a lane is taken down by itself.
 */
export class EarlierRounds {
  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
  ) {}

  /** Takes down what a round looks at beside the first word, and what it tells others. */
  takeDown(turn: Turn, lane: number, first: Place, round: EarlierRound): void {
    const own = (1 << lane) >>> 0;
    const words = new Set([`${first.piece.id} ${first.offset}`]);
    for (const { at, place } of round.looks) {
      if (place === undefined || words.has(`${place.piece.id} ${place.offset}`)) continue;
      words.add(`${place.piece.id} ${place.offset}`);
      this.look(turn.elsewhere(at, own), place, !round.isOfRun);
    }
    if (!round.others.isTold || round.found === undefined) return;
    for (const { at, address, bytes, isBehindBarrier } of round.others.tell(round.found)) {
      const who = turn.warp.accessors[lane];
      const place = who && this.image.locate(address, bytes, 'shared::cta', 'writes', who);
      const store = turn.elsewhere(at, own);
      const [effect] = effectsOf(store.statement.operation);
      if (place === undefined || effect?.kind !== 'write') continue;
      // A barrier that comes before it in its round orders more than what is here.
      const isPerhaps = isBehindBarrier || round.others.goesOn(round.found) !== true;
      const { tags, scope } = effect;
      const kind = this.recorder.kind(store, EARLIER, { reads: false, writes: true, tags, scope, isPerhaps });
      this.recorder.access(store, lane, kind, place, 0, bytes);
    }
  }

  private look(turn: Turn, place: Place, isPerhaps: boolean): void {
    const [effect] = effectsOf(turn.statement.operation);
    if (effect?.kind !== 'read' && effect?.kind !== 'update') return;
    const tags = effect.kind === 'read' ? effect.tags : effect.readTags;
    const what = { reads: true, writes: false, tags, scope: effect.scope, isPoll: true, isPerhaps };
    const kind = this.recorder.kind(turn, EARLIER, what);
    const [lane = 0] = lanesIn(turn.lanes);
    this.recorder.access(turn, lane, kind, place, 0, (effect.at.type?.width ?? 0) / 8);
  }
}
