import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests, parseTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { type WrittenKernel, writeKernel } from '../../src/convert/write-kernel.js';
import type { Diagnosed } from '../../src/diagnostics/diagnostic.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { buildTest } from '../../src/follow/build-test.js';
import { generateTests } from '../../src/generate/generate-tests.js';
import type { Program } from '../../src/program/program.js';
import { printLitmus } from '../../src/syntax/print-litmus.js';
import { assemble } from '../ptxas.js';
import { describeWith, PTXAS } from '../resources.js';
import { isOfShare } from '../shares.js';
import { checkProgram, programOf, ROOT } from '../support.js';
import { answersOf, launched, statesOf } from './written.js';

/**
 * Tests as kernels: with all its threads run, a launch answers what the test answers. Of the tests of litmus/ that is
 * asked by test/sweep/judges/as-kernel.ts.
 */

function kernelOf(text: string, path = 'test.litmus'): Diagnosed<WrittenKernel> {
  const [file] = parseTests({ path, text }).value ?? [];
  if (file === undefined) throw new Error(path);
  const { value: program, diagnostics } = buildTest(file);
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return writeKernel(file, program, 'k.ptx');
}

function* take<T>(count: number, all: Iterable<T>): Iterable<T> {
  let taken = 0;
  for (const one of all) {
    if (taken++ === count) return;
    yield one;
  }
}

interface Decided {
  readonly answers: unknown;
  /** Of some condition it is not known whether it is reached. */
  readonly isOpen: boolean;
  readonly states: ReturnType<typeof statesOf>;
}

const hasOpen = ({ conditions }: TestResult): boolean =>
  conditions.some(({ observation }) => observation === undefined);

/** Asks for final states first: where there is time for all of them, the answers are there as well. */
async function decided(program: Program): Promise<Decided> {
  const quick = await checkProgram(program, 'ptx-9.4', { states: true, timeout: 3_000 });
  const isQuick = !hasOpen(quick) && quick.expectations.every(({ outcome }) => outcome !== 'undecided');
  const result = isQuick ? quick : await checkProgram(program, 'ptx-9.4');
  return { answers: answersOf(result), isOpen: hasOpen(result), states: statesOf(quick) };
}

/** So many generated tests of each family. */
const GENERATED = Number(process.env['FUZZ_CASES'] ?? 16);
const SEED = Number(process.env['FUZZ_SEED'] ?? 31);

/** Both ways of a branch leave a register with one value: in a launch nothing depends on that branch. */
const SAME_ON_BOTH_WAYS = /mov\.u32 (n\d+), 1;\n[^\n]*\n[^\n]*bra (\w+);\n {2}mov\.u32 \1, 1;\n {2}\2:/;

describe('a generated test as a kernel', () => {
  for (const family of ['program', 'grid', 'poll'] as const)
    it(`answers as the test does, where both are decided: ${family}`, {
      timeout: 120_000 + 500 * GENERATED,
    }, async () => {
      let compared = 0;
      for (const { text } of take(GENERATED, generateTests({ seed: SEED, mostEvents: 6, families: [family] }))) {
        const { value } = kernelOf(text);
        if (value === undefined) continue;
        if (SAME_ON_BOTH_WAYS.test(text)) continue;
        const [before, after] = [await decided(programOf(text)), await decided(launched(value))];
        // A launch knows what is in memory that nobody writes, and follows loops further.
        if (before.isOpen || after.isOpen) continue;
        compared += 1;
        expect([text, after.answers]).toEqual([text, before.answers]);
        if (before.states !== undefined && after.states !== undefined)
          expect([text, after.states]).toEqual([text, before.states]);
      }
      if (process.env['FUZZ_CASES'] !== undefined) console.log(`${family}: ${compared} of ${GENERATED} compared`);
      expect(compared).toBeGreaterThan(GENERATED / 2);
    });
});

describeWith(PTXAS, 'ptxas', () => {
  const FOLDER = join(ROOT, 'litmus');
  const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
  /** Those that launch nothing yet: one of so many of them, and those of grids. */
  const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.litmus') && (file.startsWith('grids/') || isOfShare(file, 24, 'as kernel')))
    .filter((file) => !/^launch /m.test(textOf(file)))
    .sort();
  /** What ptxas 13.0 does not take on purpose. */
  const EXCEPTIONS: readonly { readonly module: RegExp; readonly why: string }[] = [
    { module: /^\.version 9\.[1-9]/, why: 'newer than PTX 9.0, which CUDA 13.0 has' },
    {
      module: /\.cta_group::1[\s\S]*\.cta_group::2/,
      why: 'the test says what a kernel with both is: ptxas refuses it, as the ISA has it (9.7.18.5)',
    },
  ];

  it('takes the modules', { timeout: 600_000 }, () => {
    for (const file of FILES) {
      const module = kernelOf(textOf(file), file).value?.module;
      if (module === undefined) continue;
      const [, target = ''] = /^\.target (\S+)/m.exec(module) ?? [];
      const assembled = assemble(module, `-arch=${target}`);
      const isExpected = !EXCEPTIONS.some((exception) => exception.module.test(module));
      const found =
        assembled === 'sound' ? 'taken' : ['refused', ...(isExpected ? assembled.wrong.values() : [])].join();
      expect(`${file}: ${found}`).toBe(`${file}: ${isExpected ? 'taken' : 'refused'}`);
    }
  });
});

describe('what is written', () => {
  const moduleOf = (text: string): string => {
    const { value, diagnostics } = kernelOf(text);
    if (value === undefined) throw new Error(renderDiagnostics(diagnostics));
    launched(value);
    return value.module;
  };
  const testOf = (text: string): string => {
    const { value } = kernelOf(text);
    return value === undefined ? '' : printLitmus(value.test);
  };

  it('has a launch for each grid of each GPU, in their order', () => {
    const body = '{ st.weak.global.u32 [x], 1; }';
    const text = testOf(
      `PTX grids\n{ .global .u32 x; grid 1 after 0; }\nP0 @ cta 0, gpu 0 ${body}\nP1 @ cta 3, gpu 1 ${body}\n` +
        `P2 @ cta 0, gpu 0, grid 1 ${body}\nexists (x == 1)\n`,
    );
    expect(text.match(/^launch .*\n.*@.*$/gm)).toEqual([
      'launch K0_0 "k.ptx" :: grids_K0_0 (&x)\n  @ grid 1, block 1 {',
      'launch K0_1 "k.ptx" :: grids_K0_1 (&x)\n  @ grid 4, block 1, gpu 1 {',
      'launch K1_0 "k.ptx" :: grids_K1_0 (&x)\n  @ grid 1, block 1, after K0_0, after K0_1 {',
    ]);
  });

  it('gives each thread its warp and lane, and lanes of one text one body', () => {
    const module = moduleOf(
      'PTX lanes\n{ .shared .u32 s; }\nP0, P1 @ cta 0, warp 0 { st.shared.u32 [s], 1; bar.warp.sync 3; }\n' +
        'P2 @ cta 0 { ld.shared.u32 r0, [s]; }\nexpect race\n',
    );
    expect(module.match(/setp.*|@.*/g)).toEqual([
      'setp.eq.u32 %is_it, %its_number, 0;',
      '@%is_it bra body_of_P0;',
      'setp.eq.u32 %is_it, %its_number, 1;',
      '@%is_it bra body_of_P0;',
      'setp.eq.u32 %is_it, %its_number, 32;',
      '@%is_it bra body_of_P2;',
    ]);
  });

  it('finds shared memory of another CTA by its rank, and generic addresses where no space is named', () => {
    const module = moduleOf(
      'PTX remote\n{ .shared .u32 s @ cta 1; P0:rd1 = &s; }\n' +
        'P0 @ cta 0, cluster 0 { st.shared::cluster.u32 [s], 1; st.u32 [rd1], 2; }\n' +
        'P1 @ cta 1, cluster 0 { ld.u32 r0, [s]; ld.shared.u32 r1, [s]; }\nexpect race\n',
    );
    for (const line of [
      'mapa.shared::cluster.u64 %s_of_1, s, 1;',
      'st.shared::cluster.u32 [%s_of_1], 1;',
      'mapa.u64 %s_generic_of_1, %s_generic, 1;',
      'mov.b64 %rd1, %s_generic_of_1;',
      'ld.u32 %r0, [%s_generic];',
      'ld.shared.u32 %r1, [s];',
    ])
      expect(module).toContain(line);
  });

  it('has numbers in the place of predefined registers that a launch has otherwise', () => {
    const module = moduleOf(
      'PTX special\n{ }\nP0 @ cta 0 { mov.u32 r0, %ntid.x; mov.u32 r1, %laneid; }\nexists (P0:r0 == 32)\n',
    );
    expect(module).toContain('mov.u32 %r0, 32;');
    expect(module).toContain('mov.u32 %r1, %laneid;');
  });

  it('writes shorthand out, and sets registers that nothing sets before', () => {
    const module = moduleOf(
      'PTX short\n{ x = 0; P0:r1 = 7; }\n P0@cta 0,gpu 0 ;\n st.weak x, r1 ;\n ld.weak r0, x ;\nexists (P0:r0 == 7)\n',
    );
    for (const line of ['mov.b32 %r1, 7;', 'st.weak.u32 [%at_x], %r1;', 'ld.weak.u32 %r0, [%at_x];'])
      expect(module).toContain(line);
  });

  for (const [text, why] of [
    ['{ }\nP0 @ host { }\nexists (true)', /it has no thread of a GPU/],
    ['{ .shared .u32 s; .shared .u32 t aliases s; }\nP0 @ cta 0 { st.shared.u32 [t], 1; }', /has one address/],
    ['{ .shared .u32 s @ cta 1; }\nP0 @ cta 0 { mov.u64 r0, s; }\nP1 @ cta 1 { }', /shared memory of another cluster/],
    ['{ }\nP0 @ cta 0 { mov.u32 r0, %nwarpid; }', /of which the test says nothing, and a launch does/],
    ['{ x = 0; }\nP0 @ cta 0 { tld.weak r0, x; }', /is a word of a dialect/],
  ] as const)
    it(`is an error where a kernel cannot say it: ${why.source}`, () => {
      const { value, diagnostics } = kernelOf(`PTX no\n${text}\n`);
      expect(value).toBeUndefined();
      expect(diagnostics.map(({ code }) => code)).toEqual(['L0216']);
      expect(diagnostics[0]?.message).toMatch(why);
    });
});

describe('a launch', () => {
  const MODULE =
    '.version 9.0\n.target sm_90\n.address_size 64\n.shared .u32 s[2];\n' +
    '.visible .entry k(.param .u64 p)\n{ .reg .b32 %r<2>; .reg .b64 %rd<2>; ld.shared.u32 %r1, [s+4]; ' +
    'ld.param.u64 %rd1, [p]; ret; }\n';
  const built = (declarations: string, argument: string, clause: string): ReturnType<typeof loadTests> =>
    loadTests({
      path: 'k.litmus',
      text: `PTX k\n{ ${declarations} }\nlaunch K "k.ptx" (${argument}) @ grid 1, block 1 { run all; }\n${clause}\n`,
      modules: { 'k.ptx': { path: 'k.ptx', text: MODULE } },
    });

  it('begins with what the test says of a variable of the module', async () => {
    const [program] = built('.shared .u32 s[2] = {5, 6};', '0', 'require (P0:r1 == 6)').value ?? [];
    if (program === undefined) throw new Error('k');
    const { conditions } = await checkProgram(program, 'ptx-9.4');
    expect(conditions.map(({ observation }) => observation)).toEqual(['Always']);
  });

  it('keeps a dependency that only syntax has', async () => {
    const body = (from: string, to: string): string =>
      `{ ld.relaxed.gpu.global.u32 r0, [${from}]; and.b32 r1, r0, 0; add.u32 r1, r1, 1; ` +
      `st.relaxed.gpu.global.u32 [${to}], r1; }`;
    const { value } = kernelOf(
      `PTX lb\n{ .global .u32 x; .global .u32 y; }\nP0 @ cta 0 ${body('x', 'y')}\nP1 @ cta 1 ${body('y', 'x')}\n` +
        'forbid (P0:r0 == 1 /\\ P1:r0 == 1)\n',
    );
    if (value === undefined) throw new Error('lb');
    const { conditions } = await checkProgram(launched(value), 'ptx-9.4');
    expect(conditions.map(({ observation }) => observation)).toEqual(['Never']);
  });

  it('is refused where the test has that variable otherwise', () => {
    const { diagnostics } = built('.shared .u32 s[4];', '0', 'exists (true)');
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'the module has this as .shared .u32 s[2], and not as .shared .u32 s[4]',
    ]);
  });

  it('hands over a matrix descriptor', async () => {
    const declarations = '.shared .u32 s[2]; .shared .align 128 .b8 a[128]; d = tile(a, 128);';
    const [program] = built(declarations, 'd', 'require (P0:rd1 != 0 /\\ P0:rd1 != &a)').value ?? [];
    if (program === undefined) throw new Error('k');
    const { conditions } = await checkProgram(program, 'ptx-9.4');
    expect(conditions.map(({ observation }) => observation)).toEqual(['Always']);
  });
});
