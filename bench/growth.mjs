import { Cdcl, checkTest, loadTests } from '../build/library/index.js';
import { loadModel } from '../build/library/node.js';
import { FAMILIES } from './families.mjs';

/** How the time of one verdict grows with the number of threads, up to 40 threads or 60 s. */
const solver = new Cdcl();
const model = loadModel('ptx-7.5').value;
const LIMIT = 60_000;
const sizes = [4, 8, 12, 16, 20, 24, 28, 32, 36, 40];
function measure(text, path) {
  const start = performance.now();
  const program = loadTests({ path, text }).value[0];
  const [condition] = checkTest(solver, program, model, {
    unroll: 2,
    timeout: LIMIT,
    clock: () => performance.now(),
    states: false,
    reasons: false,
  }).conditions;
  return { time: performance.now() - start, condition };
}

console.log(
  `family  ${sizes.map((n) => `${n}`.padStart(8)).join('')}   threads: milliseconds for reading and one verdict; ` +
    '! = allowed',
);
for (const [name, make] of Object.entries(FAMILIES)) {
  const cells = [];
  for (let warm = 0; warm < 5; warm++) measure(make(4), name);
  for (const n of sizes) {
    const { time, condition } = measure(make(n), name);
    cells.push(
      condition.holds === undefined ? condition.undecided?.kind : `${time.toFixed(0)}${condition.reachable ? '!' : ''}`,
    );
    if (time > LIMIT) break;
  }
  console.log(`${name.padEnd(8)}${cells.map((cell) => cell.padStart(8)).join('')}`);
}
