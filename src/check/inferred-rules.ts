import type { Model } from '../cat/model.js';
import { PROGRESS_RULE } from '../execution/progress.js';

/** Rules that the specification does not state and that no model can: about what is no event. */
const BEYOND_MODELS: Readonly<Record<string, string>> = {
  'grid-end':
    'the end of the grid completes the asynchronous operations that no wait tells of (the ISA says nothing of them).',
  progress: PROGRESS_RULE,
};

/** What a rule says on which a verdict rests though the ISA does not state it. */
export function inferredRule(model: Model, name: string): string {
  return model.inferred.get(name)?.reason ?? BEYOND_MODELS[name] ?? '';
}
