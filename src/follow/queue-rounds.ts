import { effectsOf } from '../effects/effects-of.js';
import { writtenBy } from '../flow/liveness.js';
import { naturalLoops } from '../flow/loops.js';
import type { Code } from '../kernel/code.js';
import { initialValue } from '../program/locations.js';
import { registersRead } from '../program/operands.js';
import type { BarrierOperation, Operation } from '../program/operation.js';
import type { MadeOf } from './derived-words.js';
import { lanesIn } from './lanes.js';
import { inWider } from './made-tickets.js';
import type { Place } from './memory-image.js';
import { skipsToHead } from './open-ways.js';
import { HANDING, type Recorder } from './recorder.js';
import { type FollowedThread, firstOfWarp, wordOf } from './trace.js';
import { NotFollowed, type Turn } from './turn.js';
import { type Bounds, boundsOfWidth } from './value-bounds.js';
import type { Ticket, Warp } from './warp.js';

/** A queue: a word that atomics count upwards from `least` by `unit`; what is at `end` or above is behind its end. */
export interface Queue {
  readonly word: string;
  readonly least: bigint;
  readonly unit: bigint;
  readonly end: bigint;
}

/**
 * Each thread that draws from a queue gets so many tickets before its end, and then one behind it. Where the queue is
 * not known, threads are followed as far as to a condition that tells where it ends, if that is `most` or less above
 * where it begins.
 */
export type QueueRun =
  | { readonly rounds: number; readonly queue: Queue }
  | { readonly rounds: number; readonly queue: undefined; readonly most: bigint };

/** Where following has come to a condition on a ticket, and what it tells of the queue. */
export class QueueFound extends NotFollowed {
  constructor(
    turn: Turn,
    readonly queue: Queue,
  ) {
    super(turn.statement.span, 'where a queue ends');
  }
}

/** What an atomic draws from a queue. */
export interface DrawnFromQueue {
  readonly bounds: Bounds;
  readonly ticket: Ticket;
  /** The word comes to no more than this. */
  readonly most: bigint;
}

/** What threads may do in rounds, besides to compute: nothing that orders them and those of other CTAs. */
const DONE_IN_ROUNDS: ReadonlySet<Operation['kind']> = new Set([
  'load',
  'store',
  'atomic',
  'barrier',
  'require',
  'exit',
]);

const OTHERS_IN_ROUNDS = 'what may order threads of different CTAs, once they draw from a queue';

interface LoopsOfCode {
  /** By header, what stands in a loop. */
  readonly bodies: ReadonlyMap<number, ReadonlySet<number>>;
  /** Headers of loops in which tickets are drawn, or told. */
  readonly rounds: Set<number>;
  /** Those that were come back to before that was known. */
  readonly others: Set<number>;
}

/**
 * Rounds of threads that draw tickets of a queue until it ends (docs/decisions/queues.md). They are made alike, but for
 * the first two: whatever is carried from one to the next is open, but for the ticket that was drawn last. So registers
 * are opened where a round begins, and what threads store, or give to all of their CTA, once that draws.
 */
export class QueueRounds {
  private readonly draws = new Map<number, { readonly times: number; readonly row: number }>();
  /** By thread, by who has drawn it: the newest ticket that it knows. */
  private readonly newest = new Map<number, Map<number, number>>();
  private readonly ctas = new Set<number>();
  private readonly loops = new Map<Code, LoopsOfCode>();
  /** CTAs and warps whose threads have met, once one of the CTA has drawn. */
  private readonly metCtas = new Set<number>();
  private readonly metWarps = new Set<number>();
  private last: Turn | undefined;

  constructor(
    private readonly recorder: Recorder,
    private readonly run: QueueRun,
  ) {}

  /** Whether a thread of the CTA has drawn. */
  hasBegun({ warp }: Turn): boolean {
    return this.ctas.has(warp.threads[0]?.ctaId ?? -1);
  }

  /** The next ticket of a thread, if the word is that of the queue. */
  draw(
    turn: Turn,
    lane: number,
    { piece, offset }: Place,
    row: number,
    [least, step]: readonly [first: bigint, step: bigint],
  ): DrawnFromQueue | undefined {
    const { run } = this;
    const { rounds } = run;
    const thread = threadIn(turn.warp, lane);
    const word = wordOf(piece, offset);
    const queue = run.queue ?? { word, least, unit: step, end: least + run.most };
    if (word !== queue.word) return this.hasBegun(turn) ? this.mustKnow(turn) : undefined;
    if (turn.isPossible) throw turn.notFollowed('whether a ticket is drawn is open');
    const times = (this.draws.get(thread.id)?.times ?? 0) + 1;
    this.draws.set(thread.id, { times, row });
    this.ctas.add(thread.ctaId);
    this.last = turn;
    this.know(turn, thread, thread.id, row);
    if (step !== queue.unit) throw turn.notFollowed('tickets of a queue that are not all drawn alike');
    if (times > rounds + 1) throw turn.notFollowed('a ticket that is drawn behind the end of a queue');
    return drawnFrom(queue, row, times <= rounds, BigInt(this.recorder.threads.length));
  }

  /** What an atomic finds that does not draw from the queue depends on how many rounds there are. */
  mustKnow(turn: Turn): never {
    throw turn.notFollowed('what an atomic finds that does not draw from the queue, in rounds of it');
  }

  /** What a lane is told that others have stored or given: of what is no ticket, or an old one, nothing is known. */
  told(turn: Turn, lane: number, made: MadeOf | undefined): MadeOf | undefined {
    const { ticket, bounds } = made ?? {};
    const drawer = ticket && this.recorder.accesses.threads.at(ticket.from);
    if (ticket === undefined || drawer === undefined || this.draws.get(drawer)?.row !== ticket.from) return undefined;
    this.know(turn, threadIn(turn.warp, lane), drawer, ticket.from);
    return { ticket, bounds };
  }

  private know(turn: Turn, { id }: FollowedThread, drawer: number, row: number): void {
    const own = this.newest.get(id) ?? new Map<number, number>();
    this.newest.set(id, own.set(drawer, row));
    const { bodies, rounds, others } = this.loopsOf(turn.warp.code);
    for (const [header, body] of bodies) {
      if (!body.has(turn.at) || rounds.has(header)) continue;
      if (others.has(header)) throw turn.notFollowed('a round of a queue that is not like the first');
      rounds.add(header);
    }
  }

  private loopsOf(code: Code): LoopsOfCode {
    const known = this.loops.get(code);
    const loops = known ?? {
      bodies: naturalLoops(code.successors),
      rounds: new Set<number>(),
      others: new Set<number>(),
    };
    this.loops.set(code, loops);
    return loops;
  }

  /** Lanes come back to where a loop begins: if it has rounds of the queue, with what all of these may begin with. */
  goBack({ warp, lanes }: Turn, header: number): void {
    const { code } = warp;
    const { bodies, rounds, others } = this.loopsOf(code);
    if (!rounds.has(header)) {
      others.add(header);
      return;
    }
    const live = new Set(code.liveAt(header));
    for (const name of writtenBy(code, bodies.get(header) ?? [])) {
      const register = code.indexOf.get(name) ?? -1;
      if (!live.has(register)) continue;
      const open = lanesIn(lanes).filter((lane) => !this.holdsNewest(warp, lane, register));
      if (open.length > 0) warp.set(register, open.reduce((all, lane) => all | (1 << lane), 0) >>> 0, undefined);
    }
  }

  private holdsNewest(warp: Warp, lane: number, register: number): boolean {
    const { from } = warp.tickets.in(register, lane) ?? {};
    const drawer = from === undefined ? undefined : this.recorder.accesses.threads.at(from);
    return drawer !== undefined && this.newest.get(threadIn(warp, lane).id)?.get(drawer) === from;
  }

  /** It is open which way lanes go: that may tell where the queue ends. */
  part(turn: Turn, register: string): void {
    if (this.run.queue === undefined) {
      const queue = lanesIn(turn.lanes).flatMap((lane) => this.queueAt(turn, lane, register) ?? [])[0];
      if (queue !== undefined) throw new QueueFound(turn, queue);
    }
    const { at, warp, statement } = turn;
    const target = statement.operation.kind === 'branch' ? warp.code.targets[at] : undefined;
    if (target !== undefined && target <= at && !skipsToHead(warp.code, at) && this.hasBegun(turn))
      throw turn.notFollowed('whether another round follows is open');
  }

  /** The queue of whose end a predicate tells: that a register which a ticket gives is no less than something. */
  private queueAt(turn: Turn, lane: number, register: string): Queue | undefined {
    const { warp } = turn;
    const { accesses } = this.recorder;
    for (const one of warp.told.in(warp.code.indexOf.get(register) ?? -1, lane) ?? []) {
      const drawn = warp.tickets.in(one.register, lane);
      const ticket = drawn && inWider(drawn, one.width, one.signed);
      const isAbove = one.bounds.first > boundsOfWidth(one.width, one.signed).first;
      if (ticket === undefined || !isAbove || one.version !== warp.versions[one.register]) continue;
      const place = this.recorder.counts.get(`${accesses.pieces.at(ticket.from)} ${accesses.starts.at(ticket.from)}`);
      const unit = accesses.values.at(ticket.from);
      if (place === undefined || unit === undefined || ticket.scale <= 0n || ticket.growth !== undefined) continue;
      const { piece, offset, bytes } = place;
      const least = initialValue(piece.object, offset, bytes) ?? 0n;
      const above = one.bounds.first - ticket.first;
      const end = least + (above <= 0n ? 0n : (above + ticket.scale - 1n) / ticket.scale);
      return { word: wordOf(piece, offset), least, unit, end };
    }
    return undefined;
  }

  /** Once a CTA draws, its threads do nothing that orders them and others, but to meet. */
  mayDo(turn: Turn, operation: Operation): void {
    const { warp, at } = turn;
    const tags = effectsOf(operation).flatMap((effect) => {
      if (effect.kind === 'update') return [...effect.tags, ...effect.readTags, ...effect.writeTags];
      return effect.kind === 'read' || effect.kind === 'write' ? effect.tags : [];
    });
    const isOther = !DONE_IN_ROUNDS.has(operation.kind) || HANDING.some((tag) => tags.includes(tag));
    if (isOther || warp.code.polls.has(at) || warp.elected !== undefined || warp.lone !== undefined)
      throw turn.notFollowed(OTHERS_IN_ROUNDS);
    if (operation.kind === 'barrier') this.meet(turn, operation);
  }

  private meet(turn: Turn, { level, reduction }: BarrierOperation): void {
    const { warp } = turn;
    if (reduction?.operation === 'active' || reduction?.operation === 'elect') throw turn.notFollowed(OTHERS_IN_ROUNDS);
    if (level === 'cta') this.metCtas.add(warp.threads[0]?.ctaId ?? -1);
    else this.metWarps.add(warp.id);
  }

  /** What makes other numbers of rounds unlike these, once all is over. */
  get unlike(): NotFollowed | undefined {
    const { last, run } = this;
    if (last === undefined) return undefined;
    const drawers = this.recorder.threads.filter(({ id }) => this.draws.has(id));
    if (drawers.some(({ id }) => this.draws.get(id)?.times !== run.rounds + 1))
      return last.notFollowed('threads that draw tickets of a queue do not all come to its end');
    // Who draws by itself makes rounds of its own, as many as others only in these runs; and what it does behind them,
    // or what it has for others, may depend on whether there were any.
    const hasOthers = (met: ReadonlySet<number>, groupOf: (thread: FollowedThread) => number): boolean => {
      const groups = drawers.map(groupOf).filter((group) => met.has(group));
      return new Set(groups).size < groups.length;
    };
    if (hasOthers(this.metCtas, ({ ctaId }) => ctaId) || hasOthers(this.metWarps, firstOfWarp))
      return last.notFollowed('threads meet that draw tickets of a queue one by one');
    return undefined;
  }
}

function threadIn({ threads }: Warp, lane: number): FollowedThread {
  const thread = threads[lane];
  if (thread === undefined) throw new Error(`no lane ${lane}`);
  return thread;
}

/** A ticket before the end of a queue, or behind it, where each of so many threads draws one at most. */
function drawnFrom({ least, unit, end }: Queue, from: number, isBefore: boolean, threads: bigint): DrawnFromQueue {
  const before = end <= least ? 0n : (end - least + unit - 1n) / unit;
  const behind = least + before * unit;
  const last = behind + (threads - 1n) * unit;
  const bounds = isBefore ? { first: least, last: behind - unit } : { first: behind, last };
  const step = bounds.first === bounds.last ? 0n : unit;
  const ticket = { from, first: least, scale: 1n, count: bounds.last - least, unit, growth: undefined };
  return { bounds: { ...bounds, step }, ticket, most: last + unit };
}

/** Whether atomics in a loop of a kernel may draw tickets. */
export function mayHaveQueue({ statements, successors }: Code): boolean {
  const loops = [...naturalLoops(successors).values()];
  const read = new Set(statements.flatMap(({ operation }) => registersRead(operation)));
  return statements.some(({ operation }, at) => {
    const isDraw = operation.kind === 'atomic' && operation.operation === 'add' && operation.target !== undefined;
    return isDraw && read.has(operation.target) && loops.some((loop) => loop.has(at));
  });
}
