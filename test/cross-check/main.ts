import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Cdcl } from '../../src/axiomatic/solver/cdcl.js';
import { generateTests } from '../../src/generate/generate-tests.js';
import { Random } from '../../src/generate/random.js';
import { loadInOrder, loadModel } from '../../src/library/node.js';
import { checkRarestLaw } from './check-law.js';
import { gridProgram } from './grid-programs.js';
import { compareThree } from './three.js';

/**
 * Compares the axioms, the machine and the reference enumerator on generated programs (`three`), also of several grids
 * (`grids`, see grid-programs.ts), or checks laws that need no oracle on pairs of them (`laws`). With --log the
 * verdicts are kept as they come, and a run with the same log, seed and kind goes on where the last one stopped.
 *
 * npm run cross-check -- [three|grids|laws] [--count 1000] [--seed 1] [--accesses 8] [--log file] [--timeout seconds]
 * [--work steps]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    log: { type: 'string' },
    timeout: { type: 'string', default: '20' },
    work: { type: 'string', default: '1000000' },
    accesses: { type: 'string', default: '8' },
  },
});
const [kind = 'three'] = positionals;
if (kind !== 'three' && kind !== 'grids' && kind !== 'laws') throw new Error(`three, grids or laws, not ${kind}`);
const header = `${kind}, seed ${values.seed}, ${values.accesses} accesses`;
const done =
  values.log !== undefined && existsSync(values.log) ? readFileSync(values.log, 'utf8').trimEnd().split('\n') : [];
if (done.length > 0 && done[0] !== header)
  throw new Error(`${values.log} is of another run: it begins with "${done[0]}"`);
const keep = (line: string): void => {
  if (values.log !== undefined) appendFileSync(values.log, `${line}\n`);
};
if (done.length === 0) keep(header);

const solver = new Cdcl();
const model = loadModel('ptx-9.4').value;
if (model === undefined) throw new Error('the model cannot be read');
const timeout = Number(values.timeout) * 1000;
const comparison = { solver, model, inOrder: loadInOrder(), timeout, budget: { work: Number(values.work) } };
const tally: Record<string, number> = {};
const add = (what: string): void => {
  tally[what] = (tally[what] ?? 0) + 1;
};
/** Of each law, the pairs so far. */
const checked = new Map<string, number>();
for (const line of done.slice(1)) {
  const [word = '', , ...law] = line.split(' ');
  add(word);
  if (word !== 'unknown') checked.set(law.join(' '), (checked.get(law.join(' ')) ?? 0) + 1);
}

/** What came out, in a word, and what to print. */
function judge(
  text: string,
  number: number,
): { readonly word: string; readonly shown?: string; readonly why?: string } {
  try {
    if (kind === 'laws') {
      const { law, verdict } = checkRarestLaw(checked, text, new Random(number), {
        solver,
        model: comparison.model,
        timeout,
      });
      if (verdict.kind === 'broken')
        return { word: 'broken', shown: `BROKEN: ${law.name}\n${verdict.what}\n${text}\n${verdict.changed}` };
      return { word: verdict.kind, why: law.name };
    }
    const verdict = compareThree(text, comparison);
    if (verdict.kind === 'disagreement')
      return { word: 'disagreement', shown: `DISAGREEMENT of ${verdict.between}\n${verdict.what}\n${text}` };
    if (verdict.kind === 'agree') return { word: verdict.loadBuffering ? 'buffering' : 'agree' };
    return { word: verdict.kind, why: verdict.why };
  } catch (thrown) {
    return {
      word: 'disagreement',
      shown: `INTERNAL ERROR ${thrown instanceof Error ? thrown.stack : thrown}\n${text}`,
    };
  }
}

function* programs(): Iterable<{ readonly name: string; readonly text: string }> {
  const seed = Number(values.seed);
  if (kind === 'grids') for (let i = seed; ; i++) yield { name: `grids-${i}`, text: gridProgram(i) };
  else yield* generateTests({ seed, mostEvents: Number(values.accesses), families: ['program'] });
}

let number = 0;
const start = performance.now();
const seconds = (): string => `${((performance.now() - start) / 1000).toFixed(0)} s`;
for (const { name, text } of programs()) {
  if (number >= Number(values.count)) break;
  number += 1;
  if (number < done.length) continue;
  const { word, shown, why } = judge(text, number);
  add(word);
  keep(`${word} ${name}${why === undefined ? '' : ` ${why}`}`);
  if (shown !== undefined) console.log(shown);
  if (number % 500 === 0) console.log(`${number} tests, ${seconds()} ${JSON.stringify(tally)}`);
}
console.log(`${number} tests, ${seconds()} ${JSON.stringify(tally)}`);
process.exitCode = (tally['disagreement'] ?? 0) + (tally['broken'] ?? 0) > 0 ? 4 : 0;
