import { rmSync } from 'node:fs';
import { bundle, Tally } from '../mutation.mjs';
import { ORDER_MUTANTS } from './order-mutants.mjs';

/**
 * Puts each deliberate mistake of order-mutants.mjs into the code that follows launches and orders what they do, and
 * looks for a kernel of which something else is said then.
 *
 * node test/order/mutate-order.mjs [pattern of mutants]
 */
const [pattern = ''] = process.argv.slice(2);
const JUDGE = 'test/order/judge-order.ts';
const right = await import(await bundle(JUDGE, 'order/judge.mjs'));
const expected = [...right.verdicts()];
const tally = new Tally(({ name }) => name);

for (const [number, mutant] of ORDER_MUTANTS.entries()) {
  const name = `${mutant.in}: ${mutant.what}`;
  if (!name.includes(pattern)) continue;
  const outfile = await bundle(JUDGE, `order/judge-${number}.mjs`, mutant);
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
