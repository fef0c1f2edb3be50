import type { ProgramEvent } from '../events/program-event.js';
import { accepts } from '../program/allowance.js';
import { asyncOperationOf, awaitedBy } from './async-groups.js';
import {
  activeMaskStates,
  arriveState,
  clusterArriveState,
  clusterGoesOn,
  clusterWaitState,
  exitsFromBarriers,
  lanesGoOn,
} from './barriers.js';
import { bitsOf, has, NONE } from './bits.js';
import { recordOrder } from './findings.js';
import { gridStates, keepsPromises, mayGoOn, mustGoOn, startsAsOne } from './grids.js';
import { executeFence, knowledgeOf, orderedBefore } from './learning.js';
import { overlap } from './location.js';
import type { MachineContext, PartialRun } from './machine-context.js';
import { operationState, waitStates } from './mbarriers.js';
import { isAccess } from './moral-strength.js';
import { executeProxyFence } from './proxies.js';
import { atomicStates, readStates, writeStates } from './read-and-write.js';
import { State } from './state.js';
import { waitsForPipeline } from './tensor-memory.js';

/** One operation, and the states to which it may lead. */
export interface Step {
  readonly event: ProgramEvent;
  readonly states: readonly State[];
}

/** The machine: which operations can be executed in a state, and what they make of it. */
export class Machine {
  constructor(readonly context: MachineContext) {}

  /** Where runs begin: one state, or those that choices before all operations make of it. */
  initial(): readonly State[] {
    const { structure } = this.context;
    const { allowances } = structure.program;
    if (allowances.length === 0) return this.decided(new State(structure.threads.length));
    const first = new State(structure.threads.length, (finding, events) => {
      const spans = events.flatMap((id) => this.context.event(id).span ?? []);
      return allowances.flatMap((one, line) => (one.finding === finding && accepts(one, spans) ? [line] : []));
    });
    return this.decided(first);
  }

  /**
   * The states that a state stands for: where a thread has come to one of two values, those in which it has taken
   * either. Nobody else knows of it, so that nothing is lost by choosing at once.
   */
  private decided(state: State): readonly State[] {
    if (!this.context.hasChoices) return [state];
    for (const [thread] of this.context.structure.threads.entries()) {
      const { undecided } = this.context.view(state, thread);
      if (undecided === undefined) continue;
      return [0, 1].flatMap((which) => {
        const next = new State(state);
        next.choose(thread, undecided, which);
        return this.decided(next);
      });
    }
    return [state];
  }

  /** The operations that can be executed now. */
  enabled(state: State): readonly ProgramEvent[] {
    return this.context.structure.threads.flatMap((_, thread) => {
      const { ready, runs } = this.context.view(state, thread);
      return ready.filter((event) =>
        state.isDone(event.id) ? this.isWaiting(state, event) : this.canExecute(state, event, runs),
      );
    });
  }

  /**
   * A barrier that its thread has come to, and that has not let it go; only these two kinds look again by themselves.
   */
  private isWaiting(state: State, event: ProgramEvent): boolean {
    if (state.hasPassed(event.id)) return false;
    if (event.grid !== undefined) return mayGoOn(this.context, state, event.grid);
    if (event.barrier === undefined) return false;
    return event.barrier.kind === 'cluster-barrier'
      ? clusterGoesOn(this.context, state, event) !== undefined
      : event.barrier.level === 'lanes' && lanesGoOn(this.context, state, event).length > 0;
  }

  private canExecute(state: State, event: ProgramEvent, runs: ReadonlyMap<number, PartialRun>): boolean {
    // The write of an atomic comes with its read.
    if (event.kind === 'write' && event.partner !== undefined) return false;
    const run = runs.get(event.id);
    if (run === undefined || !dependenciesAreDone(state, run, runs) || !operandsAreKnown(event, run)) return false;
    const partner = event.partner === undefined ? undefined : runs.get(event.partner);
    if (partner !== undefined && !dependenciesAreDone(state, partner, runs, event.id)) return false;
    // Of what may turn out not to be executed the machine presumes that: isPossible drops the other runs.
    const pending = (other: number): boolean =>
      (!state.isDone(other) || this.context.isKept(state, this.context.event(other))) &&
      runs.get(other)?.executed === true;
    if ((this.context.waitedFor[event.id] ?? []).some(pending)) return false;
    if (event.group !== undefined)
      return awaitedBy(this.context, state, event).every(
        ({ id }) => state.isDone(id) || runs.get(id)?.executed === false,
      );
    if (!isAccess(event)) return true;
    if (event.tags.has('TMEM')) return !waitsForPipeline(this.context, state, event);
    // Overlapping bytes: in program order.
    const at = this.context.locationOf(state, event.id);
    return !this.context.accesses.some((other) => {
      if (!has(this.context.earlier[event.id] ?? NONE, other.id) || !pending(other.id)) return false;
      const location = this.context.locationOf(state, other.id);
      return at !== undefined && location !== undefined && overlap(at, location);
    });
  }

  /**
   * Nothing need happen any more: all that could is that dependent grids start before the others are over, which
   * nothing promises (PTX ISA 9.7.15.14).
   */
  mayRest(state: State): boolean {
    const isOptional = ({ id, grid }: ProgramEvent): boolean =>
      grid !== undefined && state.isDone(id) && !mustGoOn(this.context, state, grid);
    return this.enabled(state).every(isOptional) && startsAsOne(this.context, state);
  }

  /** What an operation leads to; no state where it went too early, so that the run never was. */
  execute(state: State, event: ProgramEvent): readonly State[] {
    return this.outcomes(state, event)
      .filter((next) => keepsPromises(this.context, next, false) && this.isPossible(next, event))
      .flatMap((next) => this.decided(next));
  }

  private outcomes(state: State, event: ProgramEvent): readonly State[] {
    const { context } = this;
    if (this.hasLeftMemory(state, event)) {
      const next = new State(state);
      next.find('outside-memory', [event.id]);
      next.hasLeftMemory = true;
      return [next];
    }
    switch (event.kind) {
      case 'read':
        return event.partner === undefined ? readStates(context, state, event) : atomicStates(context, state, event);
      case 'write':
        return writeStates(context, state, event);
      case 'mbarrier':
        return event.mbarrier?.step === 'wait'
          ? waitStates(context, state, event)
          : [operationState(context, state, event)];
      case 'barrier':
        return this.barrier(state, event);
      case 'issue':
        return this.issue(state, event);
      case 'grid':
        return gridStates(context, state, event);
      default: {
        const next = new State(state);
        this.executeAlone(next, event);
        return [next];
      }
    }
  }

  /** Steps that concern the thread itself only. */
  private executeAlone(state: State, event: ProgramEvent): void {
    const { context } = this;
    switch (event.kind) {
      case 'fence':
        if (event.proxyFence === undefined) executeFence(context, state, event);
        else executeProxyFence(context, state, event);
        return;
      case 'group': {
        const completions = bitsOf(awaitedBy(context, state, event).map(({ id }) => id)) & state.done;
        if (completions !== NONE) state.completions.set(event.id, completions);
        state.learn(event.id, completions);
        break;
      }
      case 'tensor-step':
        break;
      case 'check':
        if (event.rule !== undefined && context.runOf(state, event.id)?.value?.bits === 0n)
          state.find(event.rule, [event.id]);
        break;
      case 'exit':
        recordOrder(
          context,
          state,
          event,
          orderedBefore(context, state, knowledgeOf(context, state, event.id), event, undefined),
        );
        break;
      default:
        throw new Error(`${event.kind} is not executed alone`);
    }
    state.finish(event.id);
    if (event.kind === 'exit') exitsFromBarriers(context, state, event.thread);
  }

  private barrier(state: State, event: ProgramEvent): readonly State[] {
    const { context } = this;
    const { barrier } = event;
    if (barrier?.kind === 'cluster-barrier') {
      if (barrier.action === 'arrive') return [clusterArriveState(context, state, event)];
      return [
        state.isDone(event.id)
          ? (clusterGoesOn(context, state, event) ?? state)
          : clusterWaitState(context, state, event),
      ];
    }
    if (barrier?.level !== 'lanes') return [arriveState(context, state, event)];
    if (barrier.action === 'arrive') return activeMaskStates(context, state, event);
    if (state.isDone(event.id)) return lanesGoOn(context, state, event);
    const next = new State(state);
    const mask = context.runOf(state, event.id)?.barrierId?.bits ?? NONE;
    if (!has(mask, event.placement.lane)) next.find('outside-membermask', [event.id]);
    next.finish(event.id);
    return [next];
  }

  /** A request to cancel a launch is granted or refused. */
  private issue(state: State, event: ProgramEvent): readonly State[] {
    const asks = asyncOperationOf(this.context.structure, event)?.source.kind === 'response';
    return (asks ? [0n, 1n] : [undefined]).map((granted) => {
      const next = new State(state);
      next.finish(event.id);
      if (granted !== undefined) next.answer(event.thread, event.id, granted);
      return next;
    });
  }

  private hasLeftMemory(state: State, event: ProgramEvent): boolean {
    return (
      event.type !== undefined &&
      this.context.runOf(state, event.id)?.address !== undefined &&
      this.context.locationOf(state, event.id) === undefined
    );
  }

  /**
   * Nothing later in program order has gone first though it overlaps, or has to wait for what is now known to be
   * executed; and what turned out to release has waited.
   */
  private isPossible(state: State, event: ProgramEvent): boolean {
    const at = this.context.locationOf(state, event.id);
    const overtaken =
      isAccess(event) &&
      at !== undefined &&
      this.context.accesses.some((other) => {
        if (
          !state.isDone(other.id) ||
          other.partner === event.id ||
          !has(this.context.earlier[other.id] ?? NONE, event.id)
        )
          return false;
        const location = this.context.locationOf(state, other.id);
        return location !== undefined && overlap(at, location);
      });
    const wrote = event.partner !== undefined && state.isDone(event.partner) ? event.partner : event.id;
    const early = (this.context.waitedFor[wrote] ?? []).some(
      (other) => other !== event.id && !state.isDone(other) && this.context.runOf(state, other)?.executed === true,
    );
    const presumed = this.context
      .view(state, event.thread)
      .ready.some(({ id }) => !state.isDone(id) && (state.done & (this.context.waiting[id] ?? NONE)) !== NONE);
    return !overtaken && !early && !presumed;
  }
}

/** The reads that an operation depends on have been executed (PTX ISA 8.10.4). */
function dependenciesAreDone(
  state: State,
  { addressDependencies, dataDependencies, controlDependencies }: PartialRun,
  runs: ReadonlyMap<number, PartialRun>,
  own?: number,
): boolean {
  return [addressDependencies, dataDependencies, controlDependencies].every((dependencies) =>
    [...dependencies].every(
      ([event, when]) => event === own || when === false || state.isDone(event) || runs.get(event)?.executed === false,
    ),
  );
}

/**
 * All that the operation is given is known; what a read returns, and what mbarrier.init leaves in memory, is not given.
 */
function operandsAreKnown({ kind, tags }: ProgramEvent, run: PartialRun): boolean {
  const given: readonly (keyof PartialRun)[] = kind === 'read' || tags.has('OPAQUE') ? PLACE : [...PLACE, 'value'];
  return given.every((operand) => !(operand in run) || run[operand] !== undefined);
}
const PLACE = [
  'address',
  'count',
  'bytes',
  'barrierId',
  'barrierCount',
] as const satisfies readonly (keyof PartialRun)[];
