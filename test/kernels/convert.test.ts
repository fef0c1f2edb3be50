import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests, parseTests } from '../../src/check/load-tests.js';
import { convertLaunches } from '../../src/convert/convert-launches.js';
import { slicedOf } from '../../src/convert/slice-written.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Source } from '../../src/diagnostics/source.js';
import { withModules } from '../../src/files/read-modules.js';
import type { Program } from '../../src/program/program.js';
import { printLitmus } from '../../src/syntax/print-litmus.js';
import { SWEEP_ALL } from '../shares.js';
import { checkProgram, ROOT } from '../support.js';

const FOLDER = join(ROOT, 'litmus/kernels/launched');
/** Of each idiom the quick ones, right and broken; with SWEEP=all also those that take as long as all of them. */
const TESTS =
  'blockreduce blockreduce-broken cluster cluster-broken cpasync gridbarrier-broken ' +
  'gridsync-launch-broken lastblock lastblock-broken lookback lookback-broken memcpyasync namedbar ' +
  'pipeline-broken spinlock ticketlock-scope-broken tmabytes tmatensor-broken';
const SLOW = SWEEP_ALL ? ['cudabarrier', 'tmabytes-deadlock-broken', 'tmatensor', 'wgmma-broken'] : [];

/** As a test of all of its threads it would be too large for the engines: fewer are launched. */
const SMALLER: Readonly<Record<string, string>> = { cpasync: '@ grid 1, block 4' };

/** Of launches of more threads than are decided together: those that are written. */
const RUN: Readonly<Record<string, string>> = {
  'gridsync-launch-broken': 'tid 0 of cta 0, 1',
  namedbar: 'tid 0, 1, 32, 33',
  tmabytes: 'tid 0, 32, 40',
  'tmatensor-broken': 'tid 0, 32, 64',
  cudabarrier: 'tid 0, 1, 31, 32',
  'tmabytes-deadlock-broken': 'tid 0, 1, 32, 33, 63',
  tmatensor: 'tid 0, 32, 40, 64',
  'wgmma-broken': 'tid 0, 128, 256',
};

const sourceOf = (name: string): Source => {
  const path = join(FOLDER, `${name}.litmus`);
  const [text, run] = [readFileSync(path, 'utf8'), RUN[name]];
  const chosen = text.replace(
    /@ .*$/m,
    (place) => `${SMALLER[name] ?? place}${run === undefined ? '' : ` { run ${run}; }`}`,
  );
  return withModules({ path, text: chosen }, {});
};

function programOf(source: Source): Program {
  const { value, diagnostics } = loadTests(source);
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return program;
}

async function outcomes(source: Source): Promise<readonly string[]> {
  const { conditions, expectations } = await checkProgram(programOf(source), 'ptx-9.4');
  return [
    ...conditions.map(({ expectation }) => String(expectation)),
    ...expectations.map(({ expectation, outcome }) => `${expectation.expectation}: ${outcome}`),
  ];
}

/** What kernels.test.ts finds of every test of the folder: what it claims is so. */
const asClaimed = ({ conditions, expectations }: Program): readonly string[] => [
  ...conditions.map(() => 'met'),
  ...expectations.map(({ expectation }) => `${expectation}: met`),
];

describe('a kernel test without its launches', () => {
  for (const name of [...TESTS.split(' '), ...SLOW])
    it(`says of ${name} what it said with them`, async () => {
      const [file] = parseTests(sourceOf(name)).value ?? [];
      if (file === undefined) throw new Error(name);
      const { value, diagnostics } = convertLaunches(file, () => undefined);
      if (value === undefined) throw new Error(renderDiagnostics(diagnostics));
      const text = printLitmus(value);
      const before = asClaimed(programOf(sourceOf(name)));
      expect(await outcomes({ path: 'converted.litmus', text })).toEqual(before);
      const less = printLitmus(slicedOf(value));
      expect(less.length).toBeLessThanOrEqual(text.length);
      expect(await outcomes({ path: 'sliced.litmus', text: less })).toEqual(before);
    });

  it('is refused where it would not show that lanes come to different barriers', () => {
    const text = (body: string): string =>
      '.version 8.7\n.target sm_90\n.address_size 64\n' +
      `.visible .entry k() { .reg .pred %p<2>; .reg .b32 %r<2>; ${body} ret; }`;
    const test = 'PTX two\n{ }\nlaunch K "k.ptx" () @ grid 1, block 4\nexpect no-undefined\n';
    const two = 'mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 2; @%p1 bra L; bar.sync 0; bra E; L: bar.sync 0; E:';
    const [file] =
      parseTests({ path: 't.litmus', text: test, modules: { 'k.ptx': { path: 'k.ptx', text: text(two) } } }).value ??
      [];
    if (file === undefined) throw new Error('two');
    expect(convertLaunches(file, () => undefined).diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(/lanes of a warp at different barrier instructions$/),
    ]);
  });

  it('is refused where it is about more threads than are written', () => {
    const body = 'mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;';
    const text =
      '.version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b32 %r<2>; ' +
      `.reg .b64 %rd<3>; ld.param.u64 %rd1, [p]; ${body} st.global.u32 [%rd2+128], 1; ret; }`;
    const test = 'PTX outside\n{ .global .u32 x[64]; }\nlaunch K "k.ptx" (x) @ grid 1, block 64\nexpect no-undefined\n';
    const [file] =
      parseTests({ path: 't.litmus', text: test, modules: { 'k.ptx': { path: 'k.ptx', text } } }).value ?? [];
    if (file === undefined) throw new Error('outside');
    const { value, diagnostics } = convertLaunches(file, () => undefined, 1);
    expect(value).toBeUndefined();
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^L0213 .*: K has 64 threads: name those to write \(run tid\), or give --max-threads$/),
    ]);
  });

  it('is refused with what cannot be said', () => {
    const source = sourceOf('tcgen05');
    const text = source.text.replace('gpu 0', 'gpu 0 {\n  run tid 0, 32;\n}');
    const [file] = parseTests({ ...source, text }).value ?? [];
    if (file === undefined) throw new Error('tcgen05');
    const { value, diagnostics } = convertLaunches(file, () => undefined);
    expect(value).toBeUndefined();
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^L0213 .*: P0: what lanes give to a warp instruction that are not run$/),
    ]);
  });
});
