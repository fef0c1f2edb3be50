import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Model } from '../cat/model.js';
import { readModel } from '../cat/resolve-model.js';
import { withoutAxioms } from '../cat/without-axioms.js';
import type { Diagnosed } from '../diagnostics/diagnostic.js';
import { nearest } from '../diagnostics/nearest.js';
import type { Source } from '../diagnostics/source.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { BASE_KINDS } from '../execution/base-relations.js';
import { readText } from './read-text.js';
import { shownPath } from './shown-path.js';

const MODELS_FOLDER = fileURLToPath(new URL('../../models/', import.meta.url));

/**
 * The names of the models that come with the tool.
 *
 * @example
 * ```ts
 * console.log(builtInModels().join(' '));
 * ```
 */
export function builtInModels(): readonly string[] {
  builtIn ??= readdirSync(MODELS_FOLDER)
    .filter((file) => file.endsWith('.cat'))
    .map((file) => file.slice(0, -4))
    .sort();
  return builtIn;
}

let builtIn: readonly string[] | undefined;

/**
 * Loads a built-in model by name, or a model from a `.cat` file; with all errors of its text.
 *
 * @example
 * ```ts
 * const { value: mine, diagnostics } = loadModel('ptx-9.4', [], new Set(['proxy-fence=lenient']));
 * ```
 *
 * @param known - Texts that were read before, which are not read again: files may have changed meanwhile.
 * @param without - Axioms that are left out.
 * @throws UsageError - If there is no such model, folder or axiom.
 */
export function loadModel(
  name: string,
  includeFolders: readonly string[] = [],
  variants: ReadonlySet<string> = new Set(),
  known: readonly Source[] = [],
  without: readonly string[] = [],
): Diagnosed<Model> {
  const path = modelPath(name);
  const read = (file: string): Source => {
    const shown = shownPath(file);
    return known.find((source) => source.path === shown) ?? { path: shown, text: readText(file) };
  };
  for (const folder of includeFolders)
    if (!existsSync(folder)) throw new UsageError(`no folder ${folder}, which --include names`);
  const include = (included: string, from: Source): Source | undefined =>
    includedModel(included, [dirname(from.path), ...includeFolders], read);
  const { value, diagnostics } = readModel(basename(path, '.cat'), read(path), BASE_KINDS, include, variants);
  return { value: value === undefined ? undefined : withoutAxioms(value, without), diagnostics };
}

/** What a model includes: from some folders, or of those that come with the tool; undefined if it is in none. */
export function includedModel(
  included: string,
  folders: readonly string[],
  read: (file: string) => Source = (file) => ({ path: shownPath(file), text: readText(file) }),
): Source | undefined {
  const all = [...folders, MODELS_FOLDER];
  // A model may come from a stranger: it includes nothing from elsewhere.
  const found = all
    .map((folder) => resolve(folder, included))
    .find((candidate) => existsSync(candidate) && all.some((folder) => isInside(candidate, folder)));
  return found === undefined ? undefined : read(found);
}

/**
 * The axiom that a model needs for a comparison with the operational machine (see crossCheck).
 *
 * @example
 * ```ts
 * const inOrder = loadInOrder();
 * ```
 */
export function loadInOrder(): Model {
  const { value, diagnostics } = loadModel(join(MODELS_FOLDER, 'axioms/in-order.cat'));
  if (value === undefined) throw new Error(diagnostics.map(({ message }) => message).join('; '));
  return value;
}

/** Also by way of links. */
function isInside(path: string, folder: string): boolean {
  const way = relative(realpathSync(folder), realpathSync(path));
  return !way.startsWith('..') && !isAbsolute(way);
}

function modelPath(name: string): string {
  if (existsSync(name) && name.endsWith('.cat')) return name;
  const builtIn = join(MODELS_FOLDER, `${name.replace(/\.cat$/, '')}.cat`);
  if (!name.includes('/') && existsSync(builtIn)) return builtIn;
  const known = builtInModels();
  if (name.endsWith('.cat') || name.includes('/')) throw new UsageError(`no model file ${name}`);
  const suggestion = nearest(name, known);
  const all = `the built-in models are ${known.join(', ')}; for a file, give its path ending in .cat`;
  throw new UsageError(`no model ${name}: ${suggestion === undefined ? all : `did you mean ${suggestion}?`}`);
}
