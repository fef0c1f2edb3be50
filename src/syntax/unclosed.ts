/** The place of a brace, quote or comment that is opened and never closed, or of a brace that closes nothing. */
export function findUnclosed(text: string): { readonly at: number; readonly what: string } | undefined {
  const open: number[] = [];
  const marks = /\/\/|\/\*|\(\*|["{}]/g;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const at = mark.index;
    const closing = CLOSING[mark[0]];
    if (closing !== undefined) {
      const end = text.indexOf(closing, marks.lastIndex);
      if (end === -1 && closing === '\n') break;
      if (end === -1)
        return {
          at,
          what: closing === '"' ? 'this quote is never closed' : `this comment is never closed by ${closing}`,
        };
      marks.lastIndex = end + closing.length;
    } else if (mark[0] === '{') open.push(at);
    else if (open.pop() === undefined) return { at, what: 'this } closes nothing' };
  }
  const [first] = open.slice(-1);
  return first === undefined ? undefined : { at: first, what: 'this { is never closed' };
}

const CLOSING: Readonly<Record<string, string>> = { '//': '\n', '/*': '*/', '(*': '*)', '"': '"' };
