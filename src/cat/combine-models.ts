import type { Model } from './model.js';

/**
 * A model with the axioms of another added. What the model says nothing about it still says nothing about; the other's
 * definitions come last, so that they do not change what the model's own names mean.
 */
export function combineModels(model: Model, more: Model): Model {
  return {
    ...model,
    name: `${model.name}+${more.name}`,
    statements: [...model.statements, ...more.statements],
    checks: [...model.checks, ...more.checks],
  };
}
