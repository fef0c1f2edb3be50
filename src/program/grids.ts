import type { Program, Thread } from './program.js';

/** The threads of some grids; those of the host are in none. */
export const threadsOfGrids = ({ threads }: Program, grids: readonly number[]): readonly Thread[] =>
  threads.filter(({ placement }) => placement.gpu !== undefined && grids.includes(placement.grid));
