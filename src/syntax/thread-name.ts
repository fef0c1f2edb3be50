/** The name of a thread as it is kept: `P0` and `0` are both `0`; any other name is kept as written. */
export function threadName(written: string): string {
  return written.replace(/^P(?=\d+$)/, '');
}

/** The name of a thread as it is shown. */
export function shownThreadName(name: string): string {
  return /^\d+$/.test(name) ? `P${name}` : name;
}
