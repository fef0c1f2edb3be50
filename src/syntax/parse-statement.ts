import type { Node } from 'ohm-js';
import grammars, { type StatementActionDict } from '../../generated/litmus.ohm-bundle.js';
import {
  given,
  integer,
  integerOf,
  listOf,
  numberOf,
  optional,
  registerName,
  registerOf,
  repeated,
  textOfNode,
  valueOf,
} from './chunk-nodes.js';
import { eachTextOnce } from './each-text-once.js';
import type { DeclaredRegister, InstructionSyntax, OperandSyntax, Statement } from './litmus-ast.js';
import { reader, spanOfNode } from './parse-chunk.js';
import { VARIABLES, variablesOf } from './parse-variable.js';

type Guard = NonNullable<InstructionSyntax['guard']>;
type Opcode = Pick<InstructionSyntax, 'mnemonic' | 'mnemonicSpan' | 'qualifiers'>;

/** PTX ISA, Pragma Strings: "used_bytes_mask". */
const USED_BYTES = /^\.pragma\b.*"\s*used_bytes_mask\s+(0x[0-9a-f]+|[0-9]+)\s*"/is;

const ACTIONS: StatementActionDict<unknown> = {
  ...VARIABLES,
  Statement(labels, body): readonly Statement[] {
    return [...repeated<Statement>(labels), ...repeated<Statement | readonly Statement[]>(body).flat()];
  },
  Label(name, _colon): Statement {
    return { kind: 'label', name: textOfNode(name), span: spanOfNode(name) };
  },
  Variable(space, directives, declarators): readonly Statement[] {
    return variablesOf(space, directives, declarators);
  },
  Targets(_directive, names): Statement {
    return { kind: 'targets', names: listOf(names, textOfNode), span: spanOfNode(this) };
  },
  Note(_directive, _rest): Statement {
    const [, mask] = USED_BYTES.exec(textOfNode(this)) ?? [];
    return { kind: 'note', ...(mask === undefined ? {} : { usedBytes: integer(mask) }), span: spanOfNode(this) };
  },
  Registers(_reg, _dot, type, names): Statement {
    return { kind: 'registers', type: textOfNode(type), names: listOf(names), span: spanOfNode(this) };
  },
  Declared(name, _open, count, _close): DeclaredRegister {
    return { name: registerOf(name), span: spanOfNode(this), ...given('count', count, numberOf) };
  },
  Instruction(guard, opcode, operands): InstructionSyntax {
    return {
      kind: 'instruction',
      ...given('guard', guard, valueOf<Guard>),
      ...valueOf<Opcode>(opcode),
      operands: listOf(operands),
      span: spanOfNode(this),
    };
  },
  Guard(_at, not, name): Guard {
    return { register: registerOf(name), negated: not.numChildren > 0, span: spanOfNode(this) };
  },
  opcode(mnemonic, _dots, qualifiers): Opcode {
    return {
      mnemonic: textOfNode(mnemonic),
      mnemonicSpan: spanOfNode(mnemonic),
      qualifiers: repeated(qualifiers, (node) => ({ text: textOfNode(node), span: spanOfNode(node) })),
    };
  },
  Offset_plus(_sign, number): bigint {
    return integerOf(number);
  },
  Offset_minus(_sign, number): bigint {
    return -integerOf(number);
  },
  Operand_address(_open, base, offset, _close): OperandSyntax {
    return { kind: 'address', ...baseOf(base), offset: optional<bigint>(offset) ?? 0n, span: spanOfNode(this) };
  },
  Operand_tensor(_open, base, _comma, sampler, _next, _brace, coordinates, _braceEnd, _close): OperandSyntax {
    const [named] = sampler.children.map(registerOf);
    const of = named === undefined ? {} : { sampler: named };
    return { kind: 'tensor', ...baseOf(base), ...of, coordinates: listOf(coordinates), span: spanOfNode(this) };
  },
  Operand_vector(_open, elements, _close, _bar, predicate): OperandSyntax {
    const [named] = predicate.children.map(registerOf);
    const beside = named === undefined ? {} : { predicate: named };
    return { kind: 'vector', elements: listOf(elements), ...beside, span: spanOfNode(this) };
  },
  Operand_list(_open, elements, _close): OperandSyntax {
    return { kind: 'list', elements: listOf(elements), span: spanOfNode(this) };
  },
  Operand_negated(_not, name): OperandSyntax {
    return { kind: 'negated', name: registerOf(name), span: spanOfNode(this) };
  },
  Operand_pair(first, _bar, second): OperandSyntax {
    const [one, other] = [first, second].map((node) => (textOfNode(node) === '_' ? undefined : registerOf(node)));
    return { kind: 'pair', first: one, second: other, span: spanOfNode(this) };
  },
  Operand_sink(_sink): OperandSyntax {
    return { kind: 'sink', span: spanOfNode(this) };
  },
  Operand_addressOf(_and, name): OperandSyntax {
    return { kind: 'addressOf', name: textOfNode(name), span: spanOfNode(this) };
  },
  Operand_number(number): OperandSyntax {
    const text = textOfNode(number);
    const span = spanOfNode(this);
    if (text.includes('.')) return { kind: 'number', value: 0n, fraction: Number(text), span };
    const floatWidth = /^0f/i.test(text) ? 32 : /^0d/i.test(text) ? 64 : undefined;
    return { kind: 'number', value: integer(text), ...(floatWidth === undefined ? {} : { floatWidth }), span };
  },
  Operand_minus(_minus, name): OperandSyntax {
    const [register, selector] = splitSelector(registerOf(name));
    return { kind: 'selected', name: register, selector, minus: true, span: spanOfNode(this) };
  },
  Operand_name(name, offset): OperandSyntax {
    const [register, selector] = splitSelector(registerOf(name));
    if (selector !== undefined && offset.children.length === 0)
      return { kind: 'selected', name: register, selector, minus: false, span: spanOfNode(this) };
    return { kind: 'name', name: registerOf(name), offset: optional<bigint>(offset) ?? 0n, span: spanOfNode(this) };
  },
};

/** `r1.b0`, `r2.h32`: a register, and which bytes or half-words of it a video instruction takes. */
function splitSelector(name: string): readonly [register: string, selector: string | undefined] {
  const [, register = name, selector] = /^(.+)\.([bh][0-7]{1,4})$/.exec(name) ?? [];
  return [register, selector];
}

/** The base of an address: a number, or a name whose `%` tells a register from a location. */
function baseOf(base: Node): { readonly base: string | bigint; readonly percent: boolean } {
  const text = textOfNode(base);
  const named = base.child(0).ctorName === 'name';
  return { base: named ? registerName(text) : integer(text), percent: text.startsWith('%') };
}

/** Reads one statement: any labels, then a `.reg` directive, an instruction, or nothing. */
export const parseStatement = eachTextOnce(
  reader<readonly Statement[]>(
    { grammar: grammars.Statement, rule: 'Statement', code: 'L0003', what: 'this instruction cannot be read' },
    ACTIONS,
  ),
);
