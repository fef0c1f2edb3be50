import type { Node } from 'ohm-js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import { eachTextOnce } from './each-text-once.js';
import grammars, { type StatementSemantics } from './litmus.ohm-bundle.js';
import type {
  DeclaredRegister,
  Directive,
  Initial,
  InstructionSyntax,
  OperandSyntax,
  Qualifier,
  Statement,
  VariableSyntax,
} from './litmus-ast.js';
import { LONGEST, matchChunk, nodeSpan } from './parse-chunk.js';

/** Reads one statement: any labels, then a `.reg` directive, an instruction, or nothing. */
export const parseStatement = eachTextOnce(readStatement);

function readStatement(span: Span): { readonly statements: readonly Statement[]; readonly failure?: Diagnostic } {
  const { match, failure } = matchChunk(
    grammars.Statement,
    span,
    'L0003',
    'this instruction cannot be read',
    'Statement',
    LONGEST,
  );
  if (failure !== undefined) return { statements: [], failure };
  chunk = span;
  return { statements: semantics(match).statements() as Statement[] };
}

/** Register names without their `%`. */
export function registerName(name: string): string {
  return name.startsWith('%') ? name.slice(1) : name;
}

/** A decimal, hexadecimal or, with a leading 0, octal integer (PTX ISA, integer constants), also a negative one. */
export function integer(text: string): bigint {
  const digits = text
    .replace(/\s+/g, '')
    .replace(/U$/, '')
    .replace(/^0[fd]/i, '0x');
  if (digits.startsWith('-')) return -integer(digits.slice(1));
  return BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
}

/** An integer, or a floating-point number with a point. */
export const constantOf = (text: string): bigint | number => (text.includes('.') ? Number(text) : integer(text));

/** The chunk that is being read; Ohm's operations take no context. */
let chunk: Span;

/** A variable that a body or a list of parameters declares. */
export function variableOf(
  space: Node,
  directives: Node,
  name: Node,
  dimension: Node,
  initial: Node | undefined,
  spanOf: (node: Node) => Span,
): VariableSyntax {
  const size = dimension.child(0)?.child(1).child(0);
  const value = initial?.child(0);
  return {
    kind: 'variable',
    name: registerName(name.sourceString),
    span: spanOf(name),
    directives: [
      { name: space.sourceString.slice(1), span: spanOf(space) },
      ...directives.children.map((directive): Directive => {
        const number = directive.child(2).child(0);
        return {
          name: directive.child(1).sourceString,
          span: spanOf(directive),
          ...(number === undefined ? {} : { argument: integer(number.sourceString) }),
        };
      }),
    ],
    ...(dimension.numChildren === 0 ? {} : { elements: size === undefined ? 0 : Number(integer(size.sourceString)) }),
    ...(value === undefined ? {} : { initial: initialOf(value) }),
  };
}

function initialOf(node: Node): Initial {
  const text = node.sourceString;
  if (!text.startsWith('{')) return { kind: 'number', value: constantOf(text) };
  const list = node.child(0).child(1).asIteration().children;
  return { kind: 'array', values: list.map((one: Node) => constantOf(one.sourceString)) };
}
const spanOfNode = (node: Node): Span => nodeSpan(chunk, node);

const semantics: StatementSemantics = grammars.Statement.createSemantics();

semantics.addOperation<unknown>('statements', {
  Statement(labels, body) {
    const read: Statement[] = labels.children.map((label) => label['statement']());
    const rest = body.child(0);
    return rest === undefined ? read : [...read, rest['statement']()];
  },
});

semantics.addOperation<Statement>('statement', {
  Label(name, _colon) {
    return { kind: 'label', name: name.sourceString, span: spanOfNode(name) };
  },
  Variable(space, directives, name, dimension, _equals, initial) {
    return variableOf(space, directives, name, dimension, initial, spanOfNode);
  },
  Targets(_directive, names) {
    const list = names.asIteration().children.map((name) => name.sourceString);
    return { kind: 'targets', names: list, span: spanOfNode(this) };
  },
  Prototype(_directive, _rest) {
    return { kind: 'note', span: spanOfNode(this) };
  },
  Note(_directive, _rest) {
    return { kind: 'note', span: spanOfNode(this) };
  },
  Registers(_reg, _dot, type, names) {
    const declared = names.asIteration().children.map((name): DeclaredRegister => name['declared']());
    return { kind: 'registers', type: type.sourceString, names: declared, span: spanOfNode(this) };
  },
  Instruction(guard, opcode, operands): InstructionSyntax {
    const [mnemonic, qualifiers] = opcode['opcode']() as [Node, readonly Qualifier[]];
    const guardNode = guard.child(0);
    return {
      kind: 'instruction',
      ...(guardNode === undefined ? {} : { guard: guardNode['guard']() }),
      mnemonic: mnemonic.sourceString,
      mnemonicSpan: spanOfNode(mnemonic),
      qualifiers,
      operands: operands.asIteration().children.map((operand) => operand['operand']()),
      span: spanOfNode(this),
    };
  },
});

semantics.addOperation<DeclaredRegister>('declared', {
  Declared(name, _open, count, _close) {
    const number = count.child(0);
    return {
      name: registerName(name.sourceString),
      span: spanOfNode(this),
      ...(number === undefined ? {} : { count: Number(integer(number.sourceString)) }),
    };
  },
});

semantics.addOperation<unknown>('guard', {
  Guard(_at, not, name) {
    return { register: registerName(name.sourceString), negated: not.numChildren > 0, span: spanOfNode(this) };
  },
});

semantics.addOperation<unknown>('opcode', {
  opcode(mnemonic, _dots, qualifiers) {
    return [
      mnemonic,
      qualifiers.children.map((node): Qualifier => ({ text: node.sourceString, span: spanOfNode(node) })),
    ];
  },
});

semantics.addOperation<bigint>('offset', {
  Offset_plus(_sign, number) {
    return integer(number.sourceString);
  },
  Offset_minus(_sign, number) {
    return -integer(number.sourceString);
  },
});

const offsetOf = (optional: Node): bigint => optional.child(0)?.['offset']() ?? 0n;

semantics.addOperation<OperandSyntax>('operand', {
  Operand_address(_open, base, offset, _close) {
    const text = base.sourceString;
    const named = base.child(0).ctorName === 'name';
    return {
      kind: 'address',
      base: named ? registerName(text) : integer(text),
      percent: text.startsWith('%'),
      offset: offsetOf(offset),
      span: spanOfNode(this),
    };
  },
  Operand_tensor(_open, base, _comma, _brace, coordinates, _braceEnd, _close) {
    const text = base.sourceString;
    const named = base.child(0).ctorName === 'name';
    return {
      kind: 'tensor',
      base: named ? registerName(text) : integer(text),
      percent: text.startsWith('%'),
      coordinates: coordinates.asIteration().children.map((element) => element['operand']()),
      span: spanOfNode(this),
    };
  },
  Operand_vector(_open, elements, _close) {
    return {
      kind: 'vector',
      elements: elements.asIteration().children.map((element) => element['operand']()),
      span: spanOfNode(this),
    };
  },
  Operand_list(_open, elements, _close) {
    return {
      kind: 'list',
      elements: elements.asIteration().children.map((element) => element['operand']()),
      span: spanOfNode(this),
    };
  },
  Operand_negated(_not, name) {
    return { kind: 'negated', name: registerName(name.sourceString), span: spanOfNode(this) };
  },
  Operand_pair(first, _bar, second) {
    const register = (text: string): string | undefined => (text === '_' ? undefined : registerName(text));
    return {
      kind: 'pair',
      first: register(first.sourceString),
      second: register(second.sourceString),
      span: spanOfNode(this),
    };
  },
  Operand_sink(_sink) {
    return { kind: 'sink', span: spanOfNode(this) };
  },
  Operand_addressOf(_and, name) {
    return { kind: 'addressOf', name: name.sourceString, span: spanOfNode(this) };
  },
  Operand_number(number) {
    const text = number.sourceString;
    const span = spanOfNode(this);
    if (text.includes('.')) return { kind: 'number', value: 0n, fraction: Number(text), span };
    const floatWidth = /^0f/i.test(text) ? 32 : /^0d/i.test(text) ? 64 : undefined;
    return { kind: 'number', value: integer(text), ...(floatWidth === undefined ? {} : { floatWidth }), span };
  },
  Operand_name(name, offset) {
    return { kind: 'name', name: registerName(name.sourceString), offset: offsetOf(offset), span: spanOfNode(this) };
  },
});
