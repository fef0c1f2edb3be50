import type { ShownEnd } from '../check/result.js';
import { citations } from '../diagnostics/source.js';
import type { CandidateExecution, FinalState } from '../execution/candidate-execution.js';
import type { DataType } from '../program/data-type.js';
import type { Program } from '../program/program.js';

/** The last line of an execution: its final state, or which threads are not at their ends, so that it has none. */
export function finalStateLine({ universe, ends, finalState }: CandidateExecution): readonly string[] {
  const { program } = universe.structure;
  const waiting = ends.flatMap(({ kind }, thread) => (kind === 'ended' ? [] : [program.threads[thread]?.name ?? '']));
  if (waiting.length > 0) return [`no final state: ${waiting.join(', ')} still waiting`];
  const values = program.observed.map(({ name, type }) => `${name} = ${readable(finalState.get(name) ?? 0n, type)}`);
  return values.length === 0 ? [] : [`final state: ${values.join(', ')}`];
}

/** How a run of all threads ends, by what matters of it. */
export function describeShownEnd({ values, torn }: ShownEnd): readonly string[] {
  const told = values
    .slice(0, MOST_TOLD)
    .map(({ term: { name, type }, value }) => `${name} = ${readable(value, type)}`);
  const more = values.length > MOST_TOLD ? ` and ${values.length - MOST_TOLD} more` : '';
  return [
    `a run of all threads ends with ${told.join(', ')}${more}`,
    ...(torn.length === 0
      ? []
      : [`  where one element of a vector is found new and another one old, which come in no order (8.2.4), by`]),
    ...citations(torn).map((place) => `    ${place}`),
  ];
}

const MOST_TOLD = 4;

/** The same on one line: `x = 1; P0:r0 = 2;`. */
export function stateLine(program: Program, state: FinalState): string {
  return program.observed.map(({ name, type }) => `${name} = ${readable(state.get(name) ?? 0n, type)};`).join(' ');
}

/** A final state on one line as programs take it: `stateLine` with decimal numbers only. */
export function recordedState(program: Program, state: FinalState): string {
  return shownState(program, state)
    .map(([name, value]) => `${name} = ${value};`)
    .join(' ');
}

/** A value for people: signed where the type is, and where it is large, such as a descriptor, by its hex digits. */
export function readable(bits: bigint, { kind, width }: Pick<DataType, 'kind' | 'width'>): string {
  if (kind === 's') return String(BigInt.asIntN(width, bits));
  return bits < FROM_HERE_HEX ? String(bits) : `0x${bits.toString(16)}`;
}

const FROM_HERE_HEX = 0x1_0000n;

/** A final state as names and decimal numbers, signed where the type is: for programs. */
export function shownState(program: Program, state: FinalState): readonly (readonly [name: string, value: string])[] {
  return program.observed.map(({ name, type }) => {
    const bits = state.get(name) ?? 0n;
    return [name, String(type.kind === 's' ? BigInt.asIntN(type.width, bits) : bits)] as const;
  });
}
