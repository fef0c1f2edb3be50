import type { FilePlace } from '../found-places.js';

/**
 * What a page shows of one test besides what every report has: plain data without the texts of files, which whoever
 * writes the page reads.
 */
export interface ReportedPage {
  /** The explanation, as `explain` prints it. */
  readonly story: string;
  /** What shows the answers; none where no execution does. */
  readonly executions: readonly ReportedExecution[];
  /** Where what was found stands, such as the two accesses that race: in the test, in modules, in source programs. */
  readonly marks: readonly FilePlace[];
  /** What would mend it, or why nothing is proposed; absent where nothing is broken. */
  readonly repair?: string;
}

/** An execution, or what a run of all threads of a launch shows of one. */
export interface ReportedExecution {
  readonly title: string;
  readonly svg: string;
  readonly threads: readonly ReportedSteps[];
  /** The final state; '' where nothing of it was asked. */
  readonly end: string;
}

/** What one thread does. */
export interface ReportedSteps {
  readonly name: string;
  readonly place: string;
  readonly steps: readonly ReportedStep[];
}

export interface ReportedStep {
  /** The letter of the event, as the graph and the story have it; '' where it has none. */
  readonly letter: string;
  readonly what: string;
  /** Where it stands, as answers cite it, and what stands there. */
  readonly at: string;
  readonly quote: string;
  readonly isMarked: boolean;
}
