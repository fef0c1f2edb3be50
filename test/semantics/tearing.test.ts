import { describe, expect, it } from 'vitest';
import { readModel } from '../../src/cat/resolve-model.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import { builtInModel, check, litmus, stateLines } from '../support.js';

/** Racing scalars under the letter of 8.9.7, which speaks of bytes. */
const { value: bytes } = readModel(
  'ptx-9.4',
  builtInModel('ptx-9.4').source,
  BASE_KINDS,
  () => undefined,
  new Set(['scalar-accesses=bytes']),
);
if (bytes === undefined) throw new Error('no model');
const letter = bytes;
const states = async (text: string): Promise<readonly string[]> =>
  stateLines(await check(text, letter, { states: true }));

const X = '.global .u16 x = 0;';
const reader = 'ld.weak.global.u16 r0, [x];';

describe('under scalar-accesses=bytes', () => {
  it('a weak racing read may be torn, whatever else the test mentions', async () => {
    const torn = ['P1:r0=0', 'P1:r0=1', 'P1:r0=256', 'P1:r0=257'];
    expect(await states(litmus(X, ['st.weak.global.u16 [x], 0x0101;', reader], 'locations [P1:r0;]'))).toEqual(torn);
    expect(
      await states(
        litmus(X, ['st.weak.global.u16 [x], 0x0101; ld.weak.global.u8 r1, [x];', reader], 'locations [P1:r0;]'),
      ),
    ).toEqual(torn);
  });
  it('a morally strong one may not (8.10.3)', async () => {
    const text = litmus(
      X,
      ['st.relaxed.gpu.global.u16 [x], 0x0101;', 'ld.relaxed.gpu.global.u16 r0, [x];'],
      'locations [P1:r0;]',
    );
    expect(await states(text)).toEqual(['P1:r0=0', 'P1:r0=257']);
  });
  it('what depends on a torn value is worked out', async () => {
    const text = litmus(
      `${X} .global .u32 z = 0;`,
      ['st.weak.global.u16 [x], 0x0101;', `${reader} setp.eq.u16 p0, r0, 1; @p0 st.weak.global.u32 [z], 1;`],
      'locations [z;]',
    );
    expect(await states(text)).toEqual(['z=0', 'z=1']);
  });
  it('memory may be left torn by two writes', async () => {
    const text = litmus(X, ['st.weak.global.u16 [x], 0x0101;', 'st.weak.global.u16 [x], 0x0202;'], 'locations [x;]');
    expect(await states(text)).toEqual(['x=257', 'x=258', 'x=513', 'x=514']);
  });
});
