import { whyNotAcross } from '../check/why-not.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { Near } from './near.js';

/** What lies behind an execution that breaks a rule, beyond the rule's own words. */
export interface UndefinedHint {
  /** What ended the life of the mbarrier object before, in this execution. */
  readonly invalidatedBy: readonly number[];
  /** Waits of the thread that do not tell it of the operation. */
  readonly near: readonly Near[];
}

export function hintAtUndefined(execution: CandidateExecution, rule: string, broken: readonly number[]): UndefinedHint {
  return {
    invalidatedBy: rule === 'mbarrier-uninitialized' ? invalidations(execution, broken) : [],
    near: rule === 'asynchronous-operation-in-flight' ? vacuousWaits(execution, broken) : [],
  };
}

function invalidations({ universe, mbarriers }: CandidateExecution, broken: readonly number[]): readonly number[] {
  const { events } = universe.structure;
  return mbarriers.flatMap(({ steps, waits }) => {
    const at = steps.findIndex(({ event }) => broken.includes(event));
    const last = at === -1 ? (waits.some(({ event }) => broken.includes(event)) ? steps.length : 0) : at;
    const inval = steps.slice(0, last).findLast(({ event }) => events[event]?.mbarrier?.step === 'inval');
    return inval === undefined ? [] : [inval.event];
  });
}

/** Between an asynchronous operation and an access of a thread: the waits there, each with why it does not count. */
function vacuousWaits({ universe, executed, answers }: CandidateExecution, broken: readonly number[]): readonly Near[] {
  const { events } = universe.structure;
  const pair = broken.flatMap((id) => events[id] ?? []);
  const operation = pair.find(({ tags }) => tags.has('ASY'));
  const access = pair.find(({ tags }) => !tags.has('ASY'));
  if (operation === undefined || access === undefined) return [];
  return events.flatMap((event): readonly Near[] => {
    const before = event.thread === access.thread && event.node < access.node && executed.has(event.id);
    if (!before || event.mbarrier?.step !== 'wait' || answers.get(event.id) !== true) return [];
    const why = whyNotAcross(event, 'acquire', operation.placement);
    return why === undefined ? [] : [{ event: event.id, why }];
  });
}
