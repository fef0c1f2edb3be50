import { loadTests } from '../../src/check/load-tests.js';
import type { Program } from '../../src/program/program.js';
import { kernelModule } from '../kernel-module.js';

/** A test with its module. */
export type TestSource = Parameters<typeof loadTests>[0];

/** A launch of a kernel whose own words of `x` and `s` are at `%rd2` and `%r2`. */
export const launch = (body: string, place: string, clauses = ''): TestSource => ({
  path: 'k.litmus',
  text: `PTX k\n{ .global .u32 x[256] = 0; }\nlaunch K "k.ptx" (x) @ ${place}\nexpect no-race\n${clauses}\n`,
  modules: {
    'k.ptx': {
      path: 'k.ptx',
      text: kernelModule({
        declared: '.shared .align 16 .u32 s[256];',
        body: `mov.u32 %r4, s; mad.lo.u32 %r2, %r1, 4, %r4; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
  setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 32;\n${body}`,
      }),
    },
  },
});

/** The test with all threads of its launches. */
export function withAllThreads(source: TestSource): Program {
  const [all] = loadTests(source, {}, 'all threads').value ?? [];
  if (all === undefined) throw new Error('a launch that cannot be read');
  return all;
}
