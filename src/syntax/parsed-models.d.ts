/** The models of `models/` by their text, as `freezeCat` has them; written in the build by write-parsed-models.ts. */
export const PARSED_MODELS: ReadonlyMap<string, string>;
