import { expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { kernelModule } from '../kernel-module.js';
import { answerLines, builtInModel, solver } from '../support.js';

/** Of eight lanes those from the sixth on exit; the others execute the body, and leave `%r2`. */
function answersOf(body: string, clauses: string): readonly (readonly string[])[] {
  const text = `PTX t\n{ .global .u32 x[8] = 0; }\nlaunch K "k.ptx" (x) @ grid 1, block 8\n${clauses}\n`;
  const left = `setp.ge.u32 %p1, %r1, 5; @%p1 ret; setp.ge.u32 %p1, %r1, 3; ${body}`;
  const store = 'mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r2;';
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body: `${left} ${store}` }) } };
  return (['answers', 'all threads'] as const).map((wants) => {
    const read = loadTests({ path: 't.litmus', text, modules }, {}, wants);
    const [program] = read.value ?? [];
    if (program === undefined) throw new Error(renderDiagnostics(read.diagnostics));
    const result = checkTest(solver, program, builtInModel('ptx-9.4'), { timeout: 30_000 });
    return [...answerLines(result), ...(result.followed === undefined ? [] : ['by order'])];
  });
}

it.each([
  ['redux.sync.add.u32 %r2, %r1, -1;', 'x[1] == 10'],
  ['vote.sync.ballot.b32 %r2, %p1, 0xff;', 'x[4] == 0x18'],
  ['vote.sync.all.pred %p2, %p1, -1; selp.u32 %r2, 1, 2, %p2;', 'x[0] == 2'],
  ['mov.u32 %r3, 7; match.all.sync.b32 %r2, %r3, -1;', 'x[2] == 0x1f'],
  ['shfl.sync.idx.b32 %r2, %r1, 4, 31, -1;', 'x[0] == 4'],
])('%s is among the lanes that have not exited', (body, holds) => {
  const met = ['met', 'no-undefined met', 'no-deadlock met'];
  expect(answersOf(body, `require (${holds})\nexpect no-undefined\nexpect no-deadlock`)).toEqual([
    [...met, 'by order'],
    met,
  ]);
});

it('leaves open what lanes that have exited give to a shuffle', () => {
  const body = 'shfl.sync.down.b32 %r2, %r1, 1, 31, -1;';
  const answers = answersOf(body, 'require (x[3] == 4)\nrequire (x[4] == 0)\nexpect no-undefined');
  expect(answers).toEqual([
    ['met', 'broken', 'no-undefined met'],
    ['met', 'broken', 'no-undefined met'],
  ]);
});
