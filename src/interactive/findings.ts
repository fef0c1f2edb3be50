import type { TestResult } from '../check/result.js';
import { meaningOf } from '../diagnostics/source.js';
import { shownPlace, spansOf } from '../report/found-places.js';
import type { Finding } from './questions.js';

/** What was found of what a test expects, or by what it is undefined, at each place that it is about. */
export function findingsOf({ expectations, undefinedBy }: TestResult, test: number): readonly Finding[] {
  const asked = expectations.map(({ expectation, outcome, witness, events, shownAt, advice }) => ({
    claim: `expect ${expectation.expectation}`,
    isBroken: outcome === 'broken',
    ...{ spans: spansOf(witness, events, shownAt), advice },
  }));
  const isAsked = expectations.some(({ expectation: { finding } }) => finding === 'undefined');
  const unasked =
    undefinedBy === undefined || isAsked
      ? []
      : [
          {
            ...{ claim: `undefined: ${undefinedBy.sentence}`, isBroken: true, advice: undefinedBy.advice },
            spans: spansOf(undefinedBy.witness, undefinedBy.events, undefinedBy.shownAt),
          },
        ];
  return [...asked, ...unasked].flatMap(({ claim, isBroken, spans, advice }) =>
    spans.map((span): Finding => ({ test, claim, isBroken, text: meaningOf(span), advice, ...shownPlace(span) })),
  );
}

/** What is said of a finding at its place. */
export const sentenceOf = ({ claim, isBroken }: Pick<Finding, 'claim' | 'isBroken'>): string =>
  claim.startsWith('undefined') ? claim : `${claim} is ${isBroken ? 'broken' : 'met'} here`;
