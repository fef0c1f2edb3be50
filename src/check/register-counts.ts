import { targetOf } from '../flow/graph.js';
import { areInOneWarpgroup } from '../program/placement.js';
import type { Program, Thread } from '../program/program.js';
import { isRegisterCount } from '../program/register-counts.js';
import type { Undecided } from '../program/undecided.js';
import { expectationResult } from './expectation-result.js';
import type { ExpectationResult } from './result.js';

const OPEN: Undecided = {
  kind: 'coverage',
  what: 'whether all warps of a warpgroup execute setmaxnreg alike is told of a launch that is followed alone',
};

/**
 * The engines judge setmaxnreg for the lanes of a warp. That the warps of a warpgroup execute it alike (PTX ISA,
 * setmaxnreg) they know only where no branch leads past it; else it is open whether anything is undefined.
 */
export function withoutOpenWarpgroups<Of extends { readonly expectations: readonly ExpectationResult[] }>(
  answers: Of,
  { threads }: Pick<Program, 'threads'>,
): Of {
  const counting = new Map(threads.map((thread) => [thread, executedBy(thread)]));
  const areAlike = (a: Thread, b: Thread): boolean =>
    a.placement.warp === b.placement.warp ||
    !areInOneWarpgroup(a.placement, b.placement) ||
    areEqual(counting.get(a), counting.get(b));
  if (threads.every((a) => counting.get(a) === '' || threads.every((b) => areAlike(a, b)))) return answers;
  const expectations = answers.expectations.map((one) =>
    one.expectation.finding === 'undefined' && one.outcome === (one.expectation.isDenied ? 'met' : 'broken')
      ? expectationResult(one.expectation, { happens: undefined, undecided: OPEN })
      : one,
  );
  return { ...answers, expectations };
}

const areEqual = (a: string | undefined, b: string | undefined): boolean => a !== undefined && a === b;

/** What a thread executes of them, one after the other; undefined where that depends on a branch. */
function executedBy(thread: Thread): string | undefined {
  const { statements } = thread;
  const all = statements.flatMap((one, index) => (isRegisterCount(one.operation) ? [{ ...one, index }] : []));
  const isSkipped = ({ guard, index }: (typeof all)[number]): boolean =>
    guard !== undefined ||
    statements.some((_, from) => {
      const to = targetOf(thread, from);
      return to !== undefined && (from < index ? to > index : to <= index);
    });
  if (all.some(isSkipped)) return undefined;
  // Threads of a launch have one text.
  return all
    .map(({ operation, span }) => {
      const [count] = isRegisterCount(operation) ? operation.operands : [];
      const place = thread.launched === undefined ? '' : `at ${span.start}`;
      return `${count?.kind === 'constant' ? count.value : ''} ${place}`;
    })
    .join();
}
