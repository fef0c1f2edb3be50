import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The text with a deliberate mistake in it; each of its places must be there exactly once. */
export function mutate(text, { from, to, also = [], what }) {
  return [{ from, to }, ...also].reduce((all, one) => {
    const count = all.split(one.from).length - 1;
    if (count !== 1) throw new Error(`"${what}": ${JSON.stringify(one.from)} is there ${count} times`);
    return all.replace(one.from, () => one.to);
  }, text);
}

/** Bundles a script into dist/; with a mutant, as if the file of that name in src/ had its mistake. Paths are from the top. */
export async function bundle(entry, outfile, { file, mutant } = {}) {
  const changed = file === undefined ? undefined : join(ROOT, 'src', file);
  const path = join(ROOT, 'dist', outfile);
  await build({
    entryPoints: [join(ROOT, entry)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['z3-solver'],
    logLevel: 'warning',
    outfile: path,
    banner: { js: "import { createRequire as bundledRequire } from 'node:module'; const require = bundledRequire(import.meta.url);" },
    plugins: [
      {
        name: 'mutant',
        setup: (on) =>
          on.onLoad({ filter: /\.ts$/ }, (source) =>
            source.path === changed ? { contents: mutate(readFileSync(source.path, 'utf8'), mutant), loader: 'ts' } : undefined,
          ),
      },
    ],
  });
  return path;
}

/** Which mutants were noticed, by what; the likeliest to notice the next one comes first. */
export class Tally {
  #noticed = 0;
  #survivors = [];
  #killers = new Map();

  constructor(nameOf) {
    this.nameOf = nameOf;
  }

  likeliestFirst(tests) {
    return [...tests].sort((a, b) => (this.#killers.get(b) ?? 0) - (this.#killers.get(a) ?? 0));
  }

  /** Counts and prints what became of a mutant; `killer` is the test that noticed it, or undefined. */
  record(name, mutant, killer) {
    if (killer === undefined) {
      this.#survivors.push(mutant);
      console.log(`survives   ${name}${mutant.survives === undefined ? '' : `   (${mutant.survives})`}`);
      return;
    }
    this.#noticed += 1;
    this.#killers.set(killer, (this.#killers.get(killer) ?? 0) + 1);
    console.log(`noticed    ${name}   by ${this.nameOf(killer)}${mutant.survives === undefined ? '' : '   ALTHOUGH it is listed as a survivor'}`);
  }

  /** Prints the sums; the process fails if a mutant survives without a reason. */
  finish() {
    const unexplained = this.#survivors.filter(({ survives }) => survives === undefined).length;
    const all = this.#noticed + this.#survivors.length;
    console.log(`${all} mistakes: ${this.#noticed} noticed, ${this.#survivors.length} survive, ${unexplained} of them without a reason`);
    if (unexplained > 0) process.exitCode = 1;
  }
}
