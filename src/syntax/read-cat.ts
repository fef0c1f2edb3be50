import { PARSED_MODELS } from '../../generated/parsed-models.js';
import type { Diagnosed } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import type { CatFile } from './cat-ast.js';
import { reviveCat } from './freeze-cat.js';
import { parseCat } from './parse-cat.js';

/**
 * Reads a model in cat. Those of ours were parsed when the project was built; a text that has changed since is parsed
 * as any other, so that it does not matter when that was.
 */
export function readCat(source: Source): Diagnosed<CatFile> {
  const parsed = PARSED_MODELS.get(source.text);
  return parsed === undefined ? parseCat(source) : { value: reviveCat(parsed, source), diagnostics: [] };
}
