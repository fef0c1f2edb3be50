import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/effects/effect.js';
import { effectsOf } from '../../src/effects/effects-of.js';
import type { EventStructure } from '../../src/events/events.js';
import type { ProgramEvent } from '../../src/events/program-event.js';
import { buildEvents } from '../../src/semantics/build-events.js';
import { litmusPrograms } from '../support.js';

const STRUCTURES = litmusPrograms(6, 'events').flatMap((program): readonly EventStructure[] => {
  const structure = buildEvents(program, { bound: 2, spinRounds: 1, failingCasWrites: false });
  return 'kind' in structure ? [] : [structure];
});

/** The tags that an effect gives an event, a read-modify-write each half its own. */
function tagsBy(effect: Effect, { kind }: ProgramEvent): readonly string[] {
  if (effect.kind !== 'update') return effect.tags;
  return kind === 'read' ? ['R', ...effect.tags, ...effect.readTags] : ['W', ...effect.tags, ...effect.writeTags];
}

/** The bytes that an effect names, where it names them by a number; each of its events then has some of them. */
function bytesOf(effect: Effect): number | undefined {
  if (effect.kind !== 'read' && effect.kind !== 'write' && effect.kind !== 'update') return undefined;
  const { bytes, what, multicast } = effect.at;
  // Of a descriptor only the address in it and what the test may write have events.
  return bytes?.kind !== 'constant' || what === 'descriptor' || multicast !== undefined
    ? undefined
    : Number(bytes.value);
}

describe('the events of the tests', () => {
  it('have their places in the list as numbers, in the order of threads and nodes', () => {
    for (const { program, threads, events, eventsOf } of STRUCTURES) {
      expect([program.name, events.map(({ id }) => id)]).toEqual([program.name, [...events.keys()]]);
      const byNode = threads.flatMap(({ thread, nodes }) =>
        [...nodes.keys(), nodes.length].flatMap((node) => eventsOf(thread.index, node)),
      );
      expect(byNode).toEqual(events);
    }
  });

  it('are of the effects of their operations, with the tags of these', () => {
    let told = 0;
    for (const { program, threads, events } of STRUCTURES) {
      for (const event of events) {
        const { effect, kind, tags, thread, node } = event;
        const operation = threads[thread]?.nodes[node]?.statement.operation;
        const isConvergence = event.barrier?.kind === 'barrier' && event.barrier.reduction?.operation === 'converge';
        if (operation === undefined || effect === undefined || isConvergence) {
          expect([program.name, kind, [...tags]]).toEqual([program.name, kind, isConvergence ? [] : ['EXIT']]);
          continue;
        }
        expect(effectsOf(operation)).toContain(effect);
        expect([...tags].sort()).toEqual([...new Set(tagsBy(effect, event))].sort());
        told += 1;
      }
    }
    expect(told).toBeGreaterThan(1000);
  });

  it('have each byte that an effect names once', () => {
    let held = 0;
    for (const { threads, eventsOf } of STRUCTURES)
      for (const { thread, nodes } of threads)
        for (const { id, statement } of nodes)
          for (const effect of effectsOf(statement.operation)) {
            const bytes = bytesOf(effect);
            const own = eventsOf(thread.index, id).filter((event) => event.effect === effect);
            // Both halves of a read-modify-write have them.
            const events = effect.kind === 'update' ? own.filter(({ kind }) => kind === 'read') : own;
            if (bytes === undefined) continue;
            const covered = events.flatMap(({ offset = 0, type }) =>
              Array.from({ length: (type?.width ?? 0) / 8 }, (_, i) => offset + i),
            );
            expect([statement.operation, covered.sort((a, b) => a - b)]).toEqual([
              statement.operation,
              Array.from({ length: bytes }, (_, i) => i),
            ]);
            held += 1;
          }
    expect(held).toBeGreaterThan(600);
  });
});
