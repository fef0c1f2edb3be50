import { type Past, type Range, Scanner } from '../diagnostics/scanner.js';

/** A part of a PTX module at its top: what stands before a semicolon, a body or the end of a line. */
export interface ModulePiece {
  readonly header: Range;
  /** What stands between the braces of a function; without it, it is only declared. */
  readonly body?: Range;
  /** What stands behind `=`. */
  readonly initial?: Range;
}

/** Where a module has not the shape of one. */
export interface Unsplit {
  readonly at: number;
  readonly expected: string;
}

/** Directives that end with their line (PTX ISA, Debugging and Module Directives). */
const LINE_DIRECTIVE = /\.(version|target|address_size|file|loc|pragma|alias)(?![\w:])[^\n;/]*/y;
const FUNCTION = /\.(entry|func)(?![\w:])/;
const SECTION = /^\.section(?![\w:])/;

/** Cuts a module into what stands at its top, in linear time; bodies are left for whoever needs them. */
export function splitModule(text: string): readonly ModulePiece[] | Unsplit {
  const scanner = new Scanner(text);
  const pieces: ModulePiece[] = [];
  for (scanner.skipBlanks(); !scanner.isAtEnd; scanner.skipBlanks()) {
    const start = scanner.at;
    if (!scanner.isAt('.')) return { at: start, expected: 'a directive such as .visible .entry, .func or .global' };
    if (scanner.takes(LINE_DIRECTIVE)) {
      pieces.push({ header: { start, end: scanner.at } });
      scanner.at = scanner.lineEnd();
      continue;
    }
    const header = scanner.upTo('{;=', QUOTES);
    const stop = header.end;
    if (scanner.isAtEnd) return { at: start, expected: 'a semicolon or a body behind it' };
    if (scanner.isAt('{')) {
      if (!scanner.takesBraces(QUOTES)) return { at: stop, expected: 'a brace that closes this one' };
      const words = text.slice(start, stop);
      if (!FUNCTION.test(words) && !SECTION.test(words)) return { at: start, expected: '.entry or .func' };
      pieces.push({ header, body: { start: stop + 1, end: scanner.at - 1 } });
    } else if (scanner.takes('=')) {
      const initial = scanner.upTo(';', QUOTES);
      if (!scanner.takes(';')) return { at: stop, expected: 'a semicolon behind the initial value' };
      pieces.push({ header, initial });
    } else {
      scanner.takes(';');
      pieces.push({ header });
    }
  }
  return pieces;
}

const QUOTES: Past = { quotes: 'all' };
