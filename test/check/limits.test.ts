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
