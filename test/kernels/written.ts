import { isNamed } from '../../src/build/asked.js';
import { loadTests, parseTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import type { WrittenKernel } from '../../src/convert/write-kernel.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { FinalState } from '../../src/execution/candidate-execution.js';
import type { Program } from '../../src/program/program.js';
import { printLitmus } from '../../src/syntax/print-litmus.js';
import { termsOf } from '../reference/enumerate.js';

/** A test that was written as a kernel, with all threads of its launches run. */
export function launched({ test, module }: WrittenKernel): Program {
  const modules = { 'k.ptx': { path: 'k.ptx', text: module } };
  const { value, diagnostics } = loadTests({
    ...{ path: 'kernel.litmus', text: printLitmus(test), modules, mostThreads: 256 },
  });
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return program;
}

/** All that is answered but final states. */
export const answersOf = ({ conditions, expectations, undefinedBy }: TestResult): unknown => ({
  undefinedBy: undefinedBy?.rule,
  conditions: conditions.map(({ condition, observation, expectation }) => [
    condition.quantifier,
    condition.name,
    observation,
    expectation,
  ]),
  expectations: expectations.map(({ expectation, outcome }) => [expectation.expectation, outcome]),
});

/**
 * Final states by their values, since registers are of other threads in a kernel; undefined where there are too many,
 * or where it is up to the search which values that are open are shown.
 */
export function statesOf({ program, states, openValues = [] }: TestResult): readonly string[] | undefined {
  if (states === undefined || states.incomplete !== undefined || openValues.length > 0) return undefined;
  return states.list.map(({ state }) => valuesIn(program, state)).sort();
}

/**
 * The values of a state, registers in the order of the clauses, but those that are addresses: a kernel numbers its
 * threads otherwise, and has its memory elsewhere.
 */
export function valuesIn({ source, observed, threads, locations }: Program, state: FinalState): string {
  const isAddress = (value: bigint): boolean => value >= 0x1000n && locations.at(value, 1) !== undefined;
  const terms = (parseTests(source).value ?? []).flatMap(termsOf).filter((term) => term.kind === 'register');
  const registers = terms.map((term) =>
    observed.find(
      (one) =>
        one.kind === 'register' &&
        one.register === term.register &&
        threads.some((thread) => thread.index === one.thread && isNamed(thread, term.thread)),
    ),
  );
  return [...registers, ...observed.filter(({ kind }) => kind === 'memory')]
    .map((one) => state.get(one?.name ?? ''))
    .map((value) => (typeof value === 'bigint' && isAddress(value) ? 'an address' : String(value)))
    .join(' ');
}
