import type { OperandSyntax } from './litmus-ast.js';

/** The names that stand in an operand: of registers, of locations, of labels. */
export function namesIn(operand: OperandSyntax): readonly string[] {
  const names: string[] = [];
  mapNames(operand, (name) => {
    names.push(name);
    return name;
  });
  return names;
}

/** An operand with other names in the place of its own; `by` is also told in which part of it a name stands. */
export function mapNames(operand: OperandSyntax, by: (name: string, of: OperandSyntax) => string): OperandSyntax {
  const one = <T>(name: T): T | string => (typeof name === 'string' ? by(name, operand) : name);
  const all = (operands: readonly OperandSyntax[]): readonly OperandSyntax[] =>
    operands.map((inner) => mapNames(inner, by));
  switch (operand.kind) {
    case 'name':
    case 'negated':
    case 'selected':
    case 'addressOf':
      return { ...operand, name: one(operand.name) };
    case 'address':
      return { ...operand, base: one(operand.base) };
    case 'tensor':
      return {
        ...operand,
        base: one(operand.base),
        ...(operand.sampler === undefined ? {} : { sampler: one(operand.sampler) }),
        coordinates: all(operand.coordinates),
      };
    case 'vector':
      return {
        ...operand,
        elements: all(operand.elements),
        ...(operand.predicate === undefined ? {} : { predicate: one(operand.predicate) }),
      };
    case 'list':
      return { ...operand, elements: all(operand.elements) };
    case 'pair':
      return { ...operand, first: one(operand.first), second: one(operand.second) };
    case 'number':
    case 'sink':
      return operand;
  }
}
