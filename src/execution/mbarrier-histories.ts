import { inProgramOrder } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import type { MemoryObject } from '../program/locations.js';
import { Relation } from '../relation/relation.js';
import { CONCRETE_VALUES, type ConcreteValue } from '../semantics/concrete-values.js';
import { MbarrierMachine, type MbarrierState } from '../semantics/mbarrier-machine.js';
import type { EventRun } from '../semantics/value-domain.js';
import type { MbarrierHistory, MbarrierSnapshot, PartOfExecution, Violation } from './candidate-execution.js';
import type { RunThreads } from './run-threads.js';

/** An order of the operations on one mbarrier object, as an engine chose it. */
export interface MbarrierChoice {
  /** Of the object, among those of the test: tokens name it. */
  readonly number: number;
  readonly objectId: number;
  readonly offset: number;
  readonly steps: readonly number[];
  /** Each wait with the number of operations that come before it. */
  readonly waits: readonly { readonly event: number; readonly after: number }[];
}

export interface MbarrierRun extends PartOfExecution<'mbarrierOrder' | 'mbarrierPhase'> {
  readonly histories: readonly MbarrierHistory[];
}

type State = MbarrierState<ConcreteValue, boolean>;

/**
 * Runs each mbarrier object along the chosen order. Throws unless that is what the operations returned, in program
 * order.
 */
export function runMbarriers({ universe, runs, targets }: RunThreads, choices: readonly MbarrierChoice[]): MbarrierRun {
  const { events } = universe.structure;
  const size = universe.events.length;
  const [mbarrierOrder, mbarrierPhase] = [new Relation(size), new Relation(size)];
  const violations: Violation[] = [];
  const histories = choices.map((choice) => {
    for (const id of [...choice.steps, ...choice.waits.map(({ event }) => event)]) {
      if (runs[id] === undefined || targets[id]?.object.id !== choice.objectId || targets[id]?.offset !== choice.offset)
        throw new Error(`mbarrier operation ${id} is not on that object`);
    }
    const object = targets.find((target) => target?.object.id === choice.objectId)?.object;
    if (object === undefined) throw new Error('an mbarrier object that nothing accesses');
    const run = new ObjectRun(events, runs, object, choice);
    run.relate(mbarrierOrder, mbarrierPhase);
    violations.push(...run.violations);
    return run.history();
  });
  const ordered = new Set(choices.flatMap(({ steps, waits }) => [...steps, ...waits.map(({ event }) => event)]));
  for (const event of events)
    if (event.mbarrier !== undefined && runs[event.id] !== undefined && !ordered.has(event.id))
      throw new Error(`mbarrier operation ${event.id} has no place`);
  for (const [a, b] of mbarrierOrder) {
    const [x, y] = [events[a], events[b]];
    if (x !== undefined && y !== undefined && inProgramOrder(y, x))
      throw new Error(`the mbarrier operations ${b}, ${a} are out of program order`);
  }
  return { histories, relations: { mbarrierOrder, mbarrierPhase }, violations };
}

class ObjectRun {
  readonly violations: Violation[] = [];
  private readonly machine = new MbarrierMachine(CONCRETE_VALUES);
  private readonly states: State[];
  private readonly completes: boolean[] = [];

  constructor(
    private readonly events: readonly ProgramEvent[],
    private readonly runs: readonly (EventRun<ConcreteValue, boolean> | undefined)[],
    private readonly object: MemoryObject,
    private readonly choice: MbarrierChoice,
  ) {
    this.states = [this.machine.initial(object.mbarrier)];
    for (const [k, id] of choice.steps.entries()) this.step(k, id);
    for (const { event, after } of choice.waits) this.wait(event, this.state(after));
    this.findUnawaited();
  }

  private state(after: number): State {
    const state = this.states[after];
    if (state === undefined) throw new Error(`no state after ${after} mbarrier operations`);
    return state;
  }

  private of(id: number): { readonly event: ProgramEvent; readonly run: EventRun<ConcreteValue, boolean> } {
    const [event, run] = [this.events[id], this.runs[id]];
    if (event === undefined || run === undefined) throw new Error(`no event ${id}`);
    return { event, run };
  }

  private step(k: number, id: number): void {
    const { event, run } = this.of(id);
    const before = this.state(k);
    const { after, completes, broken } = this.machine.step(before, this.machine.input(event.mbarrier, run));
    for (const [rule, holds] of broken) if (holds) this.violations.push({ rule: rule, event: id });
    const operation = event.mbarrier?.operation;
    if (
      operation?.action === 'arrive' &&
      operation.target !== undefined &&
      run.result?.bits !== this.machine.token(before, this.choice.number, operation.noComplete).bits
    )
      throw new Error(`mbarrier operation ${id} returns another state`);
    this.completes.push(completes);
    this.states.push(after);
  }

  private wait(id: number, at: State): void {
    const { event, run } = this.of(id);
    const operation = event.mbarrier?.operation;
    if (operation?.action !== 'wait' || run.value === undefined) throw new Error(`event ${id} is no wait`);
    const { complete, broken } = this.machine.test(at, operation.test.kind, run.value, this.choice.number);
    for (const [rule, holds] of broken) if (holds) this.violations.push({ rule: rule, event: id });
    if ((run.result?.bits === 1n) !== complete) throw new Error(`mbarrier wait ${id} returns ${run.result?.bits}`);
  }

  private isInit(k: number): boolean {
    return this.events[this.choice.steps[k] ?? -1]?.mbarrier?.step === 'init';
  }

  /** Between two places a phase is completed, and the object is not initialized anew. */
  private completedBetween(from: number, to: number): boolean {
    let completed = false;
    for (let k = from; k < to; k++) {
      if (k > from && this.isInit(k)) return false;
      if (this.completes[k] === true) completed = true;
    }
    return completed;
  }

  private findUnawaited(): void {
    for (const [k, id] of this.choice.steps.entries()) {
      if (this.events[id]?.mbarrier?.step !== 'arrive') continue;
      const last = this.completes.lastIndexOf(true, k - 1);
      if (k === 0 || last < 0 || this.choice.steps.some((_, i) => i > last && i < k && this.isInit(i))) continue;
      const awaited = this.choice.waits.some(
        ({ event, after }) => after > last && after <= k && this.runs[event]?.result?.bits === 1n,
      );
      if (!awaited) this.violations.push({ rule: 'mbarrier-unawaited', event: id });
    }
  }

  relate(order: Relation, phase: Relation): void {
    const { steps, waits } = this.choice;
    for (const [k, a] of steps.entries()) {
      for (const b of steps.slice(k + 1)) order.add(a, b);
      for (const { event, after } of waits) {
        if (k < after) order.add(a, event);
        else order.add(event, a);
        const step = this.events[a]?.mbarrier?.step;
        const counts = step === 'arrive' || step === 'complete_tx';
        if (counts && this.runs[event]?.result?.bits === 1n && this.completedBetween(k, after)) phase.add(a, event);
      }
    }
    for (const a of waits) for (const b of waits) if (a.after < b.after) order.add(a.event, b.event);
  }

  history(): MbarrierHistory {
    const { steps, waits } = this.choice;
    const all = this.states.map(snapshot);
    const at = (k: number): MbarrierSnapshot => all[k] ?? snapshot(this.state(k));
    return {
      object: this.object,
      offset: this.choice.offset,
      steps: steps.map((event, k) => ({ event, before: at(k), completes: this.completes[k] === true })),
      waits: waits.map(({ event, after }) => ({ event, at: at(after) })),
      last: at(steps.length),
    };
  }
}

function snapshot({ valid, phase, expected, pending, bytes }: State): MbarrierSnapshot {
  const signed = ({ bits, width }: ConcreteValue): number => Number(BigInt.asIntN(width, bits));
  return {
    valid,
    phase: Number(phase.bits),
    expected: signed(expected),
    pending: signed(pending),
    bytes: signed(bytes),
  };
}
