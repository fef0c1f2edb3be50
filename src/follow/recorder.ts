import type { Span } from '../diagnostics/source.js';
import type { Tag } from '../effects/event-tags.js';
import type { Address } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import { Accesses, type UninitializedRead } from './accesses.js';
import type { Choice } from './choices.js';
import type { ReleaseFences } from './cluster-phases.js';
import type { Halt, IncompleteBarrier } from './halts.js';
import { OPEN_ADDRESS, type Spread } from './lane-place.js';
import { lanesIn } from './lanes.js';
import { within } from './made-tickets.js';
import { type Place, uninitializedAt, uninitializedRuns } from './memory-image.js';
import { numberGrowths } from './ticket-growth.js';
import type {
  AccessKind,
  Assumption,
  Count,
  Finding,
  FollowedThread,
  Step,
  Synchronization,
  TensorRow,
  TicketedAccess,
  Trace,
} from './trace.js';
import type { Turn } from './turn.js';
import type { Derived } from './warp.js';

/** What an effect does to memory. */
export interface Accessing {
  readonly reads: boolean;
  readonly writes: boolean;
  readonly tags: readonly Tag[];
  readonly scope: Scope | undefined;
  readonly commutes?: string | undefined;
  readonly change?: AccessKind['change'];
  readonly isPoll?: boolean;
  readonly unit?: number | undefined;
  /** It is made in some executions, which this run need not be one of. */
  readonly isPerhaps?: boolean;
}

/** What releases or acquires. */
export const HANDING = ['ACQ', 'REL', 'ACQ_REL', 'SC'] as const satisfies readonly Tag[];

/** Among more bytes than these an open address is not looked for one by one. */
const MOST_OPEN = 1 << 24;
/** Of more places in all, accesses whose address is open take all bytes from the first of theirs to the last. */
const MOST_PARTS_OF_ALL = 1 << 19;
const WIDE = `an address that is open, in more than ${MOST_OPEN} bytes that may be written`;

/** Takes down what threads do while they are followed. */
export class Recorder {
  readonly accesses = new Accesses();
  readonly issues: (readonly Step[])[] = [];
  readonly synchronizations: Synchronization[] = [];
  readonly assumptions: Assumption[] = [];
  readonly findings: Finding[] = [];
  readonly halts: Halt[] = [];
  readonly incomplete: IncompleteBarrier[] = [];
  readonly uninitialized: UninitializedRead[] = [];
  /** Where it is open which lanes are active, and those that come there together are taken to be. */
  readonly activeTogether = new Set<Span>();
  readonly requests = new Set<Span>();
  readonly choices: Choice[] = [];
  /** Words that atomics count, and how far they are taken to. */
  readonly counts = new Map<string, Count>();
  readonly tickets = new Map<number, TicketedAccess>();
  /** By write: what its value is made of, where that is not known. */
  readonly derived = new Map<number, Derived>();
  readonly tensors = new Map<number, TensorRow>();
  /** By row of a load that finds an element of a vector as it was before: that of the store that it does not find. */
  readonly torn = new Map<number, number>();
  readonly retold = new Set<number>();
  readonly kinds: AccessKind[] = [];
  readonly threads: FollowedThread[] = [];
  /** Something releases or acquires that is not followed; accesses and fences do. */
  hands = false;
  handsByAccesses = false;
  /** A fence is executed. */
  isFenced = false;
  /** Threads that have executed one that releases. */
  readonly releasing = new Set<number>();
  /** The same of fences of some accesses only, and of operations on mbarriers. */
  isRestricted = false;
  isRelaxed = false;
  /** By thread that has initialized mbarriers: where it has fenced that last, if it has (fence.mbarrier_init). */
  readonly initFences = new Map<number, Step | undefined>();
  /** By thread: its last fences that release, to threads of its CTA or to all of its cluster. */
  readonly releaseFences = new Map<number, ReleaseFences>();
  fencesInits = false;
  /** Lanes exchange values; that is taken to order nothing. */
  exchanges = false;
  /** Threads arrive relaxed at a barrier of their cluster. */
  isClusterRelaxed = false;
  /** How many places of accesses whose address is open have been taken down. */
  private parts = 0;
  private readonly kindOf = new Map<string, AccessKind>();
  private readonly foundAt = new Set<string>();
  private readonly positions: number[] = [];

  /** Threads whose steps are counted from here on; of one of a launch the first step is that it has started. */
  add(threads: readonly FollowedThread[], position = 0): void {
    for (const thread of threads) {
      this.threads.push(thread);
      this.positions.push(position);
    }
  }

  /** The kind of the accesses by an effect of the statement at hand. */
  kind(turn: Turn, effect: number, what: Accessing): AccessKind {
    const { warp, at, statement } = turn;
    const { reads, writes, tags, scope, commutes, change = 'set', isPoll = false, unit, isPerhaps = false } = what;
    const isPossible = isPerhaps || unit !== undefined || turn.isPossible;
    if (HANDING.some((tag) => tags.includes(tag)) && (unit !== undefined || warp.ways.isUndecided(turn.lanes)))
      throw turn.notFollowed('what releases or acquires, if it is done at all');
    const launch = warp.threads[0]?.launch ?? 0;
    const key = `${launch} ${at} ${effect} ${commutes} ${isPossible} ${unit}`;
    const known = this.kindOf.get(key);
    if (known !== undefined) return known;
    const place = { id: this.kinds.length, launch, statement: at, span: statement.span };
    const of = { reads, writes, tags: new Set(tags), scope, commutes, change, isPoll };
    const made: AccessKind = { ...place, ...of, isPossible, unit };
    this.kinds.push(made);
    const isHanding = HANDING.some((tag) => made.tags.has(tag));
    if (isHanding && made.tags.has('GEN')) this.handsByAccesses = true;
    else if (isHanding) this.hands = true;
    this.kindOf.set(key, made);
    return made;
  }

  /** Takes down an access; gives its row. `end`: from which step of its thread on it is complete, if not the next. */
  access(
    turn: Turn,
    lane: number,
    kind: AccessKind,
    place: Place,
    offset: number,
    bytes: number,
    end?: number,
  ): number {
    if (kind.writes && place.piece.object.size > MOST_OPEN) this.mustNotBeWide(turn, place, this.readAnywhere);
    // The first look of a wait is made for others.
    if (kind.reads && !kind.isPoll) this.mayBeUninitialized(turn, kind, place, offset, bytes);
    const thread = turn.warp.threads[lane]?.id ?? 0;
    const position = this.positions[thread] ?? 0;
    return this.accesses.add({
      thread,
      position,
      end: end ?? position + 1,
      kind: kind.id,
      piece: place.piece.id,
      range: place.range,
      start: place.offset + offset,
      size: bytes,
    });
  }

  /**
   * Takes down an access whose address is open, place by place where others are between; one that a ticket gives is
   * apart from those that others give.
   */
  somewhere(
    turn: Turn,
    lane: number,
    kind: AccessKind,
    place: Spread,
    { address: { base, offset }, bytes }: { readonly address: Address; readonly bytes: number },
  ): void {
    if (place.extent > MOST_OPEN) {
      if (kind.writes || place.piece.object.isUninitialized === true) throw turn.notFollowed(WIDE);
      this.mustNotBeWide(turn, place, this.written);
      this.readAnywhere.add(place.piece.id);
    }
    const parts = this.parts < MOST_PARTS_OF_ALL ? place.parts : [{ from: 0, extent: place.extent }];
    this.parts += parts.length;
    const ticket = turn.fact(turn.warp.tickets, base, lane);
    const drawn = ticket && within(ticket, 64);
    const own: TicketedAccess | undefined = drawn && {
      ...{ from: drawn.from, scale: drawn.scale, growth: drawn.growth },
      ...{ first: drawn.first + offset, bytes: BigInt(bytes) },
    };
    if (own !== undefined) this.mustBeApart(turn, lane, kind, own);
    for (const { from, extent } of parts) {
      const row = this.access(turn, lane, kind, place, from, extent);
      if (own !== undefined) this.tickets.set(row, own);
    }
  }

  private readonly growths = numberGrowths();
  /** By ticket, how it grows, and byte of what it gives: who accesses that, and whether it is written. */
  private readonly given = new Map<
    string,
    { readonly thread: FollowedThread | undefined; readonly isWritten: boolean }
  >();

  /** Of one ticket, which several threads may have been told, no two access the same bytes, but to read them. */
  private mustBeApart(
    turn: Turn,
    lane: number,
    { writes }: AccessKind,
    { from, scale, growth, first, bytes }: TicketedAccess,
  ): void {
    const thread = turn.warp.threads[lane];
    const name = `${from} ${scale} ${this.growths(growth)}`;
    for (let at = first; at < first + bytes; at++) {
      const key = `${name} ${at}`;
      const known = this.given.get(key);
      if (known !== undefined && known.thread !== thread && (known.isWritten || writes))
        throw turn.notFollowed(OPEN_ADDRESS);
      this.given.set(key, {
        thread: known === undefined || known.thread === thread ? thread : undefined,
        isWritten: writes || known?.isWritten === true,
      });
    }
  }

  /** Large memory that is accessed at addresses that are open is only read: then none of its bytes are looked at. */
  private mustNotBeWide(turn: Turn, { piece }: Place, others: ReadonlySet<number>): void {
    if (others.has(piece.id)) throw turn.notFollowed(WIDE);
    if (others === this.readAnywhere) this.written.add(piece.id);
  }
  /** Large pieces that are written, and that are read anywhere. */
  private readonly written = new Set<number>();
  private readonly readAnywhere = new Set<number>();

  /** Takes down a read of memory without a value; what only some executions have read or written tells nothing. */
  private mayBeUninitialized(
    turn: Turn,
    { isPossible, tags }: AccessKind,
    place: Place,
    offset: number,
    bytes: number,
  ): void {
    const state = uninitializedAt(place.piece, place.offset + offset, bytes);
    if (state === 'no') return;
    if (isPossible || state === 'perhaps') throw turn.notFollowed('a read of memory that may have no value');
    const from = place.offset + offset;
    const runs = tags.has('ASY') ? uninitializedRuns(place.piece, from, bytes) : [[from, from + bytes] as const];
    for (const [first, to] of runs) this.uninitialized.push({ row: this.accesses.count, from: first, to });
  }

  /** Accesses are made together by threads that have come to these steps. */
  issueTogether(rows: readonly number[], steps: readonly Step[]): void {
    this.issues.push(steps);
    for (const row of rows) this.accesses.issues.set(row, this.issues.length);
  }

  /** Where lanes of a turn are. */
  steps(turn: Turn): readonly Step[] {
    return lanesIn(turn.lanes).map((lane) => this.stepOf(turn, lane));
  }

  /** The same, and where the lane is that elect.sync takes, if all lanes are there. */
  stepsOfAll(turn: Turn): readonly Step[] {
    const elected = this.electedAt(turn);
    return elected === undefined ? this.steps(turn) : [...this.steps(turn), this.nextOf(elected)];
  }

  /** The thread that elect.sync takes, if all lanes are there. */
  private electedAt(turn: Turn): number | undefined {
    const { warp, lanes } = turn;
    const elected = lanes === warp.all ? warp.elected : undefined;
    return elected?.turn(turn).warp.threads[0]?.id;
  }

  stepOf({ warp }: Turn, lane: number): Step {
    return this.nextOf(warp.threads[lane]?.id ?? 0);
  }

  /** The step that a thread comes to next. */
  nextOf(thread: number): Step {
    return { thread, position: this.positions[thread] ?? 0 };
  }

  /** What the lanes do next comes after what they have done. */
  advance(turn: Turn): void {
    for (const lane of lanesIn(turn.lanes)) this.pass(turn.warp.threads[lane]?.id ?? 0);
    const elected = this.electedAt(turn);
    if (elected !== undefined) this.pass(elected);
  }

  private pass(thread: number): void {
    this.positions[thread] = (this.positions[thread] ?? 0) + 1;
  }

  /** An mbarrier object tells that accesses are complete, from a phase on. */
  tell(rows: readonly number[], object: number, phase: number): void {
    for (const row of rows) {
      this.accesses.tellers.set(row, object + 1);
      this.accesses.ends.set(row, phase + 1);
    }
  }

  /** A strong access may find what another one writes: then a fence before that releases, one behind it acquires. */
  private get observes(): boolean {
    const { pieces, kinds } = this.accesses;
    const [read, written] = [new Set<number>(), new Set<number>()];
    for (let row = 0; row < this.accesses.count; row++) {
      const kind = this.kinds[kinds.at(row)];
      if (kind === undefined || kind.tags.has('WEAK') || kind.tags.has('TMEM')) continue;
      if (kind.reads) read.add(pieces.at(row));
      if (kind.writes) written.add(pieces.at(row));
    }
    return [...written].some((piece) => read.has(piece));
  }

  /** All that was taken down, with what is known of memory besides. */
  trace(of: Pick<Trace, 'pieces' | 'owners' | 'peers' | 'objects' | 'results' | 'coherence'>): Trace {
    const { threads, kinds, accesses, issues, synchronizations, assumptions, findings, halts, incomplete } = this;
    const { uninitialized, counts, tickets, derived, tensors, torn, retold, activeTogether, requests } = this;
    const { isFenced, observes, isRestricted, isRelaxed, isClusterRelaxed } = this;
    const isByOthers = isRestricted && (isClusterRelaxed || isRelaxed || observes);
    return {
      ...of,
      ...{ threads, kinds, accesses, issues, synchronizations, assumptions },
      ...{ findings, halts, incomplete, uninitialized },
      ...{ counts: [...counts.values()], tickets, derived, tensors, torn, retold },
      activeTogether: [...activeTogether],
      requests: [...requests],
      choices: this.choices,
      hands: this.hands || isByOthers,
      handsByAccesses: this.handsByAccesses || (isFenced && observes),
      fencesInits: this.fencesInits,
      exchanges: this.exchanges,
      observes: observes || isClusterRelaxed,
    };
  }

  find({ warp, statement }: Turn, lane: number, rule: Finding['rule']): void {
    const thread = warp.threads[lane];
    if (thread === undefined) return;
    // A thread that goes on, as in a loop, is told once.
    const key = `${rule} ${thread.id} ${statement.span.start}`;
    if (this.foundAt.has(key)) return;
    this.foundAt.add(key);
    this.findings.push({ rule, thread, span: statement.span });
  }
}
