import { describe, expect, it } from 'vitest';
import type { LitmusFile } from '../../src/syntax/litmus-ast.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { diagnosticsOf } from '../support.js';

const withDeclaration = (declaration: string): string =>
  `PTX t\n{ .global .u32 z; ${declaration} }\nP0 { ld.global.u32 r1, [z]; }\nexists (P0:r1 == 0)\n`;
function listed(declaration: string): readonly unknown[] | undefined {
  const { value, diagnostics } = parseLitmus({ path: 't.litmus', text: withDeclaration(declaration) });
  expect(diagnostics).toEqual([]);
  const one = (value as LitmusFile).declarations[1];
  return one?.kind === 'location' && one.initial?.kind === 'array' ? one.initial.values : undefined;
}
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => (i * 7919) % 1_000_003);

describe('a list of numbers in a declaration', () => {
  it('may have a hundred thousand', () => {
    const values = numbers(100_000);
    const read = listed(`.global .s32 a[100000] = {${values.map((one) => -one).join(', ')}};`);
    expect(read).toEqual(values.map((one) => -BigInt(one)));
  });

  it('is what the grammar makes of it, in every notation, with comments and blanks', () => {
    const some = [
      '7',
      '-12',
      '0x1F',
      '017',
      '3U',
      '2.5',
      '-1.25e2',
      '0f3F800000',
      ' 9 /* , 8 */',
      '(* } *) 4 // five\n',
    ];
    const short = listed(`.global .f32 a[10] = {${some.join(',')}};`);
    const many = listed(`.global .f32 a[20000] = {${Array.from({ length: 2000 }, () => some.join(',')).join(',')}};`);
    expect(short).toEqual([7n, -12n, 31n, 15n, 3n, 2.5, -125, 0x3f800000n, 9n, 4n]);
    expect(many).toEqual(Array.from({ length: 2000 }, () => short).flat());
  });

  it('may be followed by a place', () => {
    const text = withDeclaration(`.shared .u32 a[9000] = {${numbers(9000).join(', ')}} @ cta 1;`);
    const { value } = parseLitmus({ path: 't.litmus', text });
    expect((value as LitmusFile).declarations[1]).toMatchObject({ place: [{ level: 'cta', number: 1 }] });
  });

  it('says where it is wrong, however long it is', () => {
    const values = numbers(20_000).join(', ');
    expect(diagnosticsOf(withDeclaration(`.global .u32 a[20001] = {${values}, five};`)).split('\n')[0]).toMatch(
      /^test.litmus:2:\d+ error L0002: this declaration cannot be read: found "five", expected a number$/,
    );
    const text = withDeclaration(`.global .u32 a[20000] = {${values}} at 5;`);
    const column = (text.split('\n')[1] ?? '').indexOf('at 5') + 1;
    expect(diagnosticsOf(text)).toContain(
      `test.litmus:2:${column} error L0002: this declaration cannot be read: found "at"`,
    );
    expect(diagnosticsOf(withDeclaration(`.global .u32 a[9999] = ${'1 '.repeat(30_000)};`))).toContain(
      'no more than 50000 are read',
    );
  });
});
