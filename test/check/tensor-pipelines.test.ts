import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../src/cat/resolve-model.js';
import { checkOperationally } from '../../src/check/check-operationally.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import { checkProgram, programOf, ROOT } from '../support.js';

/** Pairs of instructions by the text up to PTX ISA 9.3 and by the current one (9.7.18.6.2): which of them race. */
const PAIRS: readonly (readonly [test: string, before: boolean, now: boolean])[] = [
  ['mma-mma+one-accumulator', false, false],
  ['mma-mma+same-columns-other-kind', true, false],
  ['mma-mma+overlapping-accumulators', true, true],
  ['mma-mma+a-then-d', true, false],
  ['mma-mma+d-as-a', true, true],
  ['mma-cp+over-a', true, false],
  ['mma-cp+over-d', true, true],
  ['mma-shift', false, false],
  ['mma-shift+of-d', false, true],
  ['cp-mma-mma+one-thread', false, false],
  ['cp-mma+other-column', false, true],
  ['cp.4x256b-mma+other-column', false, false],
  ['cp-cp', true, true],
  ['shift-mma', false, false],
  ['shift-cp.4x256b', false, false],
  ['shift-cp.32x128b', true, true],
  ['st-st-ld', true, false],
  ['ld-st', true, false],
  ['st-mma', true, true],
  ['cp-before-arrive+wait-fence-mma+one-warp', false, false],
  ['cp-before-arrive+wait-fence-mma+two-warps', false, true],
];

const text = readFileSync(join(ROOT, 'models/ptx-9.4.cat'), 'utf8');
const before = readModel(
  'ptx-9.4',
  { path: 'ptx-9.4.cat', text },
  BASE_KINDS,
  undefined,
  new Set(['tcgen05-pipeline=9.3']),
).value;
const program = (name: string) => programOf(readFileSync(join(ROOT, `litmus/tcgen05/${name}.litmus`), 'utf8'));

describe('pipelined pairs of tcgen05 instructions', () => {
  it.each(PAIRS)('%s: a race up to 9.3: %s, now: %s', async (name, raceBefore, raceNow) => {
    if (before === undefined) throw new Error('no model');
    const races = (outcomes: Awaited<ReturnType<typeof checkProgram>>['expectations']): boolean => {
      const [race] = outcomes.filter(({ expectation }) => expectation.expectation.endsWith('race'));
      if (race?.outcome !== 'met' && race?.outcome !== 'broken') throw new Error(`${name} is undecided`);
      return (race.expectation.expectation === 'race') === (race.outcome === 'met');
    };
    expect(races((await checkProgram(program(name), before)).expectations)).toBe(raceBefore);
    expect(races((await checkProgram(program(name), 'ptx-9.4')).expectations)).toBe(raceNow);
    const { expectations } = checkOperationally(program(name), before);
    const undecided = expectations.some(({ outcome }) => outcome === 'undecided');
    if (!undecided) expect(races(expectations)).toBe(raceBefore);
  });
});
