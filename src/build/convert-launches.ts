import { type Diagnosed, type Diagnostic, error, hasErrors } from '../diagnostics/diagnostic.js';
import { spanOf } from '../diagnostics/source.js';
import type { Placement } from '../program/placement.js';
import type { CheckBudget } from '../program/undecided.js';
import type { Clause } from '../syntax/condition-ast.js';
import type { Declaration, LitmusFile, LocationDeclaration, ThreadSyntax } from '../syntax/litmus-ast.js';
import { replaceTerms } from '../syntax/replace-terms.js';
import { LaunchedThreads } from './build-launched.js';
import { LocationBuilder } from './build-locations.js';
import { buildPlacements } from './build-placements.js';
import { clausesOf } from './build-program.js';
import { buildTensorMemory } from './build-tensor-memory.js';
import { flattenBody } from './flatten-body.js';
import { Inexpressible, writtenBody } from './written-thread.js';

/** Where a test accepts what is found at certain lines: another text of it has others. */
export function citedLines({ clauses }: LitmusFile): readonly Diagnostic[] {
  return clauses
    .filter(({ kind }) => kind === 'allow')
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
  const launched = new LaunchedThreads(given, mostThreads === undefined ? {} : { mostThreads }, checkBudget, true);
  if (hasErrors(launched.diagnostics)) return { value: undefined, diagnostics: launched.diagnostics };
  const { file, plan } = launched;
  const { placements } = buildPlacements(file.threads);
  const memory = new LocationBuilder(file.declarations, placements, checkBudget);
  const bodies = file.threads.map((thread, i) => launched.bodyOf(i) ?? flattenBody(thread, file.functions));
  for (const body of bodies) memory.declareVariables(body.variables);
  const tensorMemory = buildTensorMemory(
    bodies.flatMap(({ statements }, i) => {
      const placement = placements[i];
      return placement === undefined ? [] : [{ placement, statements }];
    }),
    memory,
  );
  const refuse = (what: string): Diagnosed<LitmusFile> => {
    const diagnostics: readonly Diagnostic[] = [
      ...launched.diagnostics,
      error('L0213', spanOf(given.source, 0, 0), `this cannot be written as a test without launches: ${what}`),
    ];
    return { value: undefined, diagnostics };
  };
  try {
    const threads = file.threads.map((header, index): ThreadSyntax => {
      const placement = placements[index];
      if (header.launched === undefined || placement === undefined) return header;
      launched.thread(index, placement, memory, tensorMemory, []);
      const written = launched.written(index, placements);
      if (written === undefined) throw new Inexpressible(`${header.name} has no code`);
      const { launched: _, ...rest } = header;
      const levels = [...header.levels, { level: 'lane' as const, number: placement.lane, span: header.span }];
      return { ...rest, levels, statements: writtenBody({ ...written, locations: memory.locations, placement }) };
    });
    refuseDivergence(launched, placements);
    const declared = new Set(file.declarations.map((one) => ('name' in one ? one.name : '')));
    const variables = bodies
      .flatMap(({ variables: own }) => own)
      .filter(({ name }) => !declared.has(name) && declared.add(name) !== undefined)
      .map((one): LocationDeclaration => ({ ...one, kind: 'location', initial: one.initial ?? { kind: 'unknown' } }));
    const text = JSON.stringify(threads, (key, value) =>
      key === 'span' || key === 'source' ? undefined : typeof value === 'bigint' ? `${value}` : value,
    );
    const isNamed = (name: string): boolean => text.includes(`"${name}"`);
    const declarations = [...file.declarations, ...variables].flatMap((one) => plainDeclaration(one, file, isNamed));
    return {
      value: {
        ...file,
        declarations,
        threads,
        launches: [],
        layout: 'blocks',
        clauses: clausesOf(given).map((clause) => renamed(clause, plan.aliases)),
      },
      diagnostics: launched.diagnostics,
    };
  } catch (thrown) {
    if (thrown instanceof Inexpressible) return refuse(thrown.message);
    throw thrown;
  }
}

/** Threads that are written apart do not show that lanes of a warp come to different instructions of one text. */
function refuseDivergence(launched: LaunchedThreads, placements: readonly Placement[]): void {
  const all = placements.map(({ warp }, index) => ({ warp, barriers: launched.barriersOf(index) }));
  const differ = all.some((one, i) =>
    all
      .slice(i + 1)
      .some(({ warp, barriers }) => warp === one.warp && one.barriers.some((at, n) => (barriers[n] ?? at) !== at)),
  );
  if (differ) throw new Inexpressible('lanes of a warp at different barrier instructions');
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
