import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Span } from '../../src/diagnostics/source.js';
import { isOfShare } from '../shares.js';
import { builtInModel, ROOT, solver } from '../support.js';

/** Of Hopper and of Blackwell, with how much of the result a copy stores. */
const HOPPER = { path: 'gemm.ptx', stored: [128, 64] } as const;
const BLACKWELL = { path: 'gemm-tcgen05.ptx', stored: [64, 128] } as const;
/** One cluster and five tiles, so that stages are used again; with GEMM=full eight CTAs and 16 tiles. */
const [CTAS, TILES] = process.env['GEMM'] === 'full' ? [8, 16] : [2, 5];

function checked(
  { path, stored }: typeof HOPPER | typeof BLACKWELL,
  entry: string,
  variants: readonly string[] = [],
): TestResult {
  const modules = { [path]: { path, text: readFileSync(join(ROOT, 'test/kernels/gemm', path), 'utf8') } };
  const [rows, depth] = [128 * CTAS, 64 * TILES];
  const text = `PTX gemm
{
  .global .align 128 .b16 a[${rows * depth}] = ?;
  .global .align 128 .b16 b[${128 * depth}] = ?;
  .global .align 128 .b16 c[${rows * 128}] = ?;
  ma = tensormap(.b16, a, dims {${depth}, ${rows}}, strides {${2 * depth}}, box {64, 128}, swizzle 128B);
  mb = tensormap(.b16, b, dims {${depth}, 128}, strides {${2 * depth}}, box {64, 64}, swizzle 128B);
  mc = tensormap(.b16, c, dims {128, ${rows}}, strides {256}, box {${stored.join(', ')}});
}
launch K "${path}" :: ${entry} (ma, mb, mc, ${TILES}) @ grid ${CTAS}, block 384, cluster 2, shared 163840
expect no-race
expect no-undefined
expect no-deadlock
`;
  const { value, diagnostics } = loadTests({ path: 'gemm.litmus', text, modules }, {}, 'answers');
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return checkTest(solver, program, builtInModel('ptx-9.4', new Set(variants)), {});
}

const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end);

/** The right ones, and a fourth of those with a mistake; with SWEEP=all each. */
const asked = <Of extends readonly [string, ...unknown[]]>({ path }: { readonly path: string }, all: readonly Of[]) =>
  all.filter(([entry]) => entry === 'gemm' || isOfShare(`${path} ${entry}`, 4, 'matrix products'));

/** Checks a kernel: the answers to its questions, and lines that a race is told of. */
function hold(
  of: typeof HOPPER | typeof BLACKWELL,
  entry: string,
  expected: readonly string[],
  lines: readonly RegExp[],
): void {
  const { expectations } = checked(of, entry);
  expect(expectations.map(({ outcome }) => outcome)).toEqual(expected);
  const shown = (expectations[0]?.shownAt ?? []).map(({ span }) => textOf(span));
  for (const line of lines) expect(shown.some((one) => line.test(one))).toBe(true);
}

describe('a matrix product of warpgroups that copies feed, all threads of it', () => {
  it.each(
    asked(HOPPER, [
      ['gemm', ['met', 'met', 'met'], []],
      ['gemm_nofence', ['met', 'met', 'met'], []],
      ['gemm_noepi', ['broken', 'met', 'met'], [/^st\.shared/, /^cp\.async\.bulk\.tensor\.2d\.global/]],
      ['gemm_tail', ['undecided', 'broken', 'undecided'], []],
      ['gemm_early', ['broken', 'broken', 'undecided'], [/^wgmma.mma_async/, /^cp\.async\.bulk\.tensor/]],
      ['gemm_parity', ['undecided', 'broken', 'undecided'], []],
    ] as const),
  )('%s: %s', (entry, expected, lines) => hold(HOPPER, entry, expected, lines));
});

describe('a matrix product into tensor memory, all threads of it', () => {
  it.each(
    asked(BLACKWELL, [
      ['gemm', ['met', 'met', 'met'], []],
      ['gemm_nofence', ['met', 'met', 'met'], []],
      ['gemm_noepi', ['broken', 'met', 'met'], [/^st\.shared/, /^cp\.async\.bulk\.tensor\.2d\.global/]],
      ['gemm_tail', ['undecided', 'broken', 'undecided'], []],
      ['gemm_early', ['broken', 'broken', 'met'], [/^tcgen05.mma/, /^cp\.async\.bulk\.tensor/]],
      ['gemm_parity', ['undecided', 'broken', 'undecided'], []],
      ['gemm_nowait', ['broken', 'met', 'met'], [/^tcgen05.mma/, /^tcgen05.ld/]],
      ['gemm_noafter', ['broken', 'met', 'met'], [/^tcgen05.mma/, /^tcgen05.ld/]],
      ['gemm_free', ['broken', 'met', 'met'], [/^tcgen05.dealloc/]],
    ] as const),
  )('%s: %s', (entry, expected, lines) => hold(BLACKWELL, entry, expected, lines));
});

describe('a matrix product without fences between copies of two CTAs', () => {
  it.each([
    [HOPPER, /^wgmma.mma_async/],
    [BLACKWELL, /multicast::cluster/],
  ] as const)('races where these count as of the CTAs that issue them', (of, line) => {
    const [race] = checked(of, 'gemm_nofence', ['async-cta=issuer']).expectations;
    expect(race?.outcome).toBe('broken');
    expect((race?.shownAt ?? []).some(({ span }) => line.test(textOf(span)))).toBe(true);
  });
});
