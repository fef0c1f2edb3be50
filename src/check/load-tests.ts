import type { DiagnosticCode } from '../diagnostics/codes.js';
import { type Diagnosed, type Diagnostic, hasErrors } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import { buildInTime } from '../follow/build-test.js';
import type { Watch } from '../follow/watch.js';
import { readWhole, type WholeTest } from '../order/follow-whole.js';
import type { Program, ResolvedExpectation } from '../program/program.js';
import { type CheckBudget, checkDeadline } from '../program/undecided.js';
import { atValues } from '../ranges/chosen-values.js';
import { familyOf } from '../ranges/family.js';
import type { Clause } from '../syntax/condition-ast.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { parseLitmus } from '../syntax/parse-litmus.js';
import { parseNvlitmus } from '../syntax/parse-nvlitmus.js';
import { splitTests } from '../syntax/split-tests.js';
import { DEFAULT_LIMITS, deadlineOf, type Limits } from './limits.js';
import { loadFamily } from './load-family.js';
import { readWithin } from './read-within.js';

/**
 * Reads the litmus tests of a source, without their meaning: those that begin with a header each, or for an nvlitmus
 * template (`.test`) one for each row.
 */
export function parseTests(source: Source, limits: Partial<Limits> = {}): Diagnosed<readonly LitmusFile[]> {
  return readWithin(source, limits, (checkBudget) => ofAll(source, (part) => parsed(part, checkBudget)));
}

/** What is read of each test of a source, as one. */
function ofAll<T>(source: Source, read: (part: Source) => Diagnosed<readonly T[]>): Diagnosed<readonly T[]> {
  const parts = splitTests(source).map(read);
  const diagnostics = parts.flatMap((one) => one.diagnostics);
  const value = parts.some((one) => one.value === undefined) ? undefined : parts.flatMap((one) => one.value ?? []);
  return { value, diagnostics };
}

function parsed(source: Source, checkBudget: CheckBudget): Diagnosed<readonly LitmusFile[]> {
  if (source.path.endsWith('.test')) return parseNvlitmus(source, checkBudget);
  const { value: file, diagnostics } = parseLitmus(source, checkBudget);
  if (file === undefined) return { value: undefined, diagnostics };
  if (source.at === undefined) return { value: [file], diagnostics };
  const chosen = atValues(file, source.at);
  return { value: chosen.value && [chosen.value], diagnostics: [...diagnostics, ...chosen.diagnostics] };
}

/** Codes that may follow from what could not be read: a register, label or location that only the lost text defines. */
const CONSEQUENCES: readonly DiagnosticCode[] = ['L0105', 'L0107', 'L0202', 'L0203'];

/** Codes under which something is said of a location: without its declaration that may be wrong. */
const OF_LOCATIONS: readonly DiagnosticCode[] = ['L0104', 'L0201', 'L0205'];
const wordsIn = (message: string): readonly string[] => message.match(/\w+/g) ?? [];

/** The names that declarations would have made which could not be read. */
function lostNames({ text }: Source, diagnostics: readonly Diagnostic[]): ReadonlySet<string> {
  const declarations = diagnostics
    .filter(({ code }) => code === 'L0002')
    .map(({ span: { start } }) => {
      const from = Math.max(text.lastIndexOf(';', start - 1), text.lastIndexOf('{', start - 1)) + 1;
      const end = text.indexOf(';', start);
      // A name stands before its value.
      return text.slice(from, end === -1 ? undefined : end).split('=')[0] ?? '';
    });
  // State spaces, types and other words with a dot are no names.
  return new Set(declarations.flatMap((declaration) => declaration.match(/(?<![.\w])[A-Za-z_]\w*/g) ?? []));
}

/**
 * Reads and understands the litmus tests of a source, with all errors and warnings of the text. The path tells the
 * format: `.test` is that of the nvlitmus tests.
 *
 * @example
 * ```ts
 * const { value: programs, diagnostics } = loadTests({ path: 'MP.litmus', text });
 * if (programs === undefined) console.error(renderDiagnostics(diagnostics));
 * ```
 */
export function loadTests(
  source: Source,
  limits: Partial<Limits> = {},
  wants: Wants = 'threads',
  /** In place of what the tests ask. */
  condition?: Clause,
): Diagnosed<readonly Program[]> {
  const timeout = FOLLOWING * (limits.timeout ?? DEFAULT_LIMITS.timeout);
  const deadline = deadlineOf({ ...DEFAULT_LIMITS, ...limits, timeout });
  const follow = { wants, condition, budget: () => checkDeadline(deadline) };
  return readWithin(source, limits, (checkBudget) => ofAll(source, (part) => understood(part, follow, checkBudget)));
}

/** The part of the time in which threads are followed. */
const FOLLOWING = 0.8;

/**
 * What tests are read for: for what their threads do, for `checkTest` alone, which may know its answers without that,
 * or for what all threads of their launches do, none of them followed with the others. Where threads are wanted a test
 * has one size, unless all sizes are wanted.
 */
export type Wants = 'threads' | 'answers' | 'all threads' | 'threads of all sizes';

/** More threads of launches have never been decided together. */
const MOST_TOGETHER = 256;

/** The same test with another question, of the executions that it leaves in. */
const asking = (file: LitmusFile, clause: Clause): LitmusFile => ({
  ...file,
  clauses: [...file.clauses.filter(({ kind }) => kind === 'filter'), clause],
});

/** The same test with what its project accepts. */
const accepting = (file: LitmusFile, source: Source): LitmusFile => ({
  ...file,
  clauses: [
    ...file.clauses,
    ...(source.accepted ?? []).map((one) => ({ ...one, kind: 'allow' as const, span: { source, start: 0, end: 0 } })),
  ],
});

/** By tests as they were read: what is changed in one is another. */
const WHOLE_TESTS = new WeakMap<Program, WholeTest>();

/** A test, as it was read, that is about all threads of its launches. */
export const wholeTest = (program: Program): WholeTest | undefined => WHOLE_TESTS.get(program);

/** The same test with more that it expects. */
export function expecting(program: Program, more: readonly ResolvedExpectation[]): Program {
  const withMore = (one: Program): Program => ({ ...one, expectations: [...one.expectations, ...more] });
  const whole = WHOLE_TESTS.get(program);
  const copy = withMore(program);
  if (whole === undefined) return copy;
  WHOLE_TESTS.set(copy, {
    ...whole,
    withThreads: (budget) => {
      const threads = whole.withThreads(budget);
      return threads && withMore(threads);
    },
  });
  return copy;
}

interface Following {
  readonly wants: Wants;
  readonly condition: Clause | undefined;
  readonly budget: CheckBudget;
  readonly watch?: Watch | undefined;
}

/** Gives a test of one size its meaning. */
function built(file: LitmusFile, { wants, budget, watch }: Following, checkBudget: CheckBudget): Diagnosed<Program> {
  const { mostThreads, isWhole } = file.source;
  const options = { mostThreads, isWhole, isOutline: wants === 'answers' };
  if (wants === 'all threads') {
    const all = { ...options, mostThreads: Math.max(MOST_TOGETHER, mostThreads ?? 0) };
    return buildInTime(file, checkBudget, budget, all);
  }
  const { built: one, whole } = readWhole(file, checkBudget, budget, options, watch);
  if (one.value !== undefined && whole !== undefined) WHOLE_TESTS.set(one.value, whole);
  return one;
}

function understood(source: Source, follow: Following, checkBudget: CheckBudget): Diagnosed<readonly Program[]> {
  const { wants, condition } = follow;
  const { value: files = [], diagnostics: found } = parsed(source, checkBudget);
  const builds = files.map((read) => {
    const file = accepting(condition === undefined ? read : asking(read, condition), source);
    const isOfAllSizes = wants === 'answers' || wants === 'threads of all sizes';
    const family = isOfAllSizes ? familyOf(file) : undefined;
    if (family === undefined) return built(file, follow, checkBudget);
    const one = (size: LitmusFile, budget: CheckBudget, watch?: Watch): Diagnosed<Program> =>
      built(size, { ...follow, wants: 'answers', budget, watch }, checkBudget);
    return loadFamily(family, one, follow.budget);
  });
  const unread = hasErrors(found);
  const lost = lostNames(source, found);
  const diagnostics = [
    ...found,
    ...builds
      .flatMap((one) => one.diagnostics)
      .filter(({ code }) => !unread || !CONSEQUENCES.includes(code))
      .filter(({ code, message }) => !OF_LOCATIONS.includes(code) || !wordsIn(message).some((word) => lost.has(word))),
  ];
  const programs = builds.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return { value: hasErrors(diagnostics) ? undefined : programs, diagnostics };
}
