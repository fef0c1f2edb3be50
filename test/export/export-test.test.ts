import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests, parseTests } from '../../src/check/load-tests.js';
import { bundleFiles } from '../../src/export/bundle.js';
import { type Exported, type ExportedTest, exportTest } from '../../src/export/export-test.js';
import { printInstruction } from '../../src/syntax/print-litmus.js';
import { litmusPaths } from '../language/texts.js';
import { ROOT } from '../support.js';

function exported(text: string, path = 'a.litmus'): Exported {
  const [file] = parseTests({ path, text }).value ?? [];
  const [program] = loadTests({ path, text }).value ?? [];
  if (file === undefined || program === undefined) throw new Error('the test cannot be read');
  return exportTest(file, program);
}
const test = (body: string, more = ''): string =>
  `PTX t\n{ .global .u32 x; .global .u32 y = 7; .shared .b64 bar = mbarrier(2); ${more} }\n${body}\nexists (x == 1)\n`;
const refusal = (body: string, more = ''): string => {
  const found = exported(test(body, more));
  return 'refused' in found ? found.refused : 'exported';
};

const MP = `PTX MP
{ .global .u32 data = 5; .global .u32 flag; }
P0 @ cta 0 { st.weak.global.u32 [data], 42; st.release.gpu.global.u32 [flag], 1; }
P1 @ cta 1 { ld.acquire.gpu.global.u32 r0, [flag]; ld.weak.global.u32 r1, [data]; }
exists (P1:r0 == 1 /\\ P1:r1 == 0 /\\ data == 42)
`;

describe('a test for a GPU', () => {
  it('has the places of its threads, its memory and what is asked for', () => {
    const one = exported(MP) as ExportedTest;
    expect(one).toMatchObject({ name: 'MP', lanes: 32, threads: 2, words: 2, isRepeated: true, isJammed: false });
    expect(one.grids).toMatchObject([{ ctas: 2, cluster: 1, together: 2, block: 32, gpu: 0 }]);
    const [data, flag] = one.locations;
    expect([data?.name, data?.size, data?.image[0], flag?.image[0]]).toEqual(['data', 128, 5, 0]);
    expect(one.observed).toEqual([
      { name: 'P1:r0', from: 'word', word: 0, bytes: 4 },
      { name: 'P1:r1', from: 'word', word: 1, bytes: 4 },
      { name: 'data', from: 'memory', location: 0, offset: 0, bytes: 4 },
    ]);
  });

  it('keeps its clusters where it can tell them', () => {
    const scoped = MP.replace('release.gpu', 'release.cluster');
    expect(exported(scoped)).toMatchObject({ grids: [{ ctas: 2, cluster: 1, together: 1 }] });
    const shared = 'P0 @ cta 0 { st.shared.u32 [s], 1; }\nP1 @ cta 0 { ld.shared.u32 r0, [s]; }';
    expect(exported(test(shared, '.shared .u32 s;'))).toMatchObject({
      ...{ lanes: 1, isJammed: true },
      grids: [{ ctas: 1, block: 33 }],
    });
  });

  it('has a launch for each grid, in streams that keep their order', () => {
    const grids = (order: string): unknown => {
      const body = 'P0 @ grid 0 { st.global.u32 [x], 1; }\nP1 @ grid 1 { ld.global.u32 r0, [x]; }';
      const one = exported(test(body, order)) as ExportedTest;
      return [
        one.isRepeated,
        ...one.grids.map(({ stream, isDependent }) => `${stream}${isDependent ? ' dependent' : ''}`),
      ];
    };
    expect(grids('')).toEqual([true, '0', '1']);
    expect(grids('grid 1 after 0;')).toEqual([false, '0', '0']);
    expect(grids('grid 1 dependent on 0;')).toEqual([false, '0', '0 dependent']);
  });

  it('is on as many GPUs as it names, whose threads meet by the scope of the system', () => {
    const body = 'P0 @ gpu 0 { st.global.u32 [x], 1; }\nP1 @ gpu 1 { st.global.u32 [x], 2; }';
    const one = exported(test(body)) as ExportedTest;
    expect(one.grids.map(({ gpu }) => gpu)).toEqual([0, 1]);
    expect(one.module).toContain('red.relaxed.sys.global.add.u32 [%harness_meeting+4]');
  });

  it('says what its tensor maps describe', () => {
    const map = '.global .align 64 .b8 map[128] = tensormap(.u32, x2, dims {16, 8}, strides {64}, box {4, 2});';
    const body = 'P0 { cp.async.bulk.prefetch.tensor.2d.L2.global [map, {0, 0}]; }';
    const one = exported(test(body, `.global .align 128 .u32 x2[128]; ${map}`)) as ExportedTest;
    expect(one.tensors).toMatchObject([{ offset: 0, dimensions: [16, 8], strides: [64], box: [4, 2] }]);
    expect(one.locations[one.tensors[0]?.target ?? -1]?.name).toBe('x2');
  });

  it('is refused with a reason where it would say nothing of a GPU, or hang it', () => {
    const wait = 'mbarrier.test_wait.parity.shared.b64 p, [bar], 0;';
    expect(refusal(`P0 { ${wait} ld.global.u32 r0, [x]; }`)).toContain('that no branch asks for');
    expect(refusal(`P0 { w: ${wait} @!p bra w; st.global.u32 [x], 1; }`)).toBe('exported');
    expect(
      refusal('P0 @ cta 0, warp 0, lane 0 { barrier.sync 1, 32; }\nP1 @ cta 0, warp 0, lane 1 { barrier.sync 1, 32; }'),
    ).toContain('may hang');
    expect(refusal('P0 { barrier.cluster.arrive; st.global.u32 [x], 1; }')).toContain('does not wait');
    expect(refusal('P0 { st.global.u32 [x], 1; exit; }')).toContain('exit');
    expect(refusal('P0 { st.global.u32 [x], 1; }', 'x2 @ texture aliases x;')).toContain('texture');
  });

  it('executes the instructions of its threads as they stand, in their order', () => {
    for (const path of litmusPaths(25)) {
      const text = readFileSync(path, 'utf8');
      const files = parseTests({ path, text }).value ?? [];
      const programs = loadTests({ path, text }).value ?? [];
      for (const [i, file] of files.entries()) {
        const program = programs[i];
        const found = program && exportTest(file, program);
        if (found === undefined || 'refused' in found) continue;
        for (const { statements } of file.threads) {
          const names = statements.flatMap((one) =>
            one.kind === 'instruction'
              ? [
                  printInstruction({ ...one, operands: [] })
                    .replace(/^@\S+ /, '')
                    .trim(),
                ]
              : [],
          );
          let at = 0;
          for (const name of names.filter((one) => one.includes('.'))) {
            at = found.module.indexOf(name, at);
            expect(at, `${path}: ${name}`).toBeGreaterThan(0);
          }
        }
      }
    }
  });
});

const hasTool = (name: string): boolean => spawnSync(name, ['--version']).status === 0;

describe.skipIf(!hasTool('ptxas') && process.env['REQUIRE_PTXAS'] !== '1')('the modules of exported tests', () => {
  it('are taken by ptxas, but for what is newer than it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'export-'));
    let taken = 0;
    for (const path of litmusPaths(25)) {
      const text = readFileSync(path, 'utf8');
      const file = parseTests({ path, text }).value?.[0];
      const program = loadTests({ path, text }).value?.[0];
      const found = file && program && exportTest(file, program);
      if (found === undefined || 'refused' in found) continue;
      const module = join(folder, 'm.ptx');
      writeFileSync(module, found.module);
      const { status, stderr } = spawnSync('ptxas', ['-arch=sm_90a', '-o', join(folder, 'm.cubin'), module]);
      if (!String(stderr).includes('Unsupported .version')) expect(status, `${path}: ${stderr}`).toBe(0);
      taken += 1;
    }
    expect(taken).toBeGreaterThan(10);
  });
});

describe.skipIf(!hasTool('nvcc'))('a bundle', () => {
  it('builds with the toolkit alone, and says that there is no GPU where there is none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
    cpSync(join(ROOT, 'src/export/runner'), folder, { recursive: true });
    const one = exported(MP) as ExportedTest;
    for (const [path, text] of bundleFiles([one])) {
      execFileSync('mkdir', ['-p', join(folder, 'tests')]);
      writeFileSync(join(folder, path), text);
    }
    const { status, stderr } = spawnSync('bash', [join(folder, 'run.sh'), '0.01'], { encoding: 'utf8' });
    const hasGpu = spawnSync('nvidia-smi').status === 0;
    expect(status, stderr).toBe(hasGpu ? 0 : 4);
    if (!hasGpu) expect(stderr).toContain('there is no GPU here');
  });
});
