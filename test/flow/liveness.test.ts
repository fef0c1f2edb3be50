import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Body, successorsOf } from '../../src/flow/graph.js';
import { liveRegisters } from '../../src/flow/liveness.js';
import { registersRead, registersWritten } from '../../src/program/operands.js';
import type { ProgramStatement } from '../../src/program/operation.js';

const NAMES = ['a', 'b', 'c'] as const;
const span = { source: { path: '', text: '' }, start: 0, end: 0 };
const U32 = { kind: 'u', width: 32 } as const;
const name = fc.constantFrom(...NAMES);
const register = (of: string) => ({ kind: 'register', name: of }) as const;
const ADD = { name: 'add', signed: false, width: 32, resultWidth: 32 } as const;

/** Computations, stores, branches and exits over three registers. */
const operation: fc.Arbitrary<ProgramStatement['operation']> = fc.oneof(
  fc.tuple(name, name, name).map(([target, a, b]) => {
    const operands = [register(a), register(b)];
    return { kind: 'compute', target, type: U32, arithmetic: ADD, operands } as const;
  }),
  name.map((value) => ({ kind: 'require', value: register(value), rule: 'alignment' }) as const),
  fc.nat(6).map((label) => ({ kind: 'branch', label: `${label}` }) as const),
  fc.constant({ kind: 'exit' } as const),
);
const statement: fc.Arbitrary<ProgramStatement> = fc.record({
  operation,
  guard: fc.option(
    name.map((of) => ({ register: of, negated: false })),
    { nil: undefined },
  ),
  span: fc.constant(span),
});
const bodies: fc.Arbitrary<Body> = fc.array(statement, { minLength: 1, maxLength: 7 }).map((statements) => ({
  statements,
  labels: new Map(Array.from({ length: 7 }, (_, at) => [`${at}`, Math.min(at, statements.length)])),
}));

/** Whether some way from a statement uses a register before it is surely written, found by going all of them. */
function isUsed(body: Body, asked: ReadonlySet<string>, one: string, from: number): boolean {
  const seen = new Set([from]);
  for (const at of seen) {
    const { operation: here, guard } = body.statements[at] ?? {};
    if (here === undefined) {
      if (asked.has(one)) return true;
      continue;
    }
    if (guard?.register === one || registersRead(here).includes(one)) return true;
    if (guard === undefined && registersWritten(here).includes(one)) continue;
    for (const next of successorsOf(body, at)) seen.add(next);
  }
  return false;
}

describe('live registers', () => {
  it('are those that some way uses before it writes them', () => {
    fc.assert(
      fc.property(bodies, fc.subarray([...NAMES]), (body, asked) => {
        const live = liveRegisters(body, NAMES, { asked });
        for (let at = 0; at <= body.statements.length; at++)
          expect(NAMES.filter((one) => live.has(at, one))).toEqual(
            NAMES.filter((one) => isUsed(body, new Set(asked), one, at)),
          );
      }),
      { numRuns: 300 },
    );
  });

  it('are fewer where a computation of a dead register uses nothing', () => {
    fc.assert(
      fc.property(bodies, fc.subarray([...NAMES]), (body, asked) => {
        const [live, strong] = [false, true].map((isStrong) => liveRegisters(body, NAMES, { asked, isStrong }));
        for (let at = 0; at <= body.statements.length; at++)
          expect(live?.before(at)).toEqual(expect.arrayContaining([...(strong?.before(at) ?? [])]));
      }),
    );
    const body: Body = {
      statements: [
        {
          operation: {
            kind: 'compute',
            target: 'a',
            type: U32,
            arithmetic: ADD,
            operands: [register('b'), register('b')],
          },
        },
      ].map((one) => ({ ...one, guard: undefined, span }) as ProgramStatement),
      labels: new Map(),
    };
    expect(liveRegisters(body, NAMES, { asked: ['c'], isStrong: true }).before(0)).toEqual([2]);
    expect(liveRegisters(body, NAMES, { asked: ['c'] }).before(0)).toEqual([1, 2]);
  });
});
