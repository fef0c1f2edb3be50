import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineContextOf } from '../../src/check/check-operationally.js';
import { findSpinLoops } from '../../src/flow/waiting-loops.js';
import { explore } from '../../src/operational/explore.js';
import type { Program } from '../../src/program/program.js';
import { builtInModel, programOf } from '../support.js';

const LOOPS = join(import.meta.dirname, '../../litmus/loops');
const OPTIONS = { mostStates: 4000, deadline: { remaining: () => 1e12 } };

/** All that the machine finds with so many rounds of waiting loops; undefined where that is too much. */
function found(program: Program, spinRounds: number): readonly unknown[] | undefined {
  const context = machineContextOf(program, builtInModel('ptx-9.4'), 3, () => undefined, spinRounds);
  if ('kind' in context) return undefined;
  const { outcomes, findings, deadlock, trap, incomplete } = explore(context, OPTIONS);
  if (incomplete !== undefined) return undefined;
  return [[...outcomes.keys()].sort(), [...findings.keys()].sort(), deadlock !== undefined, trap !== undefined];
}

const waits = (program: Program): boolean => program.threads.some((thread) => findSpinLoops(program, thread).size > 0);

/** Two polls in turn, and what each round leaves. */
const poll = (body: string): Program =>
  programOf(
    'PTX poll\n{ .global .u32 f = 0; .global .u32 g = 0; }\n' +
      'P0 @ cta 0 { st.relaxed.gpu.global.u32 [g], 1; st.relaxed.gpu.global.u32 [g], 2; ' +
      'st.release.gpu.global.u32 [f], 1; }\n' +
      `P1 @ cta 1 {\nmov.u32 r2, 7;\n${body}\n}\nexists (P1:r0 == 0 /\\ P1:r1 == 0 /\\ P1:r2 == 0)`,
    'poll',
  );

describe('a loop that only waits', () => {
  it('ends as it does with more rounds, in the tests of litmus/loops', () => {
    let compared = 0;
    for (const file of readdirSync(LOOPS)) {
      const program = programOf(readFileSync(join(LOOPS, file), 'utf8'), file);
      if (!waits(program)) continue;
      const [few, more] = [found(program, 2), found(program, 4)];
      if (few === undefined || more === undefined) continue;
      expect([program.name, few]).toEqual([program.name, more]);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(12);
  }, 120_000);

  const look = 'ld.acquire.gpu.global.u32 r0, [f]; setp.ne.u32 p0, r0, 0;';
  const first = 'ld.acquire.gpu.global.u32 r0, [f]; setp.ne.u32 p0, r0, 0; @p0 bra B;';
  const second = 'ld.relaxed.gpu.global.u32 r1, [g];';
  it.each([
    `A: ${first} ${second} setp.ne.u32 p1, r1, 2; @p1 bra A; B:`,
    `A: ${first} ${second} add.u32 r2, r1, 1; bra A; B:`,
    `A: ${second} setp.eq.u32 p1, r1, 1; @p1 exit; ${first} bra A; B:`,
    // Loops that begin at one place, and one inside of another.
    `A: ${look} @!p0 bra A; ${second} setp.ne.u32 p1, r1, 2; @p1 bra A;`,
    `A: ${second} setp.ne.u32 p1, r1, 2; C: ${look} @!p0 bra C; @p1 bra A;`,
  ])('ends as it does with more rounds: %s', (body) => {
    const program = poll(body);
    expect(waits(program)).toBe(true);
    expect(found(program, 2)).toEqual(found(program, 4));
  });

  it.each([
    // Each round leaves what the one before has left: the third last one matters as well.
    `A: mov.u32 r2, r1; ${first} ${second} bra A; B:`,
    // Not every round sets it.
    `A: ${first} setp.eq.u32 p2, r0, 7; @p2 bra C; ${second} C: bra A; B:`,
    `mov.u32 r1, 0; A: ${first} add.u32 r1, r1, 1; bra A; B:`,
    // The loop inside counts its rounds.
    `mov.u32 r2, 0; A: ${second} C: add.u32 r2, r2, 1; ${look} @!p0 bra C; setp.ne.u32 p1, r1, 2; @p1 bra A;`,
  ])('hands nothing on: %s', (body) => {
    expect(waits(poll(body))).toBe(false);
  });
});
