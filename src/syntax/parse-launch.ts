import type { Node } from 'ohm-js';
import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Span } from '../diagnostics/source.js';
import type { ArgumentSyntax, Dimensions, LaunchSyntax, PlaceClause, RunClause, Selection } from './launch-ast.js';
import grammars, { type LaunchSemantics } from './litmus.ohm-bundle.js';
import type { VariableAlias } from './litmus-ast.js';
import { LONGEST, matchChunk, nodeSpan } from './parse-chunk.js';
import { constantOf, integer } from './parse-statement.js';

/** What stands at the top of a kernel test in the place of threads. */
interface Parts {
  readonly Launch: Omit<LaunchSyntax, 'runs'>;
  readonly Runs: readonly RunClause[];
  readonly Alias: VariableAlias;
}
const NAMES: Readonly<Record<keyof Parts, string>> = {
  Launch: 'this launch cannot be read',
  Runs: 'these run clauses cannot be read',
  Alias: 'this alias cannot be read',
};

/** Reads a launch without its run clauses, the run clauses, or an alias of a variable. */
export function parseLaunch<Rule extends keyof Parts>(
  rule: Rule,
  span: Span,
): { readonly read?: Parts[Rule]; readonly failure?: Diagnostic } {
  const { match, failure } = matchChunk(grammars.Launch, span, 'L0001', NAMES[rule], rule, LONGEST);
  if (failure !== undefined) return { failure: (rule === 'Runs' ? unknownRun(span) : undefined) ?? failure };
  chunk = span;
  try {
    return { read: semantics(match)['read']() as Parts[Rule] };
  } catch (thrown) {
    if (thrown instanceof Misfit) return { failure: thrown.diagnostic };
    throw thrown;
  }
}

const RUNS = ['auto', 'all', 'warps', 'tid', 'exactly'];

/** A word behind `run` that says of no threads that they are run. */
function unknownRun({ source, start, end }: Span): Diagnostic | undefined {
  for (const match of source.text.slice(start, end).matchAll(/(?<=\brun\s+(?:exactly\s+)?)\w+/g)) {
    const [word] = match;
    if (RUNS.includes(word)) continue;
    const at = start + match.index;
    const expected = 'expected run auto, run all, run warps, or run tid 0, 32..63 of cta 0, 1';
    return error(
      'L0001',
      { source, start: at, end: at + word.length },
      `${NAMES.Runs}: "${word}" is no way to run`,
      didYouMean(word, RUNS) ?? expected,
    );
  }
  return undefined;
}

class Misfit extends Error {
  constructor(readonly diagnostic: Diagnostic) {
    super(diagnostic.message);
  }
}

let chunk: Span;
const spanOfNode = (node: Node): Span => nodeSpan(chunk, node);
const all = <T>(list: Node): readonly T[] => list.asIteration().children.map((one: Node) => one['read']() as T);
const numberOf = (node: Node): number => Number(integer(node.sourceString));

function dimensions(numbers: readonly number[], node: Node): Dimensions {
  const [x = 1, y = 1, z = 1, ...more] = numbers;
  if (more.length > 0 || numbers.some((one) => one < 0))
    throw new Misfit(error('L0001', spanOfNode(node), 'expected one to three numbers, for x, y and z'));
  return [x, y, z];
}

const semantics: LaunchSemantics = grammars.Launch.createSemantics();

semantics.addOperation<unknown>('read', {
  Launch(_launch, name, path, _colons, entry, given, _at, places): Parts['Launch'] {
    const listed = given.child(0);
    return {
      name: name.sourceString,
      path: path.sourceString.slice(1, -1),
      entry: entry.child(0)?.sourceString.trim(),
      arguments: listed === undefined ? [] : all<ArgumentSyntax>(listed.child(1)),
      place: all<PlaceClause>(places),
      span: spanOfNode(this),
    };
  },
  Argument_unknown(_mark): ArgumentSyntax {
    return { kind: 'unknown', span: spanOfNode(this) };
  },
  Argument_fields(_open, fields, _close): ArgumentSyntax {
    return { kind: 'fields', fields: all(fields), span: spanOfNode(this) };
  },
  Argument_number(type, number): ArgumentSyntax {
    return {
      kind: 'number',
      value: constantOf(number.sourceString),
      type: type.child(0)?.sourceString,
      span: spanOfNode(this),
    };
  },
  Argument_location(_and, name, _plus, offset): ArgumentSyntax {
    const more = offset.child(0);
    return {
      kind: 'location',
      name: name.sourceString,
      offset: more === undefined ? 0n : integer(more.sourceString),
      span: spanOfNode(this),
    };
  },
  Place_size(word, size): PlaceClause {
    return { kind: word.sourceString as 'grid', size: size['read'](), span: spanOfNode(this) };
  },
  Place_number(word, number): PlaceClause {
    return { kind: word.sourceString as 'gpu', number: numberOf(number), span: spanOfNode(this) };
  },
  Place_cooperative(_word): PlaceClause {
    return { kind: 'cooperative', span: spanOfNode(this) };
  },
  Place_after(_after, name): PlaceClause {
    return { kind: 'after', launch: name.sourceString, span: spanOfNode(this) };
  },
  Place_dependent(_dependent, _on, name): PlaceClause {
    return { kind: 'dependent', launch: name.sourceString, span: spanOfNode(this) };
  },
  Size_point(_open, numbers, _close): Dimensions {
    return dimensions(numbers.asIteration().children.map(numberOf), this);
  },
  Size_line(number): Dimensions {
    return dimensions([numberOf(number)], this);
  },
  Runs(runs, _semicolon): Parts['Runs'] {
    return all(runs);
  },
  Run_kind(_run, exactly, word): RunClause {
    return {
      kind: word.sourceString as 'auto',
      exactly: exactly.numChildren > 0,
      threads: [],
      ctas: undefined,
      span: spanOfNode(this),
    };
  },
  Run_threads(_run, exactly, _tid, threads, _of, _cta, ctas): RunClause {
    const chosen = ctas.child(0);
    return {
      kind: 'threads',
      exactly: exactly.numChildren > 0,
      threads: threads['read'](),
      ctas: chosen === undefined ? undefined : chosen['read'](),
      span: spanOfNode(this),
    };
  },
  Selections(list): readonly Selection[] {
    return all(list);
  },
  Selection_point(_open, x, _comma, y, _second, z, _close): Selection {
    return { kind: 'point', at: [numberOf(x), numberOf(y), numberOf(z)] };
  },
  Selection_range(from, _dots, to, _step, step): Selection {
    const by = step.child(0);
    const [first, last] = [numberOf(from), numberOf(to)];
    const width = by === undefined ? 1 : numberOf(by);
    if (last < first || width < 1)
      throw new Misfit(error('L0001', spanOfNode(this), 'a range goes up, by a step of at least 1'));
    return { kind: 'range', from: first, to: last, step: width };
  },
  Selection_one(number): Selection {
    return { kind: 'range', from: numberOf(number), to: numberOf(number), step: 1 };
  },
  Alias(_alias, name, _equals, variable): VariableAlias {
    return {
      kind: 'variable-alias',
      name: name.sourceString,
      variable: variable.sourceString,
      span: spanOfNode(this),
    };
  },
});
