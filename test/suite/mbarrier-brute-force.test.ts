import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkProgram, programOf, stateLines } from '../support.js';

/**
 * One mbarrier object under random programs of two threads, against all interleavings of a machine written here anew,
 * with plain numbers (PTX ISA, mbarrier): the same final states, and undefined behavior in exactly the same programs.
 */
type Step =
  | { readonly kind: 'arrive' | 'drop'; readonly count: number }
  | { readonly kind: 'arriveExpecting' | 'expect' | 'complete'; readonly bytes: number }
  | { readonly kind: 'wait'; readonly parity: number }
  | { readonly kind: 'token' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('arrive' as const), count: fc.constantFrom(1, 1, 2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), count: fc.constant(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('arriveExpecting' as const, 'expect' as const, 'complete' as const),
      bytes: fc.constantFrom(16, 16, 32),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), parity: fc.constantFrom(0, 1) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'token' as const }) },
);
const world = fc.record({
  count: fc.constantFrom(1, 2, 3),
  threads: fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 2 }),
});

function textOf({
  count,
  threads,
}: {
  readonly count: number;
  readonly threads: readonly (readonly Step[])[];
}): string {
  const bodies = threads.map((steps) =>
    steps.map((one, i) => {
      switch (one.kind) {
        case 'arrive':
          return `mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [bar], ${one.count};`;
        case 'drop':
          return `mbarrier.arrive_drop.relaxed.cta.shared::cta.b64 _, [bar], ${one.count};`;
        case 'arriveExpecting':
          return `mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], ${one.bytes};`;
        case 'expect':
        case 'complete':
          return `mbarrier.${one.kind}_tx.relaxed.cta.shared::cta.b64 [bar], ${one.bytes};`;
        case 'wait':
          return `mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64 p${i}, [bar], ${one.parity};`;
        case 'token':
          return (
            `mbarrier.arrive.relaxed.cta.shared::cta.b64 d${i}, [bar]; ` +
            `mbarrier.test_wait.relaxed.cta.shared::cta.b64 p${i}, [bar], d${i};`
          );
      }
    }),
  );
  const answers = threads.flatMap((steps, t) =>
    steps.flatMap((one, i) => (one.kind === 'wait' || one.kind === 'token' ? [`P${t}:p${i};`] : [])),
  );
  return (
    `PTX random\n{ .shared .b64 bar = mbarrier(${count}) @ cta 0; ` +
    `}\n${bodies.map((body, t) => `P${t} @ cta 0 { ${body.join(' ')} }`).join('\n')}\nlocations ` +
    `[${answers.join(' ')}]\nexists (true)\nexpect no-undefined\n`
  );
}

/** Every interleaving: the answers of the waits by name, and whether something undefined happens. */
function interleave(
  count: number,
  threads: readonly (readonly Step[])[],
): { readonly states: ReadonlySet<string>; readonly undefinedBehavior: boolean } {
  const states = new Set<string>();
  let undefinedBehavior = false;
  // A token arrival and its wait are two operations.
  const programs = threads.map((steps) =>
    steps.flatMap((one, i): { one: Step; i: number; part: 'arrive' | 'wait' | '' }[] =>
      one.kind === 'token'
        ? [
            { one, i, part: 'arrive' },
            { one, i, part: 'wait' },
          ]
        : [{ one, i, part: '' }],
    ),
  );
  const go = (
    at: readonly number[],
    phase: number,
    expected: number,
    pending: number,
    bytes: number,
    awaited: boolean,
    tokens: ReadonlyMap<string, number>,
    answers: ReadonlyMap<string, number>,
  ): void => {
    if (at.every((position, t) => position === programs[t]?.length))
      states.add(
        [...answers]
          .map(([name, value]) => `${name}=${value}`)
          .sort()
          .join(' '),
      );
    at.forEach((position, t) => {
      const next = programs[t]?.[position];
      if (next === undefined) return;
      const moved = at.map((one, i) => (i === t ? one + 1 : one));
      const name = `P${t}:p${next.i}`;
      if (next.one.kind === 'wait' || next.part === 'wait') {
        const token = tokens.get(name);
        if (token !== undefined && next.part === 'wait' && token !== phase && token + 1 !== phase)
          undefinedBehavior = true;
        const complete = next.one.kind === 'wait' ? phase % 2 !== next.one.parity : token !== phase;
        go(
          moved,
          phase,
          expected,
          pending,
          bytes,
          awaited || complete,
          tokens,
          new Map([...answers, [name, complete ? 1 : 0]]),
        );
        return;
      }
      const { one } = next;
      const arrivals =
        one.kind === 'arrive' || one.kind === 'drop'
          ? one.count
          : one.kind === 'arriveExpecting' || one.kind === 'token'
            ? 1
            : 0;
      const dropped = one.kind === 'drop' ? expected - one.count : expected;
      const left = pending - arrivals;
      const transactions =
        bytes +
        (one.kind === 'expect' || one.kind === 'arriveExpecting' ? one.bytes : 0) -
        (one.kind === 'complete' ? one.bytes : 0);
      if (left < 0 || dropped === 0 || (arrivals > 0 && phase > 0 && !awaited)) undefinedBehavior = true;
      const done = one.kind !== 'expect' && left === 0 && transactions === 0;
      go(
        moved,
        done ? phase + 1 : phase,
        dropped,
        done ? dropped : left,
        transactions,
        done ? false : awaited,
        next.part === 'arrive' ? new Map([...tokens, [name, phase]]) : tokens,
        answers,
      );
    });
  };
  // Before the first phase is complete nothing need be awaited.
  go(
    programs.map(() => 0),
    0,
    count,
    count,
    0,
    false,
    new Map(),
    new Map(),
  );
  return { states, undefinedBehavior };
}

describe('the mbarrier object', () => {
  it('does what all interleavings of a simple machine do', async () => {
    let compared = 0;
    let broken = 0;
    for (const { count, threads } of fc.sample(world, { numRuns: 120, seed: 9 })) {
      const text = textOf({ count, threads });
      const { states, undefinedBehavior } = interleave(count, threads);
      const result = await checkProgram(programOf(text), 'ptx-9.4', { states: true });
      expect(result.undefinedBy !== undefined, text).toBe(undefinedBehavior);
      if (undefinedBehavior) {
        broken += 1;
        continue;
      }
      compared += 1;
      const found = stateLines(result).map((line) => line.split(' ').sort().join(' '));
      expect(found.sort(), text).toEqual([...states].sort());
    }
    expect(compared).toBeGreaterThan(30);
    expect(broken).toBeGreaterThan(30);
  });
});
