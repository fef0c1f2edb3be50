import { instructionsIn, KernelEntry } from '../convert/kernel-entry.js';
import { KernelMemory } from '../convert/kernel-memory.js';
import { type KernelGrid, kernelPlaces } from '../convert/kernel-places.js';
import { entryName, moduleText, refuseFunctions } from '../convert/write-kernel.js';
import { Inexpressible } from '../convert/written-thread.js';
import { WARP_SIZE } from '../kernel/grid.js';
import { registersRead, registersWritten } from '../program/operands.js';
import type { Program } from '../program/program.js';
import { specialRegisters } from '../program/special-registers.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { InstanceFrame, type StoredRegister } from './instance-frame.js';
import { InstanceMemory } from './instance-memory.js';

/** A test as a GPU can run it: a module, and what the runner must know of it. */
export interface ExportedTest {
  readonly name: string;
  readonly module: string;
  readonly entry: string;
  /** Of one instance. */
  readonly ctas: number;
  readonly block: number;
  readonly cluster: number;
  /** How many threads end. */
  readonly threads: number;
  /** How many instances a warp is in, a lane each. */
  readonly lanes: number;
  /** What the memory of an instance holds before each launch. */
  readonly image: Uint8Array;
  /** 8-byte words that an instance leaves, before the one that counts its threads. */
  readonly words: number;
  /** The values that make up a final state, as the test names them. */
  readonly observed: readonly (
    | { readonly name: string; readonly from: 'word'; readonly word: number; readonly bytes: number }
    | { readonly name: string; readonly from: 'memory'; readonly offset: number; readonly bytes: number }
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
  const placements = program.threads.map(({ placement }) => placement);
  const { grids, places } = kernelPlaces(placements);
  const [grid, ...others] = grids;
  if (grid === undefined) throw new Inexpressible('it has no thread of a GPU');
  if (others.length > 0) throw new Inexpressible('it has several grids, or several GPUs');
  const numbers = new Map(program.threads.map(({ placement }, i) => [placement.cta, places[i]?.cta ?? 0]));
  const memory = new InstanceMemory(program, file, numbers);
  const registers = program.observed.flatMap((one) => (one.kind === 'register' ? [one] : []));
  const stored = registers.map(({ thread, register }, word): StoredRegister => {
    const of = program.threads[thread];
    const width = of?.registers.get(register)?.type.width ?? 0;
    if (of === undefined || width > 64) throw new Inexpressible(`${register}: no register of at most 64 bits`);
    return { thread: of.name, register, word };
  });
  const kernelMemory = new KernelMemory(file, program.locations, placements);
  refuseFunctions(file, kernelMemory);
  const own = program.threads.flatMap((thread, i) => {
    const place = places[i];
    const syntax = file.threads[i];
    if (place === undefined || syntax === undefined) return [];
    return [{ thread, place, syntax, special: specialRegisters(placements, thread.placement) }];
  });
  const cluster = launchedCluster(grid, file);
  const lanes = mayFillWarps(
    program,
    own.map(({ place }) => place.tid),
  )
    ? WARP_SIZE
    : 1;
  const frame = new InstanceFrame(grid, memory, stored, cluster, lanes);
  const entry = new KernelEntry(entryName(file, grid, grids), grid, own, file, kernelMemory, frame);
  const module = moduleText(file, [entry], kernelMemory);
  if (/^\.target sm_1/m.test(module)) throw new Inexpressible('its instructions need a later GPU than sm_90');
  const words = registers.map(({ name, type }, word) => ({
    ...({ name, from: 'word', word } as const),
    bytes: Math.max(1, type.width / 8),
  }));
  const left = memory.observedShared.map(({ name, bytes }, i) => ({
    ...({ name, from: 'word', bytes } as const),
    word: stored.length + i,
  }));
  return {
    ...{ name: program.name, module: module.replace(/^\.target sm_90$/m, '.target sm_90a'), entry: entry.name },
    ...{ ctas: grid.ctas, cluster, threads: own.length, lanes },
    block: Math.ceil(grid.block / lanes) * lanes,
    image: memory.image,
    words: stored.length + left.length,
    observed: [...words, ...left, ...memory.observedGlobal.map((one) => ({ ...one, from: 'memory' as const }))],
  };
}

/**
 * CTAs of clusters of their own are launched as one cluster, whose barrier lets them begin together, where nothing that
 * the test executes can tell: no scope, address or barrier of a cluster.
 */
function launchedCluster({ ctas, cluster }: KernelGrid, file: LitmusFile): number {
  const tells = file.threads.some(({ statements }) =>
    instructionsIn(statements).some(
      ({ mnemonic, qualifiers }) => mnemonic === 'mapa' || qualifiers.some(({ text }) => text.includes('cluster')),
    ),
  );
  return cluster > 1 || tells || ctas > LARGEST_CLUSTER ? cluster : ctas;
}

/** That every GPU with clusters has. */
const LARGEST_CLUSTER = 8;

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

/** What a run cannot be asked, or cannot end. */
function refuse(file: LitmusFile, program: Program): void {
  if (file.launches.length > 0) throw new Inexpressible('it launches kernels');
  if (program.threads.some(({ placement }) => placement.gpu === undefined))
    throw new Inexpressible('it has threads of the host');
  if (program.observed.length === 0) throw new Inexpressible('it asks for no value of a final state');
  const deadlocks = program.expectations.some(({ finding, isDenied }) => finding === 'deadlock' && !isDenied);
  if (deadlocks) throw new Inexpressible('it expects a deadlock');
  if (program.expectations.some(({ finding, isDenied }) => finding === 'undefined' && !isDenied))
    throw new Inexpressible('it expects undefined behavior');
  refuseHangs(program);
  refuseUnbranched(program);
  if (/\bmultimem\./.test(file.source.text)) throw new Inexpressible('multimem: an address for several GPUs');
  if (program.filter !== undefined) throw new Inexpressible('it filters its executions');
}

/**
 * ptxas lets a load behind a wait begin before the answer is there, unless a branch needs the answer: what is seen then
 * is not the machine's doing.
 */
function refuseUnbranched({ threads }: Program): void {
  for (const { name, statements } of threads) {
    for (const { operation } of statements) {
      if (operation.kind !== 'mbarrier' || operation.action !== 'wait') continue;
      const reached = new Set([operation.target]);
      for (const { operation: other } of statements)
        if (registersRead(other).some((one) => reached.has(one)))
          for (const one of registersWritten(other)) reached.add(one);
      const isBranched = statements.some(
        ({ operation: { kind }, guard }) => kind === 'branch' && guard !== undefined && reached.has(guard.register),
      );
      if (!isBranched) throw new Inexpressible(`${name}: the answer of a wait that no branch asks for`);
    }
  }
}

/**
 * What a GPU may wait for without an end: nothing bounds the wait at a barrier, and a GPU that hangs does not let its
 * process go. Waiting loops give up by the clock.
 */
function refuseHangs({ threads }: Program): void {
  const barriers = threads.map(({ statements }) =>
    statements.flatMap(({ operation, guard }) =>
      operation.kind === 'barrier' || operation.kind === 'cluster-barrier' ? [{ barrier: operation, guard }] : [],
    ),
  );
  const isOfCta = ({ barrier }: (typeof barriers)[number][number]): boolean =>
    barrier.kind === 'barrier' && barrier.level === 'cta';
  for (const [i, { name, placement }] of threads.entries()) {
    const own = barriers[i] ?? [];
    const shares = threads.some(({ placement: other }, j) => i !== j && other.warp === placement.warp);
    if (own.some(isOfCta) && shares)
      throw new Inexpressible(`${name}: a barrier in a warp with another thread of the test, which may hang`);
    const ofCluster = own.flatMap(({ barrier }) => (barrier.kind === 'cluster-barrier' ? [barrier.action] : []));
    const balance = ofCluster.reduce((open, action) => open + (action === 'arrive' ? 1 : -1), 0);
    if (balance !== 0)
      throw new Inexpressible(`${name}: it does not wait for its last arrival at the cluster's barrier`);
    if (own.some(({ guard, barrier }) => guard !== undefined && barrier.kind === 'cluster-barrier'))
      throw new Inexpressible(`${name}: an arrival at the cluster's barrier that may not happen`);
  }
}

/** Whether some instruction of a test may keep its thread waiting, other than in a loop. */
export const mayBlock = ({ threads }: Program): boolean =>
  threads.some(({ statements }) =>
    statements.some(({ operation: { kind } }) => kind === 'barrier' || kind === 'cluster-barrier'),
  );
