import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../src/check/load-tests.js';
import { holdsOf } from '../src/execution/run-program.js';
import { checkProgram, ROOT } from './support.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? 150);
const texts = readdirSync(join(ROOT, 'litmus'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.litmus'))
  .map((file) => readFileSync(join(ROOT, 'litmus', file), 'utf8'));

/** Changes that keep a test readable and make it another one. */
const SWAPS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(relaxed|acquire|release|acq_rel)\b/g, ['relaxed', 'acquire', 'release', 'acq_rel']],
  [/\.(cta|gpu|sys|cluster)\b/g, ['.cta', '.gpu', '.sys', '.cluster']],
  [/\[(x|y|flag|data)\]/g, ['[x]', '[y]', '[flag]', '[data]', '[x+4]']],
  [/\b(u32|b32|s32|u64|u8|u16)\b/g, ['u32', 's32', 'b32', 'u64', 'u8', 's16']],
  [/\bcta (\d)/g, ['cta 0', 'cta 1']],
  [/, (\d+);/g, [', 0;', ', 1;', ', 0xffffffff;', ', r0;']],
  [/\bfence[\w.]*/g, ['fence.sc.gpu', 'fence.acq_rel.cta', 'bar.sync 0', 'fence.proxy.alias']],
  [/\b(add|exch|min|max|inc|and|xor)\b/g, ['add', 'exch', 'min', 'inc', 'xor']],
];
const swap = fc.record({ kind: fc.nat(SWAPS.length - 1), at: fc.nat(20), to: fc.nat(10) });

function applied(text: string, { kind, at, to }: { readonly kind: number; readonly at: number; readonly to: number }): string {
  const [pattern, choices] = SWAPS[kind] ?? [/$^/g, ['']];
  const places = [...text.matchAll(pattern)];
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return text;
  return text.slice(0, place.index) + (choices[to % choices.length] ?? '') + text.slice(place.index + place[0].length);
}

describe('tests made from ours by small changes', () => {
  it('are refused, or decided with executions that the concrete evaluation accepts', async () => {
    let decided = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), fc.array(swap, { minLength: 1, maxLength: 3 }), fc.constantFrom('ptx-7.5', 'ptx-6.0', 'sc'), async (text, swaps, model) => {
        const { value } = loadTests({ path: 'mutant.litmus', text: swaps.reduce(applied, text) });
        const [program] = value ?? [];
        if (program === undefined) return;
        // An execution that does not fit, or breaks an axiom, is thrown as an internal error.
        const result = await checkProgram(program, model, { unroll: 2, timeout: 5000, states: true, reasons: true });
        if (result.conditions.some(({ holds }) => holds !== undefined)) decided += 1;
        const { states } = result;
        for (const { condition, reachable, avoidable } of result.conditions) {
          if (states === undefined || states.incomplete !== undefined || reachable === undefined || avoidable === undefined) continue;
          // The enumeration and the two queries are different questions to z3: they must agree.
          const satisfying = states.list.filter(({ state }) => holdsOf(condition.proposition, state)).length;
          expect([satisfying > 0, satisfying < states.list.length], `${condition.quantifier} ${condition.name}`).toEqual([reachable, avoidable]);
        }
      }),
      { numRuns: CASES },
    );
    expect(decided).toBeGreaterThan(CASES / 10);
  }, 3_600_000);
});
