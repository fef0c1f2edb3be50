import type { Watch } from '../follow/watch.js';
import type { Family } from '../ranges/family.js';
import { Likeness } from '../ranges/likeness.js';
import type { Answers } from './all-undecided.js';

/** Which sizes of a test have the answers of one that was checked, since they are followed alike. */
export class AlikeSizes {
  private readonly likeness: Likeness;
  /** By the tests that one run decides: their answers. */
  private readonly known = new Map<number, string>();

  constructor(family: Family) {
    this.likeness = new Likeness(family);
  }

  /** Hears how a test is followed. */
  watch(index: number): Watch | undefined {
    return this.likeness.watch(index);
  }

  /** The tests with the answers of one, if it is decided by its run alone, as one before it is. */
  to(index: number, result: Answers): readonly number[] {
    if (result.followed === undefined && result.isByRun !== true) return [];
    const own = answersIn(result);
    this.known.set(index, own);
    return this.likeness.alikeTo(index).flatMap(({ before, behind }) => (this.known.get(before) === own ? behind : []));
  }
}

/** The answers, with all that is said of what they rest on. */
const answersIn = ({ conditions, expectations, followed }: Answers): string =>
  JSON.stringify([
    conditions.map(({ holds, observation, expectation, unconfirmed }) => [
      holds,
      observation,
      expectation,
      unconfirmed,
    ]),
    expectations.map(({ outcome, inferred, provided, unconfirmed }) => [outcome, inferred, provided, unconfirmed]),
    followed?.orderedBy,
  ]);
