import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Bench } from 'tinybench';
import { Solver } from '../build/axiomatic/formula/solver.js';
import { checkTest, loadTests, Z3 } from '../build/library/index.js';
import { loadModel } from '../build/library/node.js';

/**
 * Where the time goes, on the published corpus where it lies beside the project, else on our own tests. One process,
 * one core. Absolute times depend on the machine; the README keeps the ratios to the time inside z3's check.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const corpus = join(root, '../shared/corpus/dat3m/Nvidia');
const folder = existsSync(corpus) ? corpus : join(root, 'litmus');
const files = readdirSync(folder, { recursive: true })
  .filter((file) => file.endsWith('.litmus'))
  .map((file) => join(folder, file));
const texts = files.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const clock = () => performance.now();

const startAt = clock();
const z3 = await Z3.start();
const z3Start = clock() - startAt;
const model = loadModel('ptx-7.5').value;

let inZ3 = 0;
const { check } = Solver.prototype;
Solver.prototype.check = function (deadline) {
  const from = clock();
  const result = check.call(this, deadline);
  inZ3 += clock() - from;
  return result;
};

function measure(states) {
  const rows = [];
  for (const source of texts) {
    const begin = clock();
    const [program] = loadTests(source).value;
    const parsed = clock();
    inZ3 = 0;
    const before = program.threads.length;
    const result = checkTest(z3, program, model, { unroll: 2, timeout: 60_000, clock, states, reasons: false });
    if (before < 2 || before > 4) continue;
    rows.push({
      parse: parsed - begin,
      check: clock() - parsed,
      z3: inZ3,
      all: clock() - begin,
      states: result.states?.list.length ?? 0,
    });
  }
  return rows;
}

measure(false);
measure(true);
const verdict = measure(false);
const states = measure(true);
const line = (name, rows) => {
  const m = (key) => median(rows.map((row) => row[key]));
  const ratio = (key) => (m(key) / m('z3')).toFixed(1);
  console.log(
    `${name.padEnd(12)}${m('all').toFixed(1).padStart(8)} ms${m('parse').toFixed(1).padStart(9)}` +
      `${(m('check') - m('z3')).toFixed(1).padStart(11)}${m('z3').toFixed(1).padStart(8)}` +
      `${ratio('all').padStart(12)}${ratio('parse').padStart(9)}`,
  );
};
console.log(`${files.length} files of ${folder}; medians over the tests of 2 to 4 threads, warm`);
console.log('                   all    parse     encode      z3   ratio to z3: all, parse');
line('a verdict', verdict);
line('all states', states);
console.log(`z3 starts in ${z3Start.toFixed(0)} ms`);

const bench = new Bench({ time: 300 });
const [first] = texts;
const program = loadTests(first).value[0];
bench.add('parse one test', () => void loadTests(first));
bench.add(
  'verdict of one test',
  () => void checkTest(z3, program, model, { unroll: 2, timeout: 60_000, clock, states: false, reasons: false }),
);
bench.add(
  'all states of one test',
  () => void checkTest(z3, program, model, { unroll: 2, timeout: 60_000, clock, states: true, reasons: false }),
);
await bench.run();
console.table(bench.table());

const heap = () => Math.round(process.memoryUsage().rss / 2 ** 20);
const memory = [];
for (let i = 0; i < 2000; i++) {
  if (i % 500 === 0) memory.push(heap());
  const source = texts[i % texts.length];
  checkTest(z3, loadTests(source).value[0], model, {
    unroll: 2,
    timeout: 60_000,
    clock,
    states: false,
    reasons: false,
  });
}
console.log(`resident memory after 0, 500, 1000, 1500, 2000 tests: ${[...memory, heap()].join(', ')} MiB`);

/** User and system time of a command, in seconds, the median of three. */
const cpu = (command) => {
  const times = [1, 2, 3].map(() => {
    const { stderr } = spawnSync('bash', ['-c', `TIMEFORMAT='%U %S'; time ${command} > /dev/null`], {
      encoding: 'utf8',
    });
    const [user, system] = stderr.trim().split('\n').pop().split(' ').map(Number);
    return user + system;
  });
  return `${median(times).toFixed(2)} s`;
};
const command = `node ${join(root, 'dist/cli/main.js')} check`;
const [one, all] = [cpu(`${command} '${files[0]}'`), cpu(`${command} '${folder}'`)];
console.log(`CPU from a cold start: one test ${one}, the whole folder ${all}, node alone ${cpu('node -e 0')}`);
