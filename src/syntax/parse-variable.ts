import type { Node } from 'ohm-js';
import type { VariablesActionDict } from '../../generated/litmus.ohm-bundle.js';
import {
  constantOf,
  given,
  integerOf,
  listOf,
  numberOf,
  optional,
  registerOf,
  repeated,
  textOfNode,
  valueOf,
} from './chunk-nodes.js';
import type { AddressValue, Directive, Initial, ListedValue, VariableSyntax } from './litmus-ast.js';
import { spanOfNode } from './parse-chunk.js';

/** The actions of the grammar Variables, for those that extend it. */
export const VARIABLES: VariablesActionDict<unknown> = {
  Directive(_dot, name, argument): Directive {
    return { name: textOfNode(name), span: spanOfNode(this), ...given('argument', argument, integerOf) };
  },
  Dimension(_open, size, _close): number {
    return textOfNode(size) === '' ? 0 : numberOf(size);
  },
  Initial_array(_open, values, _close): Initial {
    return { kind: 'array', values: listOf(values) };
  },
  Initial_number(number): Initial {
    return { kind: 'number', value: constantOf(number) };
  },
  Initial_address(address): Initial {
    const value = valueOf<AddressValue>(address);
    return /[&(+]/.test(textOfNode(address)) ? { kind: 'address', ...value } : { kind: 'copy', name: value.name };
  },
  Element_number(number): ListedValue {
    return constantOf(number);
  },
  Element_address(address): ListedValue {
    return valueOf(address);
  },
  Address_masked(mask, _open, address, _close): AddressValue {
    return { ...valueOf<AddressValue>(address), mask: integerOf(mask) };
  },
  Address_generic(_generic, _open, address, _close, addition): AddressValue {
    const value = valueOf<AddressValue>(address);
    return { ...value, offset: value.offset + (optional<bigint>(addition) ?? 0n) };
  },
  Address_place(_and, name, addition): AddressValue {
    return { name: textOfNode(name), offset: optional<bigint>(addition) ?? 0n };
  },
  Addition(_plus, number): bigint {
    return integerOf(number);
  },
};

/** The variables that one directive of a module or a body declares. */
export const variablesOf = (space: Node, directives: Node, declarators: Node): readonly VariableSyntax[] =>
  listOf(declarators, (one) => variableOf(space, directives, one.child(0), one.child(1), one.child(3)));

/** A variable that a module, a body or a list of parameters declares. */
export function variableOf(
  ...[space, directives, name, dimension, initial]: [Node, Node, Node, Node, Node?]
): VariableSyntax {
  return {
    kind: 'variable',
    name: registerOf(name),
    span: spanOfNode(name),
    directives: [{ name: textOfNode(space).slice(1), span: spanOfNode(space) }, ...repeated<Directive>(directives)],
    ...given('elements', dimension, valueOf<number>),
    ...given('initial', initial, valueOf<Initial>),
  };
}
