import type { Node } from 'ohm-js';
import type { Diagnosed, Diagnostic } from '../diagnostics/diagnostic.js';
import { type Source, type Span, spanOf, textOf } from '../diagnostics/source.js';
import grammars, { type CatFileSemantics, type CatSemantics } from './cat.ohm-bundle.js';
import type {
  BinaryOperator,
  Binding,
  CatFile,
  CatStatement,
  Check,
  Expression,
  TestName,
  UnaryOperator,
} from './cat-ast.js';
import { LONGEST, matchChunk, nodeSpan } from './parse-chunk.js';

/**
 * Reads a model in cat; all errors of the file at once. Names are not resolved here. Where there are errors, the value
 * lacks the statements that could not be read.
 */
export function parseCat(source: Source): Diagnosed<CatFile> {
  const whole = spanOf(source, 0, source.text.length);
  const { match, failure } = matchChunk(
    grammars.CatFile,
    whole,
    'L0301',
    'this is not a cat model',
    'File',
    4 * LONGEST,
  );
  if (failure !== undefined) return { value: undefined, diagnostics: [failure] };
  const { title, statements } = fileSemantics(match)['file']() as { title: string; statements: readonly Node[] };
  const diagnostics: Diagnostic[] = [];
  const unread = new Set<string>();
  const read: CatStatement[] = [];
  for (const node of statements) {
    const span = withoutTrailingComments(nodeSpan(whole, node));
    const result = matchChunk(grammars.Cat, span, 'L0301', 'this statement cannot be read', 'Statement');
    if (result.failure !== undefined) {
      diagnostics.push(result.failure);
      for (const name of boundNames(node.sourceString)) unread.add(name);
      continue;
    }
    chunk = span;
    read.push(semantics(result.match)['statement']());
  }
  return { value: { source, title, statements: read, unread }, diagnostics };
}

/** A statement ends where its last word does; the comments of the next one would only be read twice. */
function withoutTrailingComments(span: Span): Span {
  const text = textOf(span).replace(/\(\*[\s\S]*?\*\)|\/\/[^\n]*/g, (comment) => ' '.repeat(comment.length));
  return spanOf(span.source, span.start, span.start + text.trimEnd().length);
}

/** The names that a definition which cannot be read would have bound. */
function boundNames(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:let(?:\s+rec)?|and)\s+([A-Za-z_][\w.'-]*)/g)].flatMap((match) =>
    match[1] === undefined ? [] : [match[1]],
  );
}

const fileSemantics: CatFileSemantics = grammars.CatFile.createSemantics();
fileSemantics.addOperation<unknown>('file', {
  File(title, statements) {
    const text = title.sourceString.replace(/\(\*[\s\S]*?\*\)|\/\/[^\n]*/g, '').trim();
    return { title: text.replace(/^"([\s\S]*)"$/, '$1'), statements: statements.children };
  },
});

let chunk: Span;
const spanOfNode = (node: Node): Span => nodeSpan(chunk, node);
const semantics: CatSemantics = grammars.Cat.createSemantics();

/** The last comment before a definition, if it says that the definition is inferred. */
const INFERRED = /\(\*\s*inferred:((?:(?!\*\))[\s\S])*)\*\)\s*$/;

function letStatement(recursive: boolean, bindings: Node, whole: Node): CatStatement {
  const span = spanOfNode(whole);
  const inferred = INFERRED.exec(span.source.text.slice(0, span.start))?.[1]?.replace(/\s+/g, ' ').trim();
  return {
    kind: 'let',
    recursive,
    bindings: bindings.asIteration().children.map((binding): Binding => binding['binding']()),
    inferred,
    span,
  };
}

semantics.addOperation<CatStatement>('statement', {
  Statement(statement) {
    return statement['statement']();
  },
  Let_recursive(_let, _rec, bindings) {
    return letStatement(true, bindings, this);
  },
  Let_plain(_let, bindings) {
    return letStatement(false, bindings, this);
  },
  Check(role, negation, test, expression, _as, name): Check {
    const written = role.sourceString;
    const read: Expression = expression['expression']();
    const named = name.child(0)?.sourceString;
    return {
      kind: 'check',
      role: written === 'flag' || written === 'undefined_unless' ? written : 'axiom',
      negated: negation.numChildren > 0,
      test: test.sourceString as TestName,
      expression: read,
      name: named ?? `${test.sourceString} ${expression.sourceString.replace(/\s+/g, ' ')}`,
      span: spanOfNode(this),
    };
  },
  Include(_include, path) {
    return { kind: 'include', path: path.sourceString.slice(1, -1), span: spanOfNode(path) };
  },
  Show(_show, shown) {
    const all = shown.asIteration().children.map((one) => {
      const name = one.child(2).child(0)?.sourceString ?? one.child(0).sourceString;
      return { expression: one.child(0)['expression']() as Expression, name };
    });
    return { kind: 'show', shown: all, span: spanOfNode(this) };
  },
  Unshow(_unshow, names) {
    return {
      kind: 'unshow',
      names: names.asIteration().children.map((name) => name.sourceString),
      span: spanOfNode(this),
    };
  },
});

semantics.addOperation<Binding>('binding', {
  Binding(name, parameters, _equals, body) {
    const list = parameters.child(0);
    return {
      name: name.sourceString,
      ...(list === undefined ? {} : { parameters: list['parameters']() as readonly string[] }),
      body: body['expression'](),
      span: spanOfNode(name),
    };
  },
});

semantics.addOperation<readonly string[]>('parameters', {
  Parameters_tuple(_open, names, _close) {
    return names.asIteration().children.map((name) => name.sourceString);
  },
  Parameters_single(name) {
    return [name.sourceString];
  },
});

function leftToRight(operator: BinaryOperator, first: Node, others: Node): Expression {
  return others.children.reduce<Expression>(
    (left, right) => binary(operator, left, right['expression']()),
    first['expression'](),
  );
}

function binary(operator: BinaryOperator, left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator, left, right, span: spanOf(left.span.source, left.span.start, right.span.end) };
}

function unary(operator: UnaryOperator, operand: Node, whole: Node): Expression {
  return { kind: 'unary', operator, operand: operand['expression'](), span: spanOfNode(whole) };
}

semantics.addOperation<Expression>('expression', {
  Expression(expression) {
    return expression['expression']();
  },
  Expression_variant(_if, choice, _then, chosen, _else, otherwise) {
    return {
      kind: 'variant',
      choice: choice.sourceString.slice(1, -1),
      chosen: chosen['expression'](),
      otherwise: otherwise['expression'](),
      span: spanOfNode(this),
    };
  },
  Union(first, _signs, others) {
    return leftToRight('union', first, others);
  },
  Sequence(first, _signs, others) {
    return leftToRight('sequence', first, others);
  },
  Difference(first, _signs, others) {
    return leftToRight('difference', first, others);
  },
  Intersection(first, _signs, others) {
    return leftToRight('intersection', first, others);
  },
  Product(first, _signs, others) {
    return leftToRight('product', first, others);
  },
  Prefix_complement(_not, operand) {
    return unary('complement', operand, this);
  },
  Postfix(primary, operators) {
    return operators.children.reduce<Expression>((operand, operator) => {
      const { start } = operand.span;
      return {
        kind: 'unary',
        operator: operator['operator'](),
        operand,
        span: spanOf(operand.span.source, start, spanOfNode(operator).end),
      };
    }, primary['expression']());
  },
  Primary_parentheses(_open, expression, _close) {
    return expression['expression']();
  },
  Primary_identity(_open, expression, _close) {
    return unary('identity', expression, this);
  },
  Primary_call(name, _open, args, _close) {
    return {
      kind: 'call',
      name: name.sourceString,
      arguments: args.asIteration().children.map((argument) => argument['expression']()),
      span: spanOfNode(this),
    };
  },
  Primary_name(name) {
    return { kind: 'name', name: name.sourceString, span: spanOfNode(this) };
  },
  Primary_emptySet(_open, _close) {
    return { kind: 'empty', of: 'set', span: spanOfNode(this) };
  },
  Primary_zero(_zero) {
    return { kind: 'empty', of: 'relation', span: spanOfNode(this) };
  },
});

semantics.addOperation<UnaryOperator>('operator', {
  postfix_inverse(_sign) {
    return 'inverse';
  },
  postfix_optional(_sign) {
    return 'optional';
  },
  postfix_plus(_hat, _sign) {
    return 'plus';
  },
  postfix_star(_hat, _sign) {
    return 'star';
  },
});
