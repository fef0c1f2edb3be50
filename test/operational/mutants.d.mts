/** A deliberate mistake (see mutants.mjs). */
export interface Mutant {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly also?: readonly { readonly from: string; readonly to: string }[];
  readonly survives?: string;
}
export const MUTANTS: readonly Mutant[];
