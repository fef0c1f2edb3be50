import type { Mutant } from '../places.mjs';

export const SHARED_MUTANTS: readonly (Mutant & { readonly back?: string; readonly family?: string })[];
