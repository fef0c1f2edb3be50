import type { FinalState } from '../execution/candidate-execution.js';
import type { Program } from '../program/program.js';

/** The same on one line: `x = 1; P0:r0 = 2;`. */
export function stateLine(program: Program, state: FinalState): string {
  return shownState(program, state)
    .map(([name, value]) => `${name} = ${value};`)
    .join(' ');
}

/** A final state as names and decimal numbers, signed where the type is. */
export function shownState(program: Program, state: FinalState): readonly (readonly [name: string, value: string])[] {
  return program.observed.map(({ name, type }) => {
    const bits = state.get(name) ?? 0n;
    return [name, String(type.kind === 's' ? BigInt.asIntN(type.width, bits) : bits)] as const;
  });
}
