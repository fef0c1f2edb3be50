import type { Effect, UpdateEffect } from '../effects/effect.js';
import { effectsOf } from '../effects/effects-of.js';
import { reductionOf } from '../isa/atomic.js';
import type { AsyncOperation, GroupOperation, Tile } from '../program/async-operation.js';
import { type Manner, type Tensor, tensorAt } from '../program/locations.js';
import type { MbarrierOperation } from '../program/mbarrier-operation.js';
import type { Address } from '../program/operation.js';
import { breaksPlaceRule } from '../program/place-rules.js';
import { type Run, tileRuns } from '../program/tensor-boxes.js';
import type { Dimensions } from '../syntax/launch-ast.js';
import { answerOf, type Source, sizeOf } from './copy-source.js';
import { placeFor } from './lane-place.js';
import { at, type LaneValue } from './lane-value.js';
import { lanesIn } from './lanes.js';
import type { Mbarriers } from './mbarriers.js';
import type { MemoryImage, Place } from './memory-image.js';
import type { Recorder } from './recorder.js';
import type { AccessKind } from './trace.js';
import type { Turn } from './turn.js';
import { commutesAs, updated } from './updates.js';

/** Requests to cancel a cluster: gives its first CTA; undefined where that fails. */
export type Cancel = (turn: Turn, lane: number) => Dimensions | undefined;

/** The rows of copies: what they read, and what they write. */
interface Rows {
  readonly reads: number[];
  readonly writes: number[];
}

/** The asynchronous copies of a thread and a family: of the groups that it has committed, and of none yet. */
interface ThreadCopies {
  groups: Rows[];
  open: Rows;
}

/** A run of bytes that a copy moves. */
interface Moved {
  /** Undefined where nothing is read: zeros are written. */
  readonly from: Place | undefined;
  readonly to: Place;
  readonly bytes: number;
  /** As many as are read; the others are zeros. */
  readonly given: number;
}

/** What of a copy is the same for all lanes. */
interface Copy {
  readonly source: Source;
  /** What a reduction makes of what is there. */
  readonly effect: UpdateEffect | undefined;
  readonly destination: Address;
  /** Undefined: registers give it. */
  readonly reading: AccessKind | undefined;
  readonly writing: AccessKind;
  readonly size: number;
  readonly given: LaneValue;
  readonly ignored: LaneValue;
  /** The CTA of the cluster that gets it; undefined: the destination says so. */
  readonly rank: number | undefined;
}

/**
 * Copies that threads issue, and wait for in groups or by an mbarrier. Each is made at once where it is issued; that it
 * may be made later is in its accesses, which are complete only where that is told.
 */
export class AsyncCopies {
  private readonly copies = new Map<string, ThreadCopies>();
  /** What makes copies complete, which are not yet. */
  private readonly late: (() => void)[] = [];

  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly mbarriers: Mbarriers,
    /** Copies are complete later than they are issued. */
    private readonly areLate: boolean,
    private readonly cancel: Cancel,
  ) {}

  issue(turn: Turn, of: AsyncOperation): void {
    const operation = this.withElements(turn, of);
    const copy = this.copyOf(turn, operation);
    const { multicast } = operation;
    const masks = multicast === undefined ? undefined : turn.value(multicast, 16);
    const isRequest = operation.source.kind === 'response';
    for (const lane of lanesIn(turn.lanes)) {
      const source = isRequest ? answerOf(this.cancel(turn, lane)) : copy.source;
      const ranks =
        masks === undefined
          ? [undefined]
          : isRequest
            ? allRanks(turn, lane)
            : this.ranksIn(turn, lane, at(masks, lane));
      for (const rank of ranks) this.copyTo(turn, lane, operation, { ...copy, source, rank });
    }
    this.recorder.advance(turn);
  }

  /** What a reduction of a tile computes is said by the type of the elements of the tensor. */
  private withElements(turn: Turn, operation: AsyncOperation): AsyncOperation {
    const { reduction, tile } = operation;
    if (reduction === undefined || tile?.coordinates === undefined) return operation;
    const tensors = lanesIn(turn.lanes).map((lane) => this.tensorAt(turn, lane, tile));
    const [type, ...others] = new Set(tensors.map(({ shape, target }) => shape?.elementType ?? target.elementType));
    if (type === undefined || others.length > 0) throw turn.notFollowed('a reduction in tensors of different types');
    return { ...operation, reduction: reductionOf(reduction, type) };
  }

  private tensorAt(turn: Turn, lane: number, { descriptor }: Tile): Tensor {
    const { piece, offset } = this.place(turn, lane, descriptor, 1, 'reads');
    const tensor = tensorAt(piece.object, offset);
    const isFixed = piece.object.space === 'param' || piece.object.space === 'const';
    if (tensor === undefined || !isFixed) throw turn.notFollowed('a tensor map that may change');
    return tensor;
  }

  /** The CTAs of the cluster that get a copy each. */
  private ranksIn(turn: Turn, lane: number, mask: bigint | undefined): readonly number[] {
    if (mask === undefined) throw turn.notFollowed('a mask of CTAs that is open');
    const ranks = Array.from({ length: 16 }, (_, rank) => rank).filter((rank) => ((mask >> BigInt(rank)) & 1n) === 1n);
    const size = turn.warp.accessors[lane]?.placement.clusterSize ?? 1;
    if (ranks.some((rank) => rank >= size)) throw turn.notFollowed('a mask of CTAs that are not in the cluster');
    return ranks;
  }

  private copyTo(turn: Turn, lane: number, operation: AsyncOperation, copy: Copy): void {
    const { completion, tile } = operation;
    const isLoad = tile?.side !== 'destination';
    const begin = tile && this.beginOf(turn, lane, copy, isLoad);
    const moves =
      tile === undefined || begin === undefined
        ? [this.moveOf(turn, lane, copy)]
        : this.box(turn, lane, copy, tile, begin);
    const [{ from = undefined, to = undefined } = {}] = moves;
    // Of a tile the first bytes that are moved need not be those where it begins.
    const places = begin === undefined ? [from, to] : isLoad ? [from, begin] : [begin, to];
    this.mustBePlaced(turn, lane, operation, places, copy.rank);
    const rows = this.move(turn, lane, copy, moves);
    if (completion.kind === 'group') {
      const { open } = this.of(turn, lane, completion.family);
      open.reads.push(...rows.reads);
      open.writes.push(...rows.writes);
    } else if (completion.kind === 'mbarrier') {
      const bytes = moves.reduce((sum, one) => sum + one.bytes, 0);
      const complete = this.mbarriers.completion(turn, lane, completion, bytes, copy.rank);
      const tell = (): void => {
        const { object, phase } = complete();
        this.recorder.tell([...rows.reads, ...rows.writes], object, phase);
      };
      if (this.areLate) this.late.push(tell);
      else tell();
    }
  }

  /** The next copy that is not complete yet becomes so; whether there is one. */
  completeNext(): boolean {
    const next = this.late.shift();
    next?.();
    return next !== undefined;
  }

  /** The copies of each lane arrive at an mbarrier when they are complete (cp.async.mbarrier.arrive). */
  arrive(turn: Turn, operation: Extract<MbarrierOperation, { readonly action: 'async_arrive' }>): void {
    for (const lane of lanesIn(turn.lanes)) {
      const { groups, open } = this.of(turn, lane, operation.family);
      const rows = [...groups, open].flatMap(({ reads, writes }) => [...reads, ...writes]);
      const { object, phase } = this.mbarriers.arrive(turn, lane, operation);
      const isTold = (row: number): boolean => this.recorder.accesses.tellers.at(row) !== 0;
      // Of what another one tells too, it may be complete before that one does.
      for (const row of rows) if (isTold(row)) this.recorder.retold.add(row);
      this.recorder.tell(
        rows.filter((row) => !isTold(row)),
        object,
        phase,
      );
    }
    this.recorder.advance(turn);
  }

  group(turn: Turn, { action, family, ...rest }: GroupOperation): void {
    this.recorder.advance(turn);
    const { pending, readsOnly } = { pending: undefined, readsOnly: false, ...rest };
    const steps = this.recorder.steps(turn);
    lanesIn(turn.lanes).forEach((lane, i) => {
      const own = this.of(turn, lane, family);
      if (action === 'commit') {
        own.groups.push(own.open);
        own.open = { reads: [], writes: [] };
        return;
      }
      const end = steps[i]?.position ?? IN_FLIGHT;
      const done = own.groups.slice(0, pending === undefined ? undefined : Math.max(own.groups.length - pending, 0));
      if (pending === undefined) done.push(own.open);
      for (const { reads, writes } of done) {
        this.complete(reads, end);
        if (!readsOnly) this.complete(writes, end);
      }
      if (readsOnly) return;
      own.groups = own.groups.slice(done.length);
      if (pending === undefined) own.open = { reads: [], writes: [] };
    });
  }

  /** Accesses are complete for their thread, if they are not yet. */
  private complete(rows: readonly number[], end: number): void {
    const { ends, tellers } = this.recorder.accesses;
    for (const row of rows) {
      // What an mbarrier tells of, a group may tell of earlier, or later.
      if (tellers.at(row) !== 0) this.recorder.retold.add(row);
      else if (ends.at(row) === IN_FLIGHT) ends.set(row, end);
    }
  }

  private copyOf(turn: Turn, operation: AsyncOperation): Copy {
    const { destination, tile } = operation;
    const source = operation.source.kind === 'response' ? answerOf(undefined) : operation.source;
    if (destination === undefined) throw turn.notFollowed('an asynchronous operation');
    const size = tile === undefined ? sizeOf(turn, source) : 0;
    const effects = effectsOf(operation);
    const effect = effects.find((one) => one.kind === 'update');
    const writing = this.kindOf(turn, effects, effect === undefined ? 'write' : 'update');
    const given = source.kind === 'memory' ? source.given : undefined;
    const ignored = source.kind === 'memory' ? source.ignored : undefined;
    return {
      ...{ source, destination, effect, size, rank: undefined, writing },
      reading: source.kind === 'memory' ? this.kindOf(turn, effects, 'read') : undefined,
      given: given === undefined ? BigInt(size) : turn.value(given, 32),
      ignored: ignored === undefined ? 0n : turn.value(ignored, 1),
    };
  }

  private kindOf(turn: Turn, effects: readonly Effect[], kind: 'read' | 'write' | 'update'): AccessKind {
    // A descriptor is read first.
    const index = effects.findLastIndex((effect) => effect.kind === kind);
    const effect = effects[index];
    if (effect?.kind === 'update') {
      const { operation, tags, readTags, writeTags, scope } = effect;
      const commutes = commutesAs(effect);
      // When it is done, nobody knows: what is there in between is told nowhere.
      const how = { reads: true, writes: true, commutes, change: 'unknown' } as const;
      if (operation === 'exch' || operation === 'cas') throw turn.notFollowed('an asynchronous operation');
      return this.recorder.kind(turn, index, { ...how, tags: [...tags, ...readTags, ...writeTags], scope });
    }
    if (effect?.kind !== 'read' && effect?.kind !== 'write') throw turn.notFollowed('an asynchronous operation');
    const { tags, scope } = effect;
    const [reads, writes] = [kind === 'read', kind === 'write'];
    // Others of the generic proxy may wait for it.
    const change = tags.includes('GEN') ? ({ change: 'unknown' } as const) : {};
    return this.recorder.kind(turn, index, { reads, writes, tags, scope, ...change });
  }

  private moveOf(turn: Turn, lane: number, { source, destination, size, given, ignored, rank }: Copy): Moved {
    const [bytes, isIgnored] = [at(given, lane), at(ignored, lane)];
    if (bytes === undefined || isIgnored === undefined) throw turn.notFollowed('a size that is open');
    const count = isIgnored === 1n ? 0 : Number(bytes);
    const to = this.place(turn, lane, destination, size, 'writes', rank);
    const from =
      count === 0 || source.kind === 'values' ? undefined : this.place(turn, lane, source.address, count, 'reads');
    return { from, to, bytes: size, given: count };
  }

  /** What a tensor copy moves: of a load also the zeros outside of the tensor, of a store only what is inside. */
  private box(turn: Turn, lane: number, copy: Copy, tile: Tile, begin: Place): readonly Moved[] {
    const isLoad = tile.side === 'source';
    const own = this.sharedSide(copy, isLoad);
    const { runs, base, who } = this.tensorOf(turn, lane, tile, this.image.addressOf(begin));
    return runs.flatMap(({ at: offset, global, bytes }): readonly Moved[] => {
      const window = { ...own, offset: own.offset + BigInt(offset) };
      const inside = this.place(turn, lane, window, bytes, isLoad ? 'writes' : 'reads', copy.rank);
      const outside =
        global === undefined
          ? undefined
          : this.image.locate(base + BigInt(global), bytes, 'global', isLoad ? 'reads' : 'writes', who);
      if (global !== undefined && outside === undefined) throw turn.notFollowed('a box outside of its tensor');
      if (isLoad) return [{ from: outside, to: inside, bytes, given: outside === undefined ? 0 : bytes }];
      return outside === undefined ? [] : [{ from: inside, to: outside, bytes, given: bytes }];
    });
  }

  private sharedSide({ source, destination }: Copy, isLoad: boolean): Address {
    return isLoad || source.kind === 'values' ? destination : source.address;
  }

  /** Where a tile begins in shared memory. */
  private beginOf(turn: Turn, lane: number, copy: Copy, isLoad: boolean): Place {
    return this.place(turn, lane, this.sharedSide(copy, isLoad), 1, isLoad ? 'writes' : 'reads', copy.rank);
  }

  private tensorOf(
    turn: Turn,
    lane: number,
    tile: Tile,
    /** Where it begins in shared memory. */
    start: bigint,
  ) {
    const { coordinate, coordinates, isOfRows } = tile;
    const tensor = this.tensorAt(turn, lane, tile);
    const corner = (coordinates ?? [coordinate]).map((one) => {
      const value = at(turn.value(one, coordinates === undefined ? 64 : 32), lane);
      if (value === undefined) throw turn.notFollowed('a coordinate that is open');
      return Number(BigInt.asIntN(coordinates === undefined ? 64 : 32, value));
    });
    const who = turn.warp.accessors[lane];
    if (who === undefined) throw new Error(`no lane ${lane}`);
    const whole: Run = { at: 0, global: corner[0] ?? 0, bytes: tensor.bytes };
    const runs =
      coordinates === undefined
        ? [whole]
        : tileRuns(tensor, { corner, isOfRows: isOfRows === true, isStored: tile.side === 'destination', start });
    if (typeof runs === 'string') throw turn.notFollowed(runs);
    return { runs, base: tensor.target.base, who };
  }

  private move(turn: Turn, lane: number, copy: Copy, moves: readonly Moved[]): Rows {
    const { reading, writing, effect, source } = copy;
    const rows: Rows = { reads: [], writes: [] };
    for (const { from, to, bytes, given } of moves) {
      if (from !== undefined && reading !== undefined)
        rows.reads.push(this.recorder.access(turn, lane, reading, from, 0, given, IN_FLIGHT));
      const count = (effect?.at.type?.width ?? (source.kind === 'values' ? source.type.width : 8)) / 8;
      const isWhole = effect === undefined && source.kind === 'memory';
      if (isWhole) rows.writes.push(this.recorder.access(turn, lane, writing, to, 0, bytes, IN_FLIGHT));
      for (let offset = 0; offset < bytes; offset += count) {
        if (!isWhole) rows.writes.push(this.recorder.access(turn, lane, writing, to, offset, count, IN_FLIGHT));
        const own = this.givenAt(turn, lane, source, offset < given ? from : undefined, offset, count);
        const old = effect === undefined ? 0n : this.image.read(to.piece, to.offset + offset, count);
        const value = effect === undefined ? own : old === undefined ? undefined : updated(effect, old, own, undefined);
        this.image.write(to.piece, to.offset + offset, count, value);
      }
    }
    return rows;
  }

  /** What is to be written so far from the beginning: zeros behind what is given. */
  private givenAt(
    turn: Turn,
    lane: number,
    source: Source,
    from: Place | undefined,
    offset: number,
    bytes: number,
  ): bigint | undefined {
    if (source.kind === 'memory')
      return from === undefined ? 0n : this.image.read(from.piece, from.offset + offset, bytes);
    const value = source.values[offset / bytes];
    return value === undefined ? undefined : at(turn.value(value, source.type.width), lane);
  }

  private mustBePlaced(
    turn: Turn,
    lane: number,
    { rules, completion }: AsyncOperation,
    [from, to]: readonly (Place | undefined)[],
    rank: number | undefined,
  ): void {
    const placement = turn.warp.accessors[lane]?.placement;
    const mbarrier = completion.kind === 'mbarrier' ? this.mbarriers.placeOf(turn, lane, completion, rank) : undefined;
    for (const [place, isDestination] of [
      [from, false],
      [to, true],
    ] as const) {
      if (place === undefined) continue;
      const { object } = place.piece;
      const virtualAddress = this.image.addressOf(place);
      const own = { object, virtualAddress, isDestination, isFirst: true, placement, mbarrier };
      const broken = rules.find((rule) => breaksPlaceRule(rule, own));
      if (broken === undefined) continue;
      this.recorder.find(turn, lane, broken);
      throw turn.notFollowed('an asynchronous copy that is undefined');
    }
  }

  private of({ warp }: Turn, lane: number, family: string): ThreadCopies {
    const key = `${warp.threads[lane]?.id} ${family}`;
    const known = this.copies.get(key) ?? { groups: [], open: { reads: [], writes: [] } };
    this.copies.set(key, known);
    return known;
  }

  /** A copy is cut where other accesses tell its bytes apart: it is not asked to be aligned here. */
  private place(turn: Turn, lane: number, address: Address, bytes: number, manner: Manner, rank?: number): Place {
    const base = turn.value(address.base, 64);
    return placeFor(this.image, this.recorder, turn, lane, { base, address, bytes, alignment: 1, manner, rank });
  }
}

/** The CTAs of a cluster. */
const allRanks = (turn: Turn, lane: number): readonly number[] =>
  Array.from({ length: turn.warp.accessors[lane]?.placement.clusterSize ?? 1 }, (_, rank) => rank);

/** Of an access that is not known to be complete before its grid is. */
export const IN_FLIGHT = 0xffff_ffff;
