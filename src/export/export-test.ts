import { KernelEntry } from '../convert/kernel-entry.js';
import { KernelMemory } from '../convert/kernel-memory.js';
import { type KernelGrid, type KernelPlace, kernelPlaces } from '../convert/kernel-places.js';
import { entryName, moduleText, refuseFunctions, threadsOf } from '../convert/write-kernel.js';
import { Inexpressible } from '../convert/written-thread.js';
import { WARP_SIZE } from '../kernel/grid.js';
import type { Program } from '../program/program.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { InstanceFrame, type InstanceShape, type StoredRegister } from './instance-frame.js';
import { type InstanceLocation, InstanceMemory, type InstanceTensor, type ObservedBytes } from './instance-memory.js';
import { type ExportedGrid, launchedCluster, launchedGrids } from './launched-grids.js';
import { mayBlock, refuse } from './refusals.js';

/** A test as a GPU can run it: a module, and what the runner must know of it. */
export interface ExportedTest {
  readonly name: string;
  readonly module: string;
  readonly grids: readonly ExportedGrid[];
  /** How many threads end. */
  readonly threads: number;
  /** How many instances a warp is in, a lane each. */
  readonly lanes: number;
  /** Threads can go on to the next instance, in the same launch. */
  readonly isRepeated: boolean;
  readonly isJammed: boolean;
  /** Of an instance, in global memory. */
  readonly locations: readonly InstanceLocation[];
  readonly tensors: readonly InstanceTensor[];
  /** 8-byte words that an instance leaves, before the one that counts its threads. */
  readonly words: number;
  /** The values that make up a final state, as the test names them. */
  readonly observed: readonly (
    | { readonly name: string; readonly from: 'word'; readonly word: number; readonly bytes: number }
    | ({ readonly from: 'memory' } & ObservedBytes)
  )[];
}

/** A test, or why no GPU runs it. */
export type Exported = ExportedTest | { readonly name: string; readonly refused: string };

/** Writes a test for a GPU of Hopper's kind: the instructions as they stand, in a frame of our own. */
export function exportTest(file: LitmusFile, program: Program): Exported {
  try {
    return exported(file, program);
  } catch (thrown) {
    if (thrown instanceof Inexpressible) return { name: program.name, refused: thrown.message };
    throw thrown;
  }
}

function exported(file: LitmusFile, program: Program): ExportedTest {
  refuse(file, program);
  const { grids, places } = kernelPlaces(program.threads.map(({ placement }) => placement));
  if (grids.length === 0) throw new Inexpressible('it has no thread of a GPU');
  const numbers = new Map(program.threads.map(({ placement }, i) => [placement.cta, places[i]?.cta ?? 0]));
  const memory = new InstanceMemory(program, file, numbers);
  if (grids.length > 1 && memory.observedShared.length > 0)
    throw new Inexpressible(`${memory.observedShared[0]?.name}: in the shared memory of one grid of several`);
  const launched = launchedGrids(file, grids);
  const isOrdered = launched.some(({ waits, isDependent, stream }, i) => waits.length > 0 || isDependent || stream < i);
  const isFilled = mayFillWarps(
    program,
    places.flatMap((place) => place?.tid ?? []),
  );
  const shape: InstanceShape = {
    lanes: isFilled ? WARP_SIZE : 1,
    isJammed: grids.length === 1 && grids[0]?.ctas === 1 && !mayBlock(program),
    meeting: new Set(program.threads.map(({ placement: { cta } }) => cta)).size,
    scope: new Set(grids.map(({ gpu }) => gpu)).size > 1 ? 'sys' : 'gpu',
  };
  const stored = storedRegisters(program);
  const words = stored.length + memory.observedShared.length;
  const { module, entries } = modulesOf(file, program, grids, places, (grid, own) => {
    const meeting = isOrdered ? new Set(own.map(({ cta }) => cta)).size : shape.meeting;
    return new InstanceFrame(grid, own, memory, stored, words, { ...shape, meeting });
  });
  return {
    ...{ name: program.name, lanes: shape.lanes, isJammed: shape.isJammed, words, isRepeated: !isOrdered, module },
    grids: launched.map((one, i) => ({
      ...{ ...one, entry: entries[i] ?? '' },
      block: Math.ceil(one.block / shape.lanes) * shape.lanes,
      together: grids.length === 1 ? launchedCluster(one, file) : one.cluster,
    })),
    threads: places.filter((place) => place !== undefined).length,
    ...{ locations: memory.locations, tensors: memory.tensors },
    observed: observedValues(program, memory, stored.length),
  };
}

/** Each register of a final state has a word of the results. */
function storedRegisters({ observed, threads }: Program): readonly StoredRegister[] {
  const registers = observed.flatMap((one) => (one.kind === 'register' ? [one] : []));
  return registers.map(({ thread, register }, word): StoredRegister => {
    const of = threads[thread];
    const width = of?.registers.get(register)?.type.width ?? 0;
    if (of === undefined || width > 64) throw new Inexpressible(`${register}: no register of at most 64 bits`);
    return { thread: of.name, register, word };
  });
}

/** Where an instance leaves the values of its final state: `firstShared` is the first word behind the registers. */
function observedValues(
  { observed }: Program,
  { observedShared, observedGlobal }: InstanceMemory,
  firstShared: number,
): ExportedTest['observed'] {
  const registers = observed.flatMap((one) => (one.kind === 'register' ? [one] : []));
  return [
    ...registers.map(({ name, type }, word) => ({
      ...({ name, from: 'word', word } as const),
      bytes: Math.max(1, type.width / 8),
    })),
    ...observedShared.map(({ name, bytes }, i) => ({
      ...({ name, from: 'word', bytes } as const),
      word: firstShared + i,
    })),
    ...observedGlobal.map((one) => ({ ...one, from: 'memory' as const })),
  ];
}

/** The module of a test, with an entry for each of its grids in the frame that this one gets. */
function modulesOf(
  file: LitmusFile,
  program: Program,
  grids: readonly KernelGrid[],
  places: readonly (KernelPlace | undefined)[],
  frameOf: (grid: KernelGrid, places: readonly KernelPlace[]) => InstanceFrame,
): { readonly module: string; readonly entries: readonly string[] } {
  const placements = program.threads.map(({ placement }) => placement);
  const memory = new KernelMemory(file, program.locations, placements);
  refuseFunctions(file, memory);
  const entries = grids.map((grid) => {
    const own = threadsOf(grid, file, program, places);
    const ownPlaces = own.map(({ place }) => place);
    return new KernelEntry(entryName(file, grid, grids), grid, own, file, memory, frameOf(grid, ownPlaces));
  });
  const text = moduleText(file, entries, memory);
  if (/^\.target sm_1/m.test(text)) throw new Inexpressible('its instructions need a later GPU than sm_90');
  const module = text.replace(/^\.target sm_90$/m, '.target sm_90a');
  // The GPU wants the shared memory of tensor copies there, whatever else the variable says.
  const aligned = file.source.text.includes('.tensor.')
    ? module.replace(/^\.shared (\.align \d+ )?/gm, '.shared .align 128 ')
    : module;
  return {
    module: `${aligned}.file 1 "${file.name.replace(/"/g, '')}"\n`,
    entries: entries.map(({ name }) => name),
  };
}

/**
 * Where each thread is the first lane of a warp of its own, and nothing is shared by lanes, CTAs or in shared memory,
 * the other lanes are threads of other instances: many accesses at once are what makes their reordering seen.
 */
function mayFillWarps({ threads, locations }: Program, tids: readonly number[]): boolean {
  const isAlone = tids.every((tid) => tid % WARP_SIZE === 0);
  const isGlobal = locations.ranges.every(({ object }) => object.space === 'global');
  const isPlain = threads.every(({ statements }) => statements.every(({ operation: { kind } }) => PLAIN.has(kind)));
  return isAlone && isGlobal && isPlain;
}

const PLAIN: ReadonlySet<string> = new Set(['load', 'store', 'atomic', 'fence', 'compute', 'branch', 'require']);
