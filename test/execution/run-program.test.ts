import { describe, expect, it } from 'vitest';
import { Claims } from '../../src/axiomatic/confirmation/claims.js';
import { AxiomaticSession } from '../../src/axiomatic/session/session.js';
import type { EventUniverse } from '../../src/execution/candidate-execution.js';
import type { Choices } from '../../src/execution/choices.js';
import { runProgram } from '../../src/execution/run-program.js';
import { describeUndecided } from '../../src/program/undecided.js';
import { Relation } from '../../src/relation/relation.js';
import { builtInModel, programOf, solver } from '../support.js';

async function universeOf(text: string): Promise<EventUniverse> {
  const session = AxiomaticSession.open(solver, programOf(text), builtInModel('ptx-7.5'), {
    unroll: 1,
    deadline: { remaining: () => 1e12 },
    mostStates: 1,
    claims: new Claims(undefined),
  });
  if ('unknown' in session) throw new Error(describeUndecided(session.unknown));
  return session.encoding.universe;
}

const choices = (size: number, more: Partial<Choices>): Choices => ({
  readValues: new Map(),
  barrierResults: new Map(),
  mbarrierResults: new Map(),
  unspecified: new Map(),
  open: new Map(),
  mbarriers: [],
  ends: Array.from({ length: 4 }, () => ({ kind: 'ended' })),
  sources: [],
  coherence: new Relation(size),
  fenceSc: new Relation(size),
  barrierPhases: [],
  firstTriggers: [],
  finals: [],
  initialByte: () => 0,
  ...more,
});

const barriersOf = ({ events }: EventUniverse): readonly number[] =>
  events.filter(({ kind }) => kind === 'barrier').map(({ id }) => id);

describe('an execution whose choices do not fit together is refused:', () => {
  it('a read of a value that its source did not write', async () => {
    const universe = await universeOf(
      'PTX a\n{ .global .u32 x = 0; }\nP0 @ cta 0 { st.weak.global.u32 [x], 1; }\nP1 @ cta 1 { ' +
        'ld.weak.global.u32 r0, [x]; }\nexists (x == 1)\n',
    );
    const size = universe.events.length;
    const read = (value: bigint, write: number): Choices =>
      choices(size, {
        readValues: new Map([[1, value]]),
        sources: [{ write, read: 1, objectId: 0, offset: 0, bytes: 4 }],
        coherence: Relation.ofPairs(size, [[2, 0]]),
      });
    expect(runProgram(universe, read(1n, 0)).values[1]).toBe(1n);
    expect(() => runProgram(universe, read(2n, 0))).toThrow('between different values');
    expect(() => runProgram(universe, { ...read(1n, 0), sources: [] })).toThrow('no source for each of its bytes');
    expect(() => runProgram(universe, { ...read(0n, 2), sources: [], readValues: new Map() })).toThrow(
      'no source for each of its bytes',
    );
    const half = (offset: number): Choices['sources'][number] => ({ write: 0, read: 1, objectId: 0, offset, bytes: 2 });
    expect(() => runProgram(universe, { ...read(1n, 0), sources: [half(0), half(0)] })).toThrow('two sources');
    expect(() => runProgram(universe, { ...read(1n, 0), coherence: new Relation(size) })).toThrow(
      'initial write 2 is not before 0',
    );
    expect(() =>
      runProgram(universe, {
        ...read(1n, 0),
        coherence: Relation.ofPairs(size, [
          [2, 0],
          [0, 2],
        ]),
      }),
    ).toThrow('not a partial order');
    expect(() =>
      runProgram(universe, { ...read(1n, 0), finals: [{ write: 2, objectId: 0, offset: 0, bytes: 4 }] }),
    ).toThrow('not coherence-maximal');
  });

  it('fence.sc left unordered', async () => {
    const universe = await universeOf(
      'PTX f\n{ .global .u32 x = 0; }\nP0 @ cta 0 { fence.sc.gpu; }\nP1 @ cta 1 { fence.sc.gpu; }\nexists (x == 0)\n',
    );
    const size = universe.events.length;
    expect(() => runProgram(universe, choices(size, {}))).toThrow('does not order 0 and 1');
    expect(() => runProgram(universe, choices(size, { fenceSc: Relation.ofPairs(size, [[0, 1]]) }))).not.toThrow();
  });

  it('barriers that did not meet as they say', async () => {
    const universe = await universeOf(
      'PTX b\n{ .shared .u32 x = 0; }\nP0 @ cta 0 { bar.sync 0; bar.sync 1; }\nP1 @ cta 0 { bar.sync 0; bar.sync ' +
        '1; }\nP2 @ cta 1 { exit; }\nexists (true)\n',
    );
    const size = universe.events.length;
    // The end of a thread is an event of its own: a barrier without a thread count no longer waits for it.
    const [a = -1, b = -1, c = -1, d = -1] = barriersOf(universe);
    const group = (id: number): string => `gpu 0, cta 0, barrier ${id}`;
    const met =
      (...phases: Choices['barrierPhases']): (() => unknown) =>
      () =>
        runProgram(universe, choices(size, { barrierPhases: phases }));
    expect(
      met({ group: group(0), index: 0, events: [a, c] }, { group: group(1), index: 0, events: [b, d] }),
    ).not.toThrow();
    expect(met({ group: group(0), index: 0, events: [a, c] })).toThrow('waits for ever');
    expect(met({ group: group(0), index: 0, events: [a] }, { group: group(1), index: 0, events: [b, d] })).toThrow(
      'these arrivals do not complete it',
    );
    expect(met({ group: group(0), index: 1, events: [a, c] }, { group: group(1), index: 0, events: [b, d] })).toThrow(
      'completion 0 is missing',
    );
    const crossed = await universeOf(
      'PTX c\n{ .shared .u32 x = 0; }\nP0 @ cta 0 { bar.sync 0; bar.sync 1; }\nP1 @ cta 0 { bar.sync 1; bar.sync ' +
        '0; }\nexists (true)\n',
    );
    const [e = -1, f = -1, g = -1, h = -1] = barriersOf(crossed);
    expect(() =>
      runProgram(
        crossed,
        choices(crossed.events.length, {
          barrierPhases: [
            { group: group(0), index: 0, events: [e, h] },
            { group: group(1), index: 0, events: [f, g] },
          ],
        }),
      ),
    ).toThrow('wait for one another');
  });
});
