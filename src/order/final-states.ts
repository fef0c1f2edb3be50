import type { Setting } from '../follow/setting.js';
import { kindOf } from '../follow/trace.js';
import type { Schedule } from '../follow/which-run.js';
import type { Observable, Program } from '../program/program.js';
import type { CheckBudget } from '../program/undecided.js';
import { remoteIn } from './exits.js';
import { type FollowedTest, type Look, look } from './look.js';
import { tornRuns } from './torn-loads.js';
import { mayHappen, type RunEnd } from './whole-run.js';

/** Those that differ in who comes first. */
const SCHEDULES = ['first', 'last', 'in turns', 'by accesses', 'before fences'] as const satisfies readonly Schedule[];

/**
 * How single runs end that are executions: where each thread makes its accesses at once, and finds what was written
 * last, no axiom is broken. Each is followed when it is asked for, and not kept.
 */
export function* endsOf(setting: Setting, program: Program, checkBudget: CheckBudget): Generator<RunEnd> {
  for (const run of runsOf(setting, checkBudget)) {
    const { trace } = run.followed;
    const torn = [...new Set([...trace.torn.keys()].map((row) => kindOf(trace, row).span))];
    if (isExecution(run)) yield { state: (observable) => valueOf(observable, run.followed, setting, program), torn };
  }
}

function* runsOf(setting: Setting, checkBudget: CheckBudget): Generator<Look> {
  for (const schedule of SCHEDULES) yield look(setting, checkBudget, { schedule });
  yield* tornRuns(setting, checkBudget);
}

/** Whether a run is an execution to its end, and a defined one. */
function isExecution({ run, followed: { trace, stopped } }: Look): boolean {
  const isPlain = trace.tensors.size === 0 && remoteIn(trace).length === 0 && trace.counts.length === 0;
  const isOne = run.activeTogether.length === 0 && !trace.threads.some(({ way }) => way !== undefined);
  const isDefined = run.findings.length === 0 && !mayHappen('undefined', run);
  return stopped === undefined && isPlain && isOne && isDefined;
}

/** The value of what is observed at the end of a run; undefined where it is open. */
export function valueOf(
  observable: Observable,
  { image, register }: FollowedTest['followed'],
  { memory, launches }: Setting,
  { threads }: Program,
): bigint | undefined {
  if (observable.kind === 'register') {
    const place = threads[observable.thread]?.launched;
    if (place === undefined) return undefined;
    const launch = launches.findIndex(({ planned }) => planned.launch.syntax.name === place.launch);
    return register(launch, place.cta, place.tid, observable.register);
  }
  const { object, offset, type } = observable;
  const own = memory.locations.objects.find(({ name, space }) => name === object.name && space === object.space);
  // Of memory that each CTA or thread has for itself it would have to be said whose is meant.
  if (own === undefined || own.cta !== undefined || own.owner !== undefined) return undefined;
  return image.contents(own, offset, type.width / 8);
}
