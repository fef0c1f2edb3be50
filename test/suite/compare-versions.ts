import { checkTest } from '../../src/check/check-test.js';
import type { TestResult } from '../../src/check/result.js';
import type { Program } from '../../src/program/program.js';
import { builtInModel, solver } from '../support.js';

/** 9.4 without the rule that no published model has (docs/decisions/observation-before-causality.md). */
const NEWER = builtInModel('ptx-9.4', new Set(['atomic-observation=write']));

/**
 * Where it and ptx-7.5 may differ on tests that both can judge, by the version history of the ISA: none of what
 * came in between changes a verdict on older features, but that an access to the memory of another CTA that may have
 * exited is now known to be undefined.
 */
const REASONS: Readonly<Record<string, string>> = {
  'dsmem.exit+remote-st': 'distributed shared memory came with 7.8',
};

/** What a result says, without the model's own words. */
function verdicts({ conditions, undefinedBy, expectations }: TestResult): unknown {
  return {
    undefined: undefinedBy !== undefined,
    conditions: conditions.map(({ condition, reachable, avoidable, undecided }) => [
      condition.name ?? condition.quantifier,
      reachable,
      avoidable,
      undecided?.kind,
    ]),
    expectations: expectations.map(({ expectation, outcome }) => [expectation.expectation, outcome]),
  };
}

/** Whether ptx-9.4 and ptx-7.5 say the same of a test; undefined where the older one lacks a feature of it. */
export function versionsAgree(program: Program, unroll: number): boolean | undefined {
  // Clauses for one of the models count for both here.
  const both = {
    ...program,
    conditions: program.conditions
      .filter(({ models }) => models === undefined || models.includes('ptx-7.5'))
      .map((one) => ({ ...one, models: undefined })),
    expectations: program.expectations.map((one) => ({ ...one, models: undefined })),
  };
  const limits = { unroll, timeout: 60_000 };
  const older = checkTest(solver, both, builtInModel('ptx-7.5'), limits);
  if ([...older.conditions, ...older.expectations].some(({ undecided }) => undecided?.kind === 'feature'))
    return undefined;
  const newer = checkTest(solver, both, NEWER, limits);
  return JSON.stringify(verdicts(older)) === JSON.stringify(verdicts(newer)) || REASONS[program.name] !== undefined;
}
