import { describe, expect, it } from 'vitest';
import { checkSass } from '../../src/export/check-sass.js';

/** A module whose thread 0 has these instructions, on lines 1000, 1001, … */
const moduleOf = (...instructions: readonly string[]): string =>
  instructions.map((text, i) => `    .loc 1 ${1000 + i} 0\n    ${text};\n`).join('');
/** SASS as nvdisasm -g prints it: a line of the module, and what is from it. */
const sassOf = (...made: readonly (readonly [line: number, text: string])[]): string =>
  made.map(([line, text], i) => `\t//## File "a", line ${line}\n        /*${`00${i}0`}*/  ${text} ;\n`).join('');

const LOADS = moduleOf('ld.relaxed.gpu.global.u32 %r0, [%x]', '@%p ld.weak.global.u32 %r1, [%y]');

describe('what ptxas made of a test', () => {
  it('is right where each access is there, in the order of the module', () => {
    const sass = sassOf(
      [1, 'S2R R0, SR_TID.X'],
      [1000, 'LDG.E.STRONG.GPU R4, desc[UR4][R2.64]'],
      [1001, '@!P0 LDG.E R5'],
    );
    expect(checkSass(LOADS, sass)).toEqual([]);
  });

  it('is told where accesses were dropped or merged', () => {
    expect(checkSass(LOADS, sassOf([1000, 'LDG.E.STRONG.GPU R4'], [1001, 'MOV R5, R4']))).toEqual([
      'ptxas has left no instruction for ld.weak.global.u32 %r1, [%y]',
    ]);
  });

  it('is told where accesses were moved', () => {
    expect(checkSass(LOADS, sassOf([1001, '@P0 LDG.E R5'], [1000, 'LDG.E.STRONG.GPU R4']))).toEqual([
      'ptxas has moved ld.weak.global.u32 %r1, [%y] before ld.relaxed.gpu.global.u32 %r0, [%x]',
    ]);
  });

  it('may leave nothing of a fence that the hardware needs not, and no other', () => {
    const fences = moduleOf('fence.acquire.cta', 'fence.acq_rel.gpu');
    expect(checkSass(fences, sassOf([1001, 'MEMBAR.ALL.GPU']))).toEqual([]);
    expect(checkSass(fences, sassOf([1000, 'NOP']))).toHaveLength(1);
  });

  it('is told where a dependency is gone, and not where what carries it goes elsewhere', () => {
    const fake = moduleOf('ld.relaxed.gpu.global.u32 %r0, [%x]', 'xor.b32 %r1, %r0, %r0', 'st.global.u32 [%y], %r1');
    const gone = sassOf([1000, 'LDG.E.STRONG.GPU R4'], [1002, 'STG.E desc[UR4][R6.64], RZ']);
    expect(checkSass(fake, gone)).toEqual(['ptxas has left no instruction for xor.b32 %r1, %r0, %r0']);
    const kept = sassOf([1001, 'LOP3.LUT R5, R4, R4'], [1000, 'LDG.E.STRONG.GPU R4'], [1002, 'STG.E [R6], R5']);
    expect(checkSass(fake, kept)).toEqual([]);
  });

  it('says so where there is none', () => {
    expect(checkSass(LOADS, '')).toEqual(['no SASS of it can be read']);
  });
});
