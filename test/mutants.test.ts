import { describe, expect, it } from 'vitest';
import { SEARCH_MUTANTS } from './axiomatic/solver/search-mutants.mjs';
import { SHARED_MUTANTS } from './cross-check/shared-mutants.mjs';
import { SYMMETRY_MUTANTS } from './follow/symmetry-mutants.mjs';
import { MUTANTS } from './operational/mutants.mjs';
import { ORDER_MUTANTS } from './order/order-mutants.mjs';
import { mutate } from './places.mjs';
import { PROGRESS_MUTANTS } from './progress/progress-mutants.mjs';
import { RANGE_MUTANTS } from './ranges/range-mutants.mjs';

/** `npm run mutate-model` takes minutes; that its lists still fit the code is seen at once. */
describe('the deliberate mistakes', () => {
  it('can be made, each in one place', () => {
    const ofModels = [...MUTANTS, ...SHARED_MUTANTS, ...SEARCH_MUTANTS];
    const ofLaunches = [...ORDER_MUTANTS, ...RANGE_MUTANTS, ...SYMMETRY_MUTANTS];
    for (const mutant of [...ofModels, ...ofLaunches, ...PROGRESS_MUTANTS]) {
      expect(mutate(mutant).size, `${mutant.in}: ${mutant.what}`).toBe(1);
    }
  });

  it('are many: of the machine, model, search, order, symmetry, progress, ranges, and what both engines share', () => {
    const ofModel = MUTANTS.filter((mutant) => mutant.in.startsWith('ptx-9.4/'));
    expect(ofModel.length).toBeGreaterThanOrEqual(20);
    expect(MUTANTS.length - ofModel.length).toBeGreaterThanOrEqual(25);
    expect(SEARCH_MUTANTS.length).toBeGreaterThanOrEqual(25);
    expect(ORDER_MUTANTS.length).toBeGreaterThanOrEqual(50);
    expect(PROGRESS_MUTANTS.length).toBeGreaterThanOrEqual(20);
    expect(RANGE_MUTANTS.length).toBeGreaterThanOrEqual(35);
    expect(SYMMETRY_MUTANTS.length).toBeGreaterThanOrEqual(25);
    expect(SHARED_MUTANTS.length).toBeGreaterThanOrEqual(25);
    expect(SHARED_MUTANTS.filter(({ back }) => back !== undefined).length).toBeGreaterThanOrEqual(8);
  });
});
