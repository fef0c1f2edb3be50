import type { Span } from '../diagnostics/source.js';

/** `launch K "reduce.ptx" :: reduce (in, 128) @ grid 2, block 64 { run tid 0; }`: one grid of a kernel test. */
export interface LaunchSyntax {
  readonly name: string;
  /** As the test writes it: relative to the test. */
  readonly path: string;
  /** Of a program: what nvcc is given besides, in one text. */
  readonly nvcc: string | undefined;
  /** The kernel, by its name in the module or by what that demangles to; undefined: the only one. */
  readonly entry: string | undefined;
  readonly arguments: readonly ArgumentSyntax[];
  readonly place: readonly PlaceClause[];
  /** Empty: `run auto`. */
  readonly runs: readonly RunClause[];
  readonly span: Span;
}

/** What a kernel is given for a parameter, or for a field of one. */
export type ArgumentSyntax =
  | {
      readonly kind: 'number';
      readonly value: bigint | number;
      /** `u8` to `u64`, `f32`, `f64`. */
      readonly type: string | undefined;
      readonly span: Span;
    }
  | { readonly kind: 'location'; readonly name: string; readonly offset: bigint; readonly span: Span }
  | { readonly kind: 'fields'; readonly fields: readonly ArgumentSyntax[]; readonly span: Span }
  | { readonly kind: 'unknown'; readonly span: Span }
  /** One of several values, in a test of many sizes; `type` as of a number. */
  | { readonly kind: 'varied'; readonly value: Varied; readonly type: string | undefined; readonly span: Span };

/** A number that is one of several. */
export type Varied = RangeSyntax | RangeUse;

/** `n in 1..1000 step 3`, `{32, 64}`: the values that a test is asked about. */
export interface RangeSyntax {
  readonly kind: 'range';
  /** Undefined: it is named after its place. */
  readonly name: string | undefined;
  readonly values:
    | { readonly kind: 'interval'; readonly from: bigint; readonly to: bigint; readonly step: bigint }
    | { readonly kind: 'list'; readonly values: readonly bigint[] };
  readonly span: Span;
}

/** `4*n+1`: a number that follows from the value of a range. */
export interface RangeUse {
  readonly kind: 'use';
  readonly name: string;
  readonly factor: bigint;
  readonly offset: bigint;
  readonly span: Span;
}

/** Numbers along x, y and z. */
export type Dimensions = readonly [number, number, number];

export type PlaceClause =
  | { readonly kind: 'grid' | 'block' | 'cluster'; readonly size: Dimensions; readonly span: Span }
  | { readonly kind: 'shared' | 'gpu'; readonly number: number; readonly span: Span }
  /** A size of which a number is one of several. */
  | {
      readonly kind: 'varied';
      readonly of: VariedPlace;
      readonly counts: readonly (number | Varied)[];
      readonly span: Span;
    }
  | { readonly kind: 'cooperative'; readonly span: Span }
  | { readonly kind: 'after' | 'dependent'; readonly launch: string; readonly span: Span };

export type VariedPlace = 'grid' | 'block' | 'cluster' | 'shared';

/** Which threads of a launch have their events in the test. */
export interface RunClause {
  readonly kind: 'auto' | 'all' | 'warps' | 'threads';
  /** No thread is added to those. */
  readonly exactly: boolean;
  readonly threads: readonly Selection[];
  /** Undefined: all. */
  readonly ctas: readonly Selection[] | undefined;
  readonly span: Span;
}

/** `3`, `64..127 step 32`, `(1, 2, 0)`. */
export type Selection =
  | { readonly kind: 'range'; readonly from: number; readonly to: number; readonly step: number }
  | { readonly kind: 'point'; readonly at: Dimensions };
