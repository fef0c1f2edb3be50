import { dirname } from 'node:path';
import { readModel } from '../cat/resolve-model.js';
import { error } from '../diagnostics/diagnostic.js';
import { spanOf } from '../diagnostics/source.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { BASE_KINDS } from '../execution/base-relations.js';
import { includedModel, loadModel } from '../files/load-model.js';
import type { Models } from '../interactive/answers.js';

/** The models that come with the package, and those in files. */
export const NODE_MODELS: Models = {
  load: ({ name, text, variants = [] }) => {
    const chosen = new Set(variants);
    if (text !== undefined) return readModel(name, { path: name, text }, BASE_KINDS, NODE_MODELS.include, chosen);
    try {
      return loadModel(name, [], chosen);
    } catch (thrown) {
      if (!(thrown instanceof UsageError)) throw thrown;
      // The client has chosen it: there is no text to say it of but that of the test.
      const nowhere = spanOf({ path: '', text: '' }, 0, 0);
      return { value: undefined, diagnostics: [error('L0007', nowhere, thrown.message)] };
    }
  },
  include: (path, from) => includedModel(path, [dirname(from.path)]),
};
