import { describe, expect, it } from 'vitest';
import { buildEvents } from '../../src/semantics/build-events.js';
import { analyzeValues } from '../../src/semantics/value-analysis.js';
import { litmus, programOf } from '../support.js';

/** The values that each read may return: numbers, or `any`. */
function readValues(text: string, thinAir = false): readonly (readonly number[] | 'any')[] {
  const structure = buildEvents(programOf(text), { bound: 2, spinRounds: 1, failingCasWrites: false });
  if ('kind' in structure) throw new Error('no events');
  const { readValues } = analyzeValues(structure, thinAir, () => undefined);
  return [...readValues.values()].map(({ values }) =>
    values === 'any' ? 'any' : [...values].map(Number).sort((a, b) => a - b),
  );
}

const INCREMENT = 'atom.relaxed.gpu.global.add.u32 r0, [x], 1;';

describe('what memory may hold', () => {
  it('is as much as n atomics can count', () => {
    const threads = Array.from({ length: 5 }, () => INCREMENT);
    const each = readValues(litmus('.global .u32 x = 0;', threads, 'forall (x == 5)'));
    expect(each).toEqual(threads.map(() => [0, 1, 2, 3, 4]));
  });

  it('counts every atomic of a thread', () => {
    const each = readValues(litmus('.global .u32 x = 0;', [`${INCREMENT} ${INCREMENT}`, INCREMENT], 'forall (x == 3)'));
    expect(each).toEqual([
      [0, 1, 2],
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });

  it('grows along a loop through several locations as far as reads lead', () => {
    const step = (from: string, to: string): string =>
      `ld.relaxed.gpu.global.u32 r0, [${from}]; add.u32 r1, r0, 1; st.relaxed.gpu.global.u32 [${to}], r1;`;
    const each = readValues(
      litmus(
        '.global .u32 x = 0; .global .u32 y = 0; .global .u32 z = 0;',
        [step('x', 'y'), step('y', 'z'), step('z', 'x')],
        'exists (x == 3)',
      ),
    );
    expect(each).toEqual([
      [0, 1, 2],
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });

  it('is found also where a counted value is an address, whose reads come late', () => {
    // The queue's slots hold numbers; the value drawn says which slot is read, and that is written to the counter.
    const each = readValues(
      litmus(
        '.global .u32 tail = 0; .global .u32 q[4] = {1, 2, 3, 0};',
        [
          'ld.relaxed.gpu.global.u32 r0, [tail]; mul.wide.u32 rd1, r0, 4; mov.u64 rd2, q; add.u64 rd1, rd1, rd2; ' +
            'ld.relaxed.gpu.global.u32 r3, [rd1]; st.relaxed.gpu.global.u32 [tail], r3;',
          'ld.relaxed.gpu.global.u32 r0, [tail]; add.u32 r0, r0, 1; and.b32 r0, r0, 3; ' +
            'st.relaxed.gpu.global.u32 [tail], r0;',
        ],
        'exists (P0:r3 == 3)',
      ),
    );
    expect(each[0]).toEqual([0, 1, 2, 3]);
    expect(each[1]).toEqual([0, 1, 2, 3]);
  });

  it('is anything where values may come out of thin air', () => {
    expect(readValues(litmus('.global .u32 x = 0;', [INCREMENT, INCREMENT], 'forall (x == 2)'), true)).toEqual([
      'any',
      'any',
    ]);
  });
});
