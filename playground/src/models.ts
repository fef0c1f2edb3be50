import { MODEL_TEXTS } from 'virtual:models';
import { readModel } from '../../src/cat/resolve-model.js';
import type { Source } from '../../src/diagnostics/source.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import type { Models } from '../../src/interactive/answers.js';

const OF_MODELS = new Map(Object.entries(MODEL_TEXTS));

/** The models that come with the page, by the paths that they have in `models/`. */
export const BUNDLED_MODELS: Models = {
  load: ({ name, text, variants = [] }) => {
    const source: Source = { path: `${name}.cat`, text: text ?? OF_MODELS.get(`${name}.cat`) ?? '' };
    return readModel(name, source, BASE_KINDS, BUNDLED_MODELS.include, new Set(variants));
  },
  include: (path) => {
    const text = OF_MODELS.get(path) ?? OF_MODELS.get(`axioms/${path}`);
    return text === undefined ? undefined : { path, text };
  },
};
