import type { PairStep } from '../program/tensor-memory.js';
import { lanesIn } from './lanes.js';
import type { Recorder } from './recorder.js';
import type { Step } from './trace.js';
import type { Turn } from './turn.js';

/** A warp that has come to what one of the peer CTA does with it. */
interface Waiting {
  readonly turn: Turn;
  readonly step: PairStep;
  readonly ctaId: number;
  readonly steps: readonly Step[];
}

/**
 * What a warp of each CTA of a pair does together: tcgen05.alloc, dealloc and relinquish_alloc_permit of .cta_group::2.
 * One may wait for the other (PTX ISA 9.7.18.5), and does so here: if nobody then waits for ever, nobody does where
 * some do not wait. Nothing is in order by that, as they need not.
 */
export class PairSteps {
  private readonly open = new Map<string, Waiting>();

  constructor(private readonly recorder: Recorder) {}

  /** A warp comes to such a step; gives the lanes that wait for the other. */
  come(turn: Turn, step: PairStep): number {
    const { warp, lanes } = turn;
    const [first] = warp.threads;
    if (first === undefined) return 0;
    if (lanes !== warp.all) throw turn.notFollowed('tcgen05 by some lanes of a warp');
    const pair = pairOf(turn);
    const other = this.open.get(pair);
    const steps = this.recorder.stepsOfAll(turn);
    this.recorder.advance(turn);
    if (other === undefined) {
      this.open.set(pair, { turn, step, ctaId: first.ctaId, steps });
      return lanes;
    }
    this.open.delete(pair);
    if (other.ctaId === first.ctaId) throw turn.notFollowed(TWO_WARPS);
    if (other.step !== step)
      throw turn.notFollowed(`tcgen05.${[step, other.step].sort().join(' and ')} by a pair of CTAs`);
    const { accesses, synchronizations } = this.recorder;
    for (const of of [other.steps, steps])
      synchronizations.push({ kind: 'pair-step', row: accesses.count, steps: of, span: turn.statement.span });
    other.turn.warp.put(other.turn.at + 1, other.turn.lanes);
    return 0;
  }
}

/** Why it is not known who waits for whom. */
export const TWO_WARPS = 'which of two warps the other CTA of the pair waits for';

/** The pair of CTAs of a turn, by its cluster and the upper bits of its rank there (PTX ISA 9.7.18.5). */
export function pairOf(turn: Turn): string {
  const [lane = 0] = lanesIn(turn.lanes);
  const [thread, placement] = [turn.warp.threads[lane], turn.warp.accessors[lane]?.placement];
  if (thread === undefined || placement === undefined) throw new Error(`no lane ${lane}`);
  return `${thread.clusterId} ${placement.rank >> 1}`;
}
