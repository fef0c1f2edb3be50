import type { Mutant } from '../places.mjs';

export const ORDER_MUTANTS: readonly (Mutant & { readonly back?: string; readonly family?: string })[];
