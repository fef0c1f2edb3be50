import type { ReportedTest } from '../reported-test.js';

/** How a test stands on a page, the first first. */
export const PAGE_VERDICTS = ['broken', 'undecided', 'undefined', 'accepted', 'met'] as const;
export type PageVerdict = (typeof PAGE_VERDICTS)[number];

/** The first of the verdicts that applies; engines that disagree count as broken. */
export function pageVerdict({ broken, undecided, engines, undefined: rule, accepted = [] }: ReportedTest): PageVerdict {
  if (broken || engines?.verdict === 'disagreement') return 'broken';
  if (undecided || engines?.verdict === 'unknown') return 'undecided';
  if (rule !== undefined) return 'undefined';
  return accepted.length > 0 ? 'accepted' : 'met';
}

/** Whether there is something to be read; many tests are there to be undefined. */
export const isFound = (verdict: PageVerdict): boolean => verdict === 'broken' || verdict === 'undecided';

/** What is told of a test in a row of the index. */
export function inBrief({ claims, reasons, undefined: rule, accepted = [], engines }: ReportedTest): string {
  const broken = claims.filter(({ outcome }) => outcome === 'broken').map(({ claim }) => `${claim} is not met`);
  return [
    ...(engines?.verdict === 'disagreement' ? ['the engines disagree'] : []),
    ...broken,
    ...reasons,
    ...(rule === undefined ? [] : [rule]),
    ...accepted.map(({ allowance, because }) => `${allowance}: ${because}`),
  ].join('; ');
}
