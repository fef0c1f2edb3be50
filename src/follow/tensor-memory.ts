import { effectsOf } from '../effects/effects-of.js';
import { WARP_SIZE } from '../kernel/grid.js';
import type { AsyncOperation, GroupFamily } from '../program/async-operation.js';
import { append } from '../program/group-by.js';
import type { MbarrierOperation } from '../program/mbarrier-operation.js';
import type { TensorAccess } from '../program/operation.js';
import type { TensorStep } from '../program/tensor-memory.js';
import { IN_FLIGHT } from './async-copies.js';
import { placeFor } from './lane-place.js';
import type { LaneValue } from './lane-value.js';
import { lanesIn } from './lanes.js';
import { matrixRunsOf } from './matrix-runs.js';
import type { Mbarriers } from './mbarriers.js';
import type { MemoryImage, Place } from './memory-image.js';
import { pairOf } from './pair-steps.js';
import type { Recorder } from './recorder.js';
import { TensorContents } from './tensor-contents.js';
import type { AccessKind, TensorCommit } from './trace.js';
import type { Turn } from './turn.js';
import type { Warp } from './warp.js';

/** What a thread issues for a CTA group, and commits. */
interface Pipeline {
  /** What tells of its commits. */
  readonly object: number;
  readonly byAcquire: number;
  committed: number;
  /** Accesses that no commit tells of yet. */
  rows: number[];
}

/**
 * What tcgen05 instructions access, in tensor memory and in shared memory, and what tells that these are complete (PTX
 * ISA 9.7.18.6): commits of the thread that has issued them; of loads and stores, which a warp makes together, the
 * waits of its threads. What is computed is open.
 */
export class TensorMemoryAccesses {
  /** By thread and family. */
  private readonly pipelines = new Map<string, Pipeline>();
  /** By warp and family: the loads, or stores, that its threads have not waited for. */
  private readonly transfers = new Map<string, number[]>();
  private readonly contents: TensorContents;
  /** By CTA and statement: the warp that allocates there. */
  private readonly allocators = new Map<string, Warp>();
  /** Where columns begin that are given out. */
  private readonly given = new Set<string>();
  /** By instruction and pair of CTAs, and CTA: the columns that it has given out, or back, one after the other. */
  private readonly ofPairs = new Map<string, Map<number, string[]>>();

  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly mbarriers: Mbarriers,
  ) {
    this.contents = new TensorContents(image);
  }

  /** Lanes access columns: each for itself, but of loads and stores all together. */
  access(turn: Turn, operation: TensorAccess): void {
    const { instruction, role, group, shape, dataKind, address, bytes, target, value } = operation;
    if (group === 2) pairOf(turn);
    // Of 128 rows each CTA has 64, in columns of which chapter 9.7.18 has pictures alone.
    if (operation.rows !== undefined && turn.uniform(operation.rows, 32, 'the rows of an accumulator') !== ROWS_OF_PAIR)
      throw turn.notFollowed('an accumulator of a pair of CTAs that has fewer than 256 rows');
    if (turn.isPossible) throw turn.notFollowed('an access to tensor memory that is made perhaps');
    const isOfWarp = instruction === 'ld' || instruction === 'st';
    if (isOfWarp && turn.lanes !== turn.warp.all) throw turn.notFollowed(SOME_LANES);
    const kind = this.kindOf(turn, operation);
    const [base, size] = [turn.value(address.base, 64), Number(turn.uniform(bytes, 32, 'a size'))];
    const use = { instruction, role, group, shape, dataKind };
    const manner = kind.writes ? 'writes' : 'reads';
    const given = value === undefined ? undefined : turn.value(value, 8 * size);
    let found: LaneValue;
    for (const lane of lanesIn(turn.lanes).slice(0, isOfWarp ? 1 : undefined)) {
      const of = { base, address, bytes: size, alignment: 1, manner } as const;
      const place = placeFor(this.image, this.recorder, turn, lane, of);
      if (group === 2 && (instruction === 'alloc' || instruction === 'dealloc'))
        this.mustAgree(turn, instruction, place, size);
      if (instruction === 'alloc') this.allocate(turn, place);
      if (instruction === 'dealloc') this.given.delete(`${place.piece.id} ${place.offset}`);
      const row = this.recorder.access(turn, lane, kind, place, 0, size, kind.tags.has('ASY') ? IN_FLIGHT : undefined);
      this.recorder.tensors.set(row, { use, warp: warpOf(turn), isOfWarp, waits: [], commit: undefined });
      if (kind.writes) this.contents.write(place, size, given, turn.size);
      else if (target !== undefined) found = this.contents.read(place, size, turn.size);
      if (isOfWarp) {
        this.recorder.issueTogether([row], this.recorder.steps(turn));
        this.transfersOf(turn, `tcgen05.${instruction}`).push(row);
      } else if (kind.tags.has('ASY')) this.pipelineOf(turn, lane, `tcgen05.cta_group::${group ?? 1}`).rows.push(row);
    }
    this.recorder.advance(turn);
    if (target !== undefined) turn.give({ register: target, signed: false }, found, 8 * size);
  }

  /** An alloc gives out the same columns each time: by several warps those would be others, and it may have to wait. */
  private allocate(turn: Turn, { piece, offset }: Place): void {
    const key = `${turn.warp.threads[0]?.ctaId} ${turn.at}`;
    const known = this.allocators.get(key) ?? turn.warp;
    if (known !== turn.warp) throw turn.notFollowed('a tcgen05.alloc that several warps of a CTA execute');
    this.allocators.set(key, known);
    const columns = `${piece.id} ${offset}`;
    if (this.given.has(columns)) throw turn.notFollowed('a tcgen05.alloc of columns that are not given back');
    this.given.add(columns);
  }

  /** Both CTAs of a pair allocate, or give back, the same columns: what it is if they do not the ISA does not say. */
  private mustAgree(turn: Turn, instruction: 'alloc' | 'dealloc', { offset }: Place, size: number): void {
    const ctaId = turn.warp.threads[0]?.ctaId ?? 0;
    const key = `${instruction} ${pairOf(turn)}`;
    const ofPair = this.ofPairs.get(key) ?? new Map<number, string[]>();
    this.ofPairs.set(key, ofPair);
    append(ofPair, ctaId, `${offset} ${size}`);
    const at = (ofPair.get(ctaId)?.length ?? 0) - 1;
    const columns = new Set([...ofPair.values()].flatMap((of) => of[at] ?? []));
    if (columns.size > 1) throw turn.notFollowed(`a tcgen05.${instruction} of other columns by each of a pair of CTAs`);
  }

  /** Lanes read a matrix in shared memory. */
  read(turn: Turn, operation: AsyncOperation): void {
    const { source, completion } = operation;
    if (source.kind !== 'memory' || completion.kind !== 'group') throw turn.notFollowed('an asynchronous operation');
    if (completion.family === 'tcgen05.cta_group::2') pairOf(turn);
    if (turn.isPossible) throw turn.notFollowed('a matrix that is read perhaps');
    const kind = this.kindOf(turn, operation);
    const runs = matrixRunsOf(turn, source);
    for (const lane of lanesIn(turn.lanes)) {
      const { rows } = this.pipelineOf(turn, lane, completion.family);
      for (const { address: base, bytes } of runs) {
        const access = {
          base,
          address: { ...source.address, offset: 0n },
          bytes,
          alignment: 1,
          manner: 'reads',
        } as const;
        const place = placeFor(this.image, this.recorder, turn, lane, access);
        rows.push(this.recorder.access(turn, lane, kind, place, 0, bytes, IN_FLIGHT));
      }
    }
    this.recorder.advance(turn);
  }

  /** What lanes have issued before arrives at an mbarrier when it is complete. */
  commit(turn: Turn, operation: Extract<MbarrierOperation, { readonly action: 'async_arrive' }>): void {
    if (operation.family === 'tcgen05.cta_group::2') pairOf(turn);
    for (const lane of lanesIn(turn.lanes)) {
      const pipeline = this.pipelineOf(turn, lane, operation.family);
      const { object, byAcquire, rows } = pipeline;
      const commit: TensorCommit = { object, byAcquire, phase: pipeline.committed++ };
      this.recorder.tell(rows, object, commit.phase);
      for (const row of rows) Object.assign(this.recorder.tensors.get(row) ?? {}, { commit });
      pipeline.rows = [];
      this.mbarriers.arrive(turn, lane, operation, commit);
    }
    this.recorder.advance(turn);
  }

  /** The lanes of a warp wait for their loads, or stores. */
  wait(turn: Turn, family: GroupFamily): void {
    if (turn.lanes !== turn.warp.all) throw turn.notFollowed(SOME_LANES);
    this.recorder.advance(turn);
    const waits = this.recorder.steps(turn);
    const rows = this.transfersOf(turn, family);
    for (const row of rows.splice(0)) Object.assign(this.recorder.tensors.get(row) ?? {}, { waits });
  }

  /** Lanes execute a fence, or one of them gives up the right to allocate. */
  step(turn: Turn, step: TensorStep): void {
    const { synchronizations, accesses } = this.recorder;
    const [steps, row] = [this.recorder.stepsOfAll(turn), accesses.count];
    this.recorder.advance(turn);
    if (step !== 'relinquish_alloc_permit') synchronizations.push({ kind: 'tensor-fence', row, place: step, steps });
    else
      for (const one of steps) synchronizations.push({ kind: 'relinquish', row, step: one, span: turn.statement.span });
  }

  private kindOf(turn: Turn, operation: AsyncOperation | TensorAccess): AccessKind {
    const effects = effectsOf(operation);
    const index = effects.findIndex(({ kind }) => kind === 'read' || kind === 'write');
    const { kind, tags } = effects[index] ?? { kind: 'read', tags: [] };
    const what = { reads: kind === 'read', writes: kind === 'write', tags, scope: undefined } as const;
    return this.recorder.kind(turn, index, { ...what, change: 'unknown' });
  }

  private pipelineOf({ warp }: Turn, lane: number, family: GroupFamily): Pipeline {
    const thread = warp.threads[lane];
    const key = `${thread?.id} ${family}`;
    const known = this.pipelines.get(key);
    if (known !== undefined) return known;
    const [object, byAcquire] = [0, 1].map(() => this.mbarriers.addTeller(thread?.ctaId ?? 0)) as [number, number];
    const made = { object, byAcquire, committed: 0, rows: [] };
    this.pipelines.set(key, made);
    return made;
  }

  private transfersOf(turn: Turn, family: GroupFamily): number[] {
    const key = `${warpOf(turn)} ${family}`;
    const known = this.transfers.get(key) ?? [];
    this.transfers.set(key, known);
    return known;
  }
}

/** The number of the warp of a turn among all; an elected lane is of that of its lanes. */
const warpOf = ({ warp }: Turn): number => {
  const [first] = warp.threads;
  if (first === undefined) throw new Error('a warp without threads');
  return first.ctaId * MOST_WARPS + Math.floor(first.tid / WARP_SIZE);
};
/** No CTA has as many warps. */
const MOST_WARPS = 64;

/** As many as both CTAs of a pair have lanes of tensor memory. */
const ROWS_OF_PAIR = 256n;
const SOME_LANES = 'tcgen05 by some lanes of a warp';
