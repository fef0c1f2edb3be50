import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freezeCat } from '../syntax/freeze-cat.js';
import { parseCat } from '../syntax/parse-cat.js';

/** A step of the build: parses the models of `models/`, so that no command needs to. */
const root = join(import.meta.dirname, '../..');
const paths = readdirSync(join(root, 'models'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.cat'))
  .sort();
const parsed = paths.flatMap((path): readonly (readonly [string, string])[] => {
  const text = readFileSync(join(root, 'models', path), 'utf8');
  const { value, diagnostics } = parseCat({ path, text });
  return value === undefined || diagnostics.length > 0 ? [] : [[text, freezeCat(value)]];
});
const module = `export const PARSED_MODELS = new Map(${JSON.stringify(parsed)});\n`;
writeFileSync(join(root, 'generated/parsed-models.js'), module);
