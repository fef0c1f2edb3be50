import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { endValue } from '../end-value.js';
import { kernelModule } from '../kernel-module.js';

/** Gives a structure of four words back, or of eight halves, the last ones first, in vectors of so many. */
const turn = (name: string, type: 'b32' | 'b16', count: 1 | 2 | 4): string => {
  const [all, bytes] = type === 'b32' ? ([4, 4] as const) : ([8, 2] as const);
  const registers = Array.from({ length: all }, (_, i) => `%x${i}`);
  const vector = count === 1 ? '' : `.v${count}`;
  const moves = (of: 'ld' | 'st', some: readonly string[]): string =>
    Array.from({ length: all / count }, (_, i) => {
      const own = some.slice(count * i, count * (i + 1));
      const [values, place] = [count === 1 ? own[0] : `{${own.join(', ')}}`, `+${bytes * count * i}]`];
      return of === 'ld'
        ? `ld.param${vector}.${type} ${values}, [a${place};`
        : `st.param${vector}.${type} [r${place}, ${values};`;
    }).join(' ');
  return (
    `.func (.param .align 16 .b8 r[16]) ${name}(.param .align 16 .b8 a[16])\n` +
    `{ .reg .${type} %x<8>; ${moves('ld', registers)} ${moves('st', registers.toReversed())} ret; }\n`
  );
};

const CASES = [
  ['single words', turn('k0', 'b32', 1), '[4, 3, 2, 1]'],
  ['two words', turn('k0', 'b32', 2), '[4, 3, 2, 1]'],
  ['four words', turn('k0', 'b32', 4), '[4, 3, 2, 1]'],
  ['single halves', turn('k0', 'b16', 1), '[262144, 196608, 131072, 65536]'],
  ['two halves', turn('k0', 'b16', 2), '[262144, 196608, 131072, 65536]'],
  ['four halves', turn('k0', 'b16', 4), '[262144, 196608, 131072, 65536]'],
] as const;

describe('a structure that is handed to a function, and back', () => {
  it.each(CASES)('has each of its elements where it is moved as vectors of %s', (_, functions, expected) => {
    const body =
      '{ .param .align 16 .b8 p[16]; .param .align 16 .b8 q[16]; mov.b32 %r5, 1; mov.b32 %r6, 2; mov.b32 %r7, 3; ' +
      'mov.b32 %r8, 4; st.param.v2.b32 [p], {%r5, %r6}; st.param.v2.b32 [p+8], {%r7, %r8}; call (q), k0, (p); ' +
      'ld.param.v4.b32 {%r5, %r6, %r7, %r8}, [q]; } st.global.v4.b32 [%rd1], {%r5, %r6, %r7, %r8};';
    const text = kernelModule({ body }).replace('.visible', `${functions}.visible`);
    const asked = 'locations [x[0]; x[1]; x[2]; x[3];]';
    const test = `PTX calls\n{ .global .align 16 .u32 x[4]; }\nlaunch K "k.ptx" (x) @ grid 1, block 1\n${asked}\n`;
    const { value, diagnostics } = loadTests({
      path: 'k.litmus',
      text: test,
      modules: { 'k.ptx': { path: 'k.ptx', text } },
    });
    const [program] = value ?? [];
    if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join());
    const run = wholeTest(program)?.follow(() => undefined);
    const values = program.observed.map((one) => run && endValue(run, one));
    expect(`[${values.join(', ')}]`).toBe(expected);
  });
});
