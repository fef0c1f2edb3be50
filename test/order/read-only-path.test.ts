import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { kernelModule } from '../kernel-module.js';
import { answerLines, builtInModel, solver } from '../support.js';

/** `%rd1`, `%rd2`: the words of a thread; its thread number is `%r1`. */
const MODULES = {
  'write.ptx': 'st.global.u32 [%rd3], 5;',
  'read.ptx': 'ld.global.nc.u32 %r2, [%rd3]; st.global.u32 [%rd4], %r2;',
  'plain.ptx': 'ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd4], %r2;',
  'wait.ptx': 'griddepcontrol.wait; ld.global.nc.u32 %r2, [%rd3]; st.global.u32 [%rd4], %r2;',
  'late.ptx': 'ld.global.nc.u32 %r2, [%rd3]; griddepcontrol.wait; st.global.u32 [%rd4], %r2;',
  'own.ptx': 'st.global.u32 [%rd3], 5; ld.global.nc.u32 %r2, [%rd3];',
  'uniform.ptx': 'ldu.global.u32 %r2, [%rd1]; st.global.u32 [%rd4], %r2;',
};
const modules = Object.fromEntries(
  Object.entries(MODULES).map(([path, body]) => [
    path,
    {
      path,
      text: kernelModule({
        pointers: 2,
        body: `mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd3, %rd1, %rd3; ${body}`,
      }),
    },
  ]),
);

/** What is said of launches by the run of all threads, and by all executions. */
function answersOf(launches: readonly string[], value: number): readonly (readonly string[])[] {
  const text = `PTX t
{ .global .u32 x[4] = 1; .global .u32 y[4] = 2; }
${launches.join('\n')}
require (y[1] == ${value})
expect no-race
expect no-undefined
`;
  const source = { path: 't.litmus', text, modules };
  return (['answers', 'all threads'] as const).map((wants) => {
    const read = loadTests(source, {}, wants);
    const [program] = read.value ?? [];
    if (program === undefined) throw new Error(renderDiagnostics(read.diagnostics));
    const result = checkTest(solver, program, builtInModel('ptx-9.4'), { timeout: 20_000 });
    const orders = result.followed?.orderedBy.filter((edge) => edge === 'grid-read-only') ?? [];
    return [...answerLines(result).map((line) => line.split(':')[0] ?? ''), ...orders];
  });
}
const launch = (name: string, module: string, place = '', block = 4): string =>
  `launch ${name} "${module}.ptx" (x, y) @ grid 1, block ${block}${place}`;

const MET = ['met', 'no-race met', 'no-undefined met'];
const UNDEFINED = 'no-undefined broken';

describe('what is read through the read-only path', () => {
  it.each<[string, readonly string[], number]>([
    ['after the launch that wrote it', [launch('A', 'write'), launch('B', 'read', ', after A')], 5],
    ['by ldu', [launch('A', 'write'), launch('B', 'uniform', ', after A')], 5],
    [
      'two launches after',
      [launch('A', 'write'), launch('B', 'plain', ', after A', 1), launch('C', 'read', ', after B')],
      5,
    ],
    ['before a later launch writes it', [launch('A', 'read'), launch('B', 'write', ', after A')], 1],
    ['behind a wait for the launch', [launch('A', 'write'), launch('B', 'wait', ', dependent on A')], 5],
  ])('is in order %s', (_, launches, value) => {
    expect(answersOf(launches, value)).toEqual([[...MET, 'grid-read-only'], MET]);
  });

  it.each<[string, readonly string[]]>([
    ['of a launch in no order', [launch('A', 'write'), launch('B', 'read')]],
    ['of its own launch', [launch('A', 'own')]],
    [
      'of a launch beside that it follows',
      [launch('A', 'plain'), launch('B', 'write'), launch('C', 'read', ', after A')],
    ],
  ])('is undefined where it is written by a thread %s', (_, launches) => {
    for (const answers of answersOf(launches, 5)) expect(answers).toContain(UNDEFINED);
  });

  it('is not said to be in order before its thread has waited', () => {
    const [byRun, byEngines] = answersOf([launch('A', 'write'), launch('B', 'late', ', dependent on A')], 5);
    expect(byRun).toEqual(byEngines);
    expect(byRun).toContain(UNDEFINED);
  });
});
