import type { Source, Span } from '../diagnostics/source.js';
import type { VariableSyntax } from './litmus-ast.js';

/** A PTX module as nvcc, clang and others print it: what stands at its top, with bodies as text. */
export interface ModuleFile {
  readonly source: Source;
  /** Of `.version` and `.target`; undefined where the module does not say. */
  readonly version: string | undefined;
  readonly target: string | undefined;
  readonly entries: readonly ModuleEntry[];
  readonly functions: readonly ModuleFunction[];
  readonly variables: readonly ModuleVariable[];
}

/** A kernel. */
export interface ModuleEntry {
  readonly name: string;
  readonly parameters: readonly VariableSyntax[];
  /** `.maxntid 128, 1, 1` and the like, by name. */
  readonly bounds: ReadonlyMap<string, readonly number[]>;
  readonly body: Span;
}

export interface ModuleFunction {
  readonly name: string;
  /** The whole of it, without its linkage. */
  readonly text: string;
  readonly isDefined: boolean;
  readonly header: Span;
  readonly body: Span | undefined;
}

export interface ModuleVariable {
  readonly variable: VariableSyntax;
  readonly isExternal: boolean;
  /** The text behind `=`. */
  readonly initial: string | undefined;
}
