import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hoverAt } from '../../src/language/hover.js';
import { instructionsOf } from '../../src/language/instruction-at.js';
import { litmusPaths } from './texts.js';

const TEST = `PTX hovers
{ .global .u32 x; .shared .b64 bar = mbarrier(1); .shared .u32 s; }
P0 @ cta 0 {
  st.weak.global.u32 [x], 1;
  fence.proxy.async;
  fence.sc.cluster;
  mbarrier.arrive.shared.b64 _, [bar];
  atom.acq_rel.gpu.global.add.u32 r1, [x], 1;
  add.u32 r2, r1, 1;
  cp.async.bulk.commit_group;
}
exists (x == 1)
`;

const hover = (part: string, text = TEST, path = 'a.litmus'): string | undefined =>
  hoverAt({ path, text }, text.indexOf(part) + 1)?.text;

describe('what an editor tells of an instruction', () => {
  it.each([
    ['st.weak', '9.7.10', 'weak: not ordered by itself'],
    ['fence.proxy', '9.7.15.4', 'joins the generic proxy and the async proxy: between the two'],
    ['fence.sc', '9.7.15.4', 'one order with every fence.sc that it is morally strong with (8.9.3, 8.10.2)'],
    ['mbarrier.arrive', '9.7.15.16', 'release at cta scope: what its thread did before'],
    ['atom.acq_rel', '9.7.15.5', 'acquire: what was released to it'],
    ['cp.async.bulk.commit', '9.7.10.28.6', 'closes a group of the bulk copies before it: orders nothing'],
  ])('%s has its section and its meaning for memory order', (part, section, meaning) => {
    expect(hover(part)).toContain(`PTX ISA ${section}`);
    expect(hover(part)).toContain(meaning);
  });

  it.each([
    ['ld.volatile.global.u32 r, [x]', 'strong: volatile is relaxed at sys scope'],
    ['ld.global.nc.u32 r, [x]', 'outside of the memory model (8.1)'],
    ['red.relaxed.gpu.global.add.u32 [x], 1', 'a reduction takes part in no acquire pattern'],
    ['atom.global.v2.f32.add {a, b}, [x], {c, d}', 'each element in one step'],
    ['ld.mmio.relaxed.sys.global.u32 r, [x]', 'performed exactly as it is written'],
    ['bar.arrive 1, 64', 'arrives, without waiting'],
    ['bar.sync 0', 'waits for the threads that take part'],
    ['bar.warp.sync 1', 'PTX ISA 9.7.15.2'],
    ['barrier.cluster.arrive.relaxed', 'hands over nothing unless a release fence'],
    ['barrier.cluster.wait', 'waits for all threads of the cluster to arrive'],
    ['mbarrier.test_wait.relaxed.cta.shared.b64 p, [b], t', 'orders nothing without an acquire fence'],
    ['mbarrier.arrive.expect_tx.shared.b64 t, [b], 16', 'first makes the phase wait for so many more bytes'],
    ['mbarrier.arrive_drop.shared.b64 t, [b]', 'later phases wait for that many fewer arrivals'],
    [
      'cp.async.mbarrier.arrive.noinc.shared.b64 [b]',
      'arrives when the asynchronous operations before it are complete',
    ],
    ['cp.async.bulk.wait_group.read 1', 'but for 1 group have read their sources'],
    ['cp.async.wait_all', 'the copies, committed or not are complete'],
    ['fence.proxy.async.global', 'for global memory only'],
    ['fence.mbarrier_init.release.cluster', 'covers only mbarrier.init of its thread'],
    ['fence.proxy.tensormap::generic.acquire.gpu [x], 128', 'one way at gpu scope'],
    ['activemask.b32 r', 'waits for nobody, and orders no memory'],
    ['prefetch.global.L2 [x]', 'a hint'],
    ['st.local.u32 [l], 1', 'for which nobody else can race'],
    ['cp.async.ca.shared.global [s], [x], 16, 8', 'reads at most 16 bytes'],
  ])('%s is told as it is', (instruction, meaning) => {
    const text = `.version 9.0\n.target sm_90\n.visible .entry k() {\n  ${instruction};\n  ret;\n}\n`;
    expect(hover(instruction, text, 'k.ptx')).toContain(meaning);
  });

  it('says of arithmetic that it has none', () => {
    expect(hover('add.u32 r2')).toContain('no effect on memory');
  });

  it('says what there is to write where the instruction itself is wrong', () => {
    expect(hover('st.weak', TEST.replace('[x], 1;', '[x], 1, 2;'))).toContain('`.weak .relaxed .release .volatile`');
  });

  it('is there beside a mistake, in a kernel test and in a module', () => {
    expect(hover('st.weak', TEST.replace('atom.', 'atam.'))).toContain('weak: not ordered by itself');
    const module =
      '.version 8.0\n.target sm_90\n.visible .entry k() {\n  @%p st.release.gpu.b64 [%rd1], %rd2;\n  ret;\n}\n';
    expect(hover('st.release', module, 'k.ptx')).toContain('release: what its thread did before');
    const kernel = `${TEST.slice(0, TEST.indexOf('exists'))}launch K "k.ptx" :: k () @ grid 1, block 1\n`;
    expect(hover('fence.sc', kernel)).toContain('fence at cluster scope');
  });

  it('tells of a name where it is declared, and of a word of a model what it is', () => {
    expect(hover('x], 1')).toContain('.global .u32 x');
    expect(hover('rf', '"m"\nlet a = rf\n', 'm.cat')).toBe('`rf`: a relation of the vocabulary (docs/cat.md)');
    expect(hoverAt({ path: 'm.cat', text: '"m"\nlet a = po\nacyclic a\n' }, 23)?.text).toContain('let a = po');
  });

  it('is of the thread that has it, in each test of a file', () => {
    const two = `${TEST}${TEST.replace('st.weak.global.u32 [x], 1', 'st.relaxed.gpu.global.u32 [x], 1')}`;
    expect(hover('st.relaxed', two)).toContain('strong, at gpu scope');
  });

  it('is there for every instruction of a test that can be read', () => {
    for (const path of litmusPaths(40)) {
      const text = readFileSync(path, 'utf8');
      for (const { opcode } of instructionsOf(path, text))
        expect(hoverAt({ path, text }, opcode.start)?.text, text.slice(opcode.start, opcode.end)).toMatch(
          /\n\* |takes|no effect on memory/,
        );
    }
  });
});
