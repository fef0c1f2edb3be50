import type { Node } from 'ohm-js';
import grammars, { type CatActionDict, type CatFileActionDict } from '../../generated/cat.ohm-bundle.js';
import type { Diagnosed, Diagnostic } from '../diagnostics/diagnostic.js';
import { Scanner } from '../diagnostics/scanner.js';
import { type Source, type Span, spanOf } from '../diagnostics/source.js';
import type { BinaryOperator, Binding, CatFile, CatStatement, Expression, TestName, UnaryOperator } from './cat-ast.js';
import { given, listOf, optional, repeated, textOfNode, valueOf } from './chunk-nodes.js';
import { LONGEST, reader, spanOfNode } from './parse-chunk.js';

/**
 * Reads a model in cat; all errors of the file at once. Names are not resolved here. Where there are errors, the value
 * lacks the statements that could not be read.
 */
export function parseCat(source: Source): Diagnosed<CatFile> {
  const { value: file, failure } = parseFile(spanOf(source, 0, source.text.length));
  if (failure !== undefined) return { value: undefined, diagnostics: [failure] };
  const diagnostics: Diagnostic[] = [];
  const unread = new Set<string>();
  const statements: CatStatement[] = [];
  let behind = file.titleEnd;
  for (const { span, text } of file.statements) {
    const { value, failure: mistake } = parseStatement(span);
    const comment = new Scanner(source.text, behind).skipBlanks();
    behind = span.end;
    if (mistake !== undefined) {
      diagnostics.push(mistake);
      for (const name of boundNames(text)) unread.add(name);
    } else if (value.kind !== 'let' || comment === undefined) statements.push(value);
    else statements.push({ ...value, inferred: inferredBy(source.text.slice(comment.start, comment.end)) });
  }
  return { value: { source, title: file.title, statements, unread }, diagnostics };
}

/** What the last comment before a definition says of it, if that is that it is inferred. */
function inferredBy(comment: string): string | undefined {
  return /^\(\*\s*inferred:([\s\S]*)\*\)$/.exec(comment)?.[1]?.replace(/\s+/g, ' ').trim();
}

/** The names that a definition which cannot be read would have bound. */
function boundNames(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:let(?:\s+rec)?|and)\s+([A-Za-z_][\w.'-]*)/g)].flatMap((match) =>
    match[1] === undefined ? [] : [match[1]],
  );
}

interface CatParts {
  readonly title: string;
  readonly titleEnd: number;
  readonly statements: readonly { readonly span: Span; readonly text: string }[];
}

const FILE_ACTIONS: CatFileActionDict<unknown> = {
  file(title, _blanks, statements, _end): CatParts {
    return {
      title: textOfNode(title)
        .trim()
        .replace(/^"([\s\S]*)"$/, '$1'),
      titleEnd: spanOfNode(title).end,
      statements: repeated(statements, (one) => ({ span: spanOfNode(one), text: textOfNode(one) })),
    };
  },
};

const parseFile = reader<CatParts>(
  { grammar: grammars.CatFile, rule: 'file', code: 'L0301', what: 'this is not a cat model', longest: 4 * LONGEST },
  FILE_ACTIONS,
);

const ACTIONS: CatActionDict<unknown> = {
  Let_recursive(_let, _rec, bindings): CatStatement {
    return { kind: 'let', recursive: true, bindings: listOf(bindings), inferred: undefined, span: spanOfNode(this) };
  },
  Let_plain(_let, bindings): CatStatement {
    return { kind: 'let', recursive: false, bindings: listOf(bindings), inferred: undefined, span: spanOfNode(this) };
  },
  Binding(name, parameters, _equals, body): Binding {
    return {
      name: textOfNode(name),
      ...given('parameters', parameters, valueOf<readonly string[]>),
      body: valueOf(body),
      span: spanOfNode(name),
    };
  },
  Parameters_tuple(_open, names, _close): readonly string[] {
    return listOf(names, textOfNode);
  },
  Parameters_single(name): readonly string[] {
    return [textOfNode(name)];
  },
  Check(role, negation, test, expression, _as, name): CatStatement {
    const written = textOfNode(role);
    return {
      kind: 'check',
      role: written === 'flag' || written === 'undefined_unless' ? written : 'axiom',
      negated: negation.numChildren > 0,
      test: textOfNode(test) as TestName,
      expression: valueOf(expression),
      name: optional(name, textOfNode) ?? `${textOfNode(test)} ${textOfNode(expression).replace(/\s+/g, ' ')}`,
      span: spanOfNode(this),
    };
  },
  Include(_include, path): CatStatement {
    return { kind: 'include', path: textOfNode(path).slice(1, -1), span: spanOfNode(path) };
  },
  Show(_show, shown): CatStatement {
    return { kind: 'show', shown: listOf(shown), span: spanOfNode(this) };
  },
  Shown(expression, _as, name): { readonly expression: Expression; readonly name: string } {
    return { expression: valueOf(expression), name: optional(name, textOfNode) ?? textOfNode(expression) };
  },
  Unshow(_unshow, names): CatStatement {
    return { kind: 'unshow', names: listOf(names, textOfNode), span: spanOfNode(this) };
  },
  Expression_variant(_if, choice, _then, chosen, _else, otherwise): Expression {
    return {
      kind: 'variant',
      choice: textOfNode(choice).slice(1, -1),
      chosen: valueOf(chosen),
      otherwise: valueOf(otherwise),
      span: spanOfNode(this),
    };
  },
  Union: leftToRight('union'),
  Sequence: leftToRight('sequence'),
  Difference: leftToRight('difference'),
  Intersection: leftToRight('intersection'),
  Product: leftToRight('product'),
  Prefix_complement(_not, operand): Expression {
    return { kind: 'unary', operator: 'complement', operand: valueOf(operand), span: spanOfNode(this) };
  },
  Postfix(primary, operators): Expression {
    return operators.children.reduce<Expression>((operand, operator) => {
      const { source, start } = operand.span;
      const span = spanOf(source, start, spanOfNode(operator).end);
      return { kind: 'unary', operator: valueOf<UnaryOperator>(operator), operand, span };
    }, valueOf(primary));
  },
  Primary_parentheses(_open, expression, _close): Expression {
    return valueOf(expression);
  },
  Primary_identity(_open, expression, _close): Expression {
    return { kind: 'unary', operator: 'identity', operand: valueOf(expression), span: spanOfNode(this) };
  },
  Primary_call(name, _open, args, _close): Expression {
    return { kind: 'call', name: textOfNode(name), arguments: listOf(args), span: spanOfNode(this) };
  },
  Primary_name(name): Expression {
    return { kind: 'name', name: textOfNode(name), span: spanOfNode(this) };
  },
  Primary_emptySet(_open, _close): Expression {
    return { kind: 'empty', of: 'set', span: spanOfNode(this) };
  },
  Primary_zero(_zero): Expression {
    return { kind: 'empty', of: 'relation', span: spanOfNode(this) };
  },
  postfix_inverse: (_sign): UnaryOperator => 'inverse',
  postfix_optional: (_sign): UnaryOperator => 'optional',
  postfix_plus: (_hat, _sign): UnaryOperator => 'plus',
  postfix_star: (_hat, _sign): UnaryOperator => 'star',
};

function leftToRight(operator: BinaryOperator): (first: Node, signs: Node, others: Node) => Expression {
  return (first, _signs, others) =>
    repeated<Expression>(others).reduce<Expression>((left, right) => {
      const span = spanOf(left.span.source, left.span.start, right.span.end);
      return { kind: 'binary', operator, left, right, span };
    }, valueOf(first));
}

const parseStatement = reader<CatStatement>(
  {
    grammar: grammars.Cat,
    rule: 'Statement',
    code: 'L0301',
    what: 'this statement cannot be read',
    longest: 4 * LONGEST,
  },
  ACTIONS,
);
