import { effectsOf } from '../effects/effects-of.js';
import type { AsyncOperation, GroupOperation } from '../program/async-operation.js';
import { placeFor } from './lane-place.js';
import { lanesIn } from './lanes.js';
import { matrixRunsOf } from './matrix-runs.js';
import type { Mbarriers } from './mbarriers.js';
import type { MemoryImage } from './memory-image.js';
import type { Recorder } from './recorder.js';
import type { Step } from './trace.js';
import type { Turn } from './turn.js';
import type { Warp } from './warp.js';
import { WARPS, warpgroupOf } from './warpgroups.js';

/** A matrix that the warps of a warpgroup read: which, and where those that have come to it have issued that. */
interface Read {
  readonly what: string;
  readonly issued: (readonly Step[])[];
}

/** What a warpgroup has come to. */
interface Warpgroup {
  /** What tells that its groups are complete, as the phases of an mbarrier do. */
  readonly object: number;
  /** By warp: how many matrices it has read, and how many groups it has committed. */
  readonly warps: Map<Warp, { read: number; committed: number }>;
  readonly reads: Read[];
  /** By group: how many matrices are read by then, and where its warps have committed it. */
  readonly groups: { readonly read: number; readonly commits: (readonly Step[])[] }[];
  readonly waiting: Turn[];
}

/**
 * The matrices that warpgroups read from shared memory (wgmma.mma_async), and the groups of these. They are read by all
 * four warps, which lane reads what is not said: all must come after what is read. A group is one of the warpgroup
 * (docs/decisions/warpgroups.md): it is complete when that of all its warps is, and whichever thread waits is told.
 */
export class MatrixGroups {
  private readonly warpgroups = new Map<string, Warpgroup>();

  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly mbarriers: Mbarriers,
  ) {}

  /** The lanes of a warp read a matrix; it is taken down once all warps do. */
  read(turn: Turn, operation: AsyncOperation): void {
    const { source } = operation;
    if (source.kind !== 'memory') throw turn.notFollowed('an asynchronous operation');
    if (turn.lanes !== turn.warp.all) throw turn.notFollowed('a product by some lanes of a warp');
    const group = this.of(turn);
    const own = this.ownOf(group, turn.warp);
    const runs = matrixRunsOf(turn, source);
    const what = [turn.at, ...runs.flatMap(({ address, bytes }) => [address, bytes])].join();
    const read = group.reads[own.read] ?? { what, issued: [] };
    if (read.what !== what) throw turn.notFollowed(OTHERS);
    group.reads[own.read++] = read;
    read.issued.push(this.recorder.steps(turn));
    if (read.issued.length === WARPS) {
      const effects = effectsOf(operation);
      const index = effects.findIndex(({ kind }) => kind === 'read');
      const { tags } = effects[index] ?? { tags: [] };
      const kind = this.recorder.kind(turn, index, { reads: true, writes: false, tags, scope: undefined });
      const [lane = 0] = lanesIn(turn.lanes);
      const rows = runs.map(({ address, bytes }) => {
        const access = { address: source.address, bytes, alignment: 1, manner: 'reads' } as const;
        const place = placeFor(this.image, this.recorder, turn, lane, { ...access, base: address });
        return this.recorder.access(turn, lane, kind, place, 0, bytes);
      });
      this.recorder.issueTogether(rows, read.issued.flat());
      this.recorder.tell(rows, group.object, own.committed);
    }
    this.recorder.advance(turn);
  }

  /** Lanes commit a group, or wait for all but the newest; gives those that wait for the other warps. */
  group(turn: Turn, operation: GroupOperation): number {
    const { warp, lanes } = turn;
    const group = this.of(turn);
    const own = this.ownOf(group, warp);
    if (operation.action === 'commit') {
      this.commit(turn, group, own);
      this.recorder.advance(turn);
      return 0;
    }
    const until = own.committed - (operation.pending ?? 0);
    if (until <= 0) return 0;
    const commits = group.groups[until - 1]?.commits ?? [];
    if (commits.length < WARPS) {
      group.waiting.push(turn);
      warp.park(turn.at, lanes);
      return lanes;
    }
    const steps = this.recorder.steps(turn);
    const row = this.recorder.accesses.count;
    const [object, phase] = [group.object, until - 1];
    this.recorder.synchronizations.push({ kind: 'matrix-group', row, object, phase, steps, issued: commits.flat() });
    this.recorder.advance(turn);
    return 0;
  }

  /** A warp that waits for others of its warpgroup, or reads what they do not, and they do not come. */
  get left(): Turn | undefined {
    return [...this.warpgroups.values()].flatMap(({ waiting }) => waiting)[0];
  }

  private commit(turn: Turn, group: Warpgroup, own: { readonly read: number; committed: number }): void {
    const known = group.groups[own.committed] ?? { read: own.read, commits: [] };
    if (known.read !== own.read) throw turn.notFollowed(OTHERS);
    group.groups[own.committed++] = known;
    known.commits.push(this.recorder.steps(turn));
    if (known.commits.length < WARPS) return;
    for (const one of group.waiting.splice(0)) one.warp.unpark(one.at, one.lanes);
  }

  private ownOf({ warps }: Warpgroup, warp: Warp): { read: number; committed: number } {
    const own = warps.get(warp) ?? { read: 0, committed: 0 };
    warps.set(warp, own);
    return own;
  }

  private of({ warp }: Turn): Warpgroup {
    const key = warpgroupOf(warp);
    const known = this.warpgroups.get(key);
    if (known !== undefined) return known;
    const made = {
      object: this.mbarriers.addTeller(warp.threads[0]?.ctaId ?? 0),
      warps: new Map(),
      reads: [],
      groups: [],
      waiting: [],
    };
    this.warpgroups.set(key, made);
    return made;
  }
}

const OTHERS = 'warps of a warpgroup that do not multiply the same matrices';
