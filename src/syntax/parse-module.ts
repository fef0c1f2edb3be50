import type { Node } from 'ohm-js';
import { type Diagnosed, type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { type Source, type Span, spanOf } from '../diagnostics/source.js';
import grammars, { type FunctionHeaderSemantics } from './litmus.ohm-bundle.js';
import type { VariableSyntax } from './litmus-ast.js';
import type { ModuleEntry, ModuleFile, ModuleFunction, ModuleVariable } from './module-ast.js';
import { LONGEST, matchChunk, nodeSpan } from './parse-chunk.js';
import { parseFunctionHeader } from './parse-function.js';
import { integer, variableOf } from './parse-statement.js';
import { type ModulePiece, splitModule } from './split-module.js';

/**
 * Reads what stands at the top of a PTX module (PTX ISA, Directives): kernels with their parameters, functions,
 * variables. Bodies are not looked into; what says nothing of what is executed is passed over.
 */
export function parseModule(source: Source): Diagnosed<ModuleFile> {
  const pieces = splitModule(source.text);
  if ('expected' in pieces) {
    const span = spanOf(source, pieces.at, Math.min(pieces.at + 1, source.text.length));
    return { value: undefined, diagnostics: [error('L0001', span, `expected ${pieces.expected}`)] };
  }
  const diagnostics: Diagnostic[] = [];
  const entries: ModuleEntry[] = [];
  const functions: ModuleFunction[] = [];
  const variables: ModuleVariable[] = [];
  const words = new Map<string, string>();
  for (const piece of pieces) {
    const header = spanOf(source, piece.header.start, piece.header.end);
    const text = source.text.slice(piece.header.start, piece.header.end);
    const [, word = ''] = /^(?:\s*\.(?:visible|extern|weak|common)(?![\w:]))*\s*\.([\w:]+)/.exec(text) ?? [];
    if (word === 'version' || word === 'target') words.set(word, text.slice(text.indexOf(word) + word.length).trim());
    else if (word === 'entry') {
      const read = parseEntry(header, piece, source);
      if ('failure' in read) diagnostics.push(read.failure);
      else if (read.entry !== undefined) entries.push(read.entry);
    } else if (word === 'func') {
      const { read, failure } = parseFunctionHeader(header);
      if (failure !== undefined) diagnostics.push(failure);
      else if (read !== undefined) functions.push(functionOf(read.name, text, piece, source));
    } else if (SPACES.has(word)) {
      const read = parseVariable(header, piece, source);
      if ('failure' in read) diagnostics.push(read.failure);
      else variables.push(read);
    } else if (!WITHOUT_MEANING.has(word))
      diagnostics.push(error('L0001', header, `.${word} is no directive that stands at the top of a module`));
  }
  if (diagnostics.length > 0) return { value: undefined, diagnostics };
  return {
    value: { source, version: words.get('version'), target: words.get('target'), entries, functions, variables },
    diagnostics,
  };
}

const SPACES: ReadonlySet<string> = new Set(['global', 'const', 'shared']);
/** Directives of a module that say nothing of what its kernels execute. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set([
  ...['address_size', 'file', 'loc', 'section', 'pragma', 'alias', 'maxntid', 'noreturn'],
]);

let chunk: Span;
const semantics: FunctionHeaderSemantics = grammars.FunctionHeader.createSemantics();

semantics.addOperation<unknown>('piece', {
  Entry(_linkage, _entry, name, parameters, bounds) {
    const listed: readonly Node[] = parameters.child(0)?.child(1).asIteration().children ?? [];
    return {
      name: name.sourceString,
      parameters: listed.map((one) => one['variable']()),
      bounds: new Map(bounds.children.map((bound: Node) => bound['piece']())),
    };
  },
  Bound(_dot, word, numbers) {
    return [word.sourceString, numbers.asIteration().children.map((one) => Number(integer(one.sourceString)))];
  },
  ModuleVariable(linkage, space, _attribute, directives, name, dimension) {
    return {
      isExternal: linkage.children.some(({ sourceString }) => sourceString.startsWith('.extern')),
      variable: variableOf(space, directives, name, dimension, undefined, (node) => nodeSpan(chunk, node)),
    };
  },
});
semantics.addOperation<VariableSyntax>('variable', {
  Variable(space, directives, name, dimension) {
    return variableOf(space, directives, name, dimension, undefined, (node) => nodeSpan(chunk, node));
  },
});

function read<T>(header: Span, rule: string, what: string): { readonly read: T } | { readonly failure: Diagnostic } {
  const { match, failure } = matchChunk(grammars.FunctionHeader, header, 'L0001', what, rule, LONGEST);
  if (failure !== undefined) return { failure };
  chunk = header;
  return { read: semantics(match)['piece']() as T };
}

/** Undefined of a kernel that is only declared. */
function parseEntry(
  header: Span,
  { body }: ModulePiece,
  source: Source,
): { readonly entry: ModuleEntry | undefined } | { readonly failure: Diagnostic } {
  const found = read<Omit<ModuleEntry, 'body'>>(header, 'Entry', 'this kernel cannot be read');
  if ('failure' in found) return found;
  if (body === undefined) return { entry: undefined };
  return { entry: { ...found.read, body: spanOf(source, body.start, body.end) } };
}

function parseVariable(
  header: Span,
  { initial }: ModulePiece,
  source: Source,
): ModuleVariable | { readonly failure: Diagnostic } {
  const what = 'this variable cannot be read';
  const found = read<Omit<ModuleVariable, 'initial'>>(header, 'ModuleVariable', what);
  if ('failure' in found) return found;
  const text = initial === undefined ? undefined : source.text.slice(initial.start, initial.end).trim();
  return { ...found.read, initial: text };
}

function functionOf(name: string, header: string, { body }: ModulePiece, source: Source): ModuleFunction {
  const bare = header.slice(header.indexOf('.func')).trim();
  const text = body === undefined ? `${bare};` : `${bare} {${source.text.slice(body.start, body.end)}}`;
  return { name, text, isDefined: body !== undefined };
}
