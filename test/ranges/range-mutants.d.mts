import type { Mutant } from '../places.mjs';

export const RANGE_MUTANTS: readonly Mutant[];
