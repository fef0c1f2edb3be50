import type { Node } from 'ohm-js';
import { type Diagnosed, type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { type Source, type Span, spanOf } from '../diagnostics/source.js';
import type { Clause } from './condition-ast.js';
import grammars, { type FrameSemantics } from './litmus.ohm-bundle.js';
import type { Declaration, LitmusFile, Statement, ThreadSyntax } from './litmus-ast.js';
import { matchChunk, nodeSpan } from './parse-chunk.js';
import { parseClause } from './parse-condition.js';
import { parseDeclaration, parseThreadHeader } from './parse-declaration.js';
import { parseStatement } from './parse-statement.js';
import { findUnclosed } from './unclosed.js';

/**
 * Reads a litmus test in the native or the Dat3M dialect (docs/format.md); all errors of the file at once. Where
 * there are errors the value, if there is one, lacks what could not be read: good for finding more errors only.
 */
export function parseLitmus(source: Source): Diagnosed<LitmusFile> {
  const whole = spanOf(source, 0, source.text.length);
  const { match, failure } = matchChunk(grammars.Frame, whole, 'L0001', 'this is not a litmus test', 'File');
  if (failure !== undefined) return { value: undefined, diagnostics: [likelyCause(source) ?? withKeyword(failure)] };
  const frame = semantics(match)['frame']() as Frame;
  const diagnostics: Diagnostic[] = [];
  const keep = <T extends { readonly failure?: Diagnostic }>(read: T): T => {
    if (read.failure !== undefined) diagnostics.push(read.failure);
    return read;
  };
  const chunk = (node: Node): Span => nodeSpan(whole, node);

  const declarations: Declaration[] = [];
  for (const node of frame.declarations) {
    if (isBlank(node)) continue;
    const { declaration } = keep(parseDeclaration(chunk(node)));
    if (declaration !== undefined) declarations.push(declaration);
  }
  const threads: ThreadSyntax[] = [];
  for (const { header, cells } of frame.threads) {
    const { name, levels } = keep(parseThreadHeader(chunk(header)));
    const statements: Statement[] = cells.flatMap((cell) =>
      isBlank(cell) ? [] : keep(parseStatement(chunk(cell))).statements,
    );
    if (name !== undefined) threads.push({ name, span: trimmed(chunk(header)), levels, statements });
  }
  for (const cell of frame.surplus) {
    diagnostics.push(
      error(
        'L0001',
        trimmed(chunk(cell)),
        `this cell stands in no column: the header row names ${frame.threads.length} threads`,
      ),
    );
  }
  const clauses: Clause[] = [];
  for (const node of frame.clauses) {
    const { clause } = keep(parseClause(trimmed(chunk(node))));
    if (clause !== undefined) clauses.push(clause);
  }
  const file: LitmusFile = {
    source,
    name: frame.name,
    descriptions: frame.descriptions,
    declarations,
    threads,
    layout: frame.layout,
    clauses,
  };
  return { value: file, diagnostics };
}

/** A brace, quote or comment left open makes the frame fail far from the mistake: point to the mistake. */
function likelyCause(source: Source): Diagnostic | undefined {
  if (!/^\s*(ptx\b|\(\*|\/[/*])/i.test(source.text)) return undefined;
  const unclosed = findUnclosed(source.text);
  return unclosed === undefined
    ? undefined
    : error('L0001', spanOf(source, unclosed.at, unclosed.at + 1), unclosed.what);
}

const KEYWORDS = ['exists', '~exists', 'forall', 'permit', 'forbid', 'require', 'expect', 'filter', 'locations'];

/** Where a misspelt condition word stopped the frame, the word that was meant. */
function withKeyword(failure: Diagnostic): Diagnostic {
  const word = /^\w*/.exec(failure.span.source.text.slice(failure.span.start))?.[0] ?? '';
  const hint = didYouMean(word, KEYWORDS);
  return hint === undefined ? failure : { ...failure, hint };
}

interface Frame {
  readonly name: string;
  readonly descriptions: readonly string[];
  readonly declarations: readonly Node[];
  readonly layout: LitmusFile['layout'];
  readonly threads: readonly { readonly header: Node; readonly cells: readonly Node[] }[];
  /** Cells of rows that have more cells than there are threads. */
  readonly surplus: readonly Node[];
  readonly clauses: readonly Node[];
}

const isBlank = (node: Node): boolean =>
  node.sourceString.replace(/\(\*[\s\S]*?\*\)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '').trim() === '';

function trimmed(span: Span): Span {
  const text = span.source.text.slice(span.start, span.end);
  return spanOf(
    span.source,
    span.start + text.length - text.trimStart().length,
    span.end - (text.length - text.trimEnd().length),
  );
}

const semantics: FrameSemantics = grammars.Frame.createSemantics();

semantics.addOperation<unknown>('frame', {
  File(header, descriptions, _open, declarations, _close, _semicolon, body, clauses): Frame {
    return {
      name: header.child(2).sourceString.trim(),
      descriptions: descriptions.children.map((node) => node.sourceString.slice(1, -1)),
      declarations: declarations.asIteration().children,
      ...(body['frame']() as Pick<Frame, 'layout' | 'threads' | 'surplus'>),
      clauses: clauses.children,
    };
  },
  Body_blocks(blocks) {
    return {
      layout: 'blocks',
      threads: blocks.children.map((block) => ({
        header: block.child(0),
        cells: block.child(2).asIteration().children,
      })),
      surplus: [],
    };
  },
  Body_columns(headerRow, rows) {
    const headers = headerRow.child(0).asIteration().children;
    const cells = rows.children.map((row) => row.child(0).asIteration().children);
    return {
      layout: 'columns',
      threads: headers.map((header, column) => ({ header, cells: cells.flatMap((row) => row[column] ?? []) })),
      surplus: cells.flatMap((row) => row.slice(headers.length)).filter((cell) => !isBlank(cell)),
    };
  },
});
