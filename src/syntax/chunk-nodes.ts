import type { Node } from 'ohm-js';

/** Register names without their `%`. */
export function registerName(name: string): string {
  return name.startsWith('%') ? name.slice(1) : name;
}

/** A decimal, hexadecimal, binary or, with a leading 0, octal integer (PTX ISA, Integer Constants), or minus that. */
export function integer(text: string): bigint {
  const digits = text
    .replace(/\s+/g, '')
    .replace(/U$/i, '')
    .replace(/^0[fd]/i, '0x');
  if (digits.startsWith('-')) return -integer(digits.slice(1));
  return BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
}

/** An integer, or a floating-point number with a point. */
export const constantOf = ({ sourceString: text }: Node): bigint | number =>
  text.includes('.') ? Number(text) : integer(text);
export const integerOf = (node: Node): bigint => integer(node.sourceString);
export const numberOf = (node: Node): number => Number(integerOf(node));
export const textOfNode = (node: Node): string => node.sourceString;
export const registerOf = (node: Node): string => registerName(node.sourceString);

/** What the actions of the grammar make of a node. */
export const valueOf = <T>(node: Node): T => node['read']() as T;

/** The elements of a list with separators, such as `NonemptyListOf<name, ",">`. */
export const listOf = <T>(list: Node, of: (node: Node) => T = valueOf): readonly T[] =>
  list.asIteration().children.map((one: Node) => of(one));

/** What stands in a part that is repeated. */
export const repeated = <T>(part: Node, of: (node: Node) => T = valueOf): readonly T[] =>
  part.children.map((one) => of(one));

/** What stands in a part that may be missing. */
export function optional<T>(part: Node | undefined, of: (node: Node) => T = valueOf): T | undefined {
  const node: Node | undefined = part?.child(0);
  return node === undefined ? undefined : of(node);
}

/** The same as a property, which is missing where the part is. */
export function given<Name extends string, T>(
  name: Name,
  part: Node | undefined,
  of: (node: Node) => T,
): { readonly [_ in Name]?: T } {
  const value = optional(part, of);
  return value === undefined ? {} : ({ [name]: value } as { readonly [_ in Name]: T });
}
