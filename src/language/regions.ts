import { type Range, Scanner } from '../diagnostics/scanner.js';
import { parseThreadHeader } from '../syntax/parse-declaration.js';
import { type Piece, splitBody, splitLitmus } from '../syntax/split-litmus.js';
import { splitModule } from '../syntax/split-module.js';
import { splitTests } from '../syntax/split-tests.js';
import { kindOf } from './text-kind.js';

/** A stretch of a text in which names mean something by themselves. */
export interface Region extends Range {
  readonly kind: 'declaration' | 'header' | 'statement' | 'launch' | 'alias' | 'clause' | 'function' | 'variable';
  /** The test or module that it stands in. */
  readonly file: number;
  /** Of statements and headers: the body, and the names of its threads, as conditions have them. */
  readonly body?: number;
  readonly threads?: readonly string[];
}

/** The same text with blanks in the place of comments. */
export function withoutComments(text: string): string {
  const scanner = new Scanner(text);
  const parts: string[] = [];
  let kept = 0;
  while (!scanner.isAtEnd) {
    const end = scanner.commentEnd();
    if (end === undefined) {
      scanner.at = scanner.quoteEnd() ?? scanner.at + 1;
      continue;
    }
    parts.push(text.slice(kept, scanner.at), text.slice(scanner.at, end).replace(/[^\n]/g, ' '));
    kept = end;
    scanner.at = end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(kept);
}

/** The parts of a text of tests, or of a module; none of one that has not the shape of either. */
export function regionsOf(path: string, text: string): readonly Region[] {
  const kind = kindOf(path);
  if (kind === 'module') return moduleRegions(text);
  if (kind !== 'litmus') return [];
  let start = 0;
  let bodies = 0;
  return splitTests({ path, text }).flatMap((part, file): readonly Region[] => {
    const at = start;
    start += part.text.length;
    const found = testRegions(part.text, file, bodies);
    bodies += found.filter(({ kind: one }) => one === 'header' || one === 'function').length;
    return found.map((one) => ({ ...one, start: one.start + at, end: one.end + at }));
  });
}

function testRegions(text: string, file: number, firstBody: number): readonly Region[] {
  const frame = splitLitmus(text);
  if (frame === undefined) return [];
  const of = (kind: Region['kind'], ranges: readonly Range[]): readonly Region[] =>
    ranges.map(({ start, end }) => ({ kind, file, start, end }));
  const bodies = [
    ...frame.functions.map(({ header, body }) => ({ kind: 'function' as const, header, pieces: body ?? [] })),
    ...frame.threads.map(({ header, cells }) => ({ kind: 'header' as const, header, pieces: cells })),
  ];
  return [
    ...of('declaration', frame.declarations),
    ...bodies.flatMap(({ kind, header, pieces }, i): readonly Region[] => {
      const body = firstBody + i;
      const threads = kind === 'header' ? threadsIn(text, header) : [];
      return [
        { kind, file, body, threads, start: header.start, end: header.end },
        ...statements(pieces).map(({ start, end }): Region => ({ kind: 'statement', file, body, threads, start, end })),
      ];
    }),
    ...of(
      'launch',
      frame.launches.map(({ header }) => header),
    ),
    ...of('alias', frame.aliases),
    ...of('clause', frame.clauses),
  ];
}

/** The names of the threads of a header: `P0` and `0` are one. */
function threadsIn(text: string, { start, end }: Range): readonly string[] {
  const source = { path: '', text: withoutComments(text.slice(start, end)) };
  const { value = [] } = parseThreadHeader({ source, start: 0, end: source.text.length });
  return value.map(({ name }) => name);
}

function moduleRegions(text: string): readonly Region[] {
  const pieces = splitModule(text);
  if ('expected' in pieces) return [];
  return pieces.flatMap(({ header, body }, i): readonly Region[] => {
    if (body === undefined) return [{ kind: 'variable', file: 0, start: header.start, end: header.end }];
    return [
      { kind: 'function', file: 0, body: i, threads: [], start: header.start, end: header.end },
      ...statements(splitBody(text, body) ?? []).map(
        ({ start, end }): Region => ({ kind: 'statement', file: 0, body: i, threads: [], start, end }),
      ),
    ];
  });
}

const statements = (pieces: readonly Piece[]): readonly Range[] =>
  pieces.flatMap((piece) => (piece.inner === undefined ? [piece] : statements(piece.inner)));
