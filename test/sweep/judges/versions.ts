import { expect } from 'vitest';
import { versionsAgree } from '../../suite/compare-versions.js';
import type { Judge } from '../judge.js';

export const versionsSayTheSame: Judge = {
  name: 'ptx-9.4 and ptx-7.5 agree on what both know',
  every: 6,
  judge({ program }, count) {
    const agree = versionsAgree(program, 3);
    expect(agree).not.toBe(false);
    if (agree !== undefined) count('compared');
  },
};
