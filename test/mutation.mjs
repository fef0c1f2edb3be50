import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { mutate, ROOT } from './places.mjs';

/** Bundles a script into build/, as if the code had the mistake of a mutant. Both paths are from the top. */
export async function bundle(entry, outfile, mutant) {
  const changed = mutant === undefined ? new Map() : mutate(mutant);
  const path = join(ROOT, 'build', outfile);
  await build({
    entryPoints: [join(ROOT, entry)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['z3-solver'],
    logLevel: 'warning',
    outfile: path,
    banner: {
      js:
        "import { createRequire as bundledRequire } from 'node:module'; const require = " +
        'bundledRequire(import.meta.url);',
    },
    plugins: [
      {
        name: 'mutant',
        setup: (on) =>
          on.onLoad({ filter: /\.ts$/ }, ({ path: source }) => {
            const contents = changed.get(relative(ROOT, source));
            return contents === undefined ? undefined : { contents, loader: 'ts' };
          }),
      },
    ],
  });
  return path;
}

/**
 * Judges a list of kernels with each mistake in turn, by a script whose `verdicts()` says something of each; noticed is
 * what says something else. The bundles go to build/, where their names begin with `prefix`.
 */
export async function mutateJudged(judge, prefix, mutants, pattern = '') {
  const right = await import(await bundle(judge, `${prefix}.mjs`));
  const expected = [...right.verdicts()];
  if (expected.some(({ says }) => says.startsWith('throws'))) throw new Error('a kernel that cannot be judged');
  const tally = new Tally(({ name }) => name);
  for (const [number, mutant] of mutants.entries()) {
    const name = `${mutant.in}: ${mutant.what}`;
    if (!name.includes(pattern)) continue;
    const outfile = await bundle(judge, `${prefix}-${number}.mjs`, mutant);
    const { verdicts } = await import(outfile);
    rmSync(outfile);
    let killer;
    let at = 0;
    for (const { says } of verdicts()) {
      const one = expected[at++];
      if (one.says === says) continue;
      killer = one;
      break;
    }
    tally.record(name, mutant, killer);
  }
  tally.finish();
}

/** The text of the model that a mistake is in; undefined if it is one of the code. */
export function mutatedModel(mutant) {
  return mutant.in.startsWith('ptx-9.4/') ? [...mutate(mutant).values()][0] : undefined;
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
    console.log(
      `noticed    ${name}   by ` +
        `${this.nameOf(killer)}${mutant.survives === undefined ? '' : '   ALTHOUGH it is listed as a survivor'}`,
    );
  }

  /** Prints the sums; the process fails if a mutant survives without a reason. */
  finish() {
    const unexplained = this.#survivors.filter(({ survives }) => survives === undefined).length;
    const all = this.#noticed + this.#survivors.length;
    console.log(
      `${all} mistakes: ${this.#noticed} noticed, ${this.#survivors.length} survive, ${unexplained} of them ` +
        'without a reason',
    );
    if (unexplained > 0) process.exitCode = 1;
  }
}
