import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Cdcl, crossCheck, describeUndecided, generateTests, loadTests } from '../../build/library/index.js';
import { loadInOrder, loadModel } from '../../build/library/node.js';

/**
 * Compares the two engines on generated tests, and says how many tests of each family agree. With --log the verdicts
 * are kept as they come, and a run with the same log and seed goes on where the last one stopped.
 *
 * npm run cross-check-cycles -- [--count 20000] [--seed 1] [--log file] [--model ptx-9.4] [--family mbarrier]...
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    log: { type: 'string' },
    model: { type: 'string', default: 'ptx-9.4' },
    family: { type: 'string', multiple: true },
    timeout: { type: 'string', default: '60' },
  },
});
const count = Number(values.count);
const header = `seed ${values.seed}`;
const done =
  values.log !== undefined && existsSync(values.log) ? readFileSync(values.log, 'utf8').trimEnd().split('\n') : [];
if (done.length > 0 && done[0] !== header)
  throw new Error(`${values.log} is of another run: it begins with "${done[0]}"`);
const keep = (line) => values.log !== undefined && appendFileSync(values.log, `${line}\n`);
if (done.length === 0) keep(header);

const solver = new Cdcl();
const model = loadModel(values.model).value;
const inOrder = loadInOrder();
const tally = {};
const states = [];
const add = (family, verdict) => {
  tally[family] ??= { agree: 0, buffering: 0, disagreement: 0, unknown: 0 };
  tally[family][verdict] += 1;
};
for (const line of done.slice(1)) add(...line.split(' ').slice(0, 2));

let number = 0;
const start = performance.now();
for (const test of generateTests({
  seed: Number(values.seed),
  ...(values.family === undefined ? {} : { families: values.family }),
})) {
  if (number >= count) break;
  number += 1;
  if (number <= done.length - 1) continue;
  const [program] = loadTests({ path: test.name, text: test.text }).value ?? [];
  if (program === undefined) throw new Error(`${test.name} cannot be read:\n${test.text}`);
  const result = crossCheck(solver, program, model, inOrder, {
    unroll: 3,
    timeout: Number(values.timeout) * 1000,
    clock: () => performance.now(),
  });
  const verdict = result.verdict === 'agree' && result.needLoadBuffering.length > 0 ? 'buffering' : result.verdict;
  if (result.exploration !== undefined) states.push(result.exploration.states);
  add(test.family, verdict);
  keep(`${test.family} ${verdict} ${test.name}`);
  if (verdict === 'unknown') console.log(`unknown ${test.name}: ${describeUndecided(result.undecided)}`);
  if (verdict === 'disagreement') {
    const what = result.differences.map(
      ({ kind, only, state, rules }) =>
        `  ${only} only: ${kind} ` +
        `${state === undefined ? JSON.stringify(rules ?? '') : [...state].map((pair) => pair.join('=')).join(' ')}`,
    );
    console.log(`DISAGREEMENT ${test.name}\n${what.join('\n')}\n${test.text}`);
  }
  if (number % 500 === 0)
    console.log(`${number} tests, ${((performance.now() - start) / 1000).toFixed(0)} s ${JSON.stringify(tally)}`);
}
states.sort((a, b) => a - b);
console.log(JSON.stringify(tally));
console.log(`states of the machine: median ${states[states.length >> 1]}, most ${states[states.length - 1]}`);
const total = Object.values(tally).reduce((sum, { disagreement }) => sum + disagreement, 0);
console.log(`${number} tests, ${total} disagreements`);
process.exitCode = total > 0 ? 4 : 0;
