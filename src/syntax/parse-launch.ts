import type { Node } from 'ohm-js';
import grammars, { type LaunchActionDict } from '../../generated/litmus.ohm-bundle.js';
import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Span } from '../diagnostics/source.js';
import { constantOf, integerOf, listOf, numberOf, optional, textOfNode, valueOf } from './chunk-nodes.js';
import type {
  ArgumentSyntax,
  Dimensions,
  LaunchSyntax,
  PlaceClause,
  RangeSyntax,
  RangeUse,
  RunClause,
  Selection,
  Varied,
  VariedPlace,
} from './launch-ast.js';
import type { VariableAlias } from './litmus-ast.js';
import { Misfit, reader, spanOfNode } from './parse-chunk.js';

type LaunchHeader = Omit<LaunchSyntax, 'runs'>;
type Count = number | Varied;

const ACTIONS: LaunchActionDict<unknown> = {
  Launch(_launch, name, path, _nvcc, nvcc, _colons, entry, args, _at, places): LaunchHeader {
    return {
      name: textOfNode(name),
      path: textOfNode(path).slice(1, -1),
      nvcc: optional(nvcc, textOfNode)?.slice(1, -1),
      entry: optional(entry, textOfNode)?.trim(),
      arguments: optional<readonly ArgumentSyntax[]>(args) ?? [],
      place: listOf(places),
      span: spanOfNode(this),
    };
  },
  Arguments(_open, args, _close): readonly ArgumentSyntax[] {
    return listOf(args);
  },
  Argument_unknown(_mark): ArgumentSyntax {
    return { kind: 'unknown', span: spanOfNode(this) };
  },
  Argument_fields(_open, fields, _close): ArgumentSyntax {
    return { kind: 'fields', fields: listOf(fields), span: spanOfNode(this) };
  },
  Argument_number(type, number): ArgumentSyntax {
    return {
      kind: 'number',
      value: constantOf(number),
      type: optional(type, textOfNode),
      span: spanOfNode(this),
    };
  },
  Argument_location(_and, name, _plus, offset): ArgumentSyntax {
    return {
      kind: 'location',
      name: textOfNode(name),
      offset: optional(offset, integerOf) ?? 0n,
      span: spanOfNode(this),
    };
  },
  Argument_range(type, range): ArgumentSyntax {
    return { kind: 'varied', value: valueOf(range), type: optional(type, textOfNode), span: spanOfNode(this) };
  },
  Argument_multiple(type, factor, _times, name, _plus, offset): ArgumentSyntax {
    const value = useOf(this, name, integerOf(factor), optional(offset, integerOf));
    return { kind: 'varied', value, type: optional(type, textOfNode), span: spanOfNode(this) };
  },
  Argument_typed(type, name, _plus, offset): ArgumentSyntax {
    const value = useOf(this, name, 1n, optional(offset, integerOf));
    return { kind: 'varied', value, type: textOfNode(type), span: spanOfNode(this) };
  },
  Range(name, _in, values): RangeSyntax {
    return { kind: 'range', name: optional(name, textOfNode), values: valueOf(values), span: spanOfNode(this) };
  },
  Values_interval(from, _dots, to, _step, step): RangeSyntax['values'] {
    const [first, last] = [integerOf(from), integerOf(to)];
    const width = optional(step, integerOf) ?? 1n;
    if (last < first || width < 1n) throw new Misfit(spanOfNode(this), 'a range goes up, by a step of at least 1');
    return { kind: 'interval', from: first, to: last, step: width };
  },
  Values_list(_open, numbers, _close): RangeSyntax['values'] {
    return { kind: 'list', values: listOf(numbers, integerOf) };
  },
  Place_size(word, size): PlaceClause {
    const [kind, counts, span] = [textOfNode(word) as 'grid', valueOf<readonly Count[]>(size), spanOfNode(this)];
    const numbers = counts.filter((one) => typeof one === 'number');
    return numbers.length < counts.length
      ? variedPlace(kind, counts, this)
      : { kind, size: dimensions(numbers, this), span };
  },
  Place_shared(_word, count): PlaceClause {
    const number = valueOf<Count>(count);
    return typeof number === 'number'
      ? { kind: 'shared', number, span: spanOfNode(this) }
      : variedPlace('shared', [number], this);
  },
  Place_number(word, number): PlaceClause {
    return { kind: textOfNode(word) as 'gpu', number: numberOf(number), span: spanOfNode(this) };
  },
  Place_cooperative(_word): PlaceClause {
    return { kind: 'cooperative', span: spanOfNode(this) };
  },
  Place_after(_after, name): PlaceClause {
    return { kind: 'after', launch: textOfNode(name), span: spanOfNode(this) };
  },
  Place_dependent(_dependent, _on, name): PlaceClause {
    return { kind: 'dependent', launch: textOfNode(name), span: spanOfNode(this) };
  },
  Size_point(_open, counts, _close): readonly Count[] {
    return listOf(counts);
  },
  Size_line(count): readonly Count[] {
    return [valueOf(count)];
  },
  Count_range(range): Count {
    return valueOf(range);
  },
  Count_multiple(factor, _times, name): Count {
    return useOf(this, name, integerOf(factor));
  },
  Count_name(name): Count {
    return useOf(this, name, 1n);
  },
  Count_number(number): Count {
    return numberOf(number);
  },
  Runs(runs, _semicolon): readonly RunClause[] {
    return listOf(runs);
  },
  Run_kind(_run, exactly, word): RunClause {
    return {
      kind: textOfNode(word) as 'auto',
      exactly: exactly.numChildren > 0,
      threads: [],
      ctas: undefined,
      span: spanOfNode(this),
    };
  },
  Run_threads(_run, exactly, _tid, threads, _of, _cta, ctas): RunClause {
    return {
      kind: 'threads',
      exactly: exactly.numChildren > 0,
      threads: valueOf(threads),
      ctas: optional(ctas),
      span: spanOfNode(this),
    };
  },
  Selections(list): readonly Selection[] {
    return listOf(list);
  },
  Selection_point(_open, x, _comma, y, _second, z, _close): Selection {
    return { kind: 'point', at: [numberOf(x), numberOf(y), numberOf(z)] };
  },
  Selection_range(from, _dots, to, _step, step): Selection {
    const [first, last] = [numberOf(from), numberOf(to)];
    const width = optional(step, numberOf) ?? 1;
    if (last < first || width < 1) throw new Misfit(spanOfNode(this), 'a range goes up, by a step of at least 1');
    return { kind: 'range', from: first, to: last, step: width };
  },
  Selection_one(number): Selection {
    return { kind: 'range', from: numberOf(number), to: numberOf(number), step: 1 };
  },
  Alias(_alias, name, _equals, variable): VariableAlias {
    return {
      kind: 'variable-alias',
      name: textOfNode(name),
      variable: textOfNode(variable),
      span: spanOfNode(this),
    };
  },
};

const useOf = (node: Node, name: Node, factor: bigint, offset = 0n): RangeUse => ({
  ...{ kind: 'use', name: textOfNode(name), factor, offset, span: spanOfNode(node) },
});

function variedPlace(of: VariedPlace, counts: readonly Count[], node: Node): PlaceClause {
  if (counts.length > 3) throw new Misfit(spanOfNode(node), THREE_NUMBERS);
  return { kind: 'varied', of, counts, span: spanOfNode(node) };
}

const THREE_NUMBERS = 'expected one to three numbers, for x, y and z';

function dimensions(numbers: readonly number[], node: Node): Dimensions {
  const [x = 1, y = 1, z = 1, ...more] = numbers;
  if (more.length > 0 || numbers.some((one) => one < 0)) throw new Misfit(spanOfNode(node), THREE_NUMBERS);
  return [x, y, z];
}

const part = <T>(rule: string, what: string, explain: (span: Span) => Diagnostic | undefined = () => undefined) =>
  reader<T>({ grammar: grammars.Launch, rule, code: 'L0001', what, explain }, ACTIONS);

/** Reads a launch without its run clauses. */
export const parseLaunch = part<LaunchHeader>('Launch', 'this launch cannot be read');
/** Reads the run clauses of a launch. */
export const parseRuns = part<readonly RunClause[]>('Runs', 'these run clauses cannot be read', unknownRun);
/** Reads `alias name = variable`. */
export const parseAlias = part<VariableAlias>('Alias', 'this alias cannot be read');

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
      `these run clauses cannot be read: "${word}" is no way to run`,
      didYouMean(word, RUNS) ?? expected,
    );
  }
  return undefined;
}
