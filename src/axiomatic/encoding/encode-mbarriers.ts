import { inProgramOrder, isIssueOf } from '../../events/events.js';
import type { ProgramEvent } from '../../events/program-event.js';
import type { MemoryObject } from '../../program/locations.js';
import type { MbarrierRule } from '../../program/mbarrier-operation.js';
import {
  COUNT_WIDTH,
  type MbarrierInput,
  MbarrierMachine,
  type MbarrierState,
} from '../../semantics/mbarrier-machine.js';
import type { EventRun } from '../../semantics/value-domain.js';
import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import { remembered } from '../formula/remembered.js';
import type { PairFormulas } from '../relations/pair-formulas.js';
import type { EncodedViolation } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';
import {
  type EncodedObject,
  type MbarrierEncoding,
  type MbarrierPlace,
  type PossiblePlace,
  placeKey,
} from './mbarrier-places.js';

/**
 * Encodes the mbarrier objects (PTX ISA, mbarrier): each one's operations get places in a total order, the state
 * machine runs along it, and what the operations return follows from the state they meet.
 */
export function encodeMbarriers(context: EncodingContext, ruledOut: ReadonlySet<MbarrierPlace>): MbarrierEncoding {
  const objects = new Map<string, ObjectEncoder>();
  const [mbarrierOrder, mbarrierPhase] = [context.pairs(), context.pairs()];
  for (const event of context.universe.structure.events) {
    const run = context.runOf(event.id);
    if (event.mbarrier === undefined || run === undefined || context.executed(event.id) === FALSE) continue;
    for (const target of context.targetsOf(event.id)) {
      const { object, offset } = target;
      const encoder = remembered(
        objects,
        `${object.id}+${offset}`,
        () => new ObjectEncoder(context, ruledOut, objects.size, object, offset),
      );
      encoder.add(event, run, context.accesses(event.id, target));
    }
  }
  const encoders = [...objects.values()];
  for (const encoder of encoders) encoder.encode(mbarrierOrder, mbarrierPhase);
  return {
    objects: encoders,
    mbarrierOrder,
    mbarrierPhase,
    candidates: () => encoders.flatMap((encoder) => encoder.candidates()),
    looksLast: (wait) => context.builder.any(encoders.map((encoder) => encoder.looksLast(wait))),
    violations: encoders.flatMap(({ violations }) => violations),
  };
}

interface Operation {
  readonly event: ProgramEvent;
  readonly run: EventRun<Bits, Formula>;
  /** It is executed, on this object. */
  readonly here: Formula;
}

class ObjectEncoder implements EncodedObject {
  private readonly changes: Operation[] = [];
  private readonly looks: Operation[] = [];
  readonly steps: Map<number, Formula>[] = [];
  readonly waits = new Map<number, readonly Formula[]>();
  readonly violations: EncodedViolation[] = [];
  private readonly machine: MbarrierMachine<Bits, Formula>;
  /** By place: the state before it, if all places before it are filled, of which each use makes sure. */
  private readonly states: MbarrierState<Bits, Formula>[] = [];
  /** By place: the operation there completes a phase, or initializes the object, if that place is filled. */
  private readonly completes: Formula[] = [];
  private readonly inits: Formula[] = [];
  /** By wait, then by the number of operations before it: what it is told there. */
  private readonly told = new Map<number, readonly Formula[]>();
  private readonly filled: Formula[] = [];

  constructor(
    private readonly context: EncodingContext,
    private readonly ruledOut: ReadonlySet<MbarrierPlace>,
    readonly number: number,
    readonly object: MemoryObject,
    readonly offset: number,
  ) {
    this.machine = new MbarrierMachine(context.bits);
  }

  add(event: ProgramEvent, run: EventRun<Bits, Formula>, here: Formula): void {
    (event.mbarrier?.step === 'wait' ? this.looks : this.changes).push({ event, run, here });
  }

  encode(order: PairFormulas, phase: PairFormulas): void {
    this.placeChanges();
    this.runMachine();
    for (const look of this.looks) this.placeWait(look);
    this.keepProgramOrder();
    this.relate(order, phase);
    this.findUnawaited();
  }

  looksLast(wait: number): Formula {
    const { builder } = this.context;
    return builder.any(
      (this.waits.get(wait) ?? []).map((formula, k) => builder.and(formula, not(this.filled[k] ?? FALSE))),
    );
  }

  /** `by`: the operations of which the one that is there breaks the rule. */
  private breaks(rule: MbarrierRule, formula: Formula, by: ReadonlyMap<number, Formula>): void {
    const { builder } = this.context;
    const parts = () => [...by].map(([event, here]) => ({ events: [event], formula: builder.and(formula, here) }));
    this.violations.push({ rule, formula, parts });
  }

  /** Each operation that is executed gets one place, places are used from the first on, and program order is kept. */
  private placeChanges(): void {
    const { builder } = this.context;
    const { changes } = this;
    const certain = ({ here }: Operation): boolean => here === TRUE;
    const follows = (a: Operation, b: Operation): boolean =>
      inProgramOrder(a.event, b.event) || isIssueOf(a.event, b.event) || this.issuedAfter(a.event, b.event);
    for (let k = 0; k < changes.length; k++) this.steps.push(new Map());
    for (const change of changes) {
      const first = changes.filter((other) => certain(other) && follows(other, change)).length;
      const last = changes.length - 1 - changes.filter((other) => certain(other) && follows(change, other)).length;
      const possible = this.possible(change, first, last);
      const places = possible.map((k) => {
        const place = possible.length === 1 ? change.here : builder.variable(`place${k}(${change.event.id})`);
        this.steps[k]?.set(change.event.id, place);
        return place;
      });
      this.context.assert(builder.implies(change.here, builder.any(places)));
      for (const place of places) this.context.assert(builder.implies(place, change.here));
      this.context.assert(builder.atMostOne(places));
    }
    for (const step of this.steps) {
      this.context.assert(builder.atMostOne([...step.values()]));
      this.filled.push(builder.any([...step.values()]));
    }
    this.filled.forEach((filled, k) => {
      if (k > 0) this.context.assert(builder.implies(filled, this.filled[k - 1] ?? FALSE));
    });
    for (const a of changes) {
      for (const b of changes) {
        if (!follows(a, b)) continue;
        const places = this.placesOf(a);
        this.placesOf(b).forEach((later, k) => {
          if (later === FALSE) return;
          // Where b has place k, a, if it is executed, has an earlier one.
          const earlier = builder.any(places.slice(0, k));
          this.context.assert(builder.implies(builder.and(later, a.here), earlier));
        });
      }
    }
  }

  /** By place: a change has it. */
  private placesOf({ event }: Operation): readonly Formula[] {
    return this.steps.map((step) => step.get(event.id) ?? FALSE);
  }

  /** By the number of operations before it: a wait looks there. */
  private looksOf({ event }: Operation): readonly Formula[] {
    return this.waits.get(event.id) ?? [];
  }

  /** The places from the first to the last that are not ruled out. */
  private possible({ event }: Operation, first: number, last: number): readonly number[] {
    return Array.from({ length: last - first + 1 }, (_, i) => first + i).filter(
      (k) => !this.ruledOut.has(placeKey(this.number, event.id, k)),
    );
  }

  candidates(): readonly PossiblePlace[] {
    const one = (event: number, k: number, formula: Formula): PossiblePlace => ({
      place: placeKey(this.number, event, k),
      k,
      formula,
    });
    return [
      ...this.steps.flatMap((step, k) => [...step].map(([event, formula]) => one(event, k, formula))),
      ...[...this.waits].flatMap(([event, places]) => places.map((formula, k) => one(event, k, formula))),
    ];
  }

  /** An asynchronous operation comes after all that its issuing instruction follows. */
  private issuedAfter(a: ProgramEvent, b: ProgramEvent): boolean {
    return !a.tags.has('ASY') && b.tags.has('ASY') && a.thread === b.thread && a.node < b.node;
  }

  private runMachine(): void {
    const { builder, bits } = this.context;
    let state = this.machine.initial(this.object.mbarrier);
    this.states.push(state);
    const inputs = this.changes.map((change) => {
      return { change, input: this.machine.input(change.event.mbarrier, change.run) };
    });
    for (const [k, step] of this.steps.entries()) {
      const taken = inputs.flatMap(({ change, input }) => {
        const here = step.get(change.event.id) ?? FALSE;
        return here === FALSE ? [] : [{ here, input, change }];
      });
      // What all operations that may be here agree on is known.
      const flag = (of: (input: MbarrierInput<Bits, Formula>) => Formula): Formula => {
        const [first, ...others] = taken.map(({ input }) => of(input));
        return first !== undefined && others.every((other) => other === first)
          ? first
          : builder.any(taken.map(({ here, input }) => builder.and(here, of(input))));
      };
      const number = (of: (input: MbarrierInput<Bits, Formula>) => Bits): Bits =>
        Array.from({ length: COUNT_WIDTH }, (_, bit) => flag((input) => of(input)[bit] ?? FALSE));
      for (const { here, change } of taken) {
        const operation = change.event.mbarrier?.operation;
        if (change.run.result === undefined || operation?.action !== 'arrive' || operation.target === undefined)
          continue;
        this.context.assert(
          builder.implies(
            here,
            bits.equal(change.run.result, this.machine.token(state, this.number, operation.noComplete)),
          ),
        );
      }
      const asked: MbarrierInput<Bits, Formula> = {
        init: flag(({ init }) => init),
        inval: flag(({ inval }) => inval),
        arrive: flag(({ arrive }) => arrive),
        noComplete: flag(({ noComplete }) => noComplete),
        increment: flag(({ increment }) => increment),
        count: number(({ count }) => count),
        drop: number(({ drop }) => drop),
        complete: flag(({ complete }) => complete),
        expectedBytes: number(({ expectedBytes }) => expectedBytes),
        completedBytes: number(({ completedBytes }) => completedBytes),
      };
      const { after, completes, broken } = this.machine.step(state, asked);
      const filled = this.filled[k] ?? FALSE;
      for (const [rule, formula] of broken)
        if (formula !== FALSE) this.breaks(rule, builder.and(filled, formula), step);
      this.completes[k] = completes;
      this.inits[k] = asked.init;
      state = after;
      this.states.push(state);
    }
  }

  private placeWait({ event, run, here }: Operation): void {
    const { builder } = this.context;
    const operation = event.mbarrier?.operation;
    if (operation?.action !== 'wait' || run.value === undefined || run.result === undefined)
      throw new Error('a wait without what it tests');
    const certain = this.changes.filter((change) => change.here === TRUE);
    const first = certain.filter((change) => inProgramOrder(change.event, event)).length;
    const last =
      this.changes.length -
      certain.filter(
        (change) =>
          inProgramOrder(event, change.event) ||
          (change.event.tags.has('ASY') && change.event.thread === event.thread && change.event.node > event.node),
      ).length;
    const possible = this.possible({ event, run, here }, first, last);
    const places = this.states.map((_, k) =>
      !possible.includes(k) ? FALSE : possible.length === 1 ? here : builder.variable(`looks${k}(${event.id})`),
    );
    this.waits.set(event.id, places);
    this.context.assert(builder.implies(here, builder.any(places)));
    this.context.assert(builder.atMostOne(places));
    const told: Formula[] = [];
    this.told.set(event.id, told);
    for (const [k, place] of places.entries()) {
      if (place === FALSE) continue;
      this.context.assert(builder.implies(place, here));
      if (k > 0) this.context.assert(builder.implies(place, this.filled[k - 1] ?? FALSE));
      const state = this.states[k];
      if (state === undefined) continue;
      const { complete, broken } = this.machine.test(state, operation.test.kind, run.value, this.number);
      told[k] = complete;
      this.context.assert(builder.implies(place, builder.iff(run.result[0] ?? FALSE, complete)));
      for (const [rule, formula] of broken)
        if (formula !== FALSE) this.breaks(rule, builder.and(place, formula), new Map([[event.id, TRUE]]));
    }
  }

  /** A wait looks after what it follows in program order, and before what follows it; two waits look in theirs. */
  private keepProgramOrder(): void {
    const { builder } = this.context;
    const upTo = (places: readonly Formula[], k: number): Formula => builder.any(places.slice(0, k));
    for (const wait of this.looks) {
      const looks = this.looksOf(wait);
      for (const change of this.changes) {
        const places = this.placesOf(change);
        const before = inProgramOrder(change.event, wait.event);
        if (!before && !inProgramOrder(wait.event, change.event) && !this.issuedAfter(wait.event, change.event))
          continue;
        looks.forEach((look, k) => {
          const earlier = upTo(places, k);
          this.context.assert(builder.implies(builder.and(look, change.here), before ? earlier : not(earlier)));
        });
      }
      for (const later of this.looks) {
        if (!inProgramOrder(wait.event, later.event)) continue;
        const next = this.looksOf(later);
        looks.forEach((look, k) => this.context.assert(builder.implies(look, not(upTo(next, k)))));
      }
    }
  }

  /** `completed(l, k)`: between the places l and k a phase is completed, and the object is not initialized anew. */
  private completedBetween(l: number, k: number): Formula {
    const { builder } = this.context;
    return builder.and(builder.any(this.completes.slice(l, k)), not(builder.any(this.inits.slice(l + 1, k))));
  }

  private toldAt({ event }: Operation, k: number): Formula {
    return this.told.get(event.id)?.[k] ?? FALSE;
  }

  private relate(mbarrierOrder: PairFormulas, mbarrierPhase: PairFormulas): void {
    const { builder } = this.context;
    // On one scale: the k-th operation of the order is at 2k + 1, and what comes after k of them at 2k.
    const positions = new Map([
      ...this.changes.map((change) => [change, positionsOf(this.placesOf(change), (k) => 2 * k + 1)] as const),
      ...this.looks.map((look) => [look, positionsOf(this.looksOf(look), (k) => 2 * k)] as const),
    ]);
    const before = (a: Operation, b: Operation, when: (k: number, l: number) => Formula): Formula =>
      builder.any(
        (positions.get(a) ?? []).flatMap((x) =>
          (positions.get(b) ?? [])
            .filter((y) => x.at < y.at)
            .map((y) => builder.and(x.formula, y.formula, when(x.k, y.k))),
        ),
      );
    const order = (a: Operation, b: Operation): void =>
      mbarrierOrder.add(
        a.event.id,
        b.event.id,
        before(a, b, () => TRUE),
      );
    for (const a of this.changes) {
      for (const b of this.changes) if (a !== b) order(a, b);
      for (const wait of this.looks) {
        order(a, wait);
        order(wait, a);
        if (!COUNTED.has(a.event.mbarrier?.step ?? '')) continue;
        const counts = before(a, wait, (k, l) => builder.and(this.toldAt(wait, l), this.completedBetween(k, l)));
        mbarrierPhase.add(a.event.id, wait.event.id, counts);
      }
    }
    for (const a of this.looks) for (const b of this.looks) if (a !== b) order(a, b);
  }

  /** An arrive-on in a phase while no wait has returned True for the phase before it (PTX ISA, mbarrier: phase). */
  private findUnawaited(): void {
    const { builder } = this.context;
    for (const [k, step] of this.steps.entries()) {
      const arrives = builder.any(
        this.changes
          .filter(({ event }) => event.mbarrier?.step === 'arrive')
          .map(({ event }) => step.get(event.id) ?? FALSE),
      );
      const completedBefore = builder.any(
        this.completes
          .slice(0, k)
          .map((completes, c) => builder.and(completes, not(builder.any(this.inits.slice(c + 1, k))))),
      );
      if (arrives === FALSE || completedBefore === FALSE) continue;
      const awaited = this.looks.flatMap((look) =>
        this.looksOf(look)
          .slice(0, k + 1)
          .map((place, m) => builder.and(place, this.toldAt(look, m), not(builder.any(this.completes.slice(m, k))))),
      );
      this.breaks('mbarrier-unawaited', builder.and(arrives, completedBefore, not(builder.any(awaited))), step);
    }
  }
}

/** The operations that count towards the completion of a phase. */
const COUNTED: ReadonlySet<string> = new Set(['arrive', 'complete_tx']);

function positionsOf(
  places: readonly Formula[],
  positionOf: (k: number) => number,
): readonly { readonly k: number; readonly at: number; readonly formula: Formula }[] {
  return places.flatMap((formula, k) => (formula === FALSE ? [] : [{ k, at: positionOf(k), formula }]));
}
