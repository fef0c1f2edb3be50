export interface SharedMutant {
  readonly what: string;
  /** The wrong verdict that it brings back. */
  readonly back?: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly survives?: string;
}
export const SHARED_MUTANTS: readonly SharedMutant[];
