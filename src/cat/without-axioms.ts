import { didYouMean } from '../diagnostics/nearest.js';
import { UsageError } from '../diagnostics/usage-error.js';
import type { Model } from './model.js';

/** The axioms of a model by name, in order. */
export function axiomsOf({ checks }: Model): readonly string[] {
  return [...new Set(checks.filter(({ role }) => role === 'axiom').map(({ name }) => name))];
}

/**
 * A model with some of its axioms left out, which its name says: it allows at least what it allowed.
 *
 * @throws UsageError - If it has no such axiom, or none would be left.
 */
export function withoutAxioms(model: Model, left: readonly string[]): Model {
  if (left.length === 0) return model;
  const known = axiomsOf(model);
  const unknown = left.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known);
    throw new UsageError(
      `no axiom ${unknown} in ${model.name}: ${hint === undefined ? '' : `${hint} `}its axioms are ${known.join(', ')}`,
    );
  }
  const omitted = known.filter((name) => left.includes(name));
  if (omitted.length === known.length)
    throw new UsageError(`${model.name} without all of its axioms would allow everything`);
  const isKept = (one: { readonly kind: string; readonly role?: string; readonly name?: string }): boolean =>
    one.kind !== 'check' || one.role !== 'axiom' || !omitted.includes(one.name ?? '');
  return {
    ...model,
    name: `${model.name} without ${omitted.join(', ')}`,
    omitted: new Set(omitted),
    statements: model.statements.filter(isKept),
    checks: model.checks.filter(isKept),
  };
}
