import type { Node } from 'ohm-js';
import grammars, { type ConditionActionDict } from '../../generated/litmus.ohm-bundle.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Source } from '../diagnostics/source.js';
import {
  constantOf,
  given,
  integerOf,
  listOf,
  numberOf,
  optional,
  registerOf,
  textOfNode,
  valueOf,
} from './chunk-nodes.js';
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
import { Misfit, type Read, reader, spanOfNode } from './parse-chunk.js';
import { threadName } from './thread-name.js';

/** `as name`, `for model, …`. */
interface Suffix {
  readonly name?: string;
  readonly models?: readonly string[];
}

/** A finding that is accepted, at some lines or anywhere. */
const allowed = (whole: Node, finding: Node, lines: readonly CitedLine[], reason: Node, model: Node): Clause => ({
  kind: 'allow',
  finding: textOfNode(finding) as Finding,
  lines,
  reason: textOfNode(reason).slice(1, -1),
  ...optional<Suffix>(model),
  span: spanOfNode(whole),
});

const ACTIONS: ConditionActionDict<unknown> = {
  Condition(quantifier, proposition, suffix): Clause {
    return {
      kind: 'condition',
      quantifier: valueOf(quantifier),
      proposition: valueOf(proposition),
      ...valueOf<Suffix>(suffix),
      span: spanOfNode(this),
    };
  },
  Quantifier(word): Quantifier {
    // The negation may be "not", or stand apart from "exists".
    return word.ctorName === 'NotExists' ? '~exists' : (textOfNode(word) as Quantifier);
  },
  Expect(_expect, written, model): Clause {
    const expectation = textOfNode(written) as Expectation;
    const span = spanOfNode(this);
    if (!EXPECTATIONS.includes(expectation)) {
      const hint = didYouMean(expectation, EXPECTATIONS) ?? `expected one of ${EXPECTATIONS.join(', ')}`;
      throw new Misfit(span, `unknown expectation "${expectation}"`, hint);
    }
    return { kind: 'expect', expectation, ...optional<Suffix>(model), span };
  },
  Allow_anywhere(_allow, finding, reason, model): Clause {
    return allowed(this, finding, [], reason, model);
  },
  Allow_at(_allow, finding, _at, lines, reason, model): Clause {
    const cited = listOf<CitedLine>(lines);
    if (cited.length > 2)
      throw new Misfit(
        spanOfNode(this),
        'a finding is at one line or at two',
        'write one clause for each pair of lines: allow race at 8, 12 "why"',
      );
    return allowed(this, finding, cited, reason, model);
  },
  Filter(_filter, proposition): Clause {
    return { kind: 'filter', proposition: valueOf(proposition), span: spanOfNode(this) };
  },
  Locations(_locations, _open, terms, _semicolon, _close): Clause {
    return { kind: 'locations', terms: listOf(terms), span: spanOfNode(this) };
  },
  Line_file(file, _colon, line): CitedLine {
    return { file: textOfNode(file), line: numberOf(line) };
  },
  Line_test(line): CitedLine {
    return { file: undefined, line: numberOf(line) };
  },
  Suffix(as, model): Suffix {
    return { ...optional<Suffix>(as), ...optional<Suffix>(model) };
  },
  As(_as, name): Suffix {
    return { name: textOfNode(name) };
  },
  For(_for, names): Suffix {
    return { models: listOf(names, textOfNode) };
  },
  Proposition(operands): Proposition {
    return joined('or', operands);
  },
  And(operands): Proposition {
    return joined('and', operands);
  },
  Not_not(_not, operand): Proposition {
    return { kind: 'not', operand: valueOf(operand) };
  },
  Not_parentheses(_open, proposition, _close): Proposition {
    return valueOf(proposition);
  },
  Atom_compare(left, comparison, right): Proposition {
    const sign = textOfNode(comparison);
    return {
      kind: 'compare',
      comparison: (sign === '=' ? '==' : sign) as Comparison,
      left: valueOf(left),
      right: valueOf(right),
    };
  },
  Atom_constant(value): Proposition {
    return { kind: 'constant', value: textOfNode(value) === 'true' };
  },
  Term_number(number): Term {
    const isBits = /^-?0[xfd]/i.test(textOfNode(number));
    return { kind: 'number', value: constantOf(number), ...(isBits && { isBits }), span: spanOfNode(this) };
  },
  Term_boolean(value): Term {
    return { kind: 'number', value: textOfNode(value) === 'true' ? 1n : 0n, span: spanOfNode(this) };
  },
  Term_register(thread, _colon, register): Term {
    return {
      kind: 'register',
      thread: threadName(textOfNode(thread)),
      register: registerOf(register),
      span: spanOfNode(this),
    };
  },
  Term_launched(launch, _open, _cta, cta, _comma, _tid, tid, _close, _colon, register): Term {
    return {
      kind: 'register',
      thread: `${textOfNode(launch)}[cta ${integerOf(cta)}, tid ${integerOf(tid)}]`,
      register: registerOf(register),
      span: spanOfNode(this),
    };
  },
  Term_bracketed(_open, place, _plus, offset, _close): Term {
    return { ...valueOf<LocationTerm>(place), ...given('offset', offset, integerOf), span: spanOfNode(this) };
  },
  Term_address(_and, place, _plus, offset): Term {
    return {
      ...valueOf<LocationTerm>(place),
      kind: 'address',
      offset: optional(offset, integerOf) ?? 0n,
      span: spanOfNode(this),
    };
  },
  Term_element(place, _open, index, _close): Term {
    return { ...valueOf<LocationTerm>(place), index: integerOf(index), span: spanOfNode(this) };
  },
  Place(name, cta, gpu): LocationTerm {
    const span = spanOfNode(this);
    const own = textOfNode(name);
    // A variable of a module that there is once on each GPU (kernel/module-memory.ts).
    const [number] = cta.numChildren === 0 ? gpu.children.map((node) => valueOf<number>(node)) : [];
    if (number !== undefined) return { kind: 'location', name: `${own}@gpu${number}`, span };
    return {
      kind: 'location',
      name: own,
      ...given('cta', cta, valueOf<number>),
      ...given('gpu', gpu, valueOf<number>),
      span,
    };
  },
  AtCta(_at, _cta, number): number {
    return numberOf(number);
  },
  AtGpu(_at, _gpu, number): number {
    return numberOf(number);
  },
};

function joined(kind: 'and' | 'or', list: Node): Proposition {
  const operands = listOf<Proposition>(list);
  const [only] = operands;
  return operands.length === 1 && only !== undefined ? only : { kind, operands };
}

/** Reads one clause after the threads: a condition, an expectation, a filter, or the locations to print. */
export const parseClause = eachTextOnce(
  reader<Clause>(
    { grammar: grammars.Condition, rule: 'Clause', code: 'L0004', what: 'this condition cannot be read' },
    ACTIONS,
  ),
);

/** Reads a condition given apart from a test, as with `--condition`. */
export function parseCondition(source: Source): Read<Clause> {
  return parseClause({ source, start: 0, end: source.text.length });
}
