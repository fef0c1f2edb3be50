import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readBaseline, recordFindings } from '../../../src/compare/baseline.js';
import { describeCondition } from '../../../src/report/describe-proposition.js';
import { recordedState } from '../../../src/report/describe-state.js';
import { fewerOfLarge, type Judge, WHOLE } from '../judge.js';
import { LITMUS } from '../opened.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const OPTIONS = { sha256, stateText: recordedState, conditionText: describeCondition };
const recorded = readBaseline(readFileSync(join(LITMUS, 'baseline.json'), 'utf8'));
if (typeof recorded === 'string') throw new Error(recorded);
const tests = new Map(recorded.tests.map((test) => [test.path, test]));

export const baseline: Judge = {
  name: 'it has the outcomes that are recorded',
  every: fewerOfLarge(2),
  share: WHOLE,
  judge(test, count) {
    const now = recordFindings(test.result(), test.file, test.findings(), OPTIONS);
    expect(now, 'baseline write litmus/ -o litmus/baseline.json records what was meant to change').toEqual(
      tests.get(test.file),
    );
    count('outcomes', now.outcomes.length);
  },
};
