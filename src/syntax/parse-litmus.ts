import { type Diagnosed, type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { type Source, type Span, spanOf } from '../diagnostics/source.js';
import { Comments } from './comments.js';
import type { Clause } from './condition-ast.js';
import type { LaunchSyntax } from './launch-ast.js';
import grammars from './litmus.ohm-bundle.js';
import type { Declaration, FunctionSyntax, LitmusFile, Statement, ThreadSyntax } from './litmus-ast.js';
import { LONGEST, matchChunk } from './parse-chunk.js';
import { parseClause } from './parse-condition.js';
import { parseDeclaration, parseThreadHeader } from './parse-declaration.js';
import { parseFunctionHeader } from './parse-function.js';
import { parseAlias, parseLaunch, parseRuns } from './parse-launch.js';
import { parseStatement } from './parse-statement.js';
import { type Piece, type Range, splitBody, splitLitmus } from './split-litmus.js';
import { findUnclosed } from './unclosed.js';

/**
 * Reads a litmus test in the native or the Dat3M dialect (docs/format.md); all errors of the file at once. Where
 * there are errors the value, if there is one, lacks what could not be read: good for finding more errors only.
 * `checkBudget` is called for each part, and throws where there is no time left.
 */
export function parseLitmus(source: Source, checkBudget: () => void = () => undefined): Diagnosed<LitmusFile> {
  const frame = splitLitmus(source.text);
  if (frame === undefined) return { value: undefined, diagnostics: [whatStopped(source)] };
  const diagnostics: Diagnostic[] = [];
  const keep = <T extends { readonly failure?: Diagnostic }>(read: T): T => {
    checkBudget();
    if (read.failure !== undefined) diagnostics.push(read.failure);
    return read;
  };
  const chunk = ({ start, end }: Range): Span => spanOf(source, start, end);
  const isBlank = ({ start, end }: Range): boolean => frame.comments.areAll(start, end);

  const declarations: Declaration[] = [];
  for (const range of frame.declarations) {
    if (isBlank(range)) continue;
    const { value: declaration } = keep(parseDeclaration(chunk(range)));
    if (declaration !== undefined) declarations.push(declaration);
  }
  const body = (pieces: readonly Piece[]): readonly Statement[] =>
    pieces.flatMap((piece): readonly Statement[] => {
      if (piece.inner !== undefined) return [{ kind: 'block', statements: body(piece.inner), span: chunk(piece) }];
      return isBlank(piece) ? [] : (keep(parseStatement(chunk(piece))).value ?? []);
    });
  const functions: FunctionSyntax[] = [];
  for (const { header, body: pieces } of frame.functions) {
    const { value: read } = keep(parseFunctionHeader(trimmed(chunk(header))));
    const statements = pieces === undefined ? undefined : body(pieces);
    if (read !== undefined) functions.push({ ...read, statements, span: trimmed(chunk(header)) });
  }
  const threads: ThreadSyntax[] = [];
  for (const { header, cells } of frame.threads) {
    const placed = keep(parseThreadHeader(chunk(header))).value ?? [];
    const statements = body(cells);
    for (const { name, levels } of placed) threads.push({ name, span: trimmed(chunk(header)), levels, statements });
  }
  const launches: LaunchSyntax[] = [];
  for (const { header, runs } of frame.launches) {
    const { value: read } = keep(parseLaunch(trimmed(chunk(header))));
    const chosen = runs === undefined || isBlank(runs) ? undefined : keep(parseRuns(chunk(runs))).value;
    if (read !== undefined) launches.push({ ...read, runs: chosen ?? [] });
  }
  for (const range of frame.aliases) {
    const { value: read } = keep(parseAlias(trimmed(chunk(range))));
    if (read !== undefined) declarations.push(read);
  }
  for (const cell of frame.surplus) {
    if (isBlank(cell)) continue;
    diagnostics.push(
      error(
        'L0001',
        trimmed(chunk(cell)),
        `this cell stands in no column: the header row names ${frame.threads.length} threads`,
      ),
    );
  }
  const clauses: Clause[] = [];
  for (const range of frame.clauses) {
    const { value: clause } = keep(parseClause(trimmed(chunk(range))));
    if (clause !== undefined) clauses.push(clause);
  }
  const { name, descriptions, layout } = frame;
  return {
    value: { source, name, descriptions, declarations, functions, threads, launches, layout, clauses },
    diagnostics,
  };
}

/** Reads the body of a function of a module. */
export function parseBody({ source, start, end }: Span): Diagnosed<readonly Statement[]> {
  const pieces = splitBody(source.text, { start, end });
  if (pieces === undefined)
    return {
      value: undefined,
      diagnostics: [error('L0001', spanOf(source, start, start + 1), 'this body cannot be cut into statements')],
    };
  const diagnostics: Diagnostic[] = [];
  const comments = new Comments(source.text);
  const statements = (list: readonly Piece[]): readonly Statement[] =>
    list.flatMap((piece): readonly Statement[] => {
      const span = spanOf(source, piece.start, piece.end);
      if (piece.inner !== undefined) return [{ kind: 'block', statements: statements(piece.inner), span }];
      if (comments.areAll(piece.start, piece.end)) return [];
      const read = parseStatement(span);
      if (read.failure !== undefined) diagnostics.push(read.failure);
      return read.value ?? [];
    });
  const value = statements(pieces);
  return { value: diagnostics.length > 0 ? undefined : value, diagnostics };
}

/** Why a text has not the shape of a litmus test: the grammar knows what could stand where it fails. */
function whatStopped(source: Source): Diagnostic {
  const cause = likelyCause(source);
  if (cause !== undefined) return cause;
  const beginning = spanOf(source, 0, Math.min(source.text.length, 1));
  if (source.text.length > LONGEST)
    return error(
      'L0001',
      beginning,
      'this is not a litmus test: a header "PTX name", an initial state in braces and threads',
    );
  const whole = spanOf(source, 0, source.text.length);
  const { failure } = matchChunk(
    { grammar: grammars.Frame, rule: 'File', code: 'L0001', what: 'this is not a litmus test' },
    whole,
  );
  const launch = /^[ \t]*launch\b[^\n]*/m.exec(source.text);
  if (launch !== null && (failure === undefined || failure.span.start <= launch.index + launch[0].length)) {
    const span = trimmed(spanOf(source, launch.index, launch.index + launch[0].length));
    return error('L0001', span, 'this launch cannot be read', `expected ${LAUNCH_FORM}`);
  }
  if (failure === undefined) throw new Error('the grammar takes a test that was not cut into its parts');
  return withKeyword(failure);
}

const LAUNCH_FORM = 'launch NAME "file.ptx" :: kernel (arguments) @ grid 2, block 64 { run auto; }';

/** A brace, quote or comment left open makes the frame fail far from the mistake: point to the mistake. */
function likelyCause(source: Source): Diagnostic | undefined {
  if (!/^\s*(ptx\b|\(\*|\/[/*])/i.test(source.text)) return undefined;
  const unclosed = findUnclosed(source.text);
  return unclosed === undefined
    ? undefined
    : error('L0001', spanOf(source, unclosed.at, unclosed.at + 1), unclosed.what);
}

const KEYWORDS = [
  'exists',
  '~exists',
  'forall',
  'permit',
  'forbid',
  'require',
  'expect',
  'allow',
  'filter',
  'locations',
];

/** Where a misspelt condition word stopped the frame, the word that was meant. */
function withKeyword(failure: Diagnostic): Diagnostic {
  const word = /^\w*/.exec(failure.span.source.text.slice(failure.span.start))?.[0] ?? '';
  const hint = didYouMean(word, KEYWORDS);
  return hint === undefined ? failure : { ...failure, hint };
}

function trimmed(span: Span): Span {
  const text = span.source.text.slice(span.start, span.end);
  return spanOf(
    span.source,
    span.start + text.length - text.trimStart().length,
    span.end - (text.length - text.trimEnd().length),
  );
}
