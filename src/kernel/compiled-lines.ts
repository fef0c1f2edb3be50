import { baseName, type ProgramLine } from '../diagnostics/source.js';
import { firstAbove } from '../program/sorted.js';

const FILE = /^\s*\.file\s+(\d+)\s+"([^"]*)"/gm;
const LOC =
  /^[ \t]*\.loc[ \t]+(\d+)[ \t]+(\d+)[ \t]+(\d+)([^\n]*)|^[ \t]*\.(?:visible |weak |extern )*(?:entry|func)\b/gm;
const INLINED = /inlined_at[ \t]+(\d+)[ \t]+(\d+)[ \t]+(\d+)/;

/** Finds the line of the source program that an offset of a module was compiled from (PTX ISA, .loc and .file). */
export function compiledLines(text: string): (offset: number) => ProgramLine | undefined {
  let marks: readonly Mark[] | undefined;
  return (offset) => {
    marks ??= marksIn(text);
    return marks[firstAbove(marks, ({ at }) => at, offset) - 1]?.line;
  };
}

interface Mark {
  readonly at: number;
  readonly line: ProgramLine | undefined;
}

function marksIn(text: string): readonly Mark[] {
  const files = new Map([...text.matchAll(FILE)].map(([, number, path = '']) => [number, baseName(path)]));
  // What was inlined names the place of the call by a line that is in the text as well, with its own caller.
  const callers = new Map<string, ProgramLine>();
  return [...text.matchAll(LOC)].map((match): Mark => {
    const [, file, line, column, rest = ''] = match;
    if (file === undefined) return { at: match.index, line: undefined };
    const place = (of: string, at: string, from: string): ProgramLine => ({
      file: files.get(of) ?? `file ${of}`,
      line: Number(at),
      column: Number(from),
      inlinedAt: undefined,
    });
    const inlined = INLINED.exec(rest);
    const own = place(file, line ?? '0', column ?? '0');
    const key = (words: readonly (string | undefined)[]): string => words.join(' ');
    if (inlined === null) {
      callers.set(key([file, line, column]), own);
      return { at: match.index, line: own.line === 0 ? undefined : own };
    }
    const [, callFile = '', callLine = '', callColumn = ''] = inlined;
    const caller = callers.get(key([callFile, callLine, callColumn])) ?? place(callFile, callLine, callColumn);
    const found = { ...own, inlinedAt: caller };
    callers.set(key([file, line, column]), found);
    return { at: match.index, line: found };
  });
}
