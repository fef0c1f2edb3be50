import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { exploreProgram } from '../../build/check/check-operationally.js';
import { Cdcl, crossCheck, describeUndecided, generateTests, loadTests, readModel } from '../../build/library/index.js';
import { loadInOrder, loadModel } from '../../build/library/node.js';
import { bundle, mutatedModel, Tally } from '../mutation.mjs';
import { ROOT } from '../places.mjs';
import { MUTANTS } from './mutants.mjs';

/**
 * Puts each deliberate mistake of mutants.mjs into its engine and looks for a test on which the engines then disagree.
 *
 * node test/operational/mutate-engines.mjs [pattern of mutants]
 */
const [pattern = ''] = process.argv.slice(2);
const GENERATED = 600;
const solver = new Cdcl();
const model = loadModel('ptx-9.4').value;
const inOrder = loadInOrder();
const options = { unroll: 3, timeout: 20_000, clock: () => performance.now() };

const written = readdirSync(join(ROOT, 'litmus'), { recursive: true })
  .filter((file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'))
  .flatMap((file) => loadTests({ path: file, text: readFileSync(join(ROOT, 'litmus', file), 'utf8') }).value ?? []);
const generated = [];
for (const { name, text } of generateTests({ seed: 4 })) {
  generated.push(...(loadTests({ path: name, text }).value ?? []));
  if (generated.length === GENERATED) break;
}
const programs = [...written, ...generated];
const tally = new Tally(({ name }) => name);

/** What the machine finds, in short. */
function shape(explored) {
  if ('kind' in explored) return describeUndecided(explored);
  return [
    [...explored.outcomes.keys()].sort().join('|'),
    [...explored.findings.keys()].sort().join('|'),
    explored.deadlock !== undefined,
  ].join('#');
}
const shapes = new Map();
const shapeOf = (program) => {
  if (!shapes.has(program)) shapes.set(program, shape(exploreProgram(program, model, options)));
  return shapes.get(program);
};

/** A machine with a mistake must differ from the right one before a comparison with the axioms can tell. */
async function noticedInMachine(mutant, number) {
  const outfile = await bundle('test/operational/engines.ts', `mutant-${number}.mjs`, mutant);
  try {
    const mutated = await import(outfile);
    const differs = (program) => {
      try {
        return shape(mutated.exploreProgram(program, model, options)) !== shapeOf(program);
      } catch {
        return true;
      }
    };
    return tally.likeliestFirst(programs).find((program) => {
      if (!differs(program)) return false;
      try {
        return mutated.crossCheck(solver, program, model, inOrder, options).verdict === 'disagreement';
      } catch {
        return true;
      }
    });
  } finally {
    rmSync(outfile);
  }
}

function noticedInModel(mutant, text) {
  const { value, diagnostics } = readModel('ptx-9.4', { path: 'ptx-9.4.cat', text });
  if (value === undefined) throw new Error(`"${mutant.what}": ${diagnostics[0]?.message}`);
  return tally
    .likeliestFirst(programs)
    .find((program) => crossCheck(solver, program, value, inOrder, options).verdict === 'disagreement');
}

for (const [number, mutant] of MUTANTS.entries()) {
  const name = `${mutant.in}: ${mutant.what}`;
  if (!name.includes(pattern)) continue;
  const text = mutatedModel(mutant);
  tally.record(
    name,
    mutant,
    text === undefined ? await noticedInMachine(mutant, number) : noticedInModel(mutant, text),
  );
}
tally.finish();
