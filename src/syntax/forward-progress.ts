/**
 * Models of forward progress (Sorensen et al., OOPSLA 2021): which of the threads, or groups of them, that can go on
 * are promised to do so at last. `fair`: all; `obe` (occupancy-bound execution): those that have made a step; `hsa`:
 * the one of the lowest id among those that have not ended; `hsa-obe`: both; `lobe` (linear occupancy-bound): one that
 * has made a step, and all of lower ids; `unfair`: none.
 */
export const PROGRESS_MODELS = ['fair', 'obe', 'hsa', 'hsa-obe', 'lobe', 'unfair'] as const;
export type ProgressModel = (typeof PROGRESS_MODELS)[number];

/** Whose progress a model speaks of: clusters of a GPU, or CTAs without one; threads of a CTA. */
export const PROGRESS_LEVELS = ['gpu', 'cta'] as const;
export type ProgressLevel = (typeof PROGRESS_LEVELS)[number];

/** What is promised: by one model, by one for each level, `fair` where none is given, or by CUDA. */
export type ForwardProgress =
  | { readonly kind: 'alone'; readonly model: ProgressModel }
  | { readonly kind: 'levels'; readonly models: ReadonlyMap<ProgressLevel, ProgressModel> }
  | { readonly kind: 'cuda' };

const EXPECTED =
  `expected a model (${PROGRESS_MODELS.join(', ')}), models by level (gpu=obe,cta=fair), or cuda ` +
  '(docs/forward-progress.md)';

/** Reads `obe`, `gpu=obe,cta=fair` or `cuda`; the problem with it instead, in words. */
export function readForwardProgress(text: string): ForwardProgress | { readonly problem: string } {
  const parts = text.split(',').map((part) => part.trim());
  const [only = ''] = parts;
  if (parts.length === 1 && only === 'cuda') return { kind: 'cuda' };
  if (parts.length === 1 && isModel(only)) return { kind: 'alone', model: only };
  const models = new Map<ProgressLevel, ProgressModel>();
  for (const part of parts) {
    const [level = '', model, ...rest] = part.split('=').map((word) => word.trim());
    if (model === undefined || rest.length > 0)
      return { problem: `there is no model of forward progress "${part}": ${EXPECTED}` };
    if (!isLevel(level))
      return { problem: `there is no level "${level}" of forward progress: it is ${PROGRESS_LEVELS.join(' or ')}` };
    if (!isModel(model)) return { problem: `there is no model of forward progress "${model}": ${EXPECTED}` };
    if (models.has(level)) return { problem: `the level ${level} of forward progress is given twice` };
    models.set(level, model);
  }
  return { kind: 'levels', models };
}

const isModel = (word: string): word is ProgressModel => PROGRESS_MODELS.some((one) => one === word);
const isLevel = (word: string): word is ProgressLevel => PROGRESS_LEVELS.some((one) => one === word);
