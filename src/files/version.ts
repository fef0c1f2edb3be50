import { readFileSync } from 'node:fs';

/** The version of the package, for reports; the folders of src/, build/ and dist/ are equally deep. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }
).version;
