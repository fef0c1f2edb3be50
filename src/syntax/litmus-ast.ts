import type { Source, Span } from '../diagnostics/source.js';
import type { Clause } from './condition-ast.js';

/** A litmus test as it is written, before names are resolved (docs/format.md). */
export interface LitmusFile {
  readonly source: Source;
  readonly name: string;
  readonly descriptions: readonly string[];
  readonly declarations: readonly Declaration[];
  readonly threads: readonly ThreadSyntax[];
  /** The bodies stand in columns, as in herd, or each in a block. */
  readonly layout: 'columns' | 'blocks';
  readonly clauses: readonly Clause[];
}

/** A thread's name without a leading `P` where a number follows: `P0` and `0` name the same thread. */
export type ThreadName = string;

export interface ThreadSyntax {
  readonly name: ThreadName;
  readonly span: Span;
  readonly levels: readonly Level[];
  readonly statements: readonly Statement[];
}

export type LevelName = 'warp' | 'cta' | 'cluster' | 'gpu';

export interface Level {
  readonly level: LevelName;
  readonly number: number;
  readonly span: Span;
}

export type Declaration = LocationDeclaration | AliasDeclaration | RegisterDeclaration;

/** `.global .u32 x = 3`, `.shared .u32 s @ cta 1`, `.global .u32 y aliases x`, and short `x = 3` (no directives). */
export interface LocationDeclaration {
  readonly kind: 'location';
  readonly name: string;
  readonly span: Span;
  readonly directives: readonly Directive[];
  readonly elements?: number;
  readonly initial?: Initial;
  readonly place?: readonly Level[];
  readonly aliases?: string;
}

export interface Directive {
  readonly name: string;
  readonly argument?: bigint;
  readonly span: Span;
}

/** `t @ texture aliases x`. */
export interface AliasDeclaration {
  readonly kind: 'alias';
  readonly name: string;
  readonly proxy: string;
  readonly aliases: string;
  readonly span: Span;
}

/** `P0:r1 = 5`, `P0:r1 = &x`. */
export interface RegisterDeclaration {
  readonly kind: 'register';
  readonly thread: ThreadName;
  readonly register: string;
  readonly initial: Initial;
  readonly span: Span;
}

export type Initial =
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'array'; readonly values: readonly bigint[] }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'address'; readonly name: string }
  /** Without `&`: a copy of another location's initial value, or, for a register, its address. */
  | { readonly kind: 'copy'; readonly name: string }
  | { readonly kind: 'mbarrier'; readonly count: bigint }
  /** A descriptor of the tensor that is a location, with tiles of so many bytes. */
  | { readonly kind: 'tensormap'; readonly name: string; readonly bytes: bigint };

export type Statement =
  | { readonly kind: 'label'; readonly name: string; readonly span: Span }
  | {
      readonly kind: 'registers';
      readonly type: string;
      readonly names: readonly DeclaredRegister[];
      readonly span: Span;
    }
  | InstructionSyntax;

export interface DeclaredRegister {
  readonly name: string;
  /** `r<4>` declares r0 … r3. */
  readonly count?: number;
  readonly span: Span;
}

/** One PTX instruction: guard, dotted opcode, operands. Register names are without their `%`. */
export interface InstructionSyntax {
  readonly kind: 'instruction';
  readonly guard?: { readonly register: string; readonly negated: boolean; readonly span: Span };
  readonly mnemonic: string;
  readonly mnemonicSpan: Span;
  readonly qualifiers: readonly Qualifier[];
  readonly operands: readonly OperandSyntax[];
  readonly span: Span;
}

export interface Qualifier {
  readonly text: string;
  readonly span: Span;
}

export type OperandSyntax =
  | { readonly kind: 'name'; readonly name: string; readonly offset: bigint; readonly span: Span }
  | { readonly kind: 'number'; readonly value: bigint; readonly span: Span }
  | {
      readonly kind: 'address';
      readonly base: string | bigint /** Written with a `%`, so certainly a register. */;
      readonly percent: boolean;
      readonly offset: bigint;
      readonly span: Span;
    }
  /** `[map, {c0, c1}]`: a tile of a tensor. */
  | {
      readonly kind: 'tensor';
      readonly base: string | bigint;
      readonly percent: boolean;
      readonly coordinates: readonly OperandSyntax[];
      readonly span: Span;
    }
  | { readonly kind: 'addressOf'; readonly name: string; readonly span: Span }
  | { readonly kind: 'vector'; readonly elements: readonly OperandSyntax[]; readonly span: Span }
  | { readonly kind: 'negated'; readonly name: string; readonly span: Span }
  | {
      readonly kind: 'pair';
      readonly first: string | undefined;
      readonly second: string | undefined;
      readonly span: Span;
    }
  | { readonly kind: 'sink'; readonly span: Span };
