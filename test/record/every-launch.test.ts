import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { describeSummary, summaryOf } from '../../src/record/summary.js';
import { sourceOf } from '../../src/record/write-tests.js';
import { outcomesOf } from './raw-folder.js';

/** Kernels of the module, one that it has not, and the sizes of their parameters. */
const KERNELS: readonly (readonly [string, readonly number[]])[] = [
  ['_Z5scaleIfEvPT_S0_i', [8, 4, 4]],
  ['_Z7shifted4View', [24]],
  ['_Z12cluster_sumsPKiPi', [8, 8]],
  ['_Z9grid_sumsPiS_', [8, 8]],
  ['_Z13second_of_twoPKiPi', [8, 8]],
  ['_Z9load_tile14CUtensorMap_stPj', [128, 8]],
  ['_Z3addPKfS0_Pfi', [8, 8, 8, 4]],
  ['nvjet_sm90', [8]],
];
const MIB = 1 << 20;
const ALLOCATIONS: readonly (readonly [string, number])[] = [
  ['0x700000000000', 1000],
  ['0x700000100000', 65_536],
  ['0x700010000000', 2 * MIB],
  ['0x700020000000', 20 * MIB],
  ['0x700030000000', 24 * MIB],
];

const size = (most: number): fc.Arbitrary<readonly number[]> =>
  fc.tuple(fc.integer({ min: 1, max: most }), fc.integer({ min: 1, max: 2 }), fc.constant(1));

const pointer = (at: number): fc.Arbitrary<object> =>
  fc
    .constantFrom(...ALLOCATIONS)
    .chain(([base, bytes]) =>
      fc.oneof(fc.constant(0), fc.nat(bytes - 1)).map((offset) => ({ at, base, size: bytes, offset })),
    );

/** A parameter of so many bytes, with pointers or tensor maps in it or not. */
function parameter(bytes: number): fc.Arbitrary<object> {
  const hex = fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => Buffer.from(all).toString('hex'));
  const places = Array.from({ length: Math.floor(bytes / 8) }, (_, i) => 8 * i);
  const pointers = fc
    .subarray(places, { maxLength: Math.min(3, places.length) })
    .chain((some) => fc.tuple(...some.map(pointer)));
  const isMap = bytes === 128 ? fc.boolean() : fc.constant(false);
  return fc.tuple(hex, pointers, isMap, fc.nat(2)).map(([text, all, map, id]) => ({
    ...{ offset: 0, size: bytes, bytes: text, pointers: map ? [] : all, maps: map ? [{ at: 0, map: id }] : [] },
  }));
}

const launch = (id: number): fc.Arbitrary<string> =>
  fc
    .record({
      kernel: fc.constantFrom(...KERNELS),
      image: fc.constantFrom(0, 0, 0, -1, 1),
      grid: size(4),
      block: size(512),
      shared: fc.constantFrom(0, 0, 1024),
      cluster: fc.option(fc.constantFrom([2, 1, 1], [1, 1, 1])),
      cooperative: fc.boolean(),
      dependent: fc.boolean(),
      unread: fc.constantFrom(undefined, undefined, undefined, 'extra', 'parameters'),
      attributes: fc.uniqueArray(fc.integer({ min: 1, max: 16 }), { maxLength: 3 }),
      before: fc.constantFrom(...KERNELS),
    })
    .chain(({ kernel: [entry, sizes], before: [, others], dependent, ...rest }) =>
      fc
        .tuple(fc.tuple(...sizes.map(parameter)), fc.tuple(...others.map(parameter)), fc.nat(Math.max(0, id - 1)))
        .map(([parameters, earlier, last]) =>
          JSON.stringify({
            ...{ kind: 'launch', id, order: id + 1, stream: 0, device: 0, call: 'cuLaunchKernel', entry, ...rest },
            ...(dependent ? { dependent, previous: { id: last, parameters: earlier } } : {}),
            parameters,
          }),
        ),
    );

const map = (id: number): fc.Arbitrary<string> =>
  fc
    .tuple(pointer(0), fc.nat(16), fc.constantFrom(0, 0, 0, 1), fc.constantFrom('tiled', 'tiled', 'im2col'))
    .map(([buffer, type, interleave, form]) =>
      JSON.stringify({
        ...{ kind: 'map', id, form, buffer, type, interleave, swizzle: 3 },
        ...{ dims: [32, 32], strides: [128], box: [32, 8], elementStrides: [1, 1] },
      }),
    );

const recordings = fc
  .integer({ min: 1, max: 4 })
  .chain((count) =>
    fc.tuple(...[0, 1].map(map), ...Array.from({ length: count }, (_, id) => launch(id))).map((all) => all.join('\n')),
  );

describe('every launch of a recording', () => {
  it('is in exactly one class, and each test that is written is read', () => {
    const kinds = new Map<string, number>();
    fc.assert(
      fc.property(recordings, (lines) => {
        const { recording, modules, outcomes } = outcomesOf(lines);
        expect(recording.problems).toEqual([]);
        expect(outcomes.map((one) => one.launch.id)).toEqual(recording.launches.map(({ id }) => id));
        const names = outcomes.flatMap((one) => (one.kind === 'written' ? [one.written.test.name] : []));
        expect(new Set(names).size).toBe(names.length);
        for (const one of outcomes) {
          kinds.set(one.kind, (kinds.get(one.kind) ?? 0) + 1);
          if (one.kind !== 'written') {
            expect(one.reason).not.toBe('');
            continue;
          }
          const { value, diagnostics } = loadTests(sourceOf(one.written, modules), { timeout: 20_000 }, 'answers');
          expect(value, `${one.written.text}${diagnostics.map(({ message }) => message).join('\n')}`).toBeDefined();
        }
        const { launches } = summaryOf(recording, outcomes, undefined, new Map());
        expect(launches.length).toBe(recording.launches.length);
        expect(describeSummary(recording, outcomes, undefined)).not.toContain('undefined');
      }),
      { numRuns: Number(process.env['FUZZ_CASES'] ?? 60) },
    );
    expect(kinds.get('written') ?? 0).toBeGreaterThan(10);
    for (const kind of ['no-ptx', 'not-said', 'not-read']) expect(kinds.get(kind) ?? 0, kind).toBeGreaterThan(0);
  }, 600_000);
});
