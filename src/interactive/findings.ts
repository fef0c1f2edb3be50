import type { TestResult } from '../check/result.js';
import { meaningOf } from '../diagnostics/source.js';
import { shownPlace, spansOf } from '../report/found-places.js';
import type { Finding } from './questions.js';

/** What breaks expectations of a test, at each place that it is about. */
export function findingsOf({ expectations, undefinedBy }: TestResult): readonly Finding[] {
  const broken = expectations.filter(({ outcome }) => outcome === 'broken');
  return [
    ...broken.flatMap(({ expectation, witness, events, shownAt, advice }) =>
      spansOf(witness, events, shownAt).map((span) => ({
        ...{ claim: `expect ${expectation.expectation}`, text: meaningOf(span), advice },
        ...shownPlace(span),
      })),
    ),
    ...(undefinedBy === undefined
      ? []
      : spansOf(undefinedBy.witness, undefinedBy.events).map((span) => ({
          ...{ claim: `undefined: ${undefinedBy.sentence}`, text: meaningOf(span), advice: undefinedBy.advice },
          ...shownPlace(span),
        }))),
  ];
}
