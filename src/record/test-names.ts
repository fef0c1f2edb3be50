import { demangled } from '../kernel/demangle.js';

/** What a file may be called, with a number and an extension behind it. */
const LONGEST = 80;

/** Names of tests after their kernels, none given twice. */
export class TestNames {
  private readonly taken = new Set<string>();

  of(entry: string): string {
    const plain = demangled(entry)
      .replace(/::/g, '.')
      .replace(/[^\w.+-]/g, '_')
      .replace(/^[^A-Za-z0-9_]+/, '');
    const name = plain.slice(0, LONGEST) || 'kernel';
    let made = name;
    for (let n = 2; this.taken.has(made); n++) made = `${name}-${n}`;
    this.taken.add(made);
    return made;
  }
}
