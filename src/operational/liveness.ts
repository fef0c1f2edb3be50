import type { EventStructure } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import { overlap } from '../semantics/cells.js';
import type { PossibleTarget, ValueAnalysis } from '../semantics/value-analysis.js';
import { type Bits, bit, bitsOf, has, membersOf, NONE } from './bits.js';
import { isAccess } from './moral-strength.js';

/**
 * Which accesses still matter: those to bytes that something to come may touch, or that are asked for at the end. Of
 * the others it is forgotten who took what from whom and in which order: a state without them is the same state.
 */
export class Liveness {
  /** By access: the accesses that may share bytes with it. */
  private readonly touching: readonly Bits[];
  /** Accesses that matter to the end. */
  private readonly kept: Bits;

  constructor(
    private readonly structure: EventStructure,
    { targets }: ValueAnalysis,
  ) {
    const { events, program, threads } = structure;
    const of = ({ id }: ProgramEvent): readonly PossibleTarget[] => targets.get(id) ?? [];
    const share = (a: ProgramEvent, b: ProgramEvent): boolean => of(a).some((x) => of(b).some((y) => overlap(x, y)));
    const accesses = events.filter(isAccess);
    this.touching = events.map((a) =>
      isAccess(a) ? bitsOf(accesses.filter((b) => share(a, b)).map(({ id }) => id)) : NONE,
    );
    const observed = ({ range, offset, bytes }: PossibleTarget): boolean =>
      program.observed.some(
        (one) =>
          one.kind === 'memory' &&
          one.object === range.object &&
          offset < one.offset + one.type.width / 8 &&
          one.offset < offset + bytes,
      );
    // Deadlocks ask what a waiting loop has read, and rules of exited CTAs who has seen an access from outside.
    const looping = new Set(
      threads.flatMap(({ spins }, thread) => spins.flatMap(({ round }) => round.map((node) => `${thread}/${node}`))),
    );
    const judged = (event: ProgramEvent): boolean =>
      looping.has(`${event.thread}/${event.node}`) ||
      of(event).some(
        (target) =>
          observed(target) ||
          (target.range.object.cta !== undefined && target.range.object.cta !== event.placement.cta),
      );
    this.kept = accesses.reduce((all, event) => (judged(event) ? all | (this.touching[event.id] ?? NONE) : all), NONE);
  }

  /** The executed accesses that no longer matter. `gone`: events that will not be executed any more. */
  forgotten(done: Bits, gone: Bits): Bits {
    const toCome = ~(done | gone);
    let dead = NONE;
    for (const { id } of this.structure.events) {
      const touching = this.touching[id] ?? NONE;
      if (touching !== NONE && has(done, id) && !has(this.kept, id) && (touching & toCome) === NONE) dead |= bit(id);
    }
    return dead;
  }

  /** Of those, the reads whose value went nowhere but into a write that no longer matters either. */
  forgottenValues(dead: Bits): Bits {
    return membersOf(dead).reduce((all, id) => {
      const event = this.structure.events[id];
      if (event === undefined || event.kind !== 'read' || !event.tags.has('ASY') || event.tags.has('TMAP')) return all;
      const written = this.structure
        .eventsOf(event.thread, event.node)
        .filter((other) => other.kind === 'write' && other.chunk?.offset === event.chunk?.offset);
      return written.length > 0 && written.every((other) => has(dead, other.id)) ? all | bit(id) : all;
    }, NONE);
  }
}
