import { expect } from 'vitest';
import { explored, shape } from '../../operational/explored.js';
import type { Judge } from '../judge.js';

export const reductionLosesNothing: Judge = {
  name: 'the machine finds the same without the orders that make no difference',
  every: 6,
  judge({ program }, count) {
    // First what takes few states: where those are too many, all are.
    const reduced = explored(program, false);
    if (reduced.incomplete?.kind === 'states') return;
    const whole = explored(program, true);
    if (whole.incomplete?.kind === 'states') return;
    expect(shape(reduced)).toEqual(shape(whole));
    count('compared');
    count('states', whole.states);
    count('states that are left', reduced.states);
  },
};
