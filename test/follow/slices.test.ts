import { describe, expect, it } from 'vitest';
import { exploreProgram } from '../../src/check/check-operationally.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Exploration } from '../../src/operational/explore.js';
import type { Program } from '../../src/program/program.js';
import { describeUndecided } from '../../src/program/undecided.js';
import { answerLines, builtInModel, checkProgram } from '../support.js';
import { compareEngines, complaint } from '../twins.js';

/** A kernel `k` of two pointers, launched. */
function loaded(
  body: string,
  test: { memory: string; given?: string; place: string; clauses: string; threads?: string },
) {
  const module = `.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
  .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  .shared .align 128 .b8 s[256]; .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
${body}
  ret;
}
`;
  const { memory, given = 'x, y', place, clauses, threads = '' } = test;
  const text = `PTX slices\n{ ${memory} }\n${threads}\nlaunch K "k.ptx" (${given}) @ ${place}\n${clauses}\n`;
  return loadTests({ path: 'k.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: module } } });
}

function programOf(...given: Parameters<typeof loaded>): Program {
  const { value, diagnostics } = loaded(...given);
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return program;
}

/** What the axioms say; the machine must say the same. */
async function outcomesOf(...given: Parameters<typeof loaded>): Promise<readonly string[]> {
  const program = programOf(...given);
  expect(complaint(compareEngines(program))).toBe('agree');
  return answerLines(await checkProgram(program, 'ptx-9.4'));
}

const MEMORY = '.global .u32 x[4] = 0; .global .u32 y[4] = 0;';

describe('a register of a kernel that a condition names', () => {
  const one = { memory: MEMORY, place: 'grid 1, block 1' };

  it('keeps all that it was computed from', async () => {
    const body =
      'mov.u32 %r4, 9; st.global.u32 [%rd1], %r4; ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;';
    const clauses = 'require (P0:r3 == 11) forbid (K[cta 0, tid 0]:r2 != 10)';
    expect(await outcomesOf(body, { ...one, clauses })).toEqual(['met', 'met']);
  });

  it('keeps what it was set to before ways of a branch join', async () => {
    const body =
      'ld.volatile.global.u32 %r1, [%rd1]; st.volatile.global.u32 [%rd1], 5; setp.eq.u32 %p1, %r1, 0;\n' +
      '@!%p1 bra out; mov.u32 %r2, 1; out: add.u32 %r3, %r1, 1;';
    expect(await outcomesOf(body, { ...one, clauses: 'require (P0:r2 == 1 && P0:r3 == 1)' })).toEqual(['met']);
    const both = body.replace('mov.u32 %r2, 1;', 'mov.u32 %r2, 1; bra end;').replace('out:', 'out: mov.u32 %r2, 2;');
    const clauses = 'permit (P0:r2 == 1) permit (P0:r2 == 2)';
    const two = { ...one, place: 'grid 2, block 1 { run all; }', clauses };
    expect(await outcomesOf(`${both} end:`, two)).toEqual(['met', 'met']);
  });

  it('keeps what it was set to before the thread may exit', async () => {
    const body =
      'atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1; mov.u32 %r2, 3; setp.eq.u32 %p1, %r1, 0;\n' +
      '@%p1 exit; mov.u32 %r2, 4; ';
    const two = { ...one, place: 'grid 2, block 1 { run all; }' };
    const clauses = 'require (P0:r1 == 0 && P0:r2 == 3 || P0:r1 == 1 && P0:r2 == 4)';
    expect(await outcomesOf(body, { ...two, clauses })).toEqual(['met']);
  });

  it('counts the rounds of a loop that waits', async () => {
    const body =
      'mov.u32 %r4, %ctaid.x; setp.eq.u32 %p1, %r4, 0; @%p1 bra W; st.relaxed.gpu.global.u32 [%rd1], 1; bra E;\n' +
      'W: add.u32 %r2, %r2, 1; ld.relaxed.gpu.global.u32 %r0, [%rd1]; setp.eq.u32 %p2, %r0, 0; @%p2 bra W; E:';
    const clauses = 'permit (P0:r2 == 1) permit (P0:r2 == 2)';
    expect(await outcomesOf(body, { ...one, place: 'grid 2, block 1', clauses })).toEqual(['met', 'met']);
  });

  it('is of any thread of the launch', async () => {
    const body = 'mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 100, %r1;';
    const clauses = 'require (K[cta 1, tid 37]:r3 == 137 && K[cta 0, tid 5]:r3 == 5)';
    const asked = await checkProgram(programOf(body, { ...one, place: 'grid 2, block 64', clauses }), 'ptx-9.4');
    expect(answerLines(asked)).toEqual(['met']);
    const few = clauses.replace('tid 37', 'tid 7').replace('137', '107');
    expect(await outcomesOf(body, { ...one, place: 'grid 2, block 8 { run tid 0; }', clauses: few })).toEqual(['met']);
    const left = loaded(body, { ...one, place: 'grid 2, block 64 { run exactly tid 0; }', clauses });
    expect(renderDiagnostics(left.diagnostics)).toMatch(/L0203.*no thread K\[cta 1, tid 37\].*run exactly/s);
    const beyond = loaded(body, { ...one, place: 'grid 2, block 8', clauses });
    expect(renderDiagnostics(beyond.diagnostics)).toMatch(/L0203.*no thread K\[cta 1, tid 37\]/s);
  });
});

describe('a reduction at a barrier, in a part of a launch that is looked at', () => {
  const red = 'bar.red.popc.u32 %r2, 0, %p3;';
  const explored = (first: string, second: string): Exploration => {
    const body =
      'mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; setp.ne.u32 %p3, %r1, 99;\n' +
      `@%p1 bra A; ${second} bra E; A: ${first} E:`;
    const asked = { memory: MEMORY, place: 'grid 1, block 64 { run tid 0, 32; }', clauses: 'exists (P0:r2 == 64)' };
    const found = exploreProgram(programOf(body, asked), builtInModel('ptx-9.4'));
    if ('kind' in found) throw new Error(describeUndecided(found));
    return found;
  };

  it('does not meet bar.sync (9.7.15.1)', () => {
    expect([...explored(red, 'bar.sync 0;').findings.keys()]).toEqual(['barrier-kinds-differ']);
  });

  it('meets its like, and gives what is not known', () => {
    const { findings, deadlock, outcomes, incomplete } = explored(red, red);
    expect([findings.size, deadlock, outcomes.size, incomplete?.kind]).toEqual([0, undefined, 1, 'value']);
  });
});

describe('memory that is written through another name', () => {
  const inCta = (store: string, load: string): string =>
    `mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; ${store} bra E; L: ${load} E:`;
  const place = 'grid 2, block 1';
  const clauses = 'expect race';

  it('is not known: an alias', async () => {
    const memory = '.global .u32 x[4] = 0; .global y aliases x;';
    const body = inCta('st.global.u32 [%rd2], 1;', 'ld.global.u32 %r2, [%rd1];');
    // Two accesses by two names do not race (docs/decisions/aliases.md).
    const asked = 'permit (P1:r2 == 1) permit (P1:r2 == 0) expect no-race';
    expect(await outcomesOf(body, { memory, place, clauses: asked })).toEqual(['met', 'met', 'no-race met']);
  });

  it('is not known: a tensor map', async () => {
    const memory = '.global .align 128 .u32 buf[16] = 0; .global .align 64 .b8 map[128] = tensormap(buf, 16);';
    const store = 'cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd1, {0}], [s];';
    const body = inCta(store, 'ld.global.u32 %r2, [%rd2];');
    expect(await outcomesOf(body, { memory, given: 'map, buf', place, clauses })).toEqual(['race met']);
    const reduce = store.replace('cp.async', 'cp.reduce.async').replace('shared::cta.tile', 'shared::cta.add.tile');
    expect(
      await outcomesOf(inCta(reduce, 'ld.global.u32 %r2, [%rd2];'), { memory, given: 'map, buf', place, clauses }),
    ).toEqual(['race met']);
  });

  it('is not known: copies', async () => {
    const body = (store: string): string => inCta(store, 'ld.global.u32 %r2, [%rd1];');
    for (const store of [
      'cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;',
      'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [s], 16;',
      'red.relaxed.gpu.global.add.u32 [%rd1], 1;',
    ]) {
      const memory = '.global .align 16 .u32 x[4] = 0; .global .u32 y = 0;';
      expect(await outcomesOf(body(store), { memory, place, clauses }), store).toEqual(['race met']);
    }
  });

  it('is not known: a pointer that one of two ways chooses', async () => {
    const memory = '.global .u32 x = 0; .global .u32 y = 0;';
    const store =
      'atom.relaxed.gpu.global.exch.b32 %r3, [%rd1], 1; setp.eq.u32 %p2, %r3, 7;\n' +
      'selp.b64 %rd3, %rd1, %rd2, %p2; st.global.u32 [%rd3], 1;';
    expect(await outcomesOf(inCta(store, 'ld.global.u32 %r2, [%rd2];'), { memory, place, clauses })).toEqual([
      'race met',
    ]);
  });

  it('is not known: threads that are written out, by a pointer', async () => {
    const memory = '.global .u32 x = 0; .global .u32 y = 0; .global .u64 p = &x;';
    const body = 'ld.global.u32 %r2, [%rd1];';
    const threads = 'P0 @ cta 5, grid 7 { ld.global.u64 rd1, [p]; st.global.u32 [rd1], 1; }';
    expect(await outcomesOf(body, { memory, threads, place: 'grid 1, block 1', clauses })).toEqual(['race met']);
    const given = memory.replace(' .global .u64 p = &x;', ' P0:rd1 = &x;');
    const direct = threads.replace('ld.global.u64 rd1, [p]; ', '');
    expect(await outcomesOf(body, { memory: given, threads: direct, place: 'grid 1, block 1', clauses })).toEqual([
      'race met',
    ]);
  });

  it('is known where nobody writes it', async () => {
    const memory = '.global .u32 x = 3; .global .u32 y = 0; .global z aliases y;';
    const body =
      'ld.global.u32 %r1, [%rd1]; mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L;\n' +
      'st.global.u32 [%rd2], %r2;';
    const asked = { memory, given: 'x, z', place: 'grid 1, block 1', clauses: 'require (y == 3) expect no-race' };
    expect(await outcomesOf(body, asked)).toEqual(['met', 'no-race met']);
  });
});
