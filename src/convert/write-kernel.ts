import { type Diagnosed, error } from '../diagnostics/diagnostic.js';
import { spanOf } from '../diagnostics/source.js';
import type { Program } from '../program/program.js';
import { specialRegisters } from '../program/special-registers.js';
import type { LaunchSyntax, PlaceClause } from '../syntax/launch-ast.js';
import type { FunctionSyntax, GridOrder, LitmusFile, ThreadSyntax } from '../syntax/litmus-ast.js';
import { citedLines } from './convert-launches.js';
import { kernelClauses } from './kernel-clauses.js';
import { instructionsIn, KernelEntry, type WrittenOf } from './kernel-entry.js';
import { initialText, KernelMemory, variableText } from './kernel-memory.js';
import { type KernelGrid, type KernelPlace, kernelPlaces } from './kernel-places.js';
import { targetOf } from './kernel-target.js';
import { Inexpressible } from './written-thread.js';

/** A test as a kernel test: its module, and the test that launches it. */
export interface WrittenKernel {
  readonly test: LitmusFile;
  readonly module: string;
}

const NOWHERE = { source: { path: '', text: '' }, start: 0, end: 0 };

/**
 * Writes a test as a module with a kernel for each of its grids, in which each thread takes the body of the one that it
 * stands for, and as launches of it. What a kernel cannot say is an error.
 */
export function writeKernel(file: LitmusFile, program: Program, path: string): Diagnosed<WrittenKernel> {
  const refused = citedLines(file);
  if (refused.length > 0) return { value: undefined, diagnostics: refused };
  try {
    return { value: written(file, program, path), diagnostics: [] };
  } catch (thrown) {
    if (!(thrown instanceof Inexpressible)) throw thrown;
    const span = thrown.span ?? spanOf(file.source, 0, 0);
    const diagnostic = error('L0216', span, `this cannot be written as a kernel: ${thrown.message}`, thrown.hint);
    return { value: undefined, diagnostics: [diagnostic] };
  }
}

function written(file: LitmusFile, program: Program, path: string): WrittenKernel {
  if (file.launches.length > 0)
    throw new Inexpressible('it launches kernels already', file.launches[0]?.span, 'check it as it is');
  const placements = program.threads.map(({ placement }) => placement);
  const { grids, places } = kernelPlaces(placements);
  if (grids.length === 0) throw new Inexpressible('it has no thread of a GPU');
  const memory = new KernelMemory(file, program.locations, placements);
  refuseFunctions(file, memory);
  const entries = grids.map((grid) => {
    const own = threadsOf(grid, file, program, places);
    return new KernelEntry(entryName(file, grid, grids), grid, own, file, memory);
  });
  const isHost = (name: string): boolean => hostThreads(file, program).some((one) => one.name === name);
  const names = new Map(
    places.flatMap((place, i): (readonly [string, string])[] => {
      const thread = file.threads[i];
      return place === undefined || thread === undefined ? [] : [[thread.name, nameIn(place)]];
    }),
  );
  const test: LitmusFile = {
    ...file,
    descriptions: file.descriptions,
    declarations: memory.declarations(isHost),
    functions: [],
    threads: hostThreads(file, program),
    launches: entries.map((entry) => launchOf(entry, path, file, grids)),
    layout: 'blocks',
    clauses: kernelClauses(file, program, places, names, (thread, register) => {
      const found = entries.find((entry) => entry.holds(thread));
      return found?.registerOf(thread, register) ?? register;
    }),
  };
  return { test, module: moduleText(file, entries, memory) };
}

/** The threads of a test that one of its grids has, with their text. */
export function threadsOf(
  grid: KernelGrid,
  file: LitmusFile,
  { threads }: Program,
  places: readonly (KernelPlace | undefined)[],
): readonly WrittenOf[] {
  const placements = threads.map(({ placement }) => placement);
  return threads.flatMap((thread, i) => {
    const place = places[i];
    const syntax = file.threads[i];
    if (place?.grid !== grid || syntax === undefined) return [];
    return [{ thread, place, syntax, special: specialRegisters(placements, thread.placement) }];
  });
}

const hostThreads = (file: LitmusFile, { threads }: Program): readonly ThreadSyntax[] =>
  file.threads.filter((_, i) => threads[i]?.placement.gpu === undefined);

export const nameIn = ({ grid, cta, tid }: KernelPlace): string => `${grid.name}[cta ${cta}, tid ${tid}]`;

/** A function is one of the module: it cannot know what the launch hands to a kernel. */
export function refuseFunctions(file: LitmusFile, memory: KernelMemory): void {
  for (const one of file.functions) {
    const words = functionText(one).match(/[\w$]+/g) ?? [];
    const location = words.find((word) => memory.isLocation(word));
    if (location !== undefined)
      throw new Inexpressible(
        `${one.name}, a function that names the location ${location}`,
        one.span,
        'hand the address over as a parameter',
      );
  }
}

export function entryName({ name }: LitmusFile, grid: KernelGrid, grids: readonly KernelGrid[]): string {
  const word = name.replace(/[^A-Za-z0-9_$]/g, '_').replace(/^(?=\d|_$)/, 'k_');
  return grids.length === 1 ? word : `${word}_${grid.name}`;
}

function launchOf(entry: KernelEntry, path: string, file: LitmusFile, grids: readonly KernelGrid[]): LaunchSyntax {
  const { grid } = entry;
  const size = (kind: 'grid' | 'block' | 'cluster', number: number): PlaceClause => ({
    kind,
    size: [number, 1, 1],
    span: NOWHERE,
  });
  const orders = file.declarations.filter((one): one is GridOrder => one.kind === 'grid-order');
  const place: PlaceClause[] = [
    size('grid', grid.ctas),
    size('block', grid.block),
    ...(grid.cluster === 1 ? [] : [size('cluster', grid.cluster)]),
    ...(grid.gpu === 0 ? [] : [{ kind: 'gpu' as const, number: grid.gpu, span: NOWHERE }]),
    ...orders
      .filter((order) => order.grid === grid.number)
      .flatMap(({ order, on }) =>
        grids
          .filter((other) => other.number === on)
          .map(
            ({ name }): PlaceClause => ({
              kind: order === 'after' ? 'after' : 'dependent',
              launch: name,
              span: NOWHERE,
            }),
          ),
      ),
  ];
  return {
    name: grid.name,
    path,
    nvcc: undefined,
    entry: entry.name,
    arguments: entry.arguments,
    place,
    runs: [{ kind: 'all', exactly: false, threads: [], ctas: undefined, span: NOWHERE }],
    span: NOWHERE,
  };
}

/** The text of a module with some entries. */
export function moduleText(file: LitmusFile, entries: readonly KernelEntry[], memory: KernelMemory): string {
  const called = file.functions.flatMap(({ statements = [] }) => instructionsIn(statements));
  const { version, target } = targetOf([...entries.flatMap(({ instructions }) => instructions), ...called]);
  const hoisted = new Map(
    entries
      .flatMap(({ variables }) => variables)
      .map((one) => [one.name, `${variableText(one)}${initialText(one.initial)};`]),
  );
  const functions = file.functions.map(functionText);
  const lines = [
    `.version ${version}`,
    `.target ${target}`,
    '.address_size 64',
    ...memory.variables(),
    ...hoisted.values(),
    ...functions,
    ...entries.flatMap((entry) => entry.lines()),
  ];
  return `${lines.join('\n')}\n`;
}

/** A function as the test has it. */
function functionText({ span: { source, start, end }, statements }: FunctionSyntax): string {
  const header = source.text.slice(start, end);
  if (statements === undefined) return `${header};`;
  const [last] = statements.slice(-1);
  return last === undefined ? `${header} { }` : source.text.slice(start, source.text.indexOf('}', last.span.end) + 1);
}
