import type { Span } from '../diagnostics/source.js';

/** What follows the threads of a test (docs/format.md). */
export type Clause = ConditionClause | ExpectClause | AllowClause | FilterClause | LocationsClause;

/**
 * The quantifier of a condition. `exists` asks; the others are expectations: `permit` P is reachable, `forbid` and
 * `~exists` P is not, `require` and `forall` every final state satisfies P.
 */
export type Quantifier = 'exists' | '~exists' | 'forall' | 'permit' | 'forbid' | 'require';

export interface ConditionClause {
  readonly kind: 'condition';
  readonly quantifier: Quantifier;
  readonly proposition: Proposition;
  readonly name?: string;
  /** The models that the clause speaks of; without them, any. */
  readonly models?: readonly string[];
  readonly span: Span;
}

export const EXPECTATIONS = [
  'deadlock',
  'no-deadlock',
  'race',
  'no-race',
  'undefined',
  'no-undefined',
  'trap',
  'no-trap',
  'uninitialized',
  'no-uninitialized',
] as const;
export type Expectation = (typeof EXPECTATIONS)[number];

export interface ExpectClause {
  readonly kind: 'expect';
  readonly expectation: Expectation;
  readonly models?: readonly string[];
  readonly span: Span;
}

/** What may be found in a test though it is not as it should be. */
export const FINDINGS = ['race', 'same-value-race', 'undefined', 'uninitialized', 'relaxed'] as const;
export type Finding = (typeof FINDINGS)[number];

/** A line of the test, or of a file of the program that a kernel was compiled from, or of its module. */
export interface CitedLine {
  /** Undefined: the test. A path may be given from any of its folders on. */
  readonly file: string | undefined;
  /** Undefined: any of the file, which a project file may say. */
  readonly line: number | undefined;
}

/** `allow race at 8, 12 "both write 1"`: a finding that the owners of the test have accepted, and why. */
export interface AllowClause {
  readonly kind: 'allow';
  readonly finding: Finding;
  /** One or two; of a project file, and of races of the same value, none, too: anywhere. */
  readonly lines: readonly CitedLine[];
  readonly reason: string;
  /** Told outside of the test, in a project file or a baseline: by which entry. */
  readonly entry?: string;
  readonly models?: readonly string[];
  readonly span: Span;
}

export interface FilterClause {
  readonly kind: 'filter';
  readonly proposition: Proposition;
  readonly span: Span;
}

export interface LocationsClause {
  readonly kind: 'locations';
  readonly terms: readonly Term[];
  readonly span: Span;
}

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

export type Proposition =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Proposition[] }
  | { readonly kind: 'not'; readonly operand: Proposition }
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'compare'; readonly comparison: Comparison; readonly left: Term; readonly right: Term };

export type Term =
  | NumberTerm
  | { readonly kind: 'register'; readonly thread: string; readonly register: string; readonly span: Span }
  | AddressTerm
  | LocationTerm;

/** An integer, or the bits of a value; a `number` where it has a decimal point, as of a floating-point type. */
export interface NumberTerm {
  readonly kind: 'number';
  readonly value: bigint | number;
  /** It is written as bits: after 0x, 0f or 0d. */
  readonly isBits?: true;
  readonly span: Span;
}

/** `&x`, `&s@cta1+4`: the virtual address of a location. */
export interface AddressTerm {
  readonly kind: 'address';
  readonly name: string;
  readonly cta?: number;
  readonly gpu?: number;
  readonly offset: bigint;
  readonly span: Span;
}

/** A location, of one CTA where it has several instances; `index` counts elements, `offset` bytes. */
export interface LocationTerm {
  readonly kind: 'location';
  readonly name: string;
  readonly cta?: number;
  readonly gpu?: number;
  readonly index?: bigint;
  readonly offset?: bigint;
  readonly span: Span;
}
