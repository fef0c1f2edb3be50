import type { Mutant } from '../places.mjs';

export const MUTANTS: readonly Mutant[];
