import type { Source } from '../diagnostics/source.js';

/** A file of a model by name: `../models/ptx-9.4.cat` is `ptx-9.4`. */
const nameOfFile = (path: string): string => path.replace(/^.*[/\\]/, '').replace(/\.cat$/, '');

/** The names that a model goes by: its own, and those of the models that it includes, the first included first. */
export function namesFor(name: string, [, ...included]: readonly Source[]): readonly string[] {
  return [...new Set([name, ...included.map(({ path }) => nameOfFile(path))])];
}

interface Limited {
  readonly models: readonly string[] | undefined;
}

/**
 * The clauses of a test that speak of a model. One that names a model holds for those that include it too, unless
 * another clause on the same question names the model itself, or one that it includes before.
 */
export function speakingOf<T extends Limited>(
  clauses: readonly T[],
  names: readonly string[],
  question: (clause: T) => string,
): readonly T[] {
  const rank = ({ models }: T): number => {
    const places = (models ?? []).map((one) => names.indexOf(one)).filter((place) => place >= 0);
    return models === undefined ? 0 : Math.min(...places, names.length);
  };
  const nearest = new Map<string, number>();
  for (const clause of clauses) {
    const key = question(clause);
    if (clause.models !== undefined) nearest.set(key, Math.min(rank(clause), nearest.get(key) ?? names.length));
  }
  return clauses.filter(
    (clause) =>
      clause.models === undefined || (rank(clause) < names.length && rank(clause) === nearest.get(question(clause))),
  );
}
