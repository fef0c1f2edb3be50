/**
 * What to print of a bug of ours; the whole stack where PTX_LITMUS_DEBUG is set. `where`: the test that met it, if one
 * did.
 */
export function internalError(thrown: unknown, where = ''): string {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  const shown = process.env['PTX_LITMUS_DEBUG'] === undefined ? (text.split('\n')[0] ?? '') : text;
  return `ptx-litmus: internal error${where}, please report it with the test and the command line\n${shown}\n`;
}
