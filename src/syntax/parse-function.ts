import type { Node } from 'ohm-js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import grammars, { type FunctionHeaderSemantics } from './litmus.ohm-bundle.js';
import type { FunctionSyntax, VariableSyntax } from './litmus-ast.js';
import { LONGEST, matchChunk, nodeSpan } from './parse-chunk.js';
import { variableOf } from './parse-statement.js';

type Header = Omit<FunctionSyntax, 'statements' | 'span'>;

/** Reads `.func (.param .b32 r) f (.param .b32 a)` (PTX ISA, Kernel and Function Directives). */
export function parseFunctionHeader(span: Span): { readonly read?: Header; readonly failure?: Diagnostic } {
  const { match, failure } = matchChunk(
    grammars.FunctionHeader,
    span,
    'L0001',
    'this function cannot be read',
    'Header',
    LONGEST,
  );
  if (failure !== undefined) return { failure };
  chunk = span;
  return { read: semantics(match)['header']() };
}

let chunk: Span;
const semantics: FunctionHeaderSemantics = grammars.FunctionHeader.createSemantics();

const listed = (parameters: Node): readonly VariableSyntax[] =>
  parameters
    .child(0)
    ?.child(1)
    .asIteration()
    .children.map((one: Node) => one['variable']()) ?? [];

semantics.addOperation<Header>('header', {
  Header(_linkage, _func, _attributes, results, name, parameters, _more) {
    return { name: name.sourceString, results: listed(results), parameters: listed(parameters) };
  },
});

semantics.addOperation<VariableSyntax>('variable', {
  Variable(space, directives, name, dimension) {
    return variableOf(space, directives, name, dimension, undefined, (node) => nodeSpan(chunk, node));
  },
});
