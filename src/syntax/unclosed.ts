import { Scanner } from '../diagnostics/scanner.js';

/** The place of a brace, quote or comment that is opened and never closed, or of a brace that closes nothing. */
export function findUnclosed(text: string): { readonly at: number; readonly what: string } | undefined {
  const open: number[] = [];
  const scanner = new Scanner(text);
  for (scanner.upTo(MARKS, QUOTES); !scanner.isAtEnd; scanner.upTo(MARKS, QUOTES)) {
    const { at } = scanner;
    if (scanner.takes('"')) return { at, what: 'this quote is never closed' };
    if (scanner.takes('(*')) return { at, what: 'this comment is never closed by *)' };
    if (scanner.takes('/*')) return { at, what: 'this comment is never closed by */' };
    if (scanner.takes('{')) open.push(at);
    else if (scanner.takes('}') && open.pop() === undefined) return { at, what: 'this } closes nothing' };
    else scanner.at = at + 1;
  }
  const last = open.at(-1);
  return last === undefined ? undefined : { at: last, what: 'this { is never closed' };
}

/** What is closed of these is passed over, but for braces. */
const MARKS = '"(/{}';
const QUOTES = { quotes: 'closed' } as const;
