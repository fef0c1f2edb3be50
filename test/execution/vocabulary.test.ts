import { describe, expect, it } from 'vitest';
import { Claims } from '../../src/axiomatic/confirmation/claims.js';
import { not, TRUE } from '../../src/axiomatic/formula/formula.js';
import { AxiomaticSession } from '../../src/axiomatic/session/session.js';
import { concreteVocabulary } from '../../src/cat/vocabulary.js';
import { TAGS, type Tag } from '../../src/effects/event-tags.js';
import type { ExecutionEvent } from '../../src/events/program-event.js';
import { BASE_KINDS, BASE_SETS, EXECUTION_RELATIONS, STATIC_RELATIONS } from '../../src/execution/base-relations.js';
import type { CandidateExecution } from '../../src/execution/candidate-execution.js';
import type { Program } from '../../src/program/program.js';
import type { EventSet } from '../../src/relation/event-set.js';
import { buildEvents } from '../../src/semantics/build-events.js';
import { builtInModel, litmusPrograms, solver } from '../support.js';
import { ENDS_OF_RELATIONS, SENTENCES_OF_EXECUTIONS, SENTENCES_OF_PAIRS } from './sentences-of-relations.js';
import { SENTENCES_OF_GROUPS, SENTENCES_OF_MEMORY, SENTENCES_OF_SETS } from './sentences-of-sets.js';

/** Larger tests show nothing that smaller ones do not. */
const MOST_EVENTS = 40;

/** Tests of relations that no event of its own kind shows. */
const RELATED = [
  'MP+bar.warp.sync+bar.warp.sync',
  'MP+bar.sync+bar.sync+exited-thread',
  'arrive-again-after-completion',
  'warp.MP+vote.sync',
  'uninitialized+bar.sync',
];

const shapeOf = ({ kind, tags }: ExecutionEvent): string => [kind, ...[...tags].sort()].join(' ');

/** Tests of litmus/ that have together every kind of event that any of them has, each adding some. */
function selected(): readonly Program[] {
  const seen = new Set<string>();
  const small = litmusPrograms().flatMap((program) => {
    const structure = buildEvents(program, { bound: 2, spinRounds: 1, failingCasWrites: false });
    if ('kind' in structure || program.unknown !== undefined || structure.events.length > MOST_EVENTS) return [];
    return [{ program, shapes: structure.events.map(shapeOf) }];
  });
  return small.flatMap(({ program, shapes }) => {
    if (shapes.every((shape) => seen.has(shape)) && !RELATED.includes(program.name)) return [];
    for (const shape of shapes) seen.add(shape);
    return [program];
  });
}

const model = builtInModel('ptx-9.4');
const sessions = selected().flatMap((program) => {
  const session = AxiomaticSession.open(solver, program, model, {
    unroll: 2,
    deadline: { remaining: () => 1e9 },
    mostStates: 1,
    claims: new Claims(undefined),
  });
  return 'unknown' in session ? [] : [{ program, executions: session }];
});
/** Of each test one execution, if it has any that runs to its end. */
const oneOfEach = sessions.flatMap(({ program, executions }) => {
  const found = executions.find(TRUE, () => true, 'ended');
  return found.kind === 'reachable' ? [{ program, executions, execution: found.execution }] : [];
});

/** What matters for where an event goes and what it meets. */
const ROUGH: readonly Tag[] = ['GEN', 'ASYNC', 'TMAP', 'TEX', 'SUR', 'CON', 'RO', 'TMEM', 'ASY', 'RMW', 'IW', 'WAIT'];
const roughShapeOf = (event: ExecutionEvent | undefined): string =>
  [event?.kind, ...ROUGH.filter((tag) => event?.tags.has(tag))].join(' ');

const named = (event: ExecutionEvent | undefined): string =>
  event === undefined ? '?' : `${shapeOf(event)} (${event.id})`;

describe('the tests that the vocabulary is tried on', () => {
  it('have every kind of event and every tag', () => {
    const events = sessions.flatMap(({ executions }) => executions.encoding.universe.events);
    const tags = new Set(events.flatMap(({ tags }) => [...tags]));
    // No model of ours tells of accesses at any element; only a thread of a launch stands for others.
    expect(TAGS.filter((tag) => !tags.has(tag))).toEqual(['SOMEWHERE', 'REPRESENTED']);
    expect(oneOfEach.length).toBeGreaterThan(60);
  });
});

describe('each word of the vocabulary', () => {
  it('has a sentence here', () => {
    const stated = [
      SENTENCES_OF_SETS,
      SENTENCES_OF_MEMORY,
      SENTENCES_OF_PAIRS,
      SENTENCES_OF_EXECUTIONS,
      ENDS_OF_RELATIONS,
    ].flatMap(Object.keys);
    const grouped = Object.keys(SENTENCES_OF_GROUPS).flatMap((names) => names.split(' '));
    const derived = ['rfi', 'rfe', 'coi', 'coe', 'fri', 'fre', 'po-loc'];
    for (const name of BASE_KINDS.keys()) expect([...stated, ...grouped, ...derived]).toContain(name);
  });

  it.each(Object.entries(SENTENCES_OF_SETS))('%s has the members of its sentence', (name, sentence) => {
    for (const { program, executions } of sessions)
      for (const event of executions.encoding.universe.events)
        expect(BASE_SETS.get(name)?.(event), `${program.name}: ${named(event)}`).toBe(sentence(event));
  });

  it.each(Object.entries(SENTENCES_OF_MEMORY))('%s has the members of its sentence', (name, sentence) => {
    for (const { program, executions } of sessions)
      for (const event of executions.encoding.universe.events)
        expect(BASE_SETS.get(name)?.(event), `${program.name}: ${named(event)}`).toBe(
          sentence(event, executions.encoding.universe),
        );
  });

  it.each(Object.entries(SENTENCES_OF_GROUPS))('%s are as their sentence says', (_, sentence) => {
    for (const { program, executions } of sessions)
      for (const event of executions.encoding.universe.events)
        expect(sentence(event), `${program.name}: ${named(event)}`).toBe(true);
  });

  it.each(Object.entries(SENTENCES_OF_PAIRS))('%s relates what its sentence says', (name, sentence) => {
    for (const { program, executions } of sessions) {
      const { events } = executions.encoding.universe;
      for (const a of events)
        for (const b of events)
          if (STATIC_RELATIONS.get(name)?.(a, b) !== sentence(a, b))
            expect.fail(`${program.name}: ${named(a)}, ${named(b)}: ${sentence(a, b)} by its sentence`);
    }
  });

  it.each(Object.entries(ENDS_OF_RELATIONS))('%s leads from and to what its sentence says', (name, ends) => {
    let pairs = 0;
    for (const { program, execution } of oneOfEach) {
      const [from, to] = ends(execution);
      const key = EXECUTION_RELATIONS[name];
      for (const [a, b] of key === undefined ? [] : execution.relations[key]) {
        pairs += 1;
        const [x, y] = [execution.universe.events[a], execution.universe.events[b]];
        if (x === undefined || y === undefined || !from(x) || !to(y))
          expect.fail(`${program.name}: ${named(x)}, ${named(y)}`);
      }
    }
    expect(pairs).toBeGreaterThan(0);
  });

  it.each(Object.entries(SENTENCES_OF_EXECUTIONS))('%s is in an execution what its sentence says', (name, sentence) => {
    for (const { program, execution } of oneOfEach) {
      const key = EXECUTION_RELATIONS[name];
      const holds = sentence(execution);
      for (const a of execution.executed)
        for (const b of execution.executed)
          if (key === undefined || execution.relations[key].has(a, b) !== holds(a, b))
            expect.fail(
              `${program.name}: ${named(execution.universe.events[a])}, ${named(execution.universe.events[b])}: ` +
                `${holds(a, b)} by its sentence`,
            );
    }
  });
});

describe('the symbolic and the concrete side of each word', () => {
  it.each([...BASE_KINDS.keys()])('%s: nothing is related that may not be, all that must be', (name) => {
    for (const { program, executions, execution } of oneOfEach) {
      const [symbolic, concrete] = [executions.encoding.base(name), concreteVocabulary(execution)(name)];
      if (symbolic?.kind !== 'relation' || concrete?.kind !== 'relation') {
        const [all, some] = [symbolic?.value.may as EventSet | undefined, concrete?.value as EventSet | undefined];
        for (const event of execution.executed) expect(some?.has(event), program.name).toBe(all?.has(event));
        continue;
      }
      const { may, must } = symbolic.value;
      const wrong = [...execution.executed].flatMap((a) =>
        [...execution.executed].flatMap((b) => {
          const related = concrete.value.has(a, b);
          return (related && !may.has(a, b)) || (must.has(a, b) && !related) ? [[a, b]] : [];
        }),
      );
      expect(wrong, program.name).toEqual([]);
    }
  });

  // The search is asked for an execution with a pair, and for one without it: each is run again, and must be so.
  it.each([...Object.keys(EXECUTION_RELATIONS)])(
    '%s: executions with a pair have it, those without have not',
    (name) => {
      const asked = new Set<string>();
      let found = 0;
      for (const { program, executions } of sessions) {
        const { builder, universe, executedEvents } = executions.encoding;
        const symbolic = executions.encoding.base(name);
        if (symbolic?.kind !== 'relation') throw new Error(name);
        for (const [a, b] of symbolic.value.may) {
          const key = [a, b].map((id) => roughShapeOf(universe.events[id])).join(' -> ');
          if (asked.has(key)) continue;
          asked.add(key);
          const formula = symbolic.value.at(a, b);
          const has = (wanted: boolean) => (execution: CandidateExecution) => {
            const value = concreteVocabulary(execution)(name);
            return value?.kind === 'relation' && value.value.has(a, b) === wanted;
          };
          const without = builder.and(executedEvents.both(a, b), not(formula));
          for (const [goal, wanted] of [[formula, true] as const, [without, false] as const]) {
            const answer = executions.find(goal, has(wanted), 'ended');
            expect(answer.kind, `${program.name}: ${key}`).not.toBe('unknown');
            found += Number(answer.kind === 'reachable');
          }
        }
      }
      expect(found).toBeGreaterThan(0);
    },
  );
});
