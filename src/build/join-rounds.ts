import type { ProgramStatement } from '../program/operation.js';

interface Body {
  readonly statements: readonly ProgramStatement[];
  readonly labels: ReadonlyMap<string, number>;
}

/**
 * Compilers end the rounds of one loop at several places, each with a jump back. Where the last of these jumps takes
 * place whenever control comes to it, the others may as well go there: then the loop has one end, and can be seen to
 * be one that only waits.
 */
export function joinRounds({ statements, labels }: Body): Body {
  const joined = [...statements];
  const places = new Map(labels);
  const lastTo = new Map<number, number>();
  const targetOf = (index: number): number | undefined => {
    const operation = statements[index]?.operation;
    const target = operation?.kind === 'branch' ? labels.get(operation.label) : undefined;
    return target !== undefined && target <= index ? target : undefined;
  };
  statements.forEach((_, index) => {
    const target = targetOf(index);
    if (target !== undefined) lastTo.set(target, index);
  });
  statements.forEach((statement, index) => {
    const target = targetOf(index);
    const last = target === undefined ? undefined : lastTo.get(target);
    if (last === undefined || last === index || statements[last]?.guard !== undefined) return;
    const label = `#round${last}`;
    places.set(label, last);
    joined[index] = { ...statement, operation: { kind: 'branch', label } };
  });
  return { statements: joined, labels: places };
}
