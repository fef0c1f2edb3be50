/** What is before an access in every execution. */
export interface Before {
  /** Whether an earlier access of the run is complete, and before it in base causality. */
  readonly isOrdered: (earlier: number) => boolean;
  /** The same, with a fence of the async proxy between that is executed in its CTA and covers the memory. */
  readonly isFenced: (earlier: number) => boolean;
  /** Of the run itself: whether one may be there, by whatever way through other CTAs; or one of any CTA and space. */
  readonly mayBeFenced: (earlier: number, by?: 'any CTA') => boolean;
  /** The end of its launch is between: that joins the read-only path to all else (models/ptx-9.4.cat, across-grids). */
  readonly isAcrossGrids: (earlier: number) => boolean;
}
