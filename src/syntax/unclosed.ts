/** The place of a brace, quote or comment that is opened and never closed, or of a brace that closes nothing. */
export function findUnclosed(text: string): { readonly at: number; readonly what: string } | undefined {
  const open: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const two = text.slice(i, i + 2);
    const closing = two === '//' ? '\n' : two === '/*' ? '*/' : two === '(*' ? '*)' : text[i] === '"' ? '"' : undefined;
    if (closing !== undefined) {
      const end = text.indexOf(closing, i + (closing === '"' ? 1 : 2));
      if (end === -1 && closing === '\n') break;
      if (end === -1)
        return {
          at: i,
          what: closing === '"' ? 'this quote is never closed' : `this comment is never closed by ${closing}`,
        };
      i = end + closing.length - 1;
    } else if (text[i] === '{') open.push(i);
    else if (text[i] === '}' && open.pop() === undefined) return { at: i, what: 'this } closes nothing' };
  }
  const [first] = open.slice(-1);
  return first === undefined ? undefined : { at: first, what: 'this { is never closed' };
}
