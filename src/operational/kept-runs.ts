import { areTogether } from '../semantics/active-lanes.js';
import { keepsPromises } from './grids.js';
import type { State } from './state.js';

/**
 * Whether a run that has come to rest is one of the machine. A step may take for granted what only later ones show:
 * which lanes are active together, or that a thread comes to a trigger.
 */
export const isKept = (state: State): boolean =>
  keepsPromises(state, true) && areTogether(state.context.structure, (event) => state.answers.get(event));
