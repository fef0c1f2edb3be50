import type { AsyncOperation, GroupOperation } from '../program/async-operation.js';
import type { MbarrierOperation } from '../program/mbarrier-operation.js';
import type { Operation } from '../program/operation.js';
import { AsyncCopies, type Cancel } from './async-copies.js';
import { MatrixGroups } from './matrix-groups.js';
import type { Mbarriers } from './mbarriers.js';
import type { MemoryImage } from './memory-image.js';
import { PairSteps } from './pair-steps.js';
import type { Recorder } from './recorder.js';
import { TensorMemoryAccesses } from './tensor-memory.js';
import type { Turn } from './turn.js';
import type { Schedule } from './which-run.js';

/** Asynchronous operations, by who tells that they are complete: copies, matrices of warpgroups, and tcgen05. */
export class AsyncOperations {
  readonly tensors: TensorMemoryAccesses;
  private readonly copies: AsyncCopies;
  private readonly matrices: MatrixGroups;
  private readonly pairs: PairSteps;

  constructor(schedule: Schedule | undefined, cancel: Cancel, ...of: readonly [MemoryImage, Recorder, Mbarriers]) {
    this.pairs = new PairSteps(of[1]);
    this.copies = new AsyncCopies(...of, schedule === 'late copies', cancel);
    this.matrices = new MatrixGroups(...of);
    this.tensors = new TensorMemoryAccesses(...of);
  }

  issue(turn: Turn, operation: AsyncOperation): void {
    const { destination, completion } = operation;
    if (destination !== undefined) this.copies.issue(turn, operation);
    else if (completion.kind === 'group' && completion.family !== 'wgmma') this.tensors.read(turn, operation);
    else this.matrices.read(turn, operation);
  }

  /** Lanes access tensor memory, or make another step there; gives those that wait for the other CTA of a pair. */
  tensor(turn: Turn, operation: Extract<Operation, { readonly kind: 'tensor' | 'tensor-step' | 'pair-step' }>): number {
    if (operation.kind === 'pair-step') return this.pairs.come(turn, operation.step);
    if (operation.kind === 'tensor') this.tensors.access(turn, operation);
    else this.tensors.step(turn, operation.step);
    return 0;
  }

  /** What lanes have issued arrives at an mbarrier. */
  arrive(turn: Turn, operation: Extract<MbarrierOperation, { readonly action: 'async_arrive' }>): void {
    if (operation.family === 'cp.async') this.copies.arrive(turn, operation);
    else this.tensors.commit(turn, operation);
  }

  /** Lanes commit what they have issued, or wait for it; gives those that wait for other warps. */
  group(turn: Turn, group: GroupOperation): number {
    const { elected, all } = turn.warp;
    switch (group.family) {
      case 'wgmma':
        return this.matrices.group(turn, group);
      case 'cp.async':
      case 'bulk':
        this.copies.group(turn, group);
        if (elected !== undefined && turn.lanes === all) this.copies.group(elected.turn(turn), group);
        return 0;
      default:
        this.tensors.wait(turn, group.family);
        return 0;
    }
  }

  /** Nobody can go on: a copy becomes complete, if one is not yet. */
  release(): boolean {
    return this.copies.completeNext();
  }

  /** A warp that waits for others of its warpgroup, or reads what they do not, and they do not come. */
  get left(): Turn | undefined {
    return this.matrices.left;
  }
}
