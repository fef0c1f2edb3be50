import type { EventStructure } from '../events/events.js';
import type { Located } from '../program/locations.js';
import { overlap } from './cells.js';
import type { EventRun } from './value-domain.js';
import type { Certainty, ValueSet } from './value-sets.js';

/**
 * How long a chain of reads can be that the value of a read comes from. Where no value comes out of thin air, a value
 * goes back to an initial one through reads each of which is passed once: a counter that n atomics raise has n + 1
 * values, though the least fixpoint over its sets of values has all.
 */
export class ValueChains {
  /** By read, those that its value, its address or whether it is executed comes from by one step. */
  private readonly from = new Map<number, ReadonlySet<number>>();
  private size = 0;

  constructor(private readonly structure: EventStructure) {}

  /** Looks at what the runs so far show; whether there are steps that were not known. */
  update(runs: readonly EventRun<ValueSet, Certainty>[], targets: ReadonlyMap<number, readonly Located[]>): boolean {
    const writes = this.structure.events.filter((event) => event.kind === 'write' && runs[event.id] !== undefined);
    let size = 0;
    for (const read of this.structure.events) {
      const run = runs[read.id];
      if (read.kind !== 'read' || run === undefined) continue;
      const places = targets.get(read.id) ?? [];
      const before = new Set(this.from.get(read.id));
      const sources = writes.filter(({ id }) =>
        (targets.get(id) ?? []).some((place) => places.some((other) => overlap(place, other))),
      );
      for (const one of [run, ...sources.map(({ id }) => runs[id])]) {
        if (one === undefined) continue;
        for (const dependencies of [one.addressDependencies, one.controlDependencies])
          for (const id of dependencies.keys()) before.add(id);
        if (one !== run) for (const id of one.dataDependencies.keys()) before.add(id);
      }
      this.from.set(read.id, before);
      size += before.size;
    }
    const changed = size !== this.size;
    this.size = size;
    return changed;
  }

  /** The reads that the value of a read may come from, itself included: no chain is longer. */
  longest(read: number): number {
    const reached = new Set([read]);
    for (const one of reached) for (const before of this.from.get(one) ?? []) reached.add(before);
    return reached.size;
  }
}
