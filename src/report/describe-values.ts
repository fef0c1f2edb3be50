import type { OutcomeForValues } from '../check/answers-by-value.js';
import type { TestResult } from '../check/result.js';
import type { Style } from './text.js';
import { plural } from './words.js';

/** Of a test of many sizes: for which values there are answers, and how. */
export function valuesLines({ values }: Pick<TestResult, 'values'>, style: Style): readonly string[] {
  if (values === undefined) return [];
  const { ranges, count, checked, alike, unreached, shown } = values;
  return [
    `  for ${ranges.join(', ')}: ${plural(count, 'size')}, ${checked} checked; launches as for ${shown}`,
    ...(alike === '' ? [] : [`    proved alike to one that was checked: ${alike}`]),
    ...(unreached === '' ? [] : [`    ${style.unsure('not reached in time')}: ${unreached}`]),
  ];
}

const WORDS: Readonly<Record<OutcomeForValues['outcome'], string>> = {
  broken: 'broken',
  undefined: 'undefined',
  undecided: 'undecided',
  holds: 'allowed',
  'does not hold': 'forbidden',
  met: 'met',
};

/** `broken for n = 1; met for n = 2..1000`; nothing where one answer is that of all, and good. */
export function describeByValue(byValue: readonly OutcomeForValues[] = []): string | undefined {
  const [only, ...others] = byValue;
  if (only === undefined || (others.length === 0 && only.outcome !== 'broken' && only.outcome !== 'undecided'))
    return undefined;
  if (others.length === 0) return `${WORDS[only.outcome]} for all sizes`;
  return byValue.map(({ outcome, values }) => `${WORDS[outcome]} for ${values}`).join('; ');
}
