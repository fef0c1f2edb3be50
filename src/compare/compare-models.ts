import type { Findings, OpenQuestion } from '../check/findings.js';
import type { CandidateExecution, FinalState } from '../execution/candidate-execution.js';
import { describeUndefined } from '../program/undefined-rules.js';

/** Something that one model finds in a test and the other does not. */
export interface ModelDifference {
  readonly kind: 'outcome' | 'flag' | 'deadlock' | 'undefined';
  readonly only: 'A' | 'B';
  /** Of an outcome. */
  readonly state: FinalState | undefined;
  /** The flag, or the rule by which the test is undefined. */
  readonly name: string | undefined;
  readonly execution: CandidateExecution | undefined;
}

/** What two models, A and B, say differently of a test. */
export interface ModelComparison {
  readonly differences: readonly ModelDifference[];
  /** What one of them leaves open, so that more may differ. */
  readonly open: readonly (OpenQuestion & { readonly by: 'A' | 'B' })[];
}

const difference = (
  kind: ModelDifference['kind'],
  only: 'A' | 'B',
  execution: CandidateExecution | undefined,
  { state, name }: Partial<Pick<ModelDifference, 'state' | 'name'>> = {},
): ModelDifference => ({ kind, only, state, name, execution });

/** What two models say differently of one test. */
export function compareFindings(a: Findings, b: Findings): ModelComparison {
  const open = [
    ...a.open.map((one) => ({ ...one, by: 'A' as const })),
    ...b.open.map((one) => ({ ...one, by: 'B' as const })),
  ];
  const isOpen = (by: 'A' | 'B', of: OpenQuestion['of']): boolean =>
    open.some((one) => one.by === by && (one.of === of || one.of === 'everything'));
  const undefinedDiffer = a.undefinedBy?.rule !== b.undefinedBy?.rule;
  if (a.undefinedBy !== undefined || b.undefinedBy !== undefined) {
    const of = (only: 'A' | 'B', { undefinedBy }: Findings): readonly ModelDifference[] =>
      undefinedBy === undefined
        ? []
        : [difference('undefined', only, undefinedBy.execution, { name: describeUndefined(undefinedBy) })];
    // Where the other one was not decided, it may be undefined by the same rule.
    const known =
      (b.undefinedBy !== undefined || !isOpen('B', 'definedness')) &&
      (a.undefinedBy !== undefined || !isOpen('A', 'definedness'));
    return { differences: undefinedDiffer && known ? [...of('A', a), ...of('B', b)] : [], open };
  }
  const only = (by: 'A' | 'B', mine: Findings, other: Findings): readonly ModelDifference[] => {
    const differences: ModelDifference[] = [];
    const unseen = by === 'A' ? 'B' : 'A';
    if (!isOpen(unseen, 'outcomes'))
      for (const [key, { state, execution }] of mine.outcomes)
        if (!other.outcomes.has(key)) differences.push(difference('outcome', by, execution, { state }));
    if (!isOpen(unseen, 'flags'))
      for (const [name, execution] of mine.raised)
        if (!other.raised.has(name)) differences.push(difference('flag', by, execution, { name }));
    if (mine.deadlock !== undefined && other.deadlock === undefined && !isOpen(unseen, 'deadlock'))
      differences.push(difference('deadlock', by, mine.deadlock));
    return differences;
  };
  return { differences: [...only('A', a, b), ...only('B', b, a)], open };
}
