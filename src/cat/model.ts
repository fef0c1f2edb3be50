import type { Source } from '../diagnostics/source.js';
import type { CatStatement, Check } from '../syntax/cat-ast.js';
import type { Kind } from './algebra.js';

/** A model whose names are resolved and whose kinds fit: what the evaluations take. Includes are in place. */
export interface Model {
  /** As reports show it: the file's name without `.cat`, and what was left out, as in `ptx-9.4 without Causality`. */
  readonly name: string;
  /**
   * By what tests speak of it: its own name, and those of the models that it includes, in the order of their inclusion.
   */
  readonly names: readonly string[];
  readonly title: string;
  readonly source: Source;
  /** All texts that it is made of, in the order in which they are included; one may come more than once. */
  readonly sources: readonly Source[];
  readonly statements: readonly CatStatement[];
  /** Its axioms, flags and conditions of definedness, in order. */
  readonly checks: readonly Check[];
  /** The base relations and sets that it mentions. */
  readonly baseNames: ReadonlySet<string>;
  /** The open choices that it tests for, as `choice=value`. */
  readonly choices: ReadonlySet<string>;
  /** The axioms that were left out. */
  readonly omitted: ReadonlySet<string>;
  /** Those taken, as `choice=value`; otherwise the default holds. */
  readonly variants: ReadonlySet<string>;
  /** Its definitions that the specification does not state, with what is said of them. */
  readonly inferred: ReadonlyMap<string, { readonly reason: string; readonly kind: Kind }>;
}
