import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { checkProgram } from '../support.js';

/** What a test that names threads, or a smaller launch, may hide (docs/kernels.md, "Some threads"). */

/** A kernel each thread of which writes the word whose number an instruction makes of its own. */
const writing = (name: string, word: string): string => `.visible .entry ${name}(.param .u64 out)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  ${word}
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}`;

const MODULE = `.version 8.7
.target sm_90
.address_size 64
.visible .entry last(.param .u64 count, .param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [count];
  ld.param.u64 %rd2, [out];
  atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1;
  setp.eq.u32 %p1, %r1, 7;
  @%p1 st.global.u32 [%rd2], 1;
  setp.eq.u32 %p2, %r1, 0;
  @%p2 ld.global.u32 %r2, [%rd2];
  ret;
}
${writing('neighbors', 'shr.u32 %r2, %r1, 1;')}
${writing('halves', 'min.u32 %r2, %r1, 32;')}
${writing('warps', 'and.b32 %r2, %r1, 31;')}
`;

async function raceOf(launch: string): Promise<string | undefined> {
  const memory = '{ .global .u32 count; .global .u32 out[64]; }';
  const text = `PTX limits\n${memory}\nlaunch K "k.ptx" ${launch}\nexpect no-race\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: MODULE } };
  const { value, diagnostics } = loadTests({ path: 'limits.litmus', text, modules }, {}, 'answers');
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return (await checkProgram(program, 'ptx-9.4')).expectations[0]?.outcome;
}

describe('threads that are not named hide', () => {
  it('nothing that only the last of many does', async () => {
    for (const run of ['{ run all; }', '{ run tid 0; }', ''])
      expect(await raceOf(`:: last (count, out) @ grid 1, block 8 ${run}`)).toBe('broken');
    expect(await raceOf(':: last (count, out) @ grid 8, block 1')).toBe('broken');
  });

  it('what they do among themselves, and not with those that are', async () => {
    const of = (run: string) => raceOf(`:: halves (out) @ grid 1, block 64 ${run}`);
    expect(await of('')).toBe('broken');
    expect(await of('{ run tid 0; }')).toBe('met');
    expect(await of('{ run tid 40; }')).toBe('broken');
    expect(await raceOf(':: neighbors (out) @ grid 1, block 64 { run warps; }')).toBe('broken');
  });
});

describe('a smaller launch hides', () => {
  it('what it takes more warps for', async () => {
    expect(await raceOf(':: warps (out) @ grid 1, block 32')).toBe('met');
    expect(await raceOf(':: warps (out) @ grid 1, block 64')).toBe('broken');
  });
});
