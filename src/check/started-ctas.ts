import { citation } from '../diagnostics/source.js';
import type { WholeRun } from '../order/whole-run.js';
import { providedAlso } from './provided.js';
import type { TestResult } from './result.js';

/**
 * That nothing is undefined, with what it takes CTAs to have done: shared memory of a CTA must not be accessed before
 * that has started (docs/decisions/started-ctas.md), of which the memory consistency model says nothing.
 */
export function providedStarted<Of extends Omit<TestResult, 'time'>>(result: Of, { unstarted }: WholeRun): Of {
  const [first] = unstarted;
  if (first === undefined) return result;
  const { thread, cta } = first;
  const condition =
    `if CTA ${cta} has started when CTA ${thread.cta} accesses its shared memory at ${citation(thread.span)}: ` +
    'nothing orders that; put barrier.cluster.arrive and barrier.cluster.wait before';
  const expectations = result.expectations.map((one) => {
    const { finding, isDenied } = one.expectation;
    return finding === 'undefined' && isDenied && one.outcome === 'met' ? providedAlso(one, [condition]) : one;
  });
  return { ...result, expectations };
}
