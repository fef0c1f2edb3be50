import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BASE_KINDS, crossCheck, exploreProgram, generateTests, loadTests, readModel, Z3 } from '../../dist/index.js';
import { loadInOrder, loadModel } from '../../dist/node.js';
import { MUTANTS } from './mutants.mjs';

/**
 * Puts each deliberate mistake of mutants.mjs into its engine and looks for a test on which the engines then disagree.
 *
 * node test/operational/mutate-engines.mjs [pattern of mutants]
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const [pattern = ''] = process.argv.slice(2);
const GENERATED = 600;
const z3 = await Z3.start();
const model = loadModel('ptx-9.4').value;
const inOrder = loadInOrder();
const options = { unroll: 3, timeout: 20_000, clock: () => performance.now() };

const written = readdirSync(join(root, 'litmus'), { recursive: true })
  .filter((file) => file.endsWith('.litmus'))
  .flatMap((file) => loadTests({ path: file, text: readFileSync(join(root, 'litmus', file), 'utf8') }).value ?? []);
const generated = [];
for (const { name, text } of generateTests({ seed: 4 })) {
  generated.push(...(loadTests({ path: name, text }).value ?? []));
  if (generated.length === GENERATED) break;
}
const programs = [...written, ...generated];
const killers = new Map();

function changed(text, { from, to, also = [], what }) {
  return [{ from, to }, ...also].reduce((all, one) => {
    if (all.split(one.from).length !== 2) throw new Error(`"${what}": ${JSON.stringify(one.from)} is there ${all.split(one.from).length - 1} times`);
    return all.replace(one.from, () => one.to);
  }, text);
}

/** What the machine finds, in short. */
function shape(explored) {
  if (typeof explored === 'string') return explored;
  return [[...explored.outcomes.keys()].sort().join('|'), [...explored.findings.keys()].sort().join('|'), explored.deadlock !== undefined].join('#');
}
const shapes = new Map();
const shapeOf = (program) => {
  if (!shapes.has(program)) shapes.set(program, shape(exploreProgram(program, model, options)));
  return shapes.get(program);
};

/** A machine with a mistake must differ from the right one before a comparison with the axioms can tell. */
async function noticedInMachine(mutant, number) {
  const outfile = join(root, 'dist', `mutant-${number}.mjs`);
  const source = join(root, 'src/operational', mutant.file);
  await build({
    entryPoints: [join(root, 'src/index.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['z3-solver'],
    logLevel: 'silent',
    outfile,
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    plugins: [{ name: 'mutant', setup: (on) => on.onLoad({ filter: /\.ts$/ }, ({ path }) => (path === source ? { contents: changed(readFileSync(path, 'utf8'), mutant), loader: 'ts' } : undefined)) }],
  });
  try {
    const mutated = await import(outfile);
    const differs = (program) => {
      try {
        return shape(mutated.exploreProgram(program, model, options)) !== shapeOf(program);
      } catch {
        return true;
      }
    };
    return order().find((program) => {
      if (!differs(program)) return false;
      try {
        return mutated.crossCheck(z3, program, model, inOrder, options).verdict === 'disagreement';
      } catch {
        return true;
      }
    });
  } finally {
    rmSync(outfile);
  }
}

function noticedInModel(mutant) {
  const { value, diagnostics } = readModel('ptx-9.4', { path: mutant.file, text: changed(model.source.text, mutant) }, BASE_KINDS);
  if (value === undefined) throw new Error(`"${mutant.what}": ${diagnostics[0]?.message}`);
  return order().find((program) => crossCheck(z3, program, value, inOrder, options).verdict === 'disagreement');
}

/** Tests that noticed others are the likeliest to notice this one. */
const order = () => [...programs].sort((a, b) => (killers.get(b) ?? 0) - (killers.get(a) ?? 0));

const survivors = [];
let noticed = 0;
for (const [number, mutant] of MUTANTS.entries()) {
  if (!`${mutant.file} ${mutant.what}`.includes(pattern)) continue;
  const killer = mutant.file.endsWith('.cat') ? noticedInModel(mutant) : await noticedInMachine(mutant, number);
  const name = `${mutant.file}: ${mutant.what}`;
  if (killer === undefined) {
    survivors.push(mutant);
    console.log(`survives   ${name}${mutant.survives === undefined ? '' : `   (${mutant.survives})`}`);
  } else {
    noticed += 1;
    killers.set(killer, (killers.get(killer) ?? 0) + 1);
    console.log(`noticed    ${name}   by ${killer.name}${mutant.survives === undefined ? '' : '   ALTHOUGH it is listed as a survivor'}`);
  }
}
const unexplained = survivors.filter(({ survives }) => survives === undefined);
console.log(`${noticed + survivors.length} mistakes: ${noticed} noticed, ${survivors.length} survive, ${unexplained.length} of them without a reason`);
if (unexplained.length > 0) process.exitCode = 1;
