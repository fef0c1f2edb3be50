import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generatePrograms } from '../../src/generate/generate-programs.js';
import { generateTests } from '../../src/generate/generate-tests.js';
import { Random } from '../../src/generate/random.js';
import { bit, bitsOf, has, membersOf } from '../../src/operational/bits.js';
import { outcomeKey, outcomesOf } from '../../src/operational/outcomes.js';
import { PARTIAL_VALUES } from '../../src/operational/partial-values.js';
import { randomRun } from '../../src/operational/random-run.js';
import { litmusPrograms, programOf, ROOT } from '../support.js';
import { explored, shape } from './explored.js';

/** Enough to tell when a state forgets what an access had learned (the 475th does). */
const GENERATED = 600;

describe('the machine', () => {
  it(`finds the same also on ${GENERATED} generated programs`, () => {
    let compared = 0;
    for (const { name, body } of generatePrograms('program', { seed: 1, mostAccesses: 5 })) {
      if (compared === GENERATED) break;
      const program = programOf(`PTX ${name}\n${body}`, name);
      const whole = explored(program, true);
      if (whole.incomplete?.kind === 'states') continue;
      expect(shape(explored(program, false)), body).toEqual(shape(whole));
      compared += 1;
    }
  });

  it.each(['grid', 'poll'] as const)('and on generated tests of the family %s', (family) => {
    let compared = 0;
    for (const { text, name } of generateTests({ seed: 1, mostEvents: 5, families: [family] })) {
      if (compared === 100) break;
      const program = programOf(text, name);
      const whole = explored(program, true);
      if (whole.incomplete?.kind === 'states') continue;
      expect(shape(explored(program, false)), text).toEqual(shape(whole));
      compared += 1;
    }
  });

  it('comes to none but its outcomes in random runs', () => {
    const random = new Random(1);
    // Which lanes are active together is known at the end of a run only.
    const together = 'cluster/warp.activemask-popc-red.litmus';
    const always = programOf(readFileSync(join(ROOT, 'litmus', together), 'utf8'), together);
    for (const program of [always, ...litmusPrograms(12, 'random runs')]) {
      const exploration = explored(program, false);
      if (exploration.incomplete !== undefined) continue;
      for (let i = 0; i < 10; i++) {
        const run = randomRun(exploration.context, (bound) => random.below(bound));
        for (const outcome of run === undefined ? [] : outcomesOf(run.state)) {
          const key = outcomeKey(outcome);
          expect(exploration.outcomes.has(key) || exploration.findings.size > 0, `${program.name}: ${key}`).toBe(true);
        }
      }
    }
  });

  it('gives runs of which each step is one that could be taken', () => {
    const path = 'classic/MP+rlx.gpu+rlx.gpu.litmus';
    const program = programOf(readFileSync(join(ROOT, 'litmus', path), 'utf8'), path);
    const { outcomes } = explored(program, false);
    for (const { run } of outcomes.values()) {
      let length = 0;
      for (let at = run; at.before !== undefined; at = at.before) {
        expect(at.event !== undefined && at.state.isDone(at.event) && !at.before.state.isDone(at.event)).toBe(true);
        length += 1;
      }
      expect(length).toBe(4);
    }
  });
});

describe('sets as bits', () => {
  const numbers = fc.uniqueArray(fc.nat(200));
  it('have the members that they were made of', () => {
    fc.assert(
      fc.property(numbers, (members) => {
        expect(membersOf(bitsOf(members))).toEqual([...members].sort((a, b) => a - b));
      }),
    );
  });
  it('contain what their union contains', () => {
    fc.assert(
      fc.property(numbers, numbers, fc.nat(200), (a, b, x) => {
        expect(has(bitsOf(a) | bitsOf(b), x)).toBe(a.includes(x) || b.includes(x));
        expect(has(bitsOf(a) | bit(x), x)).toBe(true);
      }),
    );
  });
});

describe('partial values', () => {
  const truth = fc.constantFrom(true, false, undefined);
  it('are known as soon as what is missing makes no difference to a truth value', () => {
    fc.assert(
      fc.property(truth, truth, (a, b) => {
        const both = new Set([a ?? true, a ?? false].flatMap((x) => [b ?? true, b ?? false].map((y) => x && y)));
        expect(PARTIAL_VALUES.and(a, b)).toBe(both.size === 1 ? [...both][0] : undefined);
        expect(PARTIAL_VALUES.not(PARTIAL_VALUES.or(PARTIAL_VALUES.not(a), PARTIAL_VALUES.not(b)))).toBe(
          PARTIAL_VALUES.and(a, b),
        );
      }),
    );
  });
  it('are not known before all operands are, even of an and with 0', () => {
    const zero = PARTIAL_VALUES.constant(0n, 32);
    expect(
      PARTIAL_VALUES.compute({ name: 'and', signed: false, width: 32, resultWidth: 32 }, [undefined, zero]),
    ).toBeUndefined();
  });
});
