import { WARP_SIZE } from '../kernel/grid.js';
import { groupBy } from '../program/group-by.js';
import type { ProgramStatement } from '../program/operation.js';
import { EXECUTED, isRegisterCount } from '../program/register-counts.js';
import { at } from './lane-value.js';
import { lanesIn } from './lanes.js';
import type { Recorder } from './recorder.js';
import type { FollowedThread } from './trace.js';
import { NotFollowed } from './turn.js';
import type { Warp } from './warp.js';

/** Warps of a warpgroup (PTX ISA, Asynchronous Warpgroup Level Matrix Instructions). */
export const WARPS = 4;

/** The warpgroup of a warp. */
export function warpgroupOf({ threads: [first] }: Warp): string {
  if (first === undefined) throw new Error('a warp without threads');
  return `${first.ctaId} ${Math.floor(first.tid / (WARPS * WARP_SIZE))}`;
}

/** Finds threads that have executed another setmaxnreg than others of their warpgroup, once all have ended. */
export function findDivergence(warps: readonly Warp[], { findings }: Recorder): void {
  const counting = warps.filter(({ code }) => code.indexOf.has(EXECUTED));
  for (const own of groupBy(counting, warpgroupOf).values()) {
    const all = own.flatMap(({ all: lanes, code, threads, registers }) => {
      const executed = registers[code.indexOf.get(EXECUTED) ?? -1];
      const { span } = code.statements.find(({ operation }) => isRegisterCount(operation)) as ProgramStatement;
      return lanesIn(lanes).map((lane) => ({
        thread: threads[lane] as FollowedThread,
        executed: at(executed, lane),
        span,
      }));
    });
    const open = all.find(({ executed }) => executed === undefined);
    if (open !== undefined)
      throw new NotFollowed(open.span, 'whether all warps of a warpgroup execute setmaxnreg alike is open');
    const other = all.find(({ executed }) => executed !== all[0]?.executed);
    if (other !== undefined) findings.push({ rule: 'warpgroup-divergence', thread: other.thread, span: other.span });
  }
}
