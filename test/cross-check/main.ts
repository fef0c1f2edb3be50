import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Cdcl } from '../../src/axiomatic/solver/cdcl.js';
import { FAMILIES, PROGRAM_FAMILIES } from '../../src/generate/families.js';
import { type GeneratedTest, generateTests } from '../../src/generate/generate-tests.js';
import { Random } from '../../src/generate/random.js';
import { loadInOrder, loadModel } from '../../src/library/node.js';
import { checkRarestLaw } from './check-law.js';
import { type Comparison, compareThree, type Verdict } from './three.js';

/**
 * Compares the axioms, the machine and the reference enumerator on generated tests (`three`), the first two alone
 * (`two`), or checks laws that need no oracle on pairs of them (`laws`). With --log the verdicts are kept as they come,
 * and a run with the same log, seed and kind goes on where the last one stopped. The families of programs take turns,
 * or one is named.
 *
 * npm run cross-check -- [three|two|laws] [--count 1000] [--seed 1] [--family grid] [--accesses 8] [--log file]
 * [--timeout seconds] [--states number] [--work steps]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    log: { type: 'string' },
    timeout: { type: 'string', default: '20' },
    states: { type: 'string', default: '200000' },
    work: { type: 'string', default: '1000000' },
    accesses: { type: 'string', default: '8' },
    family: { type: 'string', multiple: true },
  },
});
const [kind = 'three'] = positionals;
if (kind !== 'three' && kind !== 'two' && kind !== 'laws') throw new Error(`three, two or laws, not ${kind}`);
// The laws change what is written in a test, and know nothing of modules and grids.
const usual = kind === 'laws' ? (['program'] as const) : PROGRAM_FAMILIES;
const families = values.family === undefined ? usual : FAMILIES.filter((one) => values.family?.includes(one));
const header = `${kind}, seed ${values.seed}, ${values.accesses} accesses, ${families.join(' ')}`;
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
const comparison: Comparison = {
  solver,
  model,
  inOrder: loadInOrder(),
  timeout,
  mostStates: Number(values.states),
  budget: kind === 'two' ? 'none' : { work: Number(values.work) },
};
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
  test: GeneratedTest,
  number: number,
): { readonly word: string; readonly shown?: string; readonly why?: string } {
  const text = [test.text, test.module?.text ?? ''].join('\n');
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
    const verdict = compareThree(test, comparison);
    if (verdict.kind === 'disagreement')
      return { word: 'disagreement', shown: `DISAGREEMENT of ${verdict.between}\n${verdict.what}\n${text}` };
    if (verdict.kind === 'agree') return { word: wordFor(verdict) };
    return { word: verdict.kind, why: verdict.why };
  } catch (thrown) {
    return {
      word: 'disagreement',
      shown: `INTERNAL ERROR ${thrown instanceof Error ? thrown.stack : thrown}\n${text}`,
    };
  }
}

function wordFor({ isUndefined, withinBound, loadBuffering }: Extract<Verdict, { kind: 'agree' }>): string {
  if (isUndefined) return 'undefined';
  if (withinBound) return 'within-bound';
  return loadBuffering ? 'buffering' : 'agree';
}

let number = 0;
const start = performance.now();
const seconds = (): string => `${((performance.now() - start) / 1000).toFixed(0)} s`;
for (const test of generateTests({
  seed: Number(values.seed),
  mostEvents: Number(values.accesses),
  families,
})) {
  if (number >= Number(values.count)) break;
  number += 1;
  if (number < done.length) continue;
  const { word, shown, why } = judge(test, number);
  add(word);
  if (why !== undefined) add(`${word}: ${why}`);
  keep(`${word} ${test.name}${why === undefined ? '' : ` ${why}`}`);
  if (shown !== undefined) console.log(shown);
  if (number % 500 === 0) console.log(`${number} tests, ${seconds()} ${JSON.stringify(tally)}`);
}
console.log(`${number} tests, ${seconds()} ${JSON.stringify(tally)}`);
process.exitCode = (tally['disagreement'] ?? 0) + (tally['broken'] ?? 0) > 0 ? 4 : 0;
