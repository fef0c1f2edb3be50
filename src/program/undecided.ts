/** Why a question about a program has no answer. */
export type Undecided =
  /** Some execution goes round a loop more often than it was unrolled. */
  | { readonly kind: 'bound' }
  | { readonly kind: 'timeout' }
  /** Of the engine or of z3, as `what` says. */
  | { readonly kind: 'memory'; readonly what: string }
  /** There are more states, or final states, than are looked for. */
  | { readonly kind: 'states'; readonly most: number; readonly what: string }
  /** The test is larger than what is encoded. */
  | { readonly kind: 'size'; readonly what: string }
  /** The model never mentions `name`, so it gives no meaning to what the test uses. */
  | { readonly kind: 'feature'; readonly model: string; readonly what: string; readonly name: string }
  /** A thread of a kernel comes to a function that calls itself. */
  | { readonly kind: 'recursion'; readonly what: string }
  /** The model has no flag of that name. */
  | { readonly kind: 'flag'; readonly name: string }
  /** Of a kernel: pairs of instructions that may meet, and no threads are run in which they do. */
  | { readonly kind: 'coverage'; readonly what: string }
  /** So many runs at random found nothing, which proves nothing. */
  | { readonly kind: 'sampled'; readonly runs: number }
  /** What is accepted cannot be told from what else may be found. */
  | { readonly kind: 'allowance'; readonly what: string }
  /** An address may lie outside of memory. */
  | { readonly kind: 'address'; readonly what: string }
  /** A value that PTX or the test leaves open. */
  | { readonly kind: 'value'; readonly what: string }
  /** The machine does not run this, or is undecided itself. */
  | { readonly kind: 'machine'; readonly what: string }
  /** Nothing happens in the test at all, of which everything would hold. */
  | { readonly kind: 'executions'; readonly what: string }
  /** The search has an answer, but nobody else confirms it, and that is asked for. */
  | { readonly kind: 'unconfirmed'; readonly what: string }
  /** z3 gave up for a reason of its own. */
  | { readonly kind: 'solver'; readonly what: string };

export const BOUND: Undecided = { kind: 'bound' };
export const TIMEOUT: Undecided = { kind: 'timeout' };

/** Something that the engines must know beforehand depends on the execution. */
export const unknownBefore = (what: string): Undecided => ({
  kind: 'value',
  what: `${what} must be known before the test is run`,
});

/**
 * The reason as reports and baselines have it.
 *
 * @example
 * ```ts
 * for (const { undecided } of checkTest(solver, program, model).conditions)
 *   if (undecided !== undefined) console.log(describeUndecided(undecided));
 * ```
 */
export function describeUndecided(undecided: Undecided): string {
  switch (undecided.kind) {
    case 'bound':
    case 'timeout':
      return undecided.kind;
    case 'states':
      return `more than ${undecided.most} ${undecided.what}`;
    case 'feature':
      return `${undecided.model} says nothing about ${undecided.what} (it does not mention ${undecided.name})`;
    case 'sampled':
      return `too large to decide: ${undecided.runs} runs at random found nothing, which proves nothing`;
    case 'coverage':
      return `coverage: ${undecided.what}`;
    case 'flag':
      return `the model has no flag ${undecided.name}`;
    default:
      return undecided.what;
  }
}

/** Thrown where a test takes more time or memory than there is; whoever gave it the limit catches it. */
export class BudgetExceeded extends Error {
  constructor(readonly reason: Undecided) {
    super(describeUndecided(reason));
  }
}

/** What work comes to, or what stands for it where time or memory ran out on the way. */
export function within<T>(work: () => T, otherwise: (reason: Undecided) => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof BudgetExceeded) return otherwise(thrown.reason);
    throw thrown;
  }
}

/** What work comes to; undefined where time or memory ran out on the way. */
export const inTime = <T>(work: () => T): T | undefined => within<T | undefined>(work, () => undefined);

/** Until when the work on a test may go on. */
export interface Deadline {
  /** In milliseconds, by the clock that the caller gives; 0 or less when it has passed. */
  remaining(): number;
  /** Why there is not enough memory to go on; undefined if there is. */
  outOfMemory?(): Undecided | undefined;
}

/** Why the work has to end, if it has to. */
export function exceeded(deadline: Deadline): Undecided | undefined {
  return deadline.remaining() <= 0 ? TIMEOUT : deadline.outOfMemory?.();
}

/** Throws `BudgetExceeded` where the work has to end. */
export function checkDeadline(deadline: Deadline): void {
  const reason = exceeded(deadline);
  if (reason !== undefined) throw new BudgetExceeded(reason);
}

/** Called now and then in long loops: throws `BudgetExceeded` to give up. */
export type CheckBudget = () => void;
