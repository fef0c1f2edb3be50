import { expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { assemble } from '../ptxas.js';
import { describeWith, PTXAS } from '../resources.js';
import { product } from './async-forms.js';

const REGISTERS = '.reg .pred p<3>; .reg .b16 h<5>; .reg .b32 r<9>; .reg .f32 f<9>; .reg .b64 d<4>;';
const DIMENSIONS = { '1d': 1, '2d': 2, '3d': 4, a1d: 2, a2d: 4, cube: 4, acube: 4 } as const;

const coordinates = (geometry: string, type: string): string => {
  const count = DIMENSIONS[geometry as keyof typeof DIMENSIONS];
  const register = (i: number): string => (type === 's32' || (i === 0 && geometry.startsWith('a')) ? `r${i}` : `f${i}`);
  return `{${Array.from({ length: count }, (_, i) => register(i)).join(', ')}}`;
};

const FETCHES = Object.keys(DIMENSIONS).flatMap((geometry) =>
  ['s32', 'f32'].flatMap((type) =>
    product(['tex', 'tex.level'], [`.${geometry}`], ['.v4', ''], ['.u32', '.s32', '.f32', '.b32'], [`.${type} `]).map(
      (form) =>
        `${form}{${form.includes('.f32.') ? 'f1, f2, f3, f4' : 'r1, r2, r3, r4'}}` +
        `${form.includes('.u32') ? '|p1' : ''}, ` +
        `[d1, ${coordinates(geometry, type)}]${form.includes('level') ? `, ${type === 'f32' ? 'f8' : 'r8'}` : ''};`,
    ),
  ),
);

const elements = (form: string): string => {
  const [kind, count] = [
    /\.b64/.test(form) ? 'd' : /\.b(8|16)/.test(form) ? 'h' : 'r',
    Number(/\.v(\d)/.exec(form)?.[1] ?? 1),
  ];
  return `{${Array.from({ length: count }, (_, i) => `${kind}${i}`).join(', ')}}`;
};
const SURFACES = ['1d', '2d', '3d', 'a1d', 'a2d', 'cube'].flatMap((geometry) =>
  product(
    ['suld.b', 'sust.b', 'sust.p'],
    [`.${geometry}`],
    ['', '.v2', '.v4'],
    ['.b8', '.b16', '.b32', '.b64'],
    ['.trap', '.zero', ''],
  ).map((form) =>
    form.startsWith('suld')
      ? `${form} ${elements(form)}, [d3, ${coordinates(geometry, 's32')}];`
      : `${form} [d3, ${coordinates(geometry, 's32')}], ${elements(form)};`,
  ),
);

const FORMS: readonly string[] = [
  ...FETCHES,
  ...SURFACES,
  ...product(
    ['sured.b', 'sured.p'],
    ['.add', '.min', '.and'],
    ['.2d'],
    ['.u32', '.s32', '.b32'],
    ['.clamp [d3, {r0, r1}], r2;'],
  ),
  ...product(
    ['tld4'],
    ['.r', '.g', '.a'],
    ['.2d', '.a2d', '.cube', '.3d'],
    ['.v4', '.v2'],
    ['.f32.f32 {f1, f2, f3, f4}, '],
  ).map((form) => `${form}[d1, ${coordinates(/\.(a2d|cube|2d|3d)\./.exec(form)?.[1] ?? '', 'f32')}];`),
  'tex.grad.2d.v4.f32.f32 {f1, f2, f3, f4}, [d1, {f5, f6}], {f1, f2}, {f3, f4};',
  'tex.grad.2d.v4.f32.f32 {f1, f2, f3, f4}|p1, [d1, {f5, f6}], {f1, f2}, {f3, f4};',
  ...product(['txq'], ['.width', '.height', '.depth', '.channel_order', '.filter_mode'], ['.b32 r1, [d1];']),
  ...product(['suq'], ['.width', '.height', '.memory_layout'], ['.b32 r1, [d3];']),
  ...product(['istypep'], ['.texref', '.samplerref', '.surfref'], [' p1, d1;']),
];

const understood = (form: string): boolean => {
  const memory = '.global .align 16 .b8 x[64]; t @ texture aliases x; s @ surface aliases x; P0:d1 = &t; P0:d3 = &s;';
  const text = `PTX form\n{ ${memory} }\nP0 { ${REGISTERS} ${form} }\nexists (true)\n`;
  return loadTests({ path: 'form.litmus', text }).value !== undefined;
};

describeWith(PTXAS, 'ptxas', () => {
  it(`takes exactly the forms of textures and surfaces that we understand, of ${FORMS.length}`, () => {
    const lines = ['.version 9.0\n.target sm_90a\n.address_size 64'];
    FORMS.forEach((form, i) => lines.push(`.visible .entry k${i}() {`, REGISTERS, form, 'ret;', '}'));
    const assembled = assemble(lines.join('\n'), '-arch=sm_90a');
    const verdicts = FORMS.map((_, i) => assembled === 'sound' || !assembled.wrong.has(3 + i * 5 + 3));
    expect(verdicts.filter(Boolean).length).toBeGreaterThan(100);
    const different = FORMS.flatMap((form, i) => {
      const ours = understood(form);
      return ours === verdicts[i] ? [] : [`${ours ? 'only we take' : 'only ptxas takes'}: ${form}`];
    });
    expect(different).toEqual([]);
  });
});
