import type { Source, Span } from '../diagnostics/source.js';
import type { Clause } from './condition-ast.js';
import type { LaunchSyntax } from './launch-ast.js';

/** A litmus test as it is written, before names are resolved (docs/format.md). */
export interface LitmusFile {
  readonly source: Source;
  readonly name: string;
  readonly descriptions: readonly string[];
  readonly declarations: readonly Declaration[];
  /** What threads may call. */
  readonly functions: readonly FunctionSyntax[];
  readonly threads: readonly ThreadSyntax[];
  /** Kernels of modules that stand in the place of threads, or beside them. */
  readonly launches: readonly LaunchSyntax[];
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
  /** Of a launch: which of its threads this is. */
  readonly launched?: {
    readonly launch: string;
    readonly cta: number;
    readonly tid: number;
    readonly rank: number;
    readonly clusterSize: number;
    readonly warpLanes: number;
    /** Threads of its warp that are not run do what one does that is. */
    readonly othersAreAlike: boolean;
  };
}

/** `.func (.param .b32 r) f (.param .b32 a) { … }`; without a body it is only announced. */
export interface FunctionSyntax {
  readonly name: string;
  readonly results: readonly VariableSyntax[];
  readonly parameters: readonly VariableSyntax[];
  readonly statements: readonly Statement[] | undefined;
  readonly span: Span;
}

/** `host`: a thread of the CPU, which has no number. */
export type LevelName = 'lane' | 'warp' | 'cta' | 'cluster' | 'gpu' | 'grid' | 'host';

export interface Level {
  readonly level: LevelName;
  readonly number: number;
  readonly span: Span;
}

export type Declaration =
  | LocationDeclaration
  | AliasDeclaration
  | RegisterDeclaration
  | GridOrder
  | ProgressDeclaration
  | DescriptorDeclaration
  | VariableAlias;

/** `grid 1 after 0`: complete before; `grid 1 dependent on 0`: by programmatic dependent launch. */
export interface GridOrder {
  readonly kind: 'grid-order';
  readonly grid: number;
  readonly order: 'after' | 'dependent';
  readonly on: number;
  readonly span: Span;
}

/** `forward-progress gpu=obe,cta=fair`: what is promised to the threads, as it is written. */
export interface ProgressDeclaration {
  readonly kind: 'forward-progress';
  readonly promise: string;
  readonly span: Span;
}

/** `alias bar = _ZZ6reduceE3bar`: a short name for a variable of a module. */
export interface VariableAlias {
  readonly kind: 'variable-alias';
  readonly name: string;
  readonly variable: string;
  readonly span: Span;
}

/** `d = tile(x+64, 128)`: a matrix descriptor of so many bytes of a location. */
export interface DescriptorDeclaration {
  readonly kind: 'descriptor';
  readonly name: string;
  readonly location: string;
  readonly offset: bigint;
  readonly bytes: bigint;
  readonly span: Span;
}

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
  /** A value of JavaScript's type number is a floating-point number. */
  | { readonly kind: 'number'; readonly value: bigint | number }
  | { readonly kind: 'array'; readonly values: readonly ListedValue[] }
  | { readonly kind: 'unknown' }
  /** Nobody has given it a value. */
  | { readonly kind: 'uninitialized' }
  | ({ readonly kind: 'address' } & AddressValue)
  /** Without `&`: a copy of another location's initial value, or, for a register, its address. */
  | { readonly kind: 'copy'; readonly name: string }
  | { readonly kind: 'mbarrier'; readonly count: bigint }
  /** A descriptor of the tensor that is a location, with tiles of so many bytes. */
  | { readonly kind: 'tensormap'; readonly name: string; readonly bytes: bigint }
  | TensorShape
  | RecordInitial;

/** The address of a location; with a mask, only these bits of it, as a number (PTX ISA, Initializers). */
export interface AddressValue {
  readonly name: string;
  readonly offset: bigint;
  readonly mask?: bigint;
}

/** An element of an array that begins as a list. */
export type ListedValue = bigint | number | AddressValue;

/** The bytes of a parameter: fields at their places; what they leave out is unknown. */
export interface RecordInitial {
  readonly kind: 'record';
  /** Behind so many bytes nothing is given, as far as is known but padding. */
  readonly end?: number;
  readonly fields: readonly {
    readonly at: number;
    readonly bytes: number;
    /** A number, the address of a location, or a matrix descriptor; `map`: the contents of that tensor map. */
    readonly value:
      | { readonly kind: 'number'; readonly value: bigint }
      | { readonly kind: 'address'; readonly name: string; readonly offset: bigint; readonly span: Span }
      | { readonly kind: 'map' | 'descriptor'; readonly name: string; readonly span: Span };
  }[];
}

/** `tensormap(.u32, g, dims {8, 16}, strides {32}, box {8, 8}, swizzle 128B)` (PTX ISA, Tensors). */
export interface TensorShape {
  readonly kind: 'tensor-shape';
  readonly type: string;
  readonly name: string;
  /** In elements, innermost first. */
  readonly dimensions: readonly bigint[];
  /** In bytes, without the innermost. */
  readonly strides: readonly bigint[];
  /** In elements, innermost first. */
  readonly box: readonly bigint[];
  readonly swizzle: string | undefined;
}

export type Statement =
  | { readonly kind: 'label'; readonly name: string; readonly span: Span }
  | {
      readonly kind: 'registers';
      readonly type: string;
      readonly names: readonly DeclaredRegister[];
      readonly span: Span;
    }
  /** `{ … }`: names that are declared in it mean nothing outside. */
  | { readonly kind: 'block'; readonly statements: readonly Statement[]; readonly span: Span }
  | VariableSyntax
  /** `.branchtargets` or `.calltargets`, under the label before it. */
  | { readonly kind: 'targets'; readonly names: readonly string[]; readonly span: Span }
  /** Says nothing of what is executed by itself: .pragma, .callprototype. */
  | NoteSyntax
  | InstructionSyntax;

export interface NoteSyntax {
  readonly kind: 'note';
  /** Which bytes of the load that follows are used, as bits, the first lowest: `.pragma "used_bytes_mask 4095"`. */
  readonly usedBytes?: bigint;
  readonly span: Span;
}

/** A variable that is declared in a body. */
export interface VariableSyntax extends Omit<LocationDeclaration, 'kind' | 'place' | 'aliases'> {
  readonly kind: 'variable';
}

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
  /** Which bytes of what it loads are used, by the pragma before it. */
  readonly usedBytes?: bigint;
  readonly span: Span;
}

export interface Qualifier {
  readonly text: string;
  readonly span: Span;
}

export type OperandSyntax =
  | { readonly kind: 'name'; readonly name: string; readonly offset: bigint; readonly span: Span }
  /** `fraction`: it is written with a decimal point. `floatWidth`: the value is the bits of a floating-point number. */
  | {
      readonly kind: 'number';
      readonly value: bigint;
      readonly fraction?: number;
      readonly floatWidth?: 32 | 64;
      readonly span: Span;
    }
  | {
      readonly kind: 'address';
      readonly base: string | bigint /** Written with a `%`, so certainly a register. */;
      readonly percent: boolean;
      readonly offset: bigint;
      readonly span: Span;
    }
  /** `[map, {c0, c1}]`: a tile of a tensor, or an element of a texture or surface; `[texture, sampler, {c0}]`. */
  | {
      readonly kind: 'tensor';
      readonly base: string | bigint;
      readonly percent: boolean;
      readonly sampler?: string;
      readonly coordinates: readonly OperandSyntax[];
      readonly span: Span;
    }
  | { readonly kind: 'addressOf'; readonly name: string; readonly span: Span }
  /** `{a, b}`; `{a, b}|p`: with a predicate beside it. */
  | {
      readonly kind: 'vector';
      readonly elements: readonly OperandSyntax[];
      readonly predicate?: string;
      readonly span: Span;
    }
  /** `(a, b)`: what a call is given, or returns. */
  | { readonly kind: 'list'; readonly elements: readonly OperandSyntax[]; readonly span: Span }
  | { readonly kind: 'negated'; readonly name: string; readonly span: Span }
  /** Of video instructions: `r.b3`, `r.h10`, `-r`, a register with the parts of it that are meant, or negated. */
  | {
      readonly kind: 'selected';
      readonly name: string;
      readonly selector: string | undefined;
      readonly minus: boolean;
      readonly span: Span;
    }
  | {
      readonly kind: 'pair';
      readonly first: string | undefined;
      readonly second: string | undefined;
      readonly span: Span;
    }
  | { readonly kind: 'sink'; readonly span: Span };
