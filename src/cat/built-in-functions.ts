import type { Kind } from './algebra.js';

/** Functions that every model may call, by what they take and what they make of it; all are monotone. */
export const BUILT_IN_FUNCTIONS: ReadonlyMap<string, readonly [Kind, Kind]> = new Map([
  ['domain', ['relation', 'set']],
  ['range', ['relation', 'set']],
  ['fencerel', ['set', 'relation']],
  ['toid', ['set', 'relation']],
]);
