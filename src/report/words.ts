/** `1 state`, `2 states`. */
export const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Lines further to the right, but for empty ones. */
export function indent(lines: readonly string[], by = 4): readonly string[] {
  return lines.map((line) => (line === '' ? '' : `${' '.repeat(by)}${line}`));
}
