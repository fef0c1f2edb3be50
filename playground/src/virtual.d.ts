/** What the build makes of `models/` and `litmus/` (build.mjs). */
declare module 'virtual:models' {
  /** By their paths in `models/`. */
  export const MODEL_TEXTS: Readonly<Record<string, string>>;
}
