import { describe, expect, it } from 'vitest';
import { checkOperationally } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Program } from '../../src/program/program.js';
import { kernelModule } from '../kernel-module.js';
import { answerLines, builtInModel, programOf, solver } from '../support.js';

/** Warp instructions of lane 0, by the mask that they are given (PTX ISA 9.7.10.6 and the like). */
const INSTRUCTIONS: Readonly<Record<string, (mask: string) => string>> = {
  shfl: (mask) => `shfl.sync.idx.b32 %r3, %r1, 0, 31, ${mask};`,
  'vote.any': (mask) => `vote.sync.any.pred %p1, %p2, ${mask};`,
  'vote.ballot': (mask) => `vote.sync.ballot.b32 %r3, %p2, ${mask};`,
  match: (mask) => `match.any.sync.b32 %r3, %r1, ${mask};`,
  'match.all': (mask) => `match.all.sync.b32 %r3|%p1, %r1, ${mask};`,
  redux: (mask) => `redux.sync.add.s32 %r3, %r1, ${mask};`,
  elect: (mask) => `elect.sync %r3|%p1, ${mask};`,
};

/** What both engines say of a test: each has an execution at least, since `exists (true)` would be met. */
function saysOf(program: Program): readonly string[] {
  const model = builtInModel('ptx-9.4');
  const axioms = checkTest(solver, program, model, { follow: false, timeout: 20_000 });
  const machine = checkOperationally(program, model);
  return [axioms, machine].map((result) => answerLines(result).join());
}

const written = (body: string): Program =>
  programOf(`PTX t\n{ .global .u32 x = 0; }\nP0 @ cta 0 {\n${body}\nst.global.u32 [x], 1;\n}\nexpect undefined\n`);

function launched(body: string): Program {
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body, target: 'sm_100' }) } };
  const text = 'PTX k\n{ .global .u32 x[64] = 0; }\nlaunch K "k.ptx" (x) @ grid 1, block 1\nexpect undefined\n';
  const read = loadTests({ path: 'k.litmus', text, modules }, {}, 'all threads');
  const [program] = read.value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(read.diagnostics));
  return program;
}

describe('a lane that is alone in its warp', () => {
  it.each(Object.entries(INSTRUCTIONS))('is undefined outside of the mask of its %s, and in it is not', (_, of) => {
    for (const make of [written, launched]) {
      const inside = saysOf(make(of('0x1')));
      expect(inside.every((line) => line.startsWith('undefined broken'))).toBe(true);
      const outside = saysOf(make(of('0x2')));
      expect(outside.every((line) => line.startsWith('undefined met'))).toBe(true);
    }
  });
});
