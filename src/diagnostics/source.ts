import { compact } from './compact.js';
import { markOf } from './text-parts.js';

/** A text with the path by which messages name it. Offsets everywhere are UTF-16 code units into `text`. */
export interface Source {
  readonly path: string;
  readonly text: string;
  /** Of a part of a file: the line of the file on which the text begins; 1 if not given. */
  readonly firstLine?: number;
  /**
   * Texts are kept by parts (`text-parts.ts`): they cite lines of this source by marks.
   *
   * @internal
   */
  readonly isMarked?: boolean;
  /** Of a kernel test: the modules that it names, by the paths that it names them by. */
  readonly modules?: Readonly<Record<string, ModuleText>>;
  /** Of a kernel test: how many threads `run auto` chooses at most. */
  readonly mostThreads?: number;
  /** Of a test of many sizes: the one that is meant, such as `n=3,block=32`. */
  readonly at?: string;
  /** What is promised to threads where the test does not say it, such as `gpu=obe`; `fair` if not given. */
  readonly forwardProgress?: string;
  /** What a project file or a baseline accepts in the test besides what the test says. */
  readonly accepted?: readonly AcceptedOutside[];
  /**
   * Nothing of the test is left out because no question depends on it, and no memory is taken as known that could be
   * written: for holding the shorter way against.
   *
   * @internal
   */
  readonly isWhole?: boolean;
  /** Of a module: the line of its source program that an offset was compiled from. */
  readonly compiledFrom?: (offset: number) => ProgramLine | undefined;
  /** Of a module: what the assertion says whose failure an offset is. */
  readonly assertion?: (offset: number) => string | undefined;
}

/** A finding that is accepted from outside of the test: its kind, the lines (without any, all of the test), and why. */
export interface AcceptedOutside {
  readonly finding: 'race' | 'same-value-race' | 'undefined' | 'uninitialized' | 'relaxed';
  readonly lines: readonly { readonly file: string | undefined; readonly line: number | undefined }[];
  readonly reason: string;
  /** Which entry of a project file or a baseline says so. */
  readonly entry: string;
}

/** The text of a PTX module, or why it cannot be read. */
export type ModuleText =
  | {
      readonly path: string;
      readonly text: string;
      /** Of a program that was compiled for the test: itself, and the headers that it includes. */
      readonly programs?: readonly string[];
    }
  | {
      readonly problem: string;
      /** Of a program that cannot be compiled. */
      readonly programs?: readonly string[];
    };

/** A line of a source program, such as a file of CUDA. */
export interface ProgramLine {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based; 0: not known. */
  readonly column: number;
  /** Where the function that it stands in was put in its caller's place. */
  readonly inlinedAt: ProgramLine | undefined;
}

/** A half-open range `[start, end)` of a source text. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

export interface Position {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  readonly lineText: string;
}

export function spanOf(source: Source, start: number, end: number): Span {
  return { source, start, end };
}

/** The 1-based line and column of an offset, with the text of that line. */
export function positionOf(source: Source, offset: number): Position {
  const at = Math.min(offset, source.text.length);
  // lastIndexOf takes a negative place as 0.
  const lineStart = at === 0 ? 0 : source.text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = source.text.indexOf('\n', at);
  let line = source.firstLine ?? 1;
  for (let i = source.text.indexOf('\n'); i !== -1 && i < at; i = source.text.indexOf('\n', i + 1)) line++;
  const lineText = source.text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).replace(/\r$/, '');
  return { line, column: at - lineStart + 1, lineText };
}

/** The text that a span covers. */
export function textOf(span: Span): string {
  return span.source.text.slice(span.start, span.end);
}

/** Of longer vectors of operands the first and the last are quoted: accumulators of wgmma are up to 128 registers. */
const LONGEST_VECTOR = 8;

/** The text that a span covers, in one line and without comments. */
export function quoteOf(span: Span): string {
  const line = compact(textOf(span)).text.replace(/\s+/g, ' ').trim();
  return line.replace(/\{([^{}]*)\}/g, (all, inner: string) => {
    const elements = inner.split(',').map((one) => one.trim());
    return elements.length > LONGEST_VECTOR ? `{${elements[0]}, …, ${elements.at(-1)}}` : all;
  });
}

/** The same, or what it means where it stands for a failed assertion. */
export const meaningOf = (span: Span): string => span.source.assertion?.(span.start) ?? quoteOf(span);

/** The line on which a span begins, for texts that cite it. */
export function lineOf(span: Span): string {
  return String(lineNumberOf(span));
}

/** Where a span begins, as texts cite it: `line 8` of the test, or the line of a kernel's source program. */
export function citation(span: Span): string {
  return cited(span, false);
}

/**
 * The same of several that are told together: where one line of the program is that of more than one of them, as the
 * call of an agent in a kernel of a library is, with the lines that were put in its place.
 */
export function citations(spans: readonly Span[]): readonly string[] {
  const lines = spans.map(({ source, start }) => source.compiledFrom?.(start));
  const inner = new Map<string, Set<string>>();
  for (const line of lines) {
    if (line === undefined) continue;
    const outer = lineText(userLine(line));
    inner.set(outer, (inner.get(outer) ?? new Set()).add(lineText(line)));
  }
  return spans.map((span, i) => {
    const line = lines[i];
    return cited(span, line !== undefined && (inner.get(lineText(userLine(line)))?.size ?? 0) > 1);
  });
}

const lineText = ({ file, line }: ProgramLine): string => `${file}:${line}`;

function cited(span: Span, isExact: boolean): string {
  const { source, start } = span;
  if (source.compiledFrom === undefined) return `line ${lineOf(span)}`;
  const inModule = `${baseName(source.path)}:${positionOf(source, start).line}`;
  const line = source.compiledFrom(start);
  if (line === undefined) return inModule;
  const own = lineText(userLine(line));
  return `${own} (${isExact && lineText(line) !== own ? `${lineText(line)}, ` : ''}${inModule})`;
}

/** The last part of a path, whichever way its parts are told apart. */
export const baseName = (path: string): string => path.replace(/^.*[\\/]/, '');

/**
 * The line that a user wrote: of what was put into a kernel from a header the line of the file of the kernel, be it in
 * a function that was put in its caller's place itself.
 */
export function userLine(line: ProgramLine): ProgramLine {
  const callers = callersOf(line);
  return callers.find(({ file }) => file === callers.at(-1)?.file) ?? line;
}

/** A line, and those where the functions that it stands in were put, the outermost last. */
export function callersOf(line: ProgramLine): readonly ProgramLine[] {
  return [line, ...(line.inlinedAt === undefined ? [] : callersOf(line.inlinedAt))];
}

/** The same in a report that is data; a mark in place of a number becomes one with the others. */
export function lineNumberOf({ source, start }: Span): number | string {
  return source.isMarked === true ? markOf(start) : positionOf(source, start).line;
}
