import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Body, reachable, successorsIn } from '../../src/flow/graph.js';
import { laterJoin, placing } from '../../src/flow/later-joins.js';
import { liveRegisters } from '../../src/flow/liveness.js';
import { immediatePostdominators } from '../../src/flow/postdominators.js';
import { registersRead, registersWritten } from '../../src/program/operands.js';
import { isComputation, type Operation, type ProgramStatement } from '../../src/program/operation.js';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const span = { source: { path: '', text: '' }, start: 0, end: 0 };
const register = (name: string) => ({ kind: 'register', name }) as const;
const set = (target: string, from: string): Operation => ({
  ...{ kind: 'compute', target, type: { kind: 'u', width: 64 }, operands: [register(from), register(from)] },
  arithmetic: { name: 'add', signed: false, width: 64, resultWidth: 64 },
});
/** What is read is of no matter here but where, and to which register. */
const load = (target: string, at: string): Operation =>
  ({
    kind: 'load',
    targets: [target],
    address: { base: register(at), offset: 0n, window: 'global' },
  }) as unknown as Operation;
const branch = (to: number): Operation => ({ kind: 'branch', label: `${to}` });
const BARRIER = { kind: 'barrier' } as unknown as Operation;

const bodyOf = (all: readonly (readonly [operation: Operation, guard?: string])[]): Body => ({
  statements: all.map(
    ([operation, guard]): ProgramStatement => ({
      ...{ operation, span },
      guard: guard === undefined ? undefined : { register: guard, negated: false },
    }),
  ),
  labels: new Map(Array.from({ length: 16 }, (_, at) => [`${at}`, Math.min(at, all.length)])),
});

/** Where the ways from the first statement join, and where they do later. */
function joinsOf(body: Body): { readonly join: number; readonly later: number } {
  const successors = successorsIn(body);
  const joins = immediatePostdominators(successors);
  const deciding = liveRegisters(body, NAMES, { asked: [], isStrong: true, uses: placing });
  const join = joins[0] ?? body.statements.length;
  return { join, later: laterJoin(body, successors, joins, deciding, 0, join) };
}

describe('where ways join that go on while they differ', () => {
  it('is behind the access whose place they have set', () => {
    const ways = [[branch(3), 'd'], [set('a', 'b')], [branch(4)], [set('a', 'c')]] as const;
    expect(joinsOf(bodyOf([...ways, [set('b', 'a')], [load('c', 'b')], [load('c', 'd')]]))).toEqual({
      join: 4,
      later: 6,
    });
    expect(joinsOf(bodyOf([...ways, [load('c', 'd')], [set('b', 'a')]]))).toEqual({ join: 4, later: 4 });
  });

  it('is where they join if they would meet others before, or go round a loop', () => {
    const ways = [[branch(3), 'd'], [set('a', 'b')], [branch(4)], [set('a', 'c')]] as const;
    expect(joinsOf(bodyOf([...ways, [BARRIER], [load('c', 'a')], [load('c', 'd')]]))).toEqual({ join: 4, later: 4 });
    const round = [[load('c', 'a')], [set('a', 'c')], [branch(0), 'c'], [load('c', 'd')]] as const;
    expect(joinsOf(bodyOf([...ways, ...round]))).toEqual({ join: 4, later: 4 });
  });

  it('is on all ways, and nothing that they have set says behind it what is accessed', () => {
    const name = fc.constantFrom(...NAMES);
    const step = (at: number): fc.Arbitrary<readonly [Operation, string?]> =>
      fc.oneof(
        fc.tuple(fc.tuple(name, name).map(([target, from]) => set(target, from))),
        fc.tuple(fc.tuple(name, name).map(([target, from]) => load(target, from))),
        fc.tuple(
          fc.integer({ min: at + 1, max: at + 4 }).map((to) => branch(to)),
          name,
        ),
      );
    let later = 0;
    fc.assert(
      fc.property(fc.tuple(...Array.from({ length: 9 }, (_, at) => step(at + 1))), (steps) => {
        const body = bodyOf([[branch(3), 'd'], ...steps]);
        const found = joinsOf(body);
        const successors = successorsIn(body);
        const between = reachable([0], found.later, successors);
        // Who leaves what is between comes there.
        for (const at of between)
          for (const to of successors[at] ?? []) expect(between.has(to) || to === found.later).toBe(true);
        if (found.later === found.join) return;
        later += 1;
        const written = [...between].flatMap((at) => registersWritten(body.statements[at]?.operation ?? BARRIER));
        mustNotSay(body, found.later, new Set(written));
      }),
      { numRuns: 300 },
    );
    expect(later).toBeGreaterThan(5);
  });
});

/** On no way from a statement some registers, or what is computed from them, say whether or what is accessed. */
function mustNotSay(body: Body, at: number, set: ReadonlySet<string>): void {
  const { operation, guard } = body.statements[at] ?? {};
  if (operation === undefined) return;
  expect(guard !== undefined && set.has(guard.register)).toBe(false);
  if (operation.kind === 'load') expect(placing(operation).some((one) => set.has(one))).toBe(false);
  const isSet = isComputation(operation) && registersRead(operation).some((one) => set.has(one));
  const written = registersWritten(operation);
  const kept = [...set].filter((one) => !written.includes(one));
  for (const next of successorsIn(body)[at] ?? [])
    mustNotSay(body, next, new Set([...kept, ...(isSet ? written : [])]));
}
