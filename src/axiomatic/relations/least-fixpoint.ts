import type { Kind } from '../../cat/algebra.js';
import { EventSet } from '../../relation/event-set.js';
import { Relation } from '../../relation/relation.js';
import { BitDomain, type Bits } from '../formula/bits.js';
import { FALSE, type Formula, type FormulaBuilder } from '../formula/formula.js';
import { remembered } from '../formula/remembered.js';
import type { SymbolicValue } from './symbolic-algebra.js';
import { SymbolicRelation, SymbolicSet } from './symbolic-relation.js';

type Step = (values: readonly SymbolicValue[]) => readonly SymbolicValue[];

/**
 * The least fixpoint of a monotone recursion. Each member that is asked for gets a variable x and a level. The
 * definitions closed under x give a fixpoint; that x also follows from members of lower levels alone makes it the
 * least.
 */
export function leastFixpoint(
  builder: FormulaBuilder,
  size: number,
  kinds: readonly Kind[],
  step: Step,
): readonly SymbolicValue[] {
  const may = possibleMembers(builder, size, kinds, step);
  const members = may.reduce((sum, set) => sum + [...set].length, 0);
  const levelBits = Math.max(1, Math.ceil(Math.log2(members + 1)));
  const bits = new BitDomain(builder);
  const variables = new Map<string, Formula>();
  const levels = new Map<string, Bits>();

  const key = (definition: number, a: number, b: number): string => `${definition}:${a},${b}`;
  const levelOf = (name: string): Bits =>
    remembered(levels, name, () => Array.from({ length: levelBits }, (_, i) => builder.variable(`level${i}(${name})`)));
  const memberFormula = (definition: number, a: number, b: number): Formula => {
    const name = key(definition, a, b);
    const known = variables.get(name);
    if (known !== undefined) return known;
    const x = builder.variable(`member(${name})`);
    variables.set(name, x);
    builder.defer(() => {
      const lower = values((otherName, other) =>
        builder.and(other, bits.less(levelOf(otherName), levelOf(name), false)),
      );
      builder.define(builder.implies(at(step(result)[definition], a, b), x));
      builder.define(builder.implies(x, at(step(lower)[definition], a, b)));
    });
    return x;
  };
  const values = (view: (name: string, formula: Formula) => Formula): readonly SymbolicValue[] =>
    may.map((set, definition): SymbolicValue => {
      const formula = (a: number, b: number): Formula => view(key(definition, a, b), memberFormula(definition, a, b));
      return set instanceof EventSet
        ? { kind: 'set', value: new SymbolicSet(set, (e) => formula(e, e)) }
        : { kind: 'relation', value: new SymbolicRelation(set, new Relation(size), formula) };
    });
  const result = values((_, formula) => formula);
  return result;
}

function at(value: SymbolicValue | undefined, a: number, b: number): Formula {
  if (value === undefined) return FALSE;
  return value.kind === 'set' ? value.value.at(a) : value.value.at(a, b);
}

/** The members that some execution may have: the recursion solved on what may be related. */
function possibleMembers(
  builder: FormulaBuilder,
  size: number,
  kinds: readonly Kind[],
  step: Step,
): readonly (EventSet | Relation)[] {
  const unknown = builder.variable('unknown');
  const asValues = (sets: readonly (EventSet | Relation)[]): readonly SymbolicValue[] =>
    sets.map((set) =>
      set instanceof EventSet
        ? { kind: 'set', value: new SymbolicSet(set, () => unknown) }
        : { kind: 'relation', value: new SymbolicRelation(set, new Relation(size), () => unknown) },
    );
  let sets: readonly (EventSet | Relation)[] = kinds.map((kind) =>
    kind === 'set' ? new EventSet(size) : new Relation(size),
  );
  for (;;) {
    const next = step(asValues(sets)).map((value) => value.value.may);
    const same = next.every((set, i) => {
      const before = sets[i];
      return set instanceof EventSet
        ? before instanceof EventSet && set.equals(before)
        : before instanceof Relation && set.equals(before);
    });
    if (same) return next;
    sets = next;
  }
}
