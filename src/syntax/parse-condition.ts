import type { Node } from 'ohm-js';
import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Source, Span } from '../diagnostics/source.js';
import {
  type CitedLine,
  type Clause,
  type Comparison,
  EXPECTATIONS,
  type Expectation,
  type Finding,
  type LocationTerm,
  type Proposition,
  type Quantifier,
  type Term,
} from './condition-ast.js';
import { eachTextOnce } from './each-text-once.js';
import grammars, { type ConditionSemantics } from './litmus.ohm-bundle.js';
import { LONGEST, matchChunk, nodeSpan } from './parse-chunk.js';
import { integer, registerName } from './parse-statement.js';
import { threadName } from './thread-name.js';

/** Reads one clause after the threads: a condition, an expectation, a filter, or the locations to print. */
export const parseClause = eachTextOnce(readClause);

function readClause(span: Span): { readonly clause?: Clause; readonly failure?: Diagnostic } {
  const { match, failure } = matchChunk(
    grammars.Condition,
    span,
    'L0004',
    'this condition cannot be read',
    'Clause',
    LONGEST,
  );
  if (failure !== undefined) return { failure };
  chunk = span;
  const clause = semantics(match)['clause']() as Clause;
  if (clause.kind === 'expect' && !EXPECTATIONS.includes(clause.expectation)) {
    const hint = didYouMean(clause.expectation, EXPECTATIONS) ?? `expected one of ${EXPECTATIONS.join(', ')}`;
    return { failure: error('L0004', clause.span, `unknown expectation "${clause.expectation}"`, hint) };
  }
  if (clause.kind === 'allow' && clause.lines.length > 2) {
    const hint = 'write one clause for each pair of lines: allow race at 8, 12 "why"';
    return { failure: error('L0004', clause.span, 'a finding is at one line or at two', hint) };
  }
  return { clause };
}

/** Reads a condition given apart from a test, as with `--condition`. */
export function parseCondition(source: Source): { readonly clause?: Clause; readonly failure?: Diagnostic } {
  return parseClause({ source, start: 0, end: source.text.length });
}

let chunk: Span;
const spanOfNode = (node: Node): Span => nodeSpan(chunk, node);
const semantics: ConditionSemantics = grammars.Condition.createSemantics();

function conditionClause(quantifier: Quantifier, proposition: Node, suffix: Node, whole: Node): Clause {
  return {
    kind: 'condition',
    quantifier,
    proposition: proposition['proposition'](),
    ...suffix['suffix'](),
    span: spanOfNode(whole),
  };
}

semantics.addOperation<Clause>('clause', {
  Clause(clause) {
    return clause['clause']();
  },
  Exists(_exists, proposition, suffix) {
    return conditionClause('exists', proposition, suffix, this);
  },
  NotExists(_not, _exists, proposition, suffix) {
    return conditionClause('~exists', proposition, suffix, this);
  },
  Forall(_forall, proposition, suffix) {
    return conditionClause('forall', proposition, suffix, this);
  },
  Permit(_permit, proposition, suffix) {
    return conditionClause('permit', proposition, suffix, this);
  },
  Forbid(_forbid, proposition, suffix) {
    return conditionClause('forbid', proposition, suffix, this);
  },
  Require(_require, proposition, suffix) {
    return conditionClause('require', proposition, suffix, this);
  },
  Expect(_expect, expectation, model) {
    return {
      kind: 'expect',
      expectation: expectation.sourceString as Expectation,
      ...model.child(0)?.['suffix'](),
      span: spanOfNode(this),
    };
  },
  Allow(_allow, finding, _at, lines, reason, model) {
    return {
      kind: 'allow',
      finding: finding.sourceString as Finding,
      lines: lines.asIteration().children.map((line): CitedLine => line['citedLine']()),
      reason: reason.sourceString.slice(1, -1),
      ...model.child(0)?.['suffix'](),
      span: spanOfNode(this),
    };
  },
  Filter(_filter, proposition) {
    return { kind: 'filter', proposition: proposition['proposition'](), span: spanOfNode(this) };
  },
  Locations(_locations, _open, terms, _semicolon, _close) {
    return {
      kind: 'locations',
      terms: terms.asIteration().children.map((term) => term['term']()),
      span: spanOfNode(this),
    };
  },
});

semantics.addOperation<CitedLine>('citedLine', {
  Line_file(file, _colon, line) {
    return { file: file.sourceString, line: Number(integer(line.sourceString)) };
  },
  Line_test(line) {
    return { file: undefined, line: Number(integer(line.sourceString)) };
  },
});

semantics.addOperation<{ name?: string; models?: readonly string[] }>('suffix', {
  Suffix(as, model) {
    return { ...as.child(0)?.['suffix'](), ...model.child(0)?.['suffix']() };
  },
  As(_as, name) {
    return { name: name.sourceString };
  },
  For(_for, names) {
    return { models: names.asIteration().children.map((name) => name.sourceString) };
  },
});

function joined(kind: 'and' | 'or', operands: Node): Proposition {
  const read = operands.asIteration().children.map((operand): Proposition => operand['proposition']());
  const only = read[0];
  return read.length === 1 && only !== undefined ? only : { kind, operands: read };
}

semantics.addOperation<Proposition>('proposition', {
  Or(operands) {
    return joined('or', operands);
  },
  And(operands) {
    return joined('and', operands);
  },
  Not_not(_not, operand) {
    return { kind: 'not', operand: operand['proposition']() };
  },
  Not_parentheses(_open, proposition, _close) {
    return proposition['proposition']();
  },
  Atom_compare(left, comparison, right) {
    const sign = comparison.sourceString;
    return {
      kind: 'compare',
      comparison: (sign === '=' ? '==' : sign) as Comparison,
      left: left['term'](),
      right: right['term'](),
    };
  },
  Atom_constant(value) {
    return { kind: 'constant', value: value.sourceString === 'true' };
  },
});

semantics.addOperation<Term>('term', {
  Observable(term) {
    return term['term']();
  },
  Term_number(number) {
    return { kind: 'number', value: integer(number.sourceString), span: spanOfNode(this) };
  },
  Term_boolean(value) {
    return { kind: 'number', value: value.sourceString === 'true' ? 1n : 0n, span: spanOfNode(this) };
  },
  Term_register(thread, _colon, register) {
    return {
      kind: 'register',
      thread: threadName(thread.sourceString),
      register: registerName(register.sourceString),
      span: spanOfNode(this),
    };
  },
  Term_launched(launch, _open, _cta, cta, _comma, _tid, tid, _close, _colon, register) {
    return {
      kind: 'register',
      thread: `${launch.sourceString}[cta ${integer(cta.sourceString)}, tid ${integer(tid.sourceString)}]`,
      register: registerName(register.sourceString),
      span: spanOfNode(this),
    };
  },
  Term_bracketed(_open, place, _plus, offset, _close) {
    const number = offset.child(0);
    return {
      ...(place['term']() as LocationTerm),
      ...(number === undefined ? {} : { offset: integer(number.sourceString) }),
      span: spanOfNode(this),
    };
  },
  Term_address(_and, place, _plus, offset) {
    const { name, cta, gpu } = place['term']() as LocationTerm;
    const number = offset.child(0);
    const at = { ...(cta === undefined ? {} : { cta }), ...(gpu === undefined ? {} : { gpu }) };
    return {
      kind: 'address',
      name,
      ...at,
      offset: number === undefined ? 0n : integer(number.sourceString),
      span: spanOfNode(this),
    };
  },
  Term_element(place, _open, index, _close) {
    return { ...(place['term']() as LocationTerm), index: integer(index.sourceString), span: spanOfNode(this) };
  },
  Term_place(place) {
    return place['term']();
  },
  Place(name, cta, gpu) {
    const ctaNumber = cta.child(0)?.child(2);
    const gpuNumber = gpu.child(0)?.child(2);
    return {
      kind: 'location',
      name: name.sourceString,
      ...(ctaNumber === undefined ? {} : { cta: Number(integer(ctaNumber.sourceString)) }),
      ...(gpuNumber === undefined ? {} : { gpu: Number(integer(gpuNumber.sourceString)) }),
      span: spanOfNode(this),
    };
  },
});
