import { type Diagnosed, type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { type Span, textOf } from '../diagnostics/source.js';
import type { Term } from '../syntax/condition-ast.js';
import type { ArgumentSyntax, LaunchSyntax, PlaceClause, RangeSyntax, RangeUse, Varied } from '../syntax/launch-ast.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { replaceTerms } from '../syntax/replace-terms.js';

/** What a test is asked about many values of. */
export interface Range {
  /** As answers name it: its name, or its place, such as `block` or `K.grid.y`. */
  readonly name: string;
  /** From the smallest on, each once. */
  readonly values: readonly bigint[];
  /** It is an argument, and no size. */
  readonly isArgument: boolean;
  readonly syntax: RangeSyntax;
}

/** A test of many sizes: one test for each choice of values. */
export interface Family {
  readonly file: LitmusFile;
  readonly ranges: readonly Range[];
  /** How many tests it stands for. */
  readonly count: number;
}

/** More tests than these are not made of one. */
export const MOST_TESTS = 10_000;

const CODE = 'L0218';

/** A test whose launches have ranges, with every mistake in these; undefined where there are none. */
export function familyOf(file: LitmusFile): Diagnosed<Family> | undefined {
  const places = file.launches.flatMap((launch) => variedIn(launch, file.launches.length > 1));
  if (places.length === 0) return undefined;
  const diagnostics: Diagnostic[] = [];
  const ranges = places.flatMap((place) => rangeAt(place, diagnostics));
  const byName = new Map<string, Range>();
  for (const one of ranges) {
    const { span } = one.syntax;
    if (byName.has(one.name)) diagnostics.push(error(CODE, span, `${one.name} is given values twice`, RENAME));
    if (file.declarations.some((declared) => declared.kind === 'location' && declared.name === one.name))
      diagnostics.push(error(CODE, span, `${one.name} is a location of the test, and cannot be a range too`, RENAME));
    byName.set(one.name, one);
  }
  const count = ranges.reduce((product, { syntax }) => product * countOf(syntax), 1n);
  const [first] = ranges;
  if (first !== undefined && count > BigInt(MOST_TESTS))
    diagnostics.push(
      error(
        CODE,
        first.syntax.span,
        `these ranges make ${count} tests, and ${MOST_TESTS} are the most`,
        'take fewer values: a step, a list such as {1, 2, 64}, or one range at a time',
      ),
    );
  for (const { value } of places)
    if (value.kind === 'use' && !byName.has(value.name)) diagnostics.push(unknownName(value, byName));
  for (const launch of file.launches) diagnostics.push(...addressesIn(launch.arguments, byName));
  return { value: diagnostics.length > 0 ? undefined : { file, ranges, count: Number(count) }, diagnostics };
}

const RENAME = 'give each range a name of its own, as in n in 1..8';

const unknownName = ({ name, span }: RangeUse, known: ReadonlyMap<string, Range>): Diagnostic =>
  error(
    CODE,
    span,
    `there is no range ${name} in this test`,
    didYouMean(name, known.keys()) ?? 'give it values where it stands first, as in n in 1..8',
  );

/** Values have no address. */
const addressesIn = (given: readonly ArgumentSyntax[], known: ReadonlyMap<string, Range>): readonly Diagnostic[] =>
  given.flatMap((one) => {
    if (one.kind === 'fields') return addressesIn(one.fields, known);
    return one.kind === 'location' && known.has(one.name) && textOf(one.span).startsWith('&')
      ? [error(CODE, one.span, `${one.name} is a range, and has no address`, 'leave out the &')]
      : [];
  });

/** A place of a launch where a number is one of several. */
interface VariedPlace {
  readonly value: Varied;
  readonly type: string | undefined;
  readonly span: Span;
  /** What a size is called; undefined for an argument. */
  readonly size: string | undefined;
}

function variedIn(launch: LaunchSyntax, areSeveral: boolean): readonly VariedPlace[] {
  const ofPlace = (clause: PlaceClause): readonly VariedPlace[] =>
    clause.kind !== 'varied'
      ? []
      : clause.counts.flatMap((value, axis) => {
          const own = axis === 0 ? clause.of : `${clause.of}.${'xyz'[axis]}`;
          const size = areSeveral ? `${launch.name}.${own}` : own;
          return typeof value === 'number' ? [] : [{ value, type: undefined, span: clause.span, size }];
        });
  const ofArgument = (argument: ArgumentSyntax): readonly VariedPlace[] =>
    argument.kind === 'fields'
      ? argument.fields.flatMap(ofArgument)
      : argument.kind === 'varied'
        ? [{ ...argument, size: undefined }]
        : [];
  return [...launch.arguments.flatMap(ofArgument), ...launch.place.flatMap(ofPlace)];
}

function rangeAt({ value, type, span, size }: VariedPlace, diagnostics: Diagnostic[]): readonly Range[] {
  if (type?.startsWith('f'))
    diagnostics.push(error(CODE, span, `${type}: a range has integers`, 'write u8 to u64 before it, or nothing'));
  if (value.kind === 'use') return [];
  const name = value.name ?? size;
  if (name === undefined) {
    const hint = `answers name the values: write n in ${textOf(value.span)}`;
    diagnostics.push(error(CODE, span, 'a range that is an argument has no name', hint));
    return [];
  }
  return [{ name, values: valuesOf(value), isArgument: size === undefined, syntax: value }];
}

const countOf = ({ values: given }: RangeSyntax): bigint =>
  given.kind === 'list' ? BigInt(new Set(given.values).size) : (given.to - given.from) / given.step + 1n;

/** Of a range that is too long the first values. */
function valuesOf(syntax: RangeSyntax): readonly bigint[] {
  const { values: given } = syntax;
  if (given.kind === 'list') return [...new Set(given.values)].sort((a, b) => (a < b ? -1 : 1));
  const count = countOf(syntax);
  const length = count < MOST_TESTS ? Number(count) : MOST_TESTS;
  return Array.from({ length }, (_, i) => given.from + BigInt(i) * given.step);
}

/** The values of each range in one of the tests: the last range goes first through its own. */
export function valuesAt({ ranges }: Pick<Family, 'ranges'>, index: number): readonly bigint[] {
  const values: bigint[] = [];
  let rest = index;
  for (const one of [...ranges].reverse()) {
    values.unshift(one.values[rest % one.values.length] ?? 0n);
    rest = Math.floor(rest / one.values.length);
  }
  return values;
}

/** One of the tests, with numbers where the ranges stand. */
export function instanceOf(family: Family, index: number): LitmusFile {
  return withValues(
    family,
    new Map(valuesAt(family, index).map((value, i) => [family.ranges[i]?.name ?? '', value] as const)),
  );
}

/** A test with numbers where ranges stand, by their names. */
export function withValues({ file, ranges }: Family, values: ReadonlyMap<string, bigint>): LitmusFile {
  const names = new Map(ranges.map(({ syntax, name }) => [syntax, name]));
  const numberOf = (one: Varied): bigint => {
    const value = values.get(one.kind === 'use' ? one.name : (names.get(one) ?? ''));
    if (value === undefined) throw new Error('a range without a value');
    return one.kind === 'use' ? one.factor * value + one.offset : value;
  };
  const argument = (one: ArgumentSyntax): ArgumentSyntax => {
    if (one.kind === 'fields') return { ...one, fields: one.fields.map(argument) };
    const { span } = one;
    if (one.kind === 'varied') return { kind: 'number', value: numberOf(one.value), type: one.type, span };
    const named = one.kind === 'location' ? values.get(one.name) : undefined;
    if (one.kind !== 'location' || named === undefined) return one;
    return { kind: 'number', value: named + one.offset, type: undefined, span };
  };
  const place = (clause: PlaceClause): PlaceClause => {
    if (clause.kind !== 'varied') return clause;
    const { of: kind, span } = clause;
    const [x = 1, y = 1, z = 1] = clause.counts.map((one) => (typeof one === 'number' ? one : Number(numberOf(one))));
    return kind === 'shared' ? { kind, number: x, span } : { kind, size: [x, y, z], span };
  };
  const launches = file.launches.map((one) => ({
    ...one,
    arguments: one.arguments.map(argument),
    place: one.place.map(place),
  }));
  return { ...file, launches, clauses: file.clauses.map((one) => replaceTerms(one, (term) => numberIn(term, values))) };
}

/** A term of a condition: a range is its value. */
function numberIn(term: Term, values: ReadonlyMap<string, bigint>): Term {
  if (term.kind !== 'location' || term.cta !== undefined || term.index !== undefined) return term;
  const value = values.get(term.name);
  return value === undefined ? term : { kind: 'number', value: value + (term.offset ?? 0n), span: term.span };
}

/** Whether a condition speaks of the value of a range. */
export function asksOfValues({ file, ranges }: Family): boolean {
  let isAsked = false;
  const values = new Map(ranges.map(({ name }) => [name, 0n]));
  for (const clause of file.clauses)
    replaceTerms(clause, (term) => {
      const number = numberIn(term, values);
      isAsked ||= number !== term;
      return number;
    });
  return isAsked;
}
