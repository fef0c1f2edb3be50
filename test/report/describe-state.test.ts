import { describe, expect, it } from 'vitest';
import { readable, recordedState, stateLine } from '../../src/report/describe-state.js';
import { programOf } from '../support.js';

describe('a value', () => {
  it.each([
    [7n, 'u', 32, '7'],
    [0xffffn, 'u', 32, '65535'],
    [0x07070707n, 'b', 32, '0x7070707'],
    [0x4000_0000_0000_0001n, 'b', 64, '0x4000000000000001'],
    [0xffff_ffffn, 's', 32, '-1'],
  ] as const)('%d of .%s%d reads %s', (bits, kind, width, expected) => {
    expect(readable(bits, { kind, width })).toBe(expected);
  });

  it('reads decimal where a program takes it', () => {
    const program = programOf('PTX t\n{ .global .u32 x; }\nP0 { ld.u32 r0, [x]; }\nexists (x == 1)\n');
    const state = new Map([['x', 0x0707_0707n]]);
    expect([stateLine(program, state), recordedState(program, state)]).toEqual(['x = 0x7070707;', 'x = 117901063;']);
  });
});
