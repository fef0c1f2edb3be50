import { describeSelection, selectionOf } from '../check/answer-scope.js';
import type { TestResult } from '../check/result.js';

/** What holds is met; of a kernel test not all of which was run, by those threads that were. */
export function met({ program }: TestResult): string {
  const selection = selectionOf(program);
  return selection === undefined ? 'met' : `met ${describeSelection(selection)}`;
}

/** That nobody but the search confirms an answer, and why. */
export const unconfirmedLines = (
  unconfirmed: string | undefined,
  { unsure }: { readonly unsure: (text: string) => string },
): readonly string[] => (unconfirmed === undefined ? [] : [unsure(`not confirmed: ${unconfirmed}`)]);
