import { type Diagnosed, type Diagnostic, error } from '../diagnostics/diagnostic.js';
import type { Range } from '../diagnostics/scanner.js';
import { positionOf, type Source, type Span, spanOf } from '../diagnostics/source.js';
import type { ModuleEntry, ModuleFile, ModuleFunction, ModuleVariable } from './module-ast.js';
import type { Read } from './parse-chunk.js';
import { parseEntryHeader, parseFunctionHeader, parseModuleVariables } from './parse-function.js';
import { splitModule } from './split-module.js';

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
  const keep = <T>({ value, failure }: Read<T>): T | undefined => {
    if (failure !== undefined) diagnostics.push(failure);
    return value;
  };
  for (const { header: at, body, initial } of pieces) {
    const header = spanOf(source, at.start, at.end);
    const text = textIn(source, at);
    const [, word = ''] = /^(?:\s*\.(?:visible|extern|weak|common)(?![\w:]))*\s*\.([\w:]+)/.exec(text) ?? [];
    if (word === 'version' || word === 'target') words.set(word, text.slice(text.indexOf(word) + word.length).trim());
    else if (word === 'entry') {
      const entry = keep(parseEntryHeader(header));
      // One that is only declared has nothing to check.
      if (entry !== undefined && body !== undefined)
        entries.push({ ...entry, body: spanOf(source, body.start, body.end) });
    } else if (word === 'func') {
      const { name } = keep(parseFunctionHeader(header)) ?? {};
      if (name !== undefined) functions.push(functionOf(name, header, body));
    } else if (SPACES.has(word)) {
      const declared = keep(parseModuleVariables(header)) ?? [];
      const given = initial === undefined ? undefined : textIn(source, initial).trim();
      if (given !== undefined && (declared.length > 1 || isList(given)))
        diagnostics.push(error('L0001', header, 'one of several variables has a value', 'declare it by itself'));
      for (const variable of declared) variables.push({ ...variable, initial: given });
    } else if (!WITHOUT_MEANING.has(word))
      diagnostics.push(error('L0001', header, `.${word} is no directive that stands at the top of a module`));
  }
  diagnostics.push(...repeated(entries));
  if (diagnostics.length > 0) return { value: undefined, diagnostics };
  return {
    value: { source, version: words.get('version'), target: words.get('target'), entries, functions, variables },
    diagnostics,
  };
}

/** Kernels of which another one of the same name stands above: no launch can mean either. */
const repeated = (entries: readonly ModuleEntry[]): readonly Diagnostic[] =>
  entries.flatMap((entry, i) => {
    const first = entries.slice(0, i).find(({ name }) => name === entry.name);
    if (first === undefined) return [];
    const where = `line ${positionOf(first.body.source, first.body.start).line}`;
    const hint = 'a module has each kernel once; ptxas refuses this one: delete one of them';
    return [error('L0001', entry.body, `the kernel ${entry.name} has a body already, at ${where}`, hint)];
  });

const SPACES: ReadonlySet<string> = new Set(['global', 'const', 'shared']);
/** Directives of a module that say nothing of what its kernels execute. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set([
  ...['address_size', 'file', 'loc', 'section', 'pragma', 'alias', 'maxntid', 'noreturn'],
]);

/** Whether a comma is outside of all braces and parentheses. */
const isList = (initial: string): boolean => /,(?![^{]*\})(?![^(]*\))/.test(initial);

const textIn = ({ text }: Source, { start, end }: Range): string => text.slice(start, end);

function functionOf(name: string, header: Span, body: Range | undefined): ModuleFunction {
  const { source } = header;
  const words = textIn(source, header);
  const at = words.indexOf('.func');
  const bare = words.slice(at).trim();
  const text = body === undefined ? `${bare};` : `${bare} {${textIn(source, body)}}`;
  return {
    name,
    text,
    isDefined: body !== undefined,
    header: spanOf(source, header.start + at, header.end),
    body: body === undefined ? undefined : spanOf(source, body.start, body.end),
  };
}
