import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Claims } from '../../src/axiomatic/confirmation/claims.js';
import { AxiomaticSession } from '../../src/axiomatic/session/session.js';
import { checkExecution } from '../../src/cat/check-execution.js';
import type { Model } from '../../src/cat/model.js';
import { mutuallyInScope } from '../../src/execution/base-relations.js';
import type { EventUniverse } from '../../src/execution/candidate-execution.js';
import type { Choices } from '../../src/execution/choices.js';
import { runProgram } from '../../src/execution/run-program.js';
import { describeUndecided } from '../../src/program/undecided.js';
import { Relation } from '../../src/relation/relation.js';
import { builtInModel, litmus, programOf, solver } from '../support.js';

const SCOPES = ['cta', 'gpu'];
const location = fc.constantFrom('x', 'y');
const scope = fc.constantFrom(...SCOPES);
const step = fc.oneof(
  fc
    .tuple(location, fc.constantFrom('weak', 'relaxed', 'release'), scope, fc.constantFrom(1, 2))
    .map(([x, order, s, v]) => `st.${order}${order === 'weak' ? '' : `.${s}`}.global.u32 [${x}], ${v}`),
  fc
    .tuple(location, fc.constantFrom('weak', 'relaxed', 'acquire'), scope)
    .map(([x, order, s]) => `ld.${order}${order === 'weak' ? '' : `.${s}`}.global.u32 r#, [${x}]`),
  fc
    .tuple(location, fc.constantFrom('relaxed', 'acq_rel'), scope)
    .map(([x, order, s]) => `atom.${order}.${s}.global.exch.b32 r#, [${x}], 3`),
  fc.tuple(fc.constantFrom('sc', 'acq_rel', 'release', 'acquire'), scope).map(([order, s]) => `fence.${order}.${s}`),
);
const body = fc.array(step, { minLength: 1, maxLength: 3 });

function testOf(bodies: readonly (readonly string[])[]): string | undefined {
  const registers: string[] = [];
  const threads = bodies.map((steps, thread) =>
    steps
      .map((one, i) => {
        if (one.includes('r#')) registers.push(`P${thread}:r${i}`);
        return `${one.replace('r#', `r${i}`)};`;
      })
      .join(' '),
  );
  const text = bodies.flat().join(' ');
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  // Beyond this, brute force takes too long.
  if (count(/(st|atom)\S* (r#, )?\[x\]/g) > 3 || count(/(st|atom)\S* (r#, )?\[y\]/g) > 3 || count(/(ld|atom)\./g) > 3)
    return undefined;
  return litmus(
    '.global .u32 x = 0; .global .u32 y = 0;',
    threads,
    `locations [x; y; ${registers.map((register) => `${register};`).join(' ')}]`,
  );
}

/**
 * All final states, by trying every source of every read, every partial coherence order and every order of the fences.
 */
function bruteForce(universe: EventUniverse, model: Model): ReadonlySet<string> {
  const { structure, initialWrites, events } = universe;
  const size = events.length;
  const reads = structure.events.filter((event) => event.kind === 'read');
  const writes = structure.events.filter((event) => event.kind === 'write');
  const objectOf = (id: number): number => {
    const initial = initialWrites.find(({ event }) => event.id === id);
    if (initial !== undefined) return initial.object.id;
    return /\[x\]/.test(sourceOf(id)) ? 0 : 1;
  };
  const sourceOf = (id: number): string => {
    const span = events[id]?.span;
    return span === undefined ? '' : span.source.text.slice(span.start, span.end);
  };
  const states = new Set<string>();
  const sc = structure.events.filter((event) => event.tags.has('SC'));
  const fenceOrders = permutations(sc.map((event) => event.id)).map((order) =>
    Relation.from(size, (a, b) => {
      const [x, y] = [events[a], events[b]];
      return (
        order.includes(a) &&
        order.includes(b) &&
        order.indexOf(a) < order.indexOf(b) &&
        x !== undefined &&
        y !== undefined &&
        (x.thread === y.thread || mutuallyInScope(x, y))
      );
    }),
  );
  const coherences = product(
    [0, 1].map((object) => partialOrders(writes.map(({ id }) => id).filter((id) => objectOf(id) === object))),
  ).map((orders) => {
    const initial = initialWrites.flatMap(({ event, object }) =>
      writes.filter(({ id }) => objectOf(id) === object.id).map(({ id }) => [event.id, id] as const),
    );
    return Relation.ofPairs(size, [...orders.flat(), ...initial]);
  });
  const sources = product(
    reads.map((read) =>
      [...initialWrites.map(({ event }) => event.id), ...writes.map(({ id }) => id)].filter(
        (id) => id !== read.partner && objectOf(id) === objectOf(read.id),
      ),
    ),
  );
  for (const source of sources) {
    const valueOf = (id: number): bigint =>
      events[id]?.thread === undefined ? 0n : BigInt(/, (\d)/.exec(sourceOf(id))?.[1] ?? 0);
    const readValues = new Map(reads.map((read, i) => [read.id, valueOf(source[i] ?? 0)]));
    for (const coherence of coherences) {
      for (const fenceSc of fenceOrders) {
        const maximal = [0, 1].map((object) =>
          [...initialWrites.map(({ event }) => event.id), ...writes.map(({ id }) => id)].filter(
            (id) => objectOf(id) === object && [...coherence.successors(id)].length === 0,
          ),
        );
        for (const finals of product(maximal)) {
          const choices: Choices = {
            readValues,
            barrierResults: new Map(),
            mbarrierResults: new Map(),
            unspecified: new Map(),
            open: new Map(),
            mbarriers: [],
            ends: universe.structure.threads.map(() => ({ kind: 'ended' })),
            coherence,
            fenceSc,
            barrierPhases: [],
            firstTriggers: [],
            initialByte: () => 0,
            sources: reads.map((read, i) => ({
              write: source[i] ?? 0,
              read: read.id,
              objectId: objectOf(read.id),
              offset: 0,
              bytes: 4,
            })),
            finals: finals.map((write) => ({ write, objectId: objectOf(write), offset: 0, bytes: 4 })),
          };
          const execution = runProgram(universe, choices);
          if (checkExecution(model, execution).consistent)
            states.add([...execution.finalState].map(([name, value]) => `${name}=${value}`).join(' '));
        }
      }
    }
  }
  return states;
}

function product<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return lists.reduce<readonly (readonly T[])[]>(
    (all, list) => all.flatMap((prefix) => list.map((item) => [...prefix, item])),
    [[]],
  );
}

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  return items.length === 0
    ? [[]]
    : items.flatMap((item, i) =>
        permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
      );
}

/** Every strict partial order on a few events. */
function partialOrders(items: readonly number[]): readonly (readonly (readonly [number, number])[])[] {
  const pairs = items.flatMap((a) => items.filter((b) => a !== b).map((b) => [a, b] as const));
  return product(pairs.map(() => [false, true]))
    .map((chosen) => pairs.filter((_, i) => chosen[i]))
    .filter((order) =>
      order.every(
        ([a, b]) => !order.some(([c, d]) => c === b && (d === a || !order.some(([e, f]) => e === a && f === d))),
      ),
    );
}

describe('the axiomatic engine', () => {
  for (const name of ['ptx-9.4', 'ptx-7.5', 'ptx-6.0', 'sc']) {
    it(`finds exactly the final states that brute force finds under ${name}`, () => {
      let compared = 0;
      fc.assert(
        fc.property(fc.array(body, { minLength: 2, maxLength: 2 }), (bodies) => {
          const text = testOf(bodies);
          if (text === undefined) return;
          const model = builtInModel(name);
          const session = AxiomaticSession.open(solver, programOf(text), model, {
            unroll: 2,
            deadline: { remaining: () => 1e12 },
            mostStates: 1000,
            claims: new Claims(undefined),
          });
          if ('unknown' in session) throw new Error(describeUndecided(session.unknown));
          try {
            const found = session.enumerate();
            expect(found.incomplete).toBeUndefined();
            const states = found.states
              .map(({ state }) => [...state].map(([key, value]) => `${key}=${value}`).join(' '))
              .sort();
            expect(states, text).toEqual([...bruteForce(session.encoding.universe, model)].sort());
            compared += 1;
          } finally {
            session.dispose();
          }
        }),
        { numRuns: 60 },
      );
      expect(compared).toBeGreaterThan(30);
    });
  }
});
