import type { TestBuilder } from '../build/build-program.js';
import { beginsUninitialized } from '../build/read-directives.js';
import { type Diagnosed, type Diagnostic, error, hasErrors } from '../diagnostics/diagnostic.js';
import { spanOf } from '../diagnostics/source.js';
import { symmetricIn } from '../follow/build-test.js';
import { type Followed, LaunchedThreads } from '../follow/launched-threads.js';
import type { Placement, WarpParty } from '../program/placement.js';
import { isOutline } from '../program/program.js';
import type { CheckBudget } from '../program/undecided.js';
import type { Clause } from '../syntax/condition-ast.js';
import type {
  Declaration,
  LitmusFile,
  LocationDeclaration,
  ThreadSyntax,
  VariableSyntax,
} from '../syntax/litmus-ast.js';
import { replaceTerms } from '../syntax/replace-terms.js';
import { shownThreadName } from '../syntax/thread-name.js';
import { progressOfThreads } from './convert-progress.js';
import { Inexpressible, writtenBody } from './written-thread.js';

/** Where a test accepts what is found at certain lines: another text of it has others. */
export function citedLines({ clauses }: LitmusFile): readonly Diagnostic[] {
  return clauses
    .filter((one) => one.kind === 'allow' && one.lines.length > 0)
    .map(({ span }) => error('L0214', span, 'the lines that this names are not those of the test that is written'));
}

/**
 * A kernel test as a test without launches: the threads that are run, with the instructions that they execute. What the
 * format cannot say of represented threads is an error.
 */
export function convertLaunches(
  given: LitmusFile,
  checkBudget: CheckBudget,
  mostThreads?: number,
): Diagnosed<LitmusFile> {
  if (given.launches.length === 0) return { value: given, diagnostics: [] };
  const options = { mostThreads };
  const symmetric = symmetricIn(given, checkBudget, options);
  const launched = new LaunchedThreads(given, { ...options, symmetric }, checkBudget, true);
  const { diagnostics } = launched;
  if (hasErrors(diagnostics)) return { value: undefined, diagnostics };
  try {
    return { value: withoutLaunches(launched), diagnostics };
  } catch (thrown) {
    if (!(thrown instanceof Inexpressible)) throw thrown;
    const why = `this cannot be written as a test without launches: ${thrown.message}`;
    return { value: undefined, diagnostics: [...diagnostics, error('L0213', spanOf(given.source, 0, 0), why)] };
  }
}

function withoutLaunches(launched: LaunchedThreads): LitmusFile {
  const { file, plan } = launched;
  const test = launched.test();
  const cut = launched.facts().find(isOutline);
  if (cut !== undefined)
    throw new Inexpressible(
      `${cut.name} has ${cut.threads} threads: name those to write (run tid), or give --max-threads`,
    );
  const threads = file.threads.map((header, index) => writtenThread(launched, header, index, test));
  refuseDivergence(launched, test.placements);
  const all = [...file.declarations, ...variablesOf(test)];
  const isNamed = namedIn(threads);
  return {
    ...file,
    declarations: all.flatMap((one) =>
      one.kind === 'forward-progress'
        ? progressOfThreads(one, test.placements, file)
        : plainDeclaration(one, file, isNamed),
    ),
    threads,
    launches: [],
    layout: 'blocks',
    clauses: file.clauses.map((clause) => renamed(clause, plan.aliases)),
  };
}

/** A thread with the instructions that it executes. */
function writtenThread(
  launched: LaunchedThreads,
  header: ThreadSyntax,
  index: number,
  test: TestBuilder,
): ThreadSyntax {
  const placement = test.placements[index];
  if (header.launched === undefined || placement === undefined) return header;
  launched.thread(index, test);
  const followed = launched.followed(index);
  if (followed === undefined) throw new Inexpressible(`${header.name} has no code`);
  refuseRest(header, followed, launched.parties(test.placements).get(placement.cta) ?? []);
  const { launched: _, ...rest } = header;
  const levels = [...header.levels, { level: 'lane' as const, number: placement.lane, span: header.span }];
  const { locations } = test.memory;
  const { body, code, specialized } = followed;
  return {
    ...rest,
    levels,
    statements: writtenBody({ statements: body.statements, code, traced: specialized.traced, locations, placement }),
  };
}

/** Throws where a test without launches cannot say what a thread, or those that are not run, may do. */
function refuseRest({ name }: ThreadSyntax, { specialized }: Followed, parties: readonly WarpParty[]): void {
  for (const what of specialized.unsaid) throw new Inexpressible(`${shownThreadName(name)}: ${what}`);
  const overlaps = (a: WarpParty): boolean =>
    parties.some((b) => a !== b && a.threads.some((thread) => b.threads.includes(thread)));
  const isShared = parties.some((one) => one.isCut || one.warps > 1 || overlaps(one));
  const counts = specialized
    .finished()
    .statements.some(({ operation }) => operation.kind === 'barrier' && operation.count !== undefined);
  if (isShared && counts) throw new Inexpressible('warps that are not run at a barrier that counts threads');
  if (parties.some(({ isCut }) => isCut)) throw new Inexpressible('threads that are left out, and never arrive');
}

/** Whether threads name something. */
function namedIn(threads: readonly ThreadSyntax[]): (name: string) => boolean {
  const text = JSON.stringify(threads, (key, value) =>
    key === 'span' || key === 'source' ? undefined : typeof value === 'bigint' ? `${value}` : value,
  );
  return (name) => text.includes(`"${name}"`);
}

/** The variables that bodies declare and the test does not. */
function variablesOf({ file, bodies }: TestBuilder): readonly LocationDeclaration[] {
  const declared = new Set(file.declarations.map((one) => ('name' in one ? one.name : '')));
  return bodies
    .flatMap(({ body }) => body.variables)
    .filter(({ name }) => !declared.has(name) && declared.add(name) !== undefined)
    .map((one) => ({ ...one, kind: 'location', initial: one.initial ?? { kind: withoutValue(one) } }));
}

/** What a variable begins with that is given no value (PTX ISA, Initializers). */
const withoutValue = ({ directives }: VariableSyntax): 'unknown' | 'uninitialized' =>
  beginsUninitialized(directives) ? 'uninitialized' : 'unknown';

/** Threads that are written apart do not show that lanes of a warp come to different instructions of one text. */
function refuseDivergence(launched: LaunchedThreads, placements: readonly Placement[]): void {
  const all = placements.map(({ warp }, index) => ({ warp, barriers: barriersOf(launched.followed(index)) }));
  const differ = all.some((one, i) =>
    all
      .slice(i + 1)
      .some(({ warp, barriers }) => warp === one.warp && one.barriers.some((at, n) => (barriers[n] ?? at) !== at)),
  );
  if (differ) throw new Inexpressible('lanes of a warp at different barrier instructions');
}

/** Where the aligned barriers of a thread stand, in its order. */
function barriersOf(followed: Followed | undefined): readonly number[] {
  const { statements = [] } = followed?.specialized.finished() ?? {};
  return statements.flatMap(({ operation, span }) =>
    (operation.kind === 'barrier' || operation.kind === 'cluster-barrier') && operation.aligned ? [span.start] : [],
  );
}

/** A declaration without what only launches have. */
function plainDeclaration(
  one: Declaration,
  file: LitmusFile,
  isNamed: (name: string) => boolean,
): readonly Declaration[] {
  if (one.kind === 'variable-alias') return [];
  if (one.kind !== 'location' || one.initial?.kind !== 'record') return [one];
  if (!isNamed(one.name)) return [];
  const [field, ...more] = one.initial.fields;
  if (more.length > 0 || (field !== undefined && field.value.kind !== 'map'))
    return [{ ...one, initial: { kind: 'unknown' } }];
  const map = field?.value.kind === 'map' ? field.value.name : undefined;
  const shape = file.declarations.find((other) => other.kind === 'location' && other.name === map);
  const initial = shape?.kind === 'location' ? shape.initial : undefined;
  return [{ ...one, initial: initial ?? { kind: 'unknown' } }];
}

/** A clause with the names that variables of modules have. */
const renamed = (clause: Clause, aliases: ReadonlyMap<string, string>): Clause =>
  replaceTerms(clause, (one) => (one.kind === 'location' ? { ...one, name: aliases.get(one.name) ?? one.name } : one));
