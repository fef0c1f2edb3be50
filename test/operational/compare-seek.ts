import { expect } from 'vitest';
import { machineContextOf } from '../../src/check/check-operationally.js';
import { type Exploration, explore } from '../../src/operational/explore.js';
import type { MachineContext } from '../../src/operational/machine-context.js';
import { isPlain } from '../../src/operational/plain-program.js';
import { seek } from '../../src/operational/seek.js';
import type { Program, Proposition } from '../../src/program/program.js';
import { holds } from '../../src/program/proposition.js';
import { builtInModel } from '../support.js';

export const OPTIONS = { mostStates: 20_000, deadline: { remaining: () => 1e12 } };

export function contextOf(program: Program, spinRounds: number): MachineContext | undefined {
  const context = machineContextOf(program, builtInModel('ptx-9.4'), 3, () => undefined, spinRounds);
  return 'kind' in context ? undefined : context;
}

export const both = (program: Program): readonly Proposition[] =>
  program.conditions.flatMap(({ proposition }) => [proposition, { kind: 'not', operand: proposition } as const]);

/** Of each proposition, whether it is reached: by looking for it, alone and beside others, and among all outcomes. */
export function compareSeek(program: Program): 'not plain' | 'too large' | 'alike' {
  const context = contextOf(program, 1);
  const whole = contextOf(program, 2);
  if (context === undefined || whole === undefined || !isPlain(context)) return 'not plain';
  const explored: Exploration = explore(whole, OPTIONS);
  if (explored.incomplete !== undefined) return 'too large';
  expect([...explored.findings.keys()].filter((rule) => rule !== 'data-race')).toEqual([]);
  const outcomes = [...explored.outcomes.values()].map(({ outcome }) => outcome);
  const propositions = both(program);
  const among = (proposition: Proposition): boolean =>
    outcomes.some((outcome) => holds(proposition, ({ name }) => outcome.get(name) ?? 0n));
  // Each by itself, too: more is left out where less is sought.
  for (const asked of [propositions, ...propositions.map((one) => [one])]) {
    const { reached, incomplete } = seek(context, asked, OPTIONS);
    expect(incomplete).toBe(undefined);
    expect([program.name, asked.map((one) => reached.has(one))]).toEqual([program.name, asked.map(among)]);
  }
  return 'alike';
}
