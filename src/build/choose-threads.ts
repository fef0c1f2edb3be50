import { type Diagnostic, warning } from '../diagnostics/diagnostic.js';
import { citation, type Span } from '../diagnostics/source.js';
import { Decoder } from '../isa/decoder.js';
import { wgmmaRegisters } from '../isa/wgmma.js';
import type { Code } from '../launch/code.js';
import { coverPairs } from '../launch/cover-pairs.js';
import { type LaunchedThread, volume } from '../launch/grid.js';
import { type AskedBytes, type FoundAccesses, Meetings } from '../launch/meetings.js';
import { completed, namedThreads, type Ways } from '../launch/run-threads.js';
import { EndlessWalk } from '../launch/walk.js';
import type { LocationTable } from '../program/locations.js';
import type { Placement } from '../program/placement.js';
import type { CheckBudget } from '../program/undecided.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { type Asked, placeInLaunch } from './asked.js';
import { LocationBuilder } from './build-locations.js';
import { declaredRegisters, writtenRegisters } from './build-registers.js';
import { buildTensorMemory } from './build-tensor-memory.js';
import { kernelCode } from './kernel-code.js';
import { type ChosenThreads, type IsWritten, knownMemory, threadsOf, walkThreads } from './launch-threads.js';
import type { LaunchPlan, PlannedLaunch } from './plan-launches.js';
import { addWrittenOut, WrittenMemory } from './written-memory.js';

/** What the threads of a test do, as far as that is known before it is run. */
export interface Analysis {
  readonly chosen: readonly (ChosenThreads & { readonly ways: Ways; readonly widened: Set<number> })[];
  readonly written: WrittenMemory;
  readonly diagnostics: readonly Diagnostic[];
}

/** Threads of a launch that are followed: more would take too long. */
const MOST_FOLLOWED = 16_384;

/** How many threads `run auto` chooses at most, in all. */
const DEFAULT_MOST_THREADS = 12;

/** How a test is read. */
export interface BuildOptions {
  /** How many threads `run auto` chooses at most, in all. */
  readonly mostThreads?: number | undefined;
  /** Nothing is left out that no question depends on, and no memory that could be written is taken as known. */
  readonly isWhole?: boolean | undefined;
}

/** Follows all threads of the launches, and chooses those that are run. */
export function chooseThreads(
  file: LitmusFile,
  plan: LaunchPlan,
  asked: Asked,
  { mostThreads = DEFAULT_MOST_THREADS, isWhole = false }: BuildOptions,
  checkBudget: CheckBudget,
): Analysis {
  const diagnostics: Diagnostic[] = [];
  const walks = plan.launches.map((planned) => new LaunchWalk(file, plan, planned, asked, checkBudget, diagnostics));
  const written = new WrittenMemory();
  if (diagnostics.some(({ severity }) => severity === 'error')) return { chosen: [], written, diagnostics };
  // What is written must be known before anything is taken to be as it was in the beginning.
  if (isWhole) written.addAll();
  for (const walk of walks) {
    if (file.threads.length > 0) addWrittenOut(written, file, walk.locations, plan.aliases);
    walk.addWritten(written);
  }
  const meetings = new Meetings(walks[0]?.askedBytes(plan.aliases) ?? []);
  const found = walks.map((walk, index) => walk.accesses(index, written, meetings));
  const explicit = walks.map((walk) => walk.named());
  diagnostics.push(...explicit.flatMap((one) => one.diagnostics));
  if (diagnostics.some(({ severity }) => severity === 'error')) return { chosen: [], written, diagnostics };
  const covered = coverPairs(
    found.map((one, index) => ({
      ...one,
      given: explicit[index]?.threads ?? [],
      isOpen: walks[index]?.isAuto === true,
    })),
    meetings,
    mostThreads,
  );
  const chosen = walks.map((walk, index) => {
    const ways = found[index]?.ways ?? (() => []);
    const cover = covered[index];
    return {
      chosen: completed(walk.shape, cover?.threads ?? [], ways, walk.isExact),
      pairs: cover?.pairs ?? 0,
      uncovered: cover?.uncovered ?? [],
      elsewhere: cover?.elsewhere ?? [],
      notes: [...walk.notes, ...unknownAddresses(walk, index, meetings), ...(cover?.outside ?? [])],
      remarks: cover?.remarks ?? [],
      choice: walk.isExact ? ('exactly' as const) : walk.isAuto ? ('auto' as const) : ('named' as const),
      ways,
      widened: walk.widened,
    };
  });
  return { chosen, written, diagnostics: [...diagnostics, ...unseenWrites(walks, chosen, meetings)] };
}

/** Instructions of which it is not known what they touch. */
const unknownAddresses = (walk: LaunchWalk, index: number, { anywhere }: Meetings): readonly string[] =>
  [...anywhere.values()]
    .filter(({ launch }) => launch === index)
    .flatMap(({ statement }) => {
      const span = walk.spanOf(statement);
      return span === undefined ? [] : [`the address of ${citation(span)} comes out of memory: it may be any`];
    });

/** What threads would write that are not run, and a condition asks for. */
function unseenWrites(
  walks: readonly LaunchWalk[],
  chosen: Analysis['chosen'],
  meetings: Meetings,
): readonly Diagnostic[] {
  return [...meetings.askedWriters.values()].flatMap(({ launch, statement, asked, threads }) => {
    const run = new Set(chosen[launch]?.chosen.threads.map(({ cta, tid }) => `${cta} ${tid}`));
    const shown = [...threads.keys()].filter((thread) => run.has(thread)).length;
    const span = walks[launch]?.spanOf(statement);
    if (shown === threads.size || span === undefined) return [];
    const what = `${threads.size} threads may execute this, and ${shown} of them ${shown === 1 ? 'is' : 'are'} run`;
    return [warning('L0212', span, what, `a condition asks for ${asked.name}, which the others may write as well`)];
  });
}

/** One launch, followed with the memory that a CTA of it sees. */
class LaunchWalk {
  readonly widened = new Set<number>();
  readonly notes: string[] = [];
  private readonly codes: readonly Code[];
  readonly locations: LocationTable;
  private readonly threads: readonly LaunchedThread[];

  constructor(
    file: LitmusFile,
    plan: LaunchPlan,
    private readonly planned: PlannedLaunch,
    private readonly asked: Asked,
    private readonly checkBudget: CheckBudget,
    diagnostics: Diagnostic[],
  ) {
    const { shape } = planned.launch;
    const placements = Array.from({ length: volume(shape.cluster) }, (_, rank) => placementOf(planned, rank));
    const memory = new LocationBuilder([...file.declarations, ...plan.declarations], placements, checkBudget);
    memory.declareVariables(planned.body.variables);
    this.locations = memory.locations;
    const tensorMemory = buildTensorMemory(
      placements.map((placement) => ({ placement, statements: planned.body.statements })),
      memory,
    );
    diagnostics.push(...memory.diagnostics);
    // Which threads are meant by numbers is not known yet.
    const registers = new Set(asked.registers.map(({ register }) => register));
    this.codes = placements.map((placement) => {
      const decoder = decoderFor(planned, placement, memory, tensorMemory, []);
      const read = kernelCode(decoder, planned.body, planned.special, registers, checkBudget);
      diagnostics.push(...read.diagnostics);
      return read.code;
    });
    const all = threadsOf(planned.launch);
    this.threads = all.slice(0, Math.max(1, Math.floor(MOST_FOLLOWED / volume(shape.block))) * volume(shape.block));
    if (this.threads.length < all.length)
      this.notes.push(
        `the first ${this.threads.length} of ${all.length} threads were followed: what others touch is not known`,
      );
  }

  spanOf(statement: number): Span | undefined {
    return this.codes[0]?.statements[statement]?.span;
  }

  /** The bytes of locations that the conditions of the test name. */
  askedBytes(aliases: ReadonlyMap<string, string>): readonly AskedBytes[] {
    return this.asked.locations.flatMap(({ name, index, offset }): readonly AskedBytes[] => {
      const [range] = this.locations.named(aliases.get(name) ?? name);
      if (range === undefined) return [];
      const bytes = range.elementType.width / 8;
      const start = offset === undefined ? Number(index ?? 0n) * bytes : Number(offset);
      return [{ name: this.locations.nameOf(range.object), start, end: start + bytes }];
    });
  }

  get shape(): PlannedLaunch['launch']['shape'] {
    return this.planned.launch.shape;
  }

  get isAuto(): boolean {
    const { runs } = this.planned.launch.syntax;
    return runs.length === 0 || runs.some(({ kind }) => kind === 'auto');
  }

  get isExact(): boolean {
    return this.planned.launch.syntax.runs.some(({ exactly }) => exactly);
  }

  /** The threads that the launch names, and those that conditions name. */
  named(): ReturnType<typeof namedThreads> {
    const { syntax } = this.planned.launch;
    const { threads, diagnostics } = namedThreads(syntax.runs, this.shape);
    if (this.isExact) return { threads, diagnostics };
    const wanted = new Set(this.asked.registers.map(({ thread }) => thread));
    const more = threadsOf(this.planned.launch).filter((one) =>
      wanted.has(placeInLaunch({ launch: syntax.name, ...one })),
    );
    return { threads: [...threads, ...more], diagnostics };
  }

  /** Adds what its threads may write. */
  addWritten(written: WrittenMemory): void {
    const meetings = new Meetings();
    // A descriptor may be what is written: that is known when all is.
    this.walk(
      0,
      () => true,
      meetings,
      () => false,
    );
    for (const { location, writes } of meetings.of(0)) if (writes) written.add(location);
    for (const map of meetings.mapsWritten) written.addMap(map);
    if ([...meetings.anywhere.values()].some(({ writes }) => writes)) written.addAll();
  }

  /** What its threads touch, and which of them go the same way. */
  accesses(index: number, written: WrittenMemory, meetings: Meetings): FoundAccesses {
    const groups = this.walk(index, (object) => written.has(this.locations, object), meetings);
    const byCta = new Map<number, (readonly number[])[]>();
    for (const group of groups) {
      const own = new Map<number, number[]>();
      for (const { cta, tid } of group) {
        const list = own.get(cta);
        if (list === undefined) own.set(cta, [tid]);
        else list.push(tid);
      }
      for (const [cta, tids] of own) byCta.set(cta, [...(byCta.get(cta) ?? []), tids.sort((a, b) => a - b)]);
    }
    const first = byCta.get(0) ?? [];
    return {
      launch: this.planned.launch,
      code: this.codes[0],
      ways: (cta) => (byCta.get(cta) ?? first).toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0)),
    };
  }

  private walk(
    index: number,
    isWritten: IsWritten,
    meetings: Meetings,
    mayChange = isWritten,
  ): readonly (readonly LaunchedThread[])[] {
    const memory = knownMemory(this.locations, isWritten);
    const codeOf = (rank: number): Code => this.codes[rank] as Code;
    this.checkBudget();
    try {
      return walkThreads(this.planned, codeOf, this.threads, memory, this.widened, (threads) =>
        meetings.hooks(index, this.planned.launch, this.locations, codeOf, threads, mayChange),
      );
    } catch (thrown) {
      if (!(thrown instanceof EndlessWalk)) throw thrown;
      this.notes.push('its loops go round too often to be followed');
      return [this.threads];
    }
  }
}

/** Where a thread of a rank of a cluster is, as far as addresses follow from that. */
function placementOf({ launch: { gpu, number, shape } }: PlannedLaunch, rank: number): Placement {
  return {
    thread: rank,
    gpu,
    grid: number,
    cluster: 'cluster',
    cta: `cta ${rank}`,
    ctaNumber: rank,
    warp: `warp of ${rank}`,
    warpNumber: 0,
    clusterIndex: 0,
    rank,
    clusterSize: volume(shape.cluster),
    warpIndex: 0,
    lane: 0,
    lanes: 1,
    warpLanes: Math.min(32, volume(shape.block)),
    firstLane: 0,
  };
}

/** A decoder of a kernel for the threads of one CTA. */
export function decoderFor(
  { body, special, fixed, launch }: PlannedLaunch,
  placement: Placement,
  memory: LocationBuilder,
  tensorMemory: ReturnType<typeof buildTensorMemory>,
  prerequisites: readonly number[],
): Decoder {
  const declared = declaredRegisters(body);
  const known = new Set([...declared.types.keys(), ...writtenRegisters(body), ...body.cells.keys(), ...special]);
  const predicates = new Set([...declared.types].filter(([, type]) => type.kind === 'pred').map(([name]) => name));
  const registers = new Map(
    [...fixed].map(([name, value]): [string, bigint] => {
      if (typeof value === 'bigint') return [name, value];
      const base = memory.locations.named(value)[0]?.base ?? 0n;
      return [name, name === 'envreg1' ? base >> 32n : base & 0xffff_ffffn];
    }),
  );
  return new Decoder({
    placement,
    locations: memory.locations,
    registers: known,
    predicates,
    specialRegisters: registers,
    implicitLocation: (name, span) => memory.implicit(name, span),
    isDat3m: false,
    cells: body.cells,
    prerequisites: prerequisites.length > 0 ? prerequisites : launch.dependentOn,
    fragments: wgmmaRegisters(body.statements),
    descriptors: memory.descriptors,
    tensorMemory,
  });
}
