import type { Mutant } from '../../places.mjs';

export const SEARCH_MUTANTS: readonly Mutant[];
