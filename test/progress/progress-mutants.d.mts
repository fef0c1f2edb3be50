import type { Mutant } from '../../places.mjs';

export const PROGRESS_MUTANTS: readonly Mutant[];
