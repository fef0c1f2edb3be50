import { type Diagnostic, warning } from '../diagnostics/diagnostic.js';
import { citation, type Span } from '../diagnostics/source.js';
import { wgmmaRegisters } from '../isa/decode-wgmma.js';
import { Decoder } from '../isa/decoder.js';
import type { Code } from '../launch/code.js';
import { coverPairs } from '../launch/cover-pairs.js';
import { type LaunchedThread, volume } from '../launch/grid.js';
import { type AskedBytes, type FoundAccesses, Meetings } from '../launch/meetings.js';
import { completed, namedThreads, type Ways } from '../launch/run-threads.js';
import { EndlessWalk } from '../launch/walk.js';
import type { LocationTable } from '../program/locations.js';
import type { Placement } from '../program/placement.js';
import type { CheckBudget } from '../program/undecided.js';
import type { Clause, LocationTerm, Proposition, Term } from '../syntax/condition-ast.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { LocationBuilder } from './build-locations.js';
import { declaredRegisters, writtenRegisters } from './build-registers.js';
import { buildTensorMemory } from './build-tensor-memory.js';
import { kernelCode } from './kernel-code.js';
import { type ChosenThreads, knownMemory, threadsOf, walkThreads } from './launch-threads.js';
import type { LaunchPlan, PlannedLaunch } from './plan-launches.js';

/** What the threads of a test do, as far as that is known before it is run. */
export interface Analysis {
  readonly chosen: readonly (ChosenThreads & { readonly ways: Ways; readonly widened: Set<number> })[];
  /** Names of locations that some thread of the test may write. */
  readonly written: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Threads of a launch that are followed: more would take too long. */
const MOST_FOLLOWED = 16_384;

/** How many threads `run auto` chooses at most, in all. */
export const DEFAULT_MOST_THREADS = 12;

/** Follows all threads of the launches, and chooses those that are run. */
export function chooseThreads(
  file: LitmusFile,
  plan: LaunchPlan,
  mostThreads: number,
  checkBudget: CheckBudget,
): Analysis {
  const diagnostics: Diagnostic[] = [];
  const walks = plan.launches.map((planned) => new LaunchWalk(file, plan, planned, checkBudget, diagnostics));
  const written = new Set(wordsOfThreads(file));
  if (diagnostics.some(({ severity }) => severity === 'error')) return { chosen: [], written, diagnostics };
  // What is written must be known before anything is taken to be as it was in the beginning.
  for (const walk of walks) for (const name of walk.written()) written.add(name);
  const meetings = new Meetings(walks[0]?.askedBytes(file, plan.aliases) ?? []);
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

/** Words of the threads that a test writes out: locations among them may be written there. */
const wordsOfThreads = ({ threads }: LitmusFile): readonly string[] =>
  threads.flatMap(({ statements }) =>
    statements.flatMap(({ span: { source, start, end } }) => source.text.slice(start, end).match(/[\w$]+/g) ?? []),
  );

/** One launch, followed with the memory that a CTA of it sees. */
class LaunchWalk {
  readonly widened = new Set<number>();
  readonly notes: string[] = [];
  private readonly codes: readonly Code[];
  private readonly locations: LocationTable;
  private readonly threads: readonly LaunchedThread[];

  constructor(
    file: LitmusFile,
    plan: LaunchPlan,
    private readonly planned: PlannedLaunch,
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
    this.codes = placements.map((placement) => {
      const decoder = decoderFor(planned, placement, memory, tensorMemory, []);
      const read = kernelCode(decoder, planned.body, planned.special, checkBudget);
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
  askedBytes({ clauses }: LitmusFile, aliases: ReadonlyMap<string, string>): readonly AskedBytes[] {
    return clauses.flatMap(locationsIn).flatMap(({ name, index, offset }): readonly AskedBytes[] => {
      const [range] = this.locations.named(aliases.get(name) ?? name);
      if (range === undefined) return [];
      const bytes = range.elementType.width / 8;
      const start = offset === undefined ? Number(index ?? 0n) * bytes : Number(offset);
      return [{ name: range.name, start, end: start + bytes }];
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

  named(): ReturnType<typeof namedThreads> {
    return namedThreads(this.planned.launch.syntax.runs, this.shape);
  }

  /** The names of the locations that its threads may write. */
  written(): ReadonlySet<string> {
    const names = new Set<string>();
    const meetings = new Meetings();
    this.walk(0, () => true, meetings);
    for (const { location, writes } of meetings.of(0)) if (writes) names.add(location);
    const isAnywhere = [...meetings.anywhere.values()].some(({ writes }) => writes);
    if (isAnywhere) for (const { name } of this.locations.ranges) names.add(name);
    return names;
  }

  /** What its threads touch, and which of them go the same way. */
  accesses(index: number, written: ReadonlySet<string>, meetings: Meetings): FoundAccesses {
    const groups = this.walk(index, (name) => written.has(name), meetings);
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
    isWritten: (name: string) => boolean,
    meetings: Meetings,
  ): readonly (readonly LaunchedThread[])[] {
    const memory = knownMemory(this.locations, isWritten);
    const codeOf = (rank: number): Code => this.codes[rank] as Code;
    this.checkBudget();
    try {
      return walkThreads(this.planned, codeOf, this.threads, memory, this.widened, (threads) =>
        meetings.hooks(index, this.planned.launch, this.locations, codeOf, threads),
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
  return new Decoder(
    placement,
    memory.locations,
    known,
    predicates,
    registers,
    (name, span) => memory.implicit(name, span),
    false,
    body.cells,
    prerequisites.length > 0 ? prerequisites : launch.dependentOn,
    wgmmaRegisters(body.statements),
    memory.descriptors,
    tensorMemory,
  );
}

/** The locations whose final values a clause asks for. */
function locationsIn(clause: Clause): readonly LocationTerm[] {
  const ofTerm = (term: Term): readonly LocationTerm[] => (term.kind === 'location' ? [term] : []);
  const of = (proposition: Proposition): readonly LocationTerm[] => {
    switch (proposition.kind) {
      case 'constant':
        return [];
      case 'not':
        return of(proposition.operand);
      case 'compare':
        return [...ofTerm(proposition.left), ...ofTerm(proposition.right)];
      default:
        return proposition.operands.flatMap(of);
    }
  };
  if (clause.kind === 'locations') return clause.terms.flatMap(ofTerm);
  return clause.kind === 'condition' || clause.kind === 'filter' ? of(clause.proposition) : [];
}
