import type { Recorder } from './recorder.js';
import type { NotFollowed } from './turn.js';

/** What PTX leaves to the hardware, and what of that is so in the case that the run is of. */
export interface Choice {
  /**
   * Which cluster starts next (PTX ISA, clusterlaunchcontrol.try_cancel); which one a request cancels; which lane
   * elect.sync takes.
   */
  readonly kind: 'start' | 'request' | 'leader';
  /** What it is that is chosen: the same in all runs. */
  readonly key: string;
  /** How many accesses were made before. */
  readonly row: number;
  /** A cluster or a lane; or -1 for none. */
  readonly taken: number;
  readonly options: readonly number[];
  /** Who requests; of whom one is elected. */
  readonly threads?: readonly number[];
}

/** What is chosen in a case of what PTX leaves to the hardware, by what it is. */
export interface Chosen {
  readonly key: string;
  readonly taken: number;
}

/** What is chosen of one kind; `isAll`: nothing else is to be chosen there. */
export interface ChosenInCase {
  readonly chosen: readonly Chosen[];
  readonly isAll: boolean;
}

/** Nothing of what there is to be chosen. */
export const NONE = -1;

/** What PTX leaves to the hardware, as it is in the case at hand: where that says nothing, what comes first. */
export class Choices {
  private readonly known: Map<string, number>;

  private constructor(
    private readonly recorder: Recorder,
    private readonly inCase: ChosenInCase,
  ) {
    this.known = new Map(inCase.chosen.map(({ key, taken }) => [key, taken]));
  }

  /** What is chosen in a case; undefined where nothing is. */
  static in(recorder: Recorder, inCase: ChosenInCase | undefined): Choices | undefined {
    return inCase && new Choices(recorder, inCase);
  }

  /** Takes one of some options, and the same whenever it is the same that is chosen. */
  take(of: Omit<Choice, 'taken' | 'row'>, notFollowed: (what: string) => NotFollowed): number {
    const { key, options } = of;
    const known = this.known.get(key);
    if (known === undefined && this.inCase.isAll && options.length > 1) throw notFollowed(ANOTHER);
    const taken = known ?? options[0] ?? NONE;
    if (!options.includes(taken)) throw notFollowed(GONE);
    this.known.set(key, taken);
    const { accesses, choices } = this.recorder;
    if (!choices.some((one) => one.key === key)) choices.push({ ...of, taken, row: accesses.count });
    return taken;
  }
}

const ANOTHER = 'what PTX leaves to the hardware, which is chosen in no case so far';
const GONE = 'what PTX leaves to the hardware, and is not there any more';
