import type { Deadline } from '../../program/undecided.js';
import type { Query } from './query.js';
import type { CheckResult } from './solver.js';

/** What decides once more, and by itself, what a search has refuted. */
export interface SecondParty {
  /** What it is, with its version. */
  readonly version: string;
  /** It is asked about every refutation, also where checking the proof is less work. */
  readonly wantsAll?: boolean;
  /** Hears that there will be a query, so that it can start meanwhile. */
  expect?(): void;
  decide(query: Query, deadline: Deadline): CheckResult;
}
