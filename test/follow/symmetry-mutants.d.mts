import type { Mutant } from '../places.mjs';

export const SYMMETRY_MUTANTS: readonly Mutant[];
