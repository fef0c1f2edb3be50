import { Inexpressible } from '../convert/written-thread.js';
import { isAboutAll, type Shape } from '../kernel/grid.js';
import { parameterDeclarations, tensorMaps } from '../kernel/launch-arguments.js';
import { type Launch, resolveLaunches } from '../kernel/resolve-launches.js';
import { typeIn } from '../program/data-type.js';
import type { Program } from '../program/program.js';
import type { ArgumentSyntax } from '../syntax/launch-ast.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { LaunchMemory, type LaunchMemoryContents } from './launch-memory.js';

/** A module as it stands: it is written once, whichever tests launch its kernels. */
export interface LaunchedModule {
  readonly path: string;
  readonly text: string;
}

/** The bytes of a parameter; those that nothing gives are 0. */
export interface LaunchArgument {
  readonly size: number;
  readonly fields: readonly (
    | { readonly kind: 'number'; readonly at: number; readonly bytes: number; readonly value: bigint }
    | { readonly kind: 'address'; readonly at: number; readonly name: string; readonly offset: bigint }
    | { readonly kind: 'map'; readonly at: number; readonly name: string }
  )[];
}

export interface ExportedLaunch {
  readonly name: string;
  readonly module: LaunchedModule;
  readonly entry: string;
  readonly shape: Shape;
  readonly sharedBytes: number;
  readonly cooperative: boolean;
  /** The number of its stream: launches that nothing orders have different ones. */
  readonly stream: number;
  /** It may begin before the one ahead of it in its stream has ended (programmatic dependent launch). */
  readonly isDependent: boolean;
  readonly after: readonly string[];
  readonly arguments: readonly LaunchArgument[];
}

/** How a run may not come back; `barrier`: at one of the hardware, where a GPU does not let its process go. */
export type Hang = 'none' | 'undefined' | 'spin' | 'barrier';

/** A kernel test as a GPU can run it. */
export interface ExportedLaunches extends LaunchMemoryContents {
  readonly name: string;
  readonly expects: readonly string[];
  readonly hang: Hang;
  readonly launches: readonly ExportedLaunch[];
  /** What the run is not that the test is. */
  readonly notes: readonly string[];
}

/** Writes a test with launches for a GPU of Hopper's kind: all threads of each launch run. */
export function exportLaunches(
  file: LitmusFile,
  program: Program,
): ExportedLaunches | { readonly name: string; readonly refused: string } {
  try {
    return exported(file, program);
  } catch (thrown) {
    if (thrown instanceof Inexpressible) return { name: program.name, refused: thrown.message };
    throw thrown;
  }
}

function exported(file: LitmusFile, program: Program): ExportedLaunches {
  const { launches } = resolveLaunches(file);
  refuse(file, launches);
  const memory = new LaunchMemory(file, program, launches);
  const streams = streamsOf(launches);
  const written = launches.map((launch, i): ExportedLaunch => {
    const { syntax, module, entry, shape, sharedBytes, cooperative, after, dependentOn } = launch;
    return {
      name: syntax.name,
      module: module.source,
      entry: entry.name,
      ...{ shape, sharedBytes, cooperative },
      stream: streams[i] ?? 0,
      isDependent: dependentOn.length > 0,
      after: after.map((number) => launches.find((one) => one.number === number)?.syntax.name ?? ''),
      arguments: argumentsOf(launch, file, memory),
    };
  });
  return {
    name: program.name,
    expects: program.expectations.map(({ expectation }) => expectation),
    hang: hangOf(program, launches),
    launches: written,
    ...memory.contents,
    notes: [
      ...launches.flatMap(({ syntax: { name, runs } }) =>
        isAboutAll(runs) ? [] : [`${name}: all of its threads run, not only those that the test names`],
      ),
      ...memory.notes,
      ...launches.flatMap(({ syntax: { name, arguments: given } }) =>
        given.flatMap((one, i) =>
          isUnknown(one) ? [`${name}: parameter ${i}, or some of it, is not known, and is 0`] : [],
        ),
      ),
    ],
  };
}

const isUnknown = (argument: ArgumentSyntax): boolean =>
  argument.kind === 'unknown' || (argument.kind === 'fields' && argument.fields.some(isUnknown));

/** What a GPU cannot be asked. */
function refuse(file: LitmusFile, launches: readonly Launch[]): void {
  if (launches.length < file.launches.length) throw new Inexpressible('a kernel that it launches cannot be read');
  if (file.threads.length > 0) throw new Inexpressible('it has threads beside its launches');
  if (new Set(launches.map(({ gpu }) => gpu)).size > 1) throw new Inexpressible('it launches on several GPUs');
  const bodies = launches.map(({ entry: { body } }) => body.source.text.slice(body.start, body.end));
  if (bodies.some((text) => /\b(tex|tld4|txq|suld|sust|sured|suq)\./.test(text)))
    throw new Inexpressible('it has textures or surfaces, which its runner does not make');
  for (const { module } of launches) {
    const number = Number(/^sm_(\d+)/.exec(module.target ?? '')?.[1] ?? 0);
    if (number > LATEST_TARGET)
      throw new Inexpressible(`${module.source.path} is for ${module.target}, and an H200 is sm_${LATEST_TARGET}`);
  }
}

/** Of Hopper. */
const LATEST_TARGET = 90;

/** Programmatic dependent launch is an attribute of the next launch in a stream (cudaLaunchAttributeID). */
function streamsOf(launches: readonly Launch[]): readonly number[] {
  const streams: number[] = [];
  const last = new Map<number, number>();
  let next = 0;
  for (const [i, { syntax, number, after, dependentOn }] of launches.entries()) {
    const before = new Set(launches.slice(0, i).map((one) => one.number));
    const late = [...after, ...dependentOn].find((one) => !before.has(one));
    if (late !== undefined) throw new Inexpressible(`${syntax.name}: it comes after a launch that stands behind it`);
    const [primary, ...others] = dependentOn;
    if (others.length > 0) throw new Inexpressible(`${syntax.name}: it depends on several launches`);
    const stream = primary === undefined ? next++ : [...last].find(([, one]) => one === primary)?.[0];
    if (stream === undefined)
      throw new Inexpressible(`${syntax.name}: another launch stands in its stream behind the one that it depends on`);
    streams.push(stream);
    last.set(stream, number);
  }
  return streams;
}

function argumentsOf(launch: Launch, file: LitmusFile, memory: LaunchMemory): readonly LaunchArgument[] {
  const descriptors = new Set(file.declarations.flatMap((one) => (one.kind === 'descriptor' ? [one.name] : [])));
  const { declarations } = parameterDeclarations(launch, (name) => name, tensorMaps(file.declarations), descriptors);
  return declarations.map(({ name, elements = 0, directives, initial }): LaunchArgument => {
    const given = initial?.kind === 'record' ? initial.fields : [];
    return {
      size: elements * ((typeIn(directives)?.width ?? 8) / 8),
      fields: given.map(({ at, bytes, value }) => {
        const where = `${launch.syntax.name}: parameter ${name}`;
        switch (value.kind) {
          case 'number':
            return { kind: 'number', at, bytes, value: value.value };
          case 'address':
            memory.mustHave(value.name, where);
            return { kind: 'address', at, name: value.name, offset: value.offset };
          case 'map':
            memory.mustHave(value.name, where);
            return { kind: 'map', at, name: value.name };
          case 'descriptor':
            throw new Inexpressible(`${where}: a matrix descriptor, for which shared memory has to have a place`);
        }
      }),
    };
  });
}

/** What a kernel waits in loops by. */
const SPINS = /\b(?:mbarrier\.(?:try|test)_wait|ld\.(?:volatile|relaxed|acquire|mmio)|ld\.global\.c[gv]|atom)\b/;
const BARRIERS = /\b(?:bar|barrier)\.(?!warp)/;

/**
 * That a thread waits for ever at a barrier of the hardware is told apart by the kernel alone: one that has barriers
 * and nothing else to wait by.
 */
function hangOf({ expectations }: Program, launches: readonly Launch[]): Hang {
  const expects = (finding: string): boolean => expectations.some((one) => one.finding === finding && !one.isDenied);
  const bodies = launches.map(({ entry: { body } }) => body.source.text.slice(body.start, body.end));
  if (expects('deadlock')) return bodies.some((body) => BARRIERS.test(body) && !SPINS.test(body)) ? 'barrier' : 'spin';
  return expects('undefined') ? 'undefined' : 'none';
}
