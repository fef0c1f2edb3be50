import type { LaneGroup, Warp } from './warp.js';
import type { Schedule } from './which-run.js';

/** Where schedules let warps stop: behind fences and strong accesses; or until nobody else can go on. */
export class FenceTurns {
  private readonly stopped = new Set<Warp>();
  private readonly released = new Set<Warp>();

  constructor(private readonly schedule: Schedule | undefined) {}

  /** Whether lanes stop before what they have come to. */
  stopsBefore(warp: Warp, group: LaneGroup): boolean {
    if (!this.lingersAt(warp, group) || this.released.delete(warp)) return false;
    warp.put(group.at, group.lanes);
    this.stopped.add(warp);
    return true;
  }

  private lingersAt(warp: Warp, group: LaneGroup): boolean {
    if (this.schedule === 'before fences') return isFence(warp, group);
    return this.schedule === 'behind atomics' && isAtomic(warp, { ...group, at: group.at - 1 });
  }

  stopsBehind(warp: Warp, group: LaneGroup): boolean {
    if (this.schedule === 'by accesses') return isFence(warp, group) || isStrongAccess(warp, group);
    return this.schedule === 'in turns' && isFence(warp, group);
  }

  /** Lets the last of those that have stopped go on; whether there is one. */
  release(): boolean {
    const [first, ...others] = this.stopped;
    if (first === undefined) return false;
    const last = others.reduce((a, b) => (a.id > b.id ? a : b), first);
    this.stopped.delete(last);
    this.released.add(last);
    return true;
  }
}

const isFence = ({ code }: Warp, { at }: LaneGroup): boolean => code.statements[at]?.operation.kind === 'fence';

const isAtomic = ({ code }: Warp, { at }: LaneGroup): boolean => code.statements[at]?.operation.kind === 'atomic';

function isStrongAccess({ code }: Warp, { at }: LaneGroup): boolean {
  const operation = code.statements[at]?.operation;
  return operation !== undefined && 'order' in operation && operation.order !== 'weak';
}
