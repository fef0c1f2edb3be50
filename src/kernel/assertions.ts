/** How far before a call nvcc makes its arguments. */
const BEFORE = 4000;
const PARAMETER = /st\.param\.b\d+\s*\[param(\d)(?:\+0)?\],\s*([%$\w]+)/g;
const MOST_COPIES = 6;

/**
 * What the assertion says that fails at an offset of a module, where it calls `__assertfail`: its text, with file and
 * line as the compiler put them down, as far as these are constants of the module.
 */
export function assertionIn(text: string): (offset: number) => string | undefined {
  return (offset) => {
    if (!text.startsWith('__assertfail', offset)) return undefined;
    const before = text.slice(Math.max(0, offset - BEFORE), offset);
    const given = new Map([...before.matchAll(PARAMETER)].map(([, number, value = '']) => [Number(number), value]));
    const word = (number: number): string | undefined => {
      const value = given.get(number);
      return value === undefined ? undefined : originOf(before, value);
    };
    const [message, file, line] = [stringAt(text, word(0)), stringAt(text, word(1)), word(2)];
    if (message === undefined) return 'assertion failed';
    const where = file === undefined || line === undefined || !/^\d+$/.test(line) ? '' : ` (${file}:${line})`;
    return `assertion failed: ${message}${where}`;
  };
}

/** The symbol or number that a register was last given. */
function originOf(text: string, value: string): string {
  let origin = value;
  for (let i = 0; i < MOST_COPIES && origin.startsWith('%'); i++) {
    const name = origin.replace(/[%$]/g, '\\$&');
    const [last] = [...text.matchAll(new RegExp(`(?:mov|cvta)[.\\w]*\\s+${name},\\s*([%$\\w]+)`, 'g'))].slice(-1);
    if (last?.[1] === undefined) break;
    origin = last[1];
  }
  return origin;
}

/** The text in a variable of a module, up to its first zero. */
function stringAt(text: string, symbol: string | undefined): string | undefined {
  if (symbol === undefined || !/^[$\w]+$/.test(symbol)) return undefined;
  const name = symbol.replace(/\$/g, '\\$');
  const bytes = new RegExp(`\\.b8\\s+${name}\\[\\d*\\]\\s*=\\s*\\{([^}]*)\\}`).exec(text)?.[1];
  if (bytes === undefined) return undefined;
  const codes = bytes.split(',').map(Number);
  const end = codes.indexOf(0);
  return new TextDecoder().decode(Uint8Array.from(end < 0 ? codes : codes.slice(0, end)));
}
