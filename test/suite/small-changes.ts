import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { ROOT } from '../support.js';

/** Tests made from ours by small changes: some are refused, the others are tests that nobody thought of. */
const texts = readdirSync(join(ROOT, 'litmus'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'))
  .map((file) => readFileSync(join(ROOT, 'litmus', file), 'utf8'));

/** Changes that keep a test readable and make it another one. */
const SWAPS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(relaxed|acquire|release|acq_rel)\b/g, ['relaxed', 'acquire', 'release', 'acq_rel']],
  [/\.(cta|gpu|sys|cluster)\b/g, ['.cta', '.gpu', '.sys', '.cluster']],
  [/\[(x|y|flag|data)\]/g, ['[x]', '[y]', '[flag]', '[data]', '[x+4]']],
  [/\b(u32|b32|s32|u64|u8|u16)\b/g, ['u32', 's32', 'b32', 'u64', 'u8', 's16']],
  [/\bcta (\d)/g, ['cta 0', 'cta 1']],
  [/, (\d+);/g, [', 0;', ', 1;', ', 0xffffffff;', ', r0;']],
  [
    /\bfence[\w.:]*/g,
    [
      'fence.sc.gpu',
      'fence.acq_rel.cta',
      'bar.sync 0',
      'fence.proxy.alias',
      'fence.proxy.async',
      'fence.acquire.cluster',
      'fence.release.cluster',
    ],
  ],
  [/\b(add|exch|min|max|inc|and|xor)\b/g, ['add', 'exch', 'min', 'inc', 'xor']],
  // A statement is left out, or guarded.
  [/^ {2}[a-z][\w.:]* [^;\n]*;$/gm, ['', '  @%p0 bra away;\naway:']],
  [/\bwait_group(\.read)? \d/g, ['wait_group 0', 'wait_group 1', 'wait_group.read 0']],
];

const swap = fc.record({ kind: fc.nat(SWAPS.length - 1), at: fc.nat(20), to: fc.nat(10) });

function applied(
  text: string,
  { kind, at, to }: { readonly kind: number; readonly at: number; readonly to: number },
): string {
  const [pattern, choices] = SWAPS[kind] ?? [/$^/g, ['']];
  const places = [...text.matchAll(pattern)];
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return text;
  return text.slice(0, place.index) + (choices[to % choices.length] ?? '') + text.slice(place.index + place[0].length);
}

/** The text of one of our tests, changed in up to three places. */
export const changedTest: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...texts), fc.array(swap, { minLength: 1, maxLength: 3 }))
  .map(([text, swaps]) => swaps.reduce(applied, text));
