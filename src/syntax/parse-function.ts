import type { Node } from 'ohm-js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import grammars, { type FunctionHeaderSemantics } from './litmus.ohm-bundle.js';
import type { FunctionSyntax, VariableSyntax } from './litmus-ast.js';
import type { ModuleEntry, ModuleVariable } from './module-ast.js';
import { LONGEST, matchChunk, nodeSpan } from './parse-chunk.js';
import { integer, variableOf } from './parse-statement.js';

/** What stands at the top of a module: a function, a kernel, a variable; by the rule of the grammar that reads it. */
interface Headers {
  readonly Header: Omit<FunctionSyntax, 'statements' | 'span'>;
  readonly Entry: Omit<ModuleEntry, 'body'>;
  readonly ModuleVariable: Omit<ModuleVariable, 'initial'>;
}
const NAMES: Readonly<Record<keyof Headers, string>> = {
  Header: 'function',
  Entry: 'kernel',
  ModuleVariable: 'variable',
};

/** Reads `.func (.param .b32 r) f (.param .b32 a)` and the like (PTX ISA, Kernel and Function Directives). */
export function parseHeader<Rule extends keyof Headers>(
  rule: Rule,
  span: Span,
): { readonly read?: Headers[Rule]; readonly failure?: Diagnostic } {
  const what = `this ${NAMES[rule]} cannot be read`;
  const { match, failure } = matchChunk(grammars.FunctionHeader, span, 'L0001', what, rule, LONGEST);
  if (failure !== undefined) return { failure };
  chunk = span;
  return { read: semantics(match)['header']() as Headers[Rule] };
}

let chunk: Span;
const semantics: FunctionHeaderSemantics = grammars.FunctionHeader.createSemantics();

const listed = (parameters: Node): readonly VariableSyntax[] =>
  parameters
    .child(0)
    ?.child(1)
    .asIteration()
    .children.map((one: Node) => one['header']()) ?? [];
const spanOfNode = (node: Node): Span => nodeSpan(chunk, node);

semantics.addOperation<unknown>('header', {
  Header(_linkage, _func, _attributes, results, name, parameters, _more) {
    return { name: name.sourceString, results: listed(results), parameters: listed(parameters) };
  },
  Entry(_linkage, _entry, name, parameters, bounds) {
    const read = bounds.children.map((bound: Node): [string, number[]] => bound['header']());
    return { name: name.sourceString, parameters: listed(parameters), bounds: new Map(read) };
  },
  Bound(_dot, word, numbers) {
    return [word.sourceString, numbers.asIteration().children.map((one) => Number(integer(one.sourceString)))];
  },
  ModuleVariable(linkage, space, _attribute, directives, name, dimension) {
    return {
      isExternal: linkage.children.some(({ sourceString }) => sourceString.startsWith('.extern')),
      variable: variableOf(space, directives, name, dimension, undefined, spanOfNode),
    };
  },
  Variable(space, directives, name, dimension) {
    return variableOf(space, directives, name, dimension, undefined, spanOfNode);
  },
});
