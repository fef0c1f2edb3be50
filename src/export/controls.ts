import type { Program, Proposition } from '../program/program.js';
import type { ExportedTest } from './export-test.js';

/** What a control says of the run that it is part of, by one of its final states as the log writes it. */
export interface Control {
  readonly outcome: string;
  /** The run must show it; otherwise it must not. */
  readonly mustShow: boolean;
}

/** The outcome that the condition of a control names: each of its values is equal to a number there. */
export function controlOf(program: Program, { observed }: ExportedTest): Control {
  const [condition, ...others] = program.conditions;
  if (condition === undefined || others.length > 0) throw new Error(`${program.name}: a control has one condition`);
  const values = new Map(equalities(condition.proposition));
  const outcome = observed.map(({ name }) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`${program.name}: its condition says nothing of ${name}`);
    return `${name}=${value};`;
  });
  return { outcome: outcome.join(''), mustShow: condition.quantifier === 'exists' };
}

function equalities(one: Proposition): readonly (readonly [string, bigint])[] {
  if (one.kind === 'and') return one.operands.flatMap(equalities);
  if (one.kind !== 'compare' || one.comparison !== '==' || one.left.kind === 'number' || one.right.kind !== 'number')
    throw new Error('the condition of a control names one final state');
  return [[one.left.name, one.right.value]];
}
