import type { Source, Span } from '../diagnostics/source.js';

/** A model in cat, as written. The names of the node kinds are herd7's (lib/AST.ml). */
export interface CatFile {
  readonly source: Source;
  readonly title: string;
  readonly statements: readonly CatStatement[];
  /** Names that statements define which could not be read. */
  readonly unread: ReadonlySet<string>;
}

export type CatStatement =
  | {
      readonly kind: 'let';
      readonly recursive: boolean;
      readonly bindings: readonly Binding[];
      /** The text of a comment "inferred: ..." right before it: the definition is no part of the specification. */
      readonly inferred: string | undefined;
      readonly span: Span;
    }
  | Check
  | { readonly kind: 'include'; readonly path: string; readonly span: Span }
  | {
      readonly kind: 'show';
      readonly shown: readonly { readonly expression: Expression; readonly name: string }[];
      readonly span: Span;
    }
  | { readonly kind: 'unshow'; readonly names: readonly string[]; readonly span: Span };

export interface Binding {
  readonly name: string;
  /** Of a function; undefined for a plain definition. */
  readonly parameters?: readonly string[];
  readonly body: Expression;
  /** Of a recursive definition whose names are resolved. */
  readonly recursiveKind?: 'set' | 'relation';
  readonly span: Span;
}

export type TestName = 'acyclic' | 'irreflexive' | 'empty';

/**
 * An axiom (`check`), a condition that is only reported (`flag`), or one without which the model says nothing about the
 * program (`undefined_unless`). With `~` the test is negated.
 */
export interface Check {
  readonly kind: 'check';
  readonly role: 'axiom' | 'flag' | 'undefined_unless';
  readonly negated: boolean;
  readonly test: TestName;
  readonly expression: Expression;
  readonly name: string;
  readonly span: Span;
}

export type BinaryOperator = 'union' | 'sequence' | 'difference' | 'intersection' | 'product';
export type UnaryOperator = 'complement' | 'plus' | 'star' | 'optional' | 'inverse' | 'identity';

export type Expression =
  | { readonly kind: 'name'; readonly name: string; readonly span: Span }
  | { readonly kind: 'empty'; readonly of: 'set' | 'relation'; readonly span: Span }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression; readonly span: Span }
  /** `if "choice=value" then ... else ...`: an open choice of the specification. */
  | {
      readonly kind: 'variant';
      readonly choice: string;
      readonly chosen: Expression;
      readonly otherwise: Expression;
      readonly span: Span;
    }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[]; readonly span: Span };
