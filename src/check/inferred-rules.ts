import type { Model } from '../cat/model.js';
import { PROGRESS_RULE } from '../execution/progress.js';

/** Rules that the specification does not state and that no model can: about what is no event. */
const BEYOND_MODELS: Readonly<Record<string, string>> = {
  'grid-end':
    'the end of the grid completes the asynchronous operations that no wait tells of (the ISA says nothing of them).',
  progress: PROGRESS_RULE,
  'warpgroup-groups':
    'a group of matrix products is one of its warpgroup: it is complete when all four warps have issued it and what ' +
    'they read has been read, and whichever thread waits for it is told (wgmma.commit_group; ' +
    'docs/decisions/warpgroups.md).',
};

/** What a rule says on which a verdict rests though the ISA does not state it. */
export function inferredRule(model: Model, name: string): string {
  return model.inferred.get(name)?.reason ?? BEYOND_MODELS[name] ?? '';
}
