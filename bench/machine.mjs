import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exploreProgram } from '../build/check/check-operationally.js';
import { Cdcl, checkTest, loadTests } from '../build/library/index.js';
import { loadModel } from '../build/library/node.js';

/**
 * The operational machine on our tests, warm: all outcomes, races, deadlocks and undefined behavior; against the same
 * asked of the axioms.
 */
const root = fileURLToPath(new URL('../litmus', import.meta.url));
const clock = () => performance.now();
const at = (numbers, part) => [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) * part)];
const solver = new Cdcl();
const model = loadModel('ptx-9.4').value;
const options = { unroll: 3, timeout: 60_000, clock, states: true, reasons: false };
const programs = readdirSync(root, { recursive: true })
  .filter((file) => file.endsWith('.litmus'))
  .flatMap((file) => loadTests({ path: file, text: readFileSync(join(root, file), 'utf8') }).value ?? []);
const timed = (work) => {
  const start = clock();
  const value = work();
  return { value, time: clock() - start };
};
let rows = [];
for (const round of ['cold', 'warm'])
  rows = programs.map((program) => {
    const machine = timed(() => exploreProgram(program, model, options));
    const axioms = round === 'cold' ? { time: 0 } : timed(() => checkTest(solver, program, model, options));
    return { name: program.name, time: machine.time, states: machine.value.states, axioms: axioms.time };
  });
for (const [what, of] of [
  ['milliseconds', ({ time }) => time],
  ['states', ({ states }) => states],
  ['axioms, ms', ({ axioms }) => axioms],
])
  console.log(
    `${what.padEnd(13)} median ${at(rows.map(of), 0.5).toFixed(1)}   nine of ten ` +
      `${at(rows.map(of), 0.9).toFixed(1)}   most ${at(rows.map(of), 1).toFixed(1)}`,
  );
console.log('longest:');
for (const { name, time, states } of [...rows].sort((a, b) => b.time - a.time).slice(0, 8))
  console.log(`  ${time.toFixed(0).padStart(5)} ms ${String(states).padStart(6)} states  ${name}`);
console.log('two-stage pipelines:');
for (const { name, time, states } of rows.filter((row) => /2-stages/.test(row.name)))
  console.log(`  ${time.toFixed(0).padStart(5)} ms ${String(states).padStart(6)} states  ${name}`);
