import { type Diagnosed, type Diagnostic, error, hasErrors, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Span } from '../diagnostics/source.js';
import { joinRounds } from '../flow/join-rounds.js';
import { hugeOf, type Roots, sliced, sliceOf, slotsOfAllocations } from '../flow/slice.js';
import { decodeThread } from '../isa/decode-thread.js';
import { Decoder } from '../isa/decoder.js';
import { wgmmaRegisters } from '../isa/wgmma.js';
import type { ProgramStatement } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { Program, Thread } from '../program/program.js';
import { specialRegisters } from '../program/special-registers.js';
import type { CheckBudget } from '../program/undecided.js';
import type { GridOrder, LitmusFile, RegisterDeclaration } from '../syntax/litmus-ast.js';
import { shownThreadName } from '../syntax/thread-name.js';
import { rootsOf } from './asked.js';
import { ConditionBuilder } from './build-conditions.js';
import { LaunchedThreads } from './build-launched.js';
import { LocationBuilder } from './build-locations.js';
import { buildPlacements } from './build-placements.js';
import { buildRegisters, declaredRegisters, writtenRegisters } from './build-registers.js';
import { buildTensorMemory } from './build-tensor-memory.js';
import type { BuildOptions } from './choose-threads.js';
import { cutTiles } from './cut-tiles.js';
import { flattenBody } from './flatten-body.js';

/** Gives a parsed litmus test its meaning: places, memory, operations, conditions; all errors of the test at once. */
export function buildProgram(
  given: LitmusFile,
  checkBudget: CheckBudget = () => undefined,
  options: BuildOptions = {},
): Diagnosed<Program> {
  const launched = given.launches.length === 0 ? undefined : new LaunchedThreads(given, options, checkBudget);
  if (launched !== undefined && hasErrors(launched.diagnostics))
    return { value: undefined, diagnostics: toldOnce(launched.diagnostics) };
  const file = launched?.file ?? given;
  const { placements, diagnostics: placementDiagnostics } = buildPlacements(file.threads);
  const memory = new LocationBuilder(file.declarations, placements, checkBudget, launched?.plan.shownNames);
  const diagnostics: Diagnostic[] = [...placementDiagnostics];
  const initializers = file.declarations.filter(
    (declaration): declaration is RegisterDeclaration => declaration.kind === 'register',
  );
  for (const { thread, span } of initializers) {
    if (!file.threads.some((one) => one.name === thread)) {
      const names = file.threads.map((one) => shownThreadName(one.name));
      diagnostics.push(
        error(
          'L0203',
          span,
          `no thread ${shownThreadName(thread)} in this test`,
          didYouMean(shownThreadName(thread), names),
        ),
      );
    }
  }

  const isTyped = file.declarations.some(
    (declaration) => declaration.kind === 'location' && declaration.directives.length > 0,
  );
  const isDat3m = file.layout === 'columns' && !isTyped;
  const orders = file.declarations.filter((one): one is GridOrder => one.kind === 'grid-order');
  diagnostics.push(...checkOrders(orders, placements));
  const threads: Thread[] = [];
  const bodies = file.threads.map((thread, index) => {
    const kernel = launched?.bodyOf(index);
    return kernel === undefined ? flattenBody(thread, file.functions) : { ...kernel, diagnostics: [] };
  });
  bodies.forEach(({ variables, diagnostics: own }) => {
    memory.declareVariables(variables);
    diagnostics.push(...own);
  });
  const tensorMemory = buildTensorMemory(
    bodies.flatMap(({ statements }, i) => {
      const placement = placements[i];
      return placement === undefined ? [] : [{ placement, statements }];
    }),
    memory,
  );
  file.threads.forEach((header, index) => {
    const placement = placements[index];
    const body = bodies[index];
    if (placement === undefined || body === undefined) return;
    if (launched !== undefined && header.launched !== undefined) {
      const prerequisites = orders
        .filter(({ grid, order }) => grid === placement.grid && order === 'dependent')
        .map(({ on }) => on);
      const one = launched.thread(index, placement, memory, tensorMemory, prerequisites);
      if (one === undefined) return;
      const start = waitsAtStart(placement, header.span, orders);
      threads.push({ ...one, ...shifted(one, start), placement });
      return;
    }
    const thread = { ...header, statements: body.statements };
    const own = initializers.filter((declaration) => declaration.thread === thread.name);
    const declared = declaredRegisters(thread);
    const known = new Set([
      ...declared.types.keys(),
      ...own.map((declaration) => declaration.register),
      ...writtenRegisters(thread),
      ...body.cells.keys(),
    ]);
    const predicates = new Set([...declared.types].filter(([, type]) => type.kind === 'pred').map(([name]) => name));
    const special = specialRegisters(placements, placement);
    const decoder = new Decoder({
      placement,
      locations: memory.locations,
      registers: known,
      predicates,
      specialRegisters: special,
      implicitLocation: (name, span) => memory.implicit(name, span),
      isDat3m,
      cells: body.cells,
      prerequisites: orders
        .filter(({ grid, order }) => grid === placement.grid && order === 'dependent')
        .map(({ on }) => on),
      fragments: wgmmaRegisters(body.statements),
      descriptors: memory.descriptors,
      tensorMemory,
    });
    decoder.statements.push(...waitsAtStart(placement, header.span, orders));
    const { labels, diagnostics: decodeDiagnostics } = decodeThread(decoder, thread, checkBudget);
    const initial = new Map(
      own.map((declaration) => [
        declaration.register,
        { ...initialValue(declaration, memory, placement), declaration },
      ]),
    );
    const { registers, diagnostics: registerDiagnostics } = buildRegisters(
      declared.types,
      initial,
      decoder.reads,
      decoder.writes,
    );
    diagnostics.push(...declared.diagnostics, ...decodeDiagnostics, ...registerDiagnostics);
    if (placement.gpu === undefined) diagnostics.push(...checkHost(decoder.statements));
    for (const [register, type] of guardRegisters(decoder)) {
      if (!registers.has(register)) diagnostics.push(error('L0104', type, `the guard ${register} is never set`));
    }
    if (!memory.shorthandOnly) diagnostics.push(...unsetRegisters(decoder, known));
    const cut = cutTiles({ statements: decoder.statements, labels }, memory.locations, placement);
    diagnostics.push(...cut.diagnostics);
    threads.push({
      index,
      name: shownThreadName(thread.name),
      placement,
      registers,
      ...joinRounds(cut),
    });
  });

  if (options.isWhole !== true) {
    const roots = rootsOf(file.clauses, threads, memory.locations, launched?.plan.aliases);
    slice(threads, memory, roots, launched !== undefined);
  }

  const conditions = new ConditionBuilder(threads, memory.locations, launched?.plan.aliases);
  diagnostics.push(...memory.diagnostics, ...(launched?.diagnostics ?? []));
  const sound = !hasErrors(diagnostics);
  for (const clause of clausesOf(file)) conditions.add(clause);
  // A register that only a wrong instruction would have defined is not missed too.
  diagnostics.push(...conditions.diagnostics.filter(({ code }) => sound || code !== 'L0203'));
  if (hasErrors(diagnostics)) return { value: undefined, diagnostics: toldOnce(diagnostics) };
  const recursion = diagnostics.find(({ code }) => code === 'L0215');
  const program: Program = {
    source: file.source,
    name: file.name,
    descriptions: file.descriptions,
    locations: memory.locations,
    threads,
    conditions: conditions.conditions,
    expectations: conditions.expectations,
    allowances: conditions.allowances,
    filter: conditions.filter,
    observed: conditions.observed,
    warnings: toldOnce(diagnostics),
    parties: launched?.parties(placements) ?? new Map(),
    launches: launched?.facts() ?? [],
    ...(recursion === undefined
      ? {}
      : { unknown: { kind: 'recursion' as const, what: `recursion: ${recursion.message}` } }),
  };
  return { value: program, diagnostics: toldOnce(diagnostics) };
}

/** What only makes values that nobody asks for is not followed. */
function slice(threads: Thread[], memory: LocationBuilder, roots: Roots, isKernel: boolean): void {
  const isLarge = memory.locations.objects.some(({ size, initial }) => size >= 1024 && initial.includes(undefined));
  if (!isKernel && !isLarge) return;
  const all = sliceOf(threads, memory.locations, roots);
  const found = isKernel ? all : hugeOf(all);
  if (!isKernel && found.idle.size === 0) return;
  threads.forEach((thread, i) => {
    threads[i] = { ...thread, ...sliced(thread, memory.locations, found, !isKernel) };
  });
  memory.blank(found.idle, true);
  if (isKernel) memory.blank(slotsOfAllocations(threads, memory.locations), false);
}

/** A kernel test that asks for nothing asks for what no kernel should do. */
export function clausesOf({ clauses, launches }: LitmusFile): LitmusFile['clauses'] {
  const [first] = launches;
  const asks = clauses.some(({ kind }) => kind === 'condition' || kind === 'expect');
  if (first === undefined || asks) return clauses;
  const wanted = ['no-race', 'no-undefined', 'no-deadlock', 'no-trap'] as const;
  return [...clauses, ...wanted.map((expectation) => ({ kind: 'expect' as const, expectation, span: first.span }))];
}

/** A grid that comes after others, or depends on them, begins by that (PTX ISA 8.9.4; griddepcontrol). */
function waitsAtStart({ grid, gpu }: Placement, span: Span, orders: readonly GridOrder[]): readonly ProgramStatement[] {
  const of = (order: GridOrder['order']): readonly number[] =>
    orders.filter((one) => one.grid === grid && one.order === order).map(({ on }) => on);
  const [complete, launchedBy] = [of('after'), of('dependent')];
  if (gpu === undefined || complete.length + launchedBy.length === 0) return [];
  return [{ operation: { kind: 'grid-wait', complete, launchedBy }, guard: undefined, span }];
}

/** The statements with others before them. */
function shifted(
  { statements, labels }: Pick<Thread, 'statements' | 'labels'>,
  before: readonly ProgramStatement[],
): Pick<Thread, 'statements' | 'labels'> {
  const by = before.length;
  return {
    statements: [...before, ...statements],
    labels: new Map([...labels].map(([name, at]) => [name, at + by])),
  };
}

/** What one body of several threads has wrong is wrong once. */
const toldOnce = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => [
  ...new Map(diagnostics.map((one) => [`${one.span.start} ${one.span.end} ${one.message}`, one])).values(),
];

/** What a thread of the CPU executes: what has a meaning outside of a GPU. */
const ON_HOST: ReadonlySet<string> = new Set([
  ...['load', 'store', 'atomic', 'fence', 'compute', 'open', 'require', 'branch', 'exit', 'trap'],
]);

function checkHost(statements: readonly ProgramStatement[]): readonly Diagnostic[] {
  return statements
    .filter(({ operation }) => !ON_HOST.has(operation.kind))
    .map(({ span }) =>
      error('L0104', span, 'a thread of the host has loads, stores, atomics, fences and arithmetic, and nothing else'),
    );
}

function checkOrders(orders: readonly GridOrder[], placements: readonly Placement[]): readonly Diagnostic[] {
  const grids = new Set(placements.flatMap(({ grid, gpu }) => (gpu === undefined ? [] : [grid])));
  const comesAfter = (grid: number, other: number, seen: ReadonlySet<number> = new Set()): boolean =>
    orders.some(
      (one) =>
        one.grid === grid &&
        !seen.has(one.on) &&
        (one.on === other || comesAfter(one.on, other, new Set([...seen, one.on]))),
    );
  return orders.flatMap(({ grid, on, span }) => {
    const missing = [grid, on].find((one) => !grids.has(one));
    if (missing !== undefined) return [error('L0204', span, `no thread of the test is in grid ${missing}`)];
    return comesAfter(grid, grid) ? [error('L0204', span, `grid ${grid} cannot come after itself`)] : [];
  });
}

function initialValue(
  declaration: RegisterDeclaration,
  memory: LocationBuilder,
  placement: Placement,
): { readonly value: bigint; readonly address: boolean } {
  const { initial, span } = declaration;
  switch (initial.kind) {
    case 'number':
      if (typeof initial.value === 'bigint') return { value: initial.value, address: false };
      memory.diagnostics.push(
        error('L0201', span, 'a register starts as an integer: write the bits, such as 0f3F800000'),
      );
      return { value: 0n, address: false };
    case 'address':
    case 'copy': {
      const descriptor = initial.kind === 'copy' ? memory.descriptors.get(initial.name) : undefined;
      if (descriptor !== undefined) return { value: descriptor, address: true };
      const range = memory.locations.resolve(initial.name, placement) ?? memory.locationOf(initial.name, span);
      return { value: range?.base ?? 0n, address: true };
    }
    default:
      memory.diagnostics.push(error('L0201', span, 'a register starts as a number or an address'));
      return { value: 0n, address: false };
  }
}

/**
 * Registers that are read without having been set anywhere: they are 0, as docs/format.md says, but hardly meant to
 * be.
 */
function unsetRegisters(decoder: Decoder, known: ReadonlySet<string>): readonly Diagnostic[] {
  const unset = new Map(
    decoder.reads
      .filter(({ register }) => !known.has(register) && !register.startsWith('#'))
      .map((use) => [use.register, use]),
  );
  return [...unset.values()].map(({ register, span }) =>
    warning('L0108', span, `register ${register} is never set in this thread; it is 0`, didYouMean(register, known)),
  );
}

/** The registers used as guards, with a place to complain about. */
function guardRegisters(decoder: Decoder): ReadonlyMap<string, Diagnostic['span']> {
  return new Map(
    decoder.statements.flatMap(({ guard, span }) =>
      guard === undefined || guard.register.startsWith('#') ? [] : [[guard.register, span] as const],
    ),
  );
}
