/** What a deliberate mistake replaces: words of one place, by others. */
export interface Change {
  readonly in: string;
  readonly from: string;
  readonly to: string;
}
export interface Mutant extends Change {
  readonly what: string;
  readonly also?: readonly Change[];
  readonly survives?: string;
}
export const ROOT: string;
export function mutate(mutant: Mutant): ReadonlyMap<string, string>;
