import grammars from '../../generated/litmus.ohm-bundle.js';
import { type Diagnosed, type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { type Range, Scanner } from '../diagnostics/scanner.js';
import { type Source, type Span, spanOf } from '../diagnostics/source.js';
import type { LaunchSyntax } from './launch-ast.js';
import type { FunctionSyntax, LitmusFile, NoteSyntax, Statement, ThreadSyntax } from './litmus-ast.js';
import { LONGEST, matchChunk, type Read } from './parse-chunk.js';
import { parseClause } from './parse-condition.js';
import { parseDeclaration, parseThreadHeader } from './parse-declaration.js';
import { parseFunctionHeader } from './parse-function.js';
import { parseAlias, parseLaunch, parseRuns } from './parse-launch.js';
import { parseStatement } from './parse-statement.js';
import { type Piece, splitBody, splitLitmus } from './split-litmus.js';
import { findUnclosed } from './unclosed.js';

/**
 * Reads a litmus test in the native or the Dat3M dialect (docs/format.md); all errors of the file at once. Where
 * there are errors the value, if there is one, lacks what could not be read: good for finding more errors only.
 * `checkBudget` is called for each part, and throws where there is no time left.
 */
export function parseLitmus(source: Source, checkBudget: () => void = () => undefined): Diagnosed<LitmusFile> {
  const frame = splitLitmus(source.text);
  if (frame === undefined) return { value: undefined, diagnostics: [whatStopped(source)] };
  const chunks = new Chunks(source, checkBudget);
  const declarations = frame.declarations.flatMap((range) => chunks.read(range, parseDeclaration));
  const functions = frame.functions.flatMap(({ header, body }): readonly FunctionSyntax[] => {
    const span = chunks.trimmed(header);
    const read = chunks.read(span, parseFunctionHeader);
    const statements = body === undefined ? undefined : chunks.body(body);
    return read.map((one) => ({ ...one, statements, span }));
  });
  const threads = frame.threads.flatMap(({ header, cells }): readonly ThreadSyntax[] => {
    const placed = chunks.read(header, parseThreadHeader).flat();
    const statements = chunks.body(cells);
    return placed.map(({ name, levels }) => ({ name, span: chunks.trimmed(header), levels, statements }));
  });
  const launches = frame.launches.flatMap(({ header, runs }): readonly LaunchSyntax[] => {
    const read = chunks.read(chunks.trimmed(header), parseLaunch);
    const chosen = runs === undefined ? [] : chunks.read(runs, parseRuns).flat();
    return read.map((one) => ({ ...one, runs: chosen }));
  });
  const aliases = frame.aliases.flatMap((range) => chunks.read(chunks.trimmed(range), parseAlias));
  for (const cell of frame.surplus) {
    const what = `this cell stands in no column: the header row names ${frame.threads.length} threads`;
    chunks.read(cell, () => ({ failure: error('L0001', chunks.trimmed(cell), what) }));
  }
  const clauses = frame.clauses.flatMap((range) => chunks.read(chunks.trimmed(range), parseClause));
  const { name, descriptions, layout } = frame;
  const found = { declarations: [...declarations, ...aliases], functions, threads, launches, layout, clauses };
  return { value: { source, name, descriptions, ...found }, diagnostics: chunks.diagnostics };
}

/** Reads the body of a function of a module. */
export function parseBody({ source, start, end }: Span): Diagnosed<readonly Statement[]> {
  const pieces = splitBody(source.text, { start, end });
  if (pieces === undefined)
    return {
      value: undefined,
      diagnostics: [error('L0001', spanOf(source, start, start + 1), 'this body cannot be cut into statements')],
    };
  const chunks = new Chunks(source);
  const value = chunks.body(pieces);
  const { diagnostics } = chunks;
  return { value: diagnostics.length > 0 ? undefined : value, diagnostics };
}

/** Reads the chunks of a text, and keeps what is to be said of those that cannot be read. */
class Chunks {
  readonly diagnostics: Diagnostic[] = [];
  private readonly scanner: Scanner;

  constructor(
    private readonly source: Source,
    private readonly checkBudget: () => void = () => undefined,
  ) {
    this.scanner = new Scanner(source.text);
  }

  /** What a range says: nothing where it is blank, or cannot be read. */
  read<T>(range: Range, by: (span: Span) => Read<T>): readonly T[] {
    if (this.scanner.isBlank(range)) return [];
    this.checkBudget();
    const { value, failure } = by(spanOf(this.source, range.start, range.end));
    if (failure === undefined) return [value];
    this.diagnostics.push(failure);
    return [];
  }

  body(pieces: readonly Piece[]): readonly Statement[] {
    const statements = pieces.flatMap((piece): readonly Statement[] => {
      if (piece.inner === undefined) return this.read(piece, parseStatement).flat();
      const span = spanOf(this.source, piece.start, piece.end);
      return [{ kind: 'block', statements: this.body(piece.inner), span }];
    });
    return statements.flatMap((one, i) => {
      const [before, after] = [statements[i - 1], statements[i + 1]];
      if (saysUsedBytes(one) && after?.kind === 'instruction') return [];
      return one.kind === 'instruction' && saysUsedBytes(before) ? { ...one, usedBytes: before.usedBytes } : one;
    });
  }

  trimmed(range: Range): Span {
    return trimmed(this.source, range);
  }
}

/** Whether it says of the load behind it which of its bytes are used. */
const saysUsedBytes = (one: Statement | undefined): one is NoteSyntax & { readonly usedBytes: bigint } =>
  one?.kind === 'note' && one.usedBytes !== undefined;

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
    { grammar: grammars.Frame, rule: 'File', code: 'L0001', what: 'this is not a litmus test', comments: 'kept' },
    whole,
  );
  const launch = /^[ \t]*launch\b[^\n]*/m.exec(source.text);
  const wrong = wrongLaunch(source);
  if (wrong !== undefined && (failure === undefined || failure.span.start <= wrong.span.end)) return wrong;
  if (launch !== null && (failure === undefined || failure.span.start <= launch.index + launch[0].length)) {
    const span = trimmed(source, { start: launch.index, end: launch.index + launch[0].length });
    return error('L0001', span, 'this launch cannot be read', `expected ${LAUNCH_FORM}`);
  }
  if (failure === undefined) throw new Error('the grammar takes a test that was not cut into its parts');
  return withKeyword(failure);
}

/** The first launch that is none, with what is wrong there: up to its run clauses, or to what may follow a launch. */
function wrongLaunch(source: Source): Diagnostic | undefined {
  const { text } = source;
  const starts = [
    ...text.matchAll(/^[ \t]*(launch|alias|expect|~?exists|forall|permit|forbid|require|allow|filter)\b/gm),
  ];
  for (const [i, { 1: word, index }] of starts.entries()) {
    if (word !== 'launch') continue;
    const end = starts[i + 1]?.index ?? text.length;
    const runs = /\{\s*run\b[^{}]*\}?\s*$/.exec(text.slice(index, end));
    const span = trimmed(source, { start: index, end: runs === null ? end : index + runs.index });
    const { failure } = parseLaunch(span);
    if (failure !== undefined) return { ...failure, hint: `expected ${LAUNCH_FORM}` };
  }
  return undefined;
}

const LAUNCH_FORM = 'launch NAME "file.ptx" :: kernel (arguments) @ grid 2, block 64 { run auto; }';

/** A brace, quote or comment left open, or a quote within one, makes the frame fail far away: point to the mistake. */
function likelyCause(source: Source): Diagnostic | undefined {
  const { text } = source;
  if (!/^\s*(ptx\b|\(\*|\/[/*])/i.test(text)) return undefined;
  const unclosed = findUnclosed(text);
  if (unclosed !== undefined) return error('L0001', spanOf(source, unclosed.at, unclosed.at + 1), unclosed.what);
  const described = DESCRIBED.exec(text)?.[0].length;
  if (described === undefined) return undefined;
  return error(
    'L0001',
    spanOf(source, described - 1, described),
    'the description ends at this quotation mark, and what follows is no "{"',
    'a description holds no quotation marks of its own',
  );
}

/** A title and descriptions behind which neither another one, nor a comment, nor the declarations come. */
const DESCRIBED = /^\s*ptx\b[^"{(/]*"[^"]*"(?:\s*"[^"]*")*(?=\s*[^\s"{(/])/i;

const KEYWORDS = [
  ...['exists', '~exists', 'forall', 'permit', 'forbid', 'require', 'expect', 'allow', 'filter', 'locations'],
];

/** Where a misspelt condition word stopped the frame, the word that was meant. */
function withKeyword(failure: Diagnostic): Diagnostic {
  const word = /^\w*/.exec(failure.span.source.text.slice(failure.span.start))?.[0] ?? '';
  const hint = didYouMean(word, KEYWORDS);
  return hint === undefined ? failure : { ...failure, hint };
}

function trimmed(source: Source, { start, end }: Range): Span {
  const text = source.text.slice(start, end);
  const from = end - text.trimStart().length;
  return spanOf(source, from, from + text.trim().length);
}
