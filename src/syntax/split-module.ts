import { Comments } from './comments.js';
import type { Range } from './split-litmus.js';

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
const LINE_DIRECTIVE = /\.(version|target|address_size|file|loc|pragma|alias)(?![\w:])[^\n]*/y;
const FUNCTION = /\.(entry|func)(?![\w:])/;
const SECTION = /^\.section(?![\w:])/;

/** Cuts a module into what stands at its top, in linear time; bodies are left for whoever needs them. */
export function splitModule(text: string): readonly ModulePiece[] | Unsplit {
  const comments = new Comments(text);
  const pieces: ModulePiece[] = [];
  let at = skipSpace(text, comments, 0);
  while (at < text.length) {
    if (text[at] !== '.') return { at, expected: 'a directive such as .visible .entry, .func or .global' };
    LINE_DIRECTIVE.lastIndex = at;
    if (LINE_DIRECTIVE.test(text)) {
      const end = LINE_DIRECTIVE.lastIndex;
      pieces.push({ header: { start: at, end: at + text.slice(at, end).replace(/;?\s*(\/\/.*)?$/, '').length } });
      at = skipSpace(text, comments, end);
      continue;
    }
    const start = at;
    const stop = upTo(text, comments, at, '{;=');
    if (stop === undefined) return { at, expected: 'a semicolon or a body behind it' };
    const header = { start, end: stop };
    at = stop + 1;
    if (text[stop] === '{') {
      const end = closing(text, comments, stop);
      if (end === undefined) return { at: stop, expected: 'a brace that closes this one' };
      const words = text.slice(start, stop);
      if (!FUNCTION.test(words) && !SECTION.test(words)) return { at: start, expected: '.entry or .func' };
      pieces.push({ header, body: { start: stop + 1, end: end - 1 } });
      at = end;
    } else if (text[stop] === '=') {
      const end = upTo(text, comments, at, ';');
      if (end === undefined) return { at: stop, expected: 'a semicolon behind the initial value' };
      pieces.push({ header, initial: { start: at, end } });
      at = end + 1;
    } else pieces.push({ header });
    at = skipSpace(text, comments, at);
  }
  return pieces;
}

function skipSpace(text: string, comments: Comments, from: number): number {
  let at = from;
  while (at < text.length) {
    const comment = comments.endOf(at);
    if (comment !== undefined) at = comment;
    else if (text.charCodeAt(at) <= 0x20) at += 1;
    else break;
  }
  return at;
}

/** The next of some characters, outside of comments and quotes. */
function upTo(text: string, comments: Comments, from: number, stops: string): number | undefined {
  for (let at = from; at < text.length; ) {
    const character = text[at] ?? '';
    const comment = comments.endOf(at);
    if (comment !== undefined) at = comment;
    else if (character === '"') at = behindQuote(text, at);
    else if (stops.includes(character)) return at;
    else at += 1;
  }
  return undefined;
}

function behindQuote(text: string, at: number): number {
  const end = text.indexOf('"', at + 1);
  return end === -1 ? text.length : end + 1;
}

/** Behind the brace that closes one. */
function closing(text: string, comments: Comments, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < text.length; ) {
    const next = upTo(text, comments, at, '{}');
    if (next === undefined) return undefined;
    depth += text[next] === '{' ? 1 : -1;
    at = next + 1;
    if (depth === 0) return at;
  }
  return undefined;
}
