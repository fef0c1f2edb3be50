import { isInOneOrder } from '../axiomatic/looping/one-order.js';
import { type Endless, reachEndless } from '../axiomatic/looping/reach-endless.js';
import type { AxiomaticSession } from '../axiomatic/session/session.js';
import type { Model } from '../cat/model.js';
import type { CandidateExecution, ThreadEnd } from '../execution/candidate-execution.js';
import { backEdges } from '../flow/graph.js';
import { loopsForEver } from '../operational/looping.js';
import { promisesIn, withCuda } from '../program/forward-progress.js';
import type { Program } from '../program/program.js';
import { type Deadline, describeUndecided, type Undecided, within } from '../program/undecided.js';
import { isAwaited } from './awaited-writes.js';
import { MOST_STATES, machineContextOf } from './check-operationally.js';
import { type Happening, happeningOf, noneFound } from './expectation-result.js';
import { executionChoices } from './open-choices.js';
import { residence } from './promised-waits.js';

/** What loops that write are decided with. */
export interface LoopOptions {
  readonly unroll: number;
  readonly deadline: Deadline;
  /** Whether under the model accesses to one place that are morally strong come in one order. */
  readonly ordersOnePlace: () => boolean;
}

/**
 * Whether some execution has no end. What waits is asked of the session; where that leaves rounds of loops out, whether
 * loops that write go round for ever.
 */
export function findDeadlock(session: AxiomaticSession, options: LoopOptions): Happening {
  const waiting = session.reachDeadlock() ?? withinBound(session);
  if (waiting.kind !== 'unknown' || waiting.reason.kind !== 'bound') {
    const inferred = waiting.kind === 'unreachable' && session.needsProgress ? ['progress'] : [];
    if (waiting.kind !== 'unreachable') return happening(waiting);
    if (session.isEmpty) return { happens: undefined, undecided: NOTHING_HAPPENS };
    return { ...happening({ ...waiting, waits: inferred.length > 0 }), ...providedByCuda(session) };
  }
  const { model, encoding } = session;
  return findEndless(encoding.universe.structure.program, model, options);
}

/** Of threads that neither end nor wait something is wrong: with the model, or with how we read it. */
const NOTHING_HAPPENS: Undecided = {
  kind: 'executions',
  what: 'the model allows no execution of this test, neither one that ends nor one that waits for ever',
};

/** Whether to ask under which condition there is no deadlock: of launches of several CTAs, all of which go on. */
const asksResidence = (program: Program): boolean =>
  (program.launches.some(({ ctas }) => ctas > 1) || program.launches.length > 1) && promisesIn(program).length === 0;

/** The condition under which there is no deadlock, where CUDA does not promise as much as was asked, and one may be. */
function providedBy(execution: CandidateExecution): Pick<Happening, 'provided'> {
  const { universe, ends } = execution;
  const { program } = universe.structure;
  const of = (...kinds: readonly ThreadEnd['kind'][]): readonly number[] =>
    ends.flatMap(({ kind }, thread) => (kinds.includes(kind) ? [thread] : []));
  const halted = of('halted');
  const pairs = of('spins', 'repeats').flatMap((waiter) => halted.map((other) => [waiter, other] as const));
  const [one, other] = pairs.find((pair) => isAwaited(execution, pair[1], pair[0])) ?? pairs[0] ?? [];
  const [waits, awaited] = [program.threads[one ?? -1]?.launched, program.threads[other ?? -1]?.launched];
  return waits === undefined || awaited === undefined ? {} : { provided: residence(program, waits, awaited) };
}

function providedByCuda(session: AxiomaticSession): Pick<Happening, 'provided'> {
  const answer = asksResidence(session.encoding.universe.structure.program) ? session.reachDeadlockByCuda() : undefined;
  return answer?.kind === 'reachable' ? providedBy(answer.execution) : {};
}

/** The same of a program with loops, of which nothing else is asked or can be said: without a session. */
export function findEndlessAlone(program: Program, model: Model, options: LoopOptions): Happening | undefined {
  if (!program.threads.some((thread) => backEdges(thread).length > 0) || !isInOneOrder(program)) return undefined;
  const found = findEndless(program, model, options);
  return found.happens === undefined ? undefined : found;
}

/** Loops that write; what is not found there the machine confirms. */
function findEndless(program: Program, model: Model, options: LoopOptions): Happening {
  const { failingCasWrites } = executionChoices(model);
  const { deadline, ordersOnePlace } = options;
  const answer = reachEndless(program, model, { failingCasWrites, deadline }, ordersOnePlace);
  if (answer.kind !== 'unreachable') return happening(answer);
  const unconfirmed = whyUnconfirmed(program, model, options);
  const byCuda = asksResidence(program)
    ? reachEndless(withCuda(program), model, { failingCasWrites, deadline }, ordersOnePlace)
    : answer;
  return {
    ...happening(answer),
    ...(unconfirmed === undefined ? {} : { unconfirmed }),
    ...(byCuda.kind === 'reachable' ? providedBy(byCuda.execution) : {}),
  };
}

/** Why the machine does not say as well that no run goes on for ever. */
function whyUnconfirmed(program: Program, model: Model, { unroll, deadline }: LoopOptions): string | undefined {
  const open = within(
    () => {
      const context = machineContextOf(program, model, unroll);
      if ('kind' in context) return context;
      const { found, open: rest } = loopsForEver(context, promisesIn(program), { mostStates: MOST_STATES, deadline });
      if (found !== undefined) throw new Error('the machine goes on for ever where no execution does');
      return rest;
    },
    (reason) => reason,
  );
  return open === undefined ? undefined : `the machine: ${describeUndecided(open)}`;
}

const happening = (answer: Endless): Happening => ({
  ...happeningOf(answer, 'a thread may wait for ever', noneFound('deadlock')),
  inferred: answer.kind === 'unreachable' && answer.waits ? ['progress'] : [],
});

/** Where nothing is found within the bound, only a thread that goes round a loop beyond it might do it. */
export function withinBound(
  session: AxiomaticSession,
): Extract<Endless, { kind: 'unknown' }> | { kind: 'unreachable' } {
  const bound = session.boundReason();
  return bound === undefined ? { kind: 'unreachable' } : { kind: 'unknown', reason: bound };
}
