import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parameterDeclarations } from '../../src/kernel/launch-arguments.js';
import { resolveLaunches } from '../../src/kernel/resolve-launches.js';
import { sourceOf } from '../../src/record/write-tests.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { outcomesOf } from './raw-folder.js';

/** Parameters of each type, as a module declares them, with their sizes. */
const PARAMETERS: readonly (readonly [string, number])[] = [
  ...(['b8', 'u8', 's8'] as const).map((type) => [`.${type} p`, 1] as const),
  ...(['b16', 'u16', 's16'] as const).map((type) => [`.${type} p`, 2] as const),
  ...(['b32', 'u32', 's32', 'f32'] as const).map((type) => [`.${type} p`, 4] as const),
  ...(['b64', 'u64', 's64', 'f64'] as const).map((type) => [`.${type} p`, 8] as const),
  ...([1, 2, 3, 5, 8, 12, 24, 40] as const).map((size) => [`.align 8 .b8 p[${size}]`, size] as const),
];

/** What the parameters of the launch of a test hold; bytes that it leaves open are undefined. */
function bytesGiven(parameter: string, bytes: Uint8Array, loads: string): readonly (number | undefined)[] {
  const ptx =
    `.version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param ${parameter})\n` +
    `{\n.reg .b32 %r<2>;\n.reg .b16 %h<2>;\n${loads}\nret;\n}\n`;
  const line = JSON.stringify({
    ...{ kind: 'launch', id: 0, order: 1, stream: 0, device: 0, call: 'cuLaunchKernel', entry: 'k', image: 0 },
    ...{ grid: [1, 1, 1], block: [1, 1, 1], shared: 0, attributes: [] },
    parameters: [{ offset: 0, size: bytes.length, bytes: Buffer.from(bytes).toString('hex'), pointers: [], maps: [] }],
  });
  const { outcomes, modules } = outcomesOf(line, 10, 10, ptx);
  const [one] = outcomes;
  if (one?.kind !== 'written') throw new Error(JSON.stringify(one));
  const { value: file } = parseLitmus(sourceOf(one.written, modules));
  const [launch] = file === undefined ? [] : resolveLaunches(file).launches;
  if (launch === undefined) throw new Error(one.written.text);
  const { declarations, diagnostics } = parameterDeclarations(launch, (name) => name, new Set(), new Set());
  expect(diagnostics).toEqual([]);
  const found: (number | undefined)[] = Array(bytes.length).fill(undefined);
  const initial = declarations[0]?.initial;
  for (const { at, bytes: size, value } of initial?.kind === 'record' ? initial.fields : [])
    for (let i = 0; i < size; i++)
      found[at + i] = value.kind === 'number' ? Number((BigInt(value.value) >> BigInt(8 * i)) & 0xffn) : -1;
  return found;
}

const isFinite = (parameter: string, bytes: Uint8Array): boolean => {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  if (parameter.includes('.f32')) return Number.isFinite(view.getFloat32(0, true));
  return !parameter.includes('.f64') || Number.isFinite(view.getFloat64(0, true));
};

/** Bytes as they come, and those of numbers near zero, minus one, and the ends of floats. */
const bytesOf = (size: number): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    fc.uint8Array({ minLength: size, maxLength: size }),
    fc
      .array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), { minLength: size, maxLength: size })
      .map((all) => Uint8Array.from(all)),
  );

it('a test hands over the bytes that the launch did', () => {
  const given = fc
    .constantFrom(...PARAMETERS)
    .chain(([parameter, size]) => fc.tuple(fc.constant(parameter), bytesOf(size)));
  const loads = fc.constantFrom('', 'ld.param.b32 %r1, [p+4];', 'ld.param.b16 %h1, [p+2];\nld.param.b32 %r1, [p+8];');
  fc.assert(
    fc.property(given, loads, ([parameter, bytes], text) => {
      const expected = isFinite(parameter, bytes) ? [...bytes] : Array(bytes.length).fill(undefined);
      expect(bytesGiven(parameter, bytes, bytes.length >= 12 ? text : '')).toEqual(expected);
    }),
    { numRuns: 500 },
  );
}, 60_000);
