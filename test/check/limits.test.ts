import { describe, expect, it } from 'vitest';
import { checkProgram, litmus, programOf } from '../support.js';

describe('the memory for a test', () => {
  it('ends it as unknown, with the reason, when the process has more', async () => {
    const threads = ['st.relaxed.gpu.global.u32 [x], 1;', 'ld.relaxed.gpu.global.u32 r0, [x];'];
    const program = programOf(litmus('.global .u32 x = 0;', threads, 'exists (P1:r0 == 1)'));
    const most = 100 * 2 ** 20;
    const within = await checkProgram(program, 'ptx-9.4', { memory: { used: () => most, most } });
    expect(within.conditions[0]?.reachable).toBe(true);
    const beyond = await checkProgram(program, 'ptx-9.4', { memory: { used: () => most + 1, most } });
    expect(beyond.conditions[0]?.undecided).toEqual({
      kind: 'memory',
      what: 'memory: the process has more than 100 MiB',
    });
  });
});

describe('a copy that is larger than every location', () => {
  it('is left undecided, with its size', async () => {
    const declarations = '.global .align 16 .u32 x[4]; .shared .align 16 .u32 s[4]; .shared .b64 bar = mbarrier(1);';
    const copy =
      'mov.u32 r0, 0xfffffff0; ' +
      'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [x], r0, [bar];';
    const { conditions } = await checkProgram(programOf(litmus(declarations, [copy], 'exists (x[0] == 0)')), 'ptx-9.4');
    expect(conditions[0]?.undecided).toMatchObject({ kind: 'size', what: expect.stringContaining('4294967280 bytes') });
  });
});
