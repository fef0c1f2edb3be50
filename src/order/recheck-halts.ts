import type { Halt } from '../follow/halts.js';
import { kindOf, rowsTouching, type Trace } from '../follow/trace.js';
import { WARP_SIZE } from '../kernel/grid.js';
import { computeArithmetic } from '../program/integer.js';
import { initialValue } from '../program/locations.js';

type AwaitedValue = Extract<Halt['awaited'], { readonly kind: 'value' }>;

/** So many values of what is awaited are told apart. */
const MOST_VALUES = 256;

/**
 * A thread that waits for ever in the run, and may go on in another execution, where only what this run has may let it;
 * of phases of mbarriers see recheck-partners.ts.
 */
export function firstDoubtfulHalt(trace: Trace): string | undefined {
  const { halts, findings } = trace;
  const waiting = new Set(halts.map(({ step }) => step.thread));
  const untold = findings.find(({ rule, thread }) => rule === 'deadlock' && !waiting.has(thread.id));
  if (untold !== undefined) return `nothing tells what thread ${untold.thread.id} waits for`;
  const isForEver = ({ awaited }: Halt): boolean => {
    switch (awaited?.kind) {
      case 'barrier':
        return isShortOf(trace, awaited.barrier, waiting);
      case 'phase':
        return true;
      case 'value':
        return isNeverWritten(trace, awaited);
      case undefined:
        return false;
    }
  };
  const doubtful = halts.find((one) => !isForEver(one));
  return doubtful && `thread ${doubtful.step.thread} may go on`;
}

/** Fewer have come to a barrier than it waits for; of those of a warp or a cluster, others wait elsewhere. */
function isShortOf({ incomplete, halts, threads }: Trace, barrier: string, waiting: ReadonlySet<number>): boolean {
  const own = incomplete.find((one) => one.barrier === barrier);
  const come = new Set(
    own === undefined
      ? halts.flatMap(({ awaited, step }) =>
          awaited?.kind === 'barrier' && awaited.barrier === barrier ? [step.thread] : [],
        )
      : own.arrivals.map(({ thread }) => thread),
  );
  const [first = -1] = come;
  const of = threads[first];
  if (of === undefined) return false;
  if (own?.count !== undefined) {
    const warps = new Set(
      [...come].map((id) => `${threads[id]?.ctaId} ${Math.floor((threads[id]?.tid ?? 0) / WARP_SIZE)}`),
    );
    return warps.size * WARP_SIZE < own.count;
  }
  const group = barrier.startsWith('cluster') ? 'clusterId' : 'ctaId';
  return threads.some((one) => one[group] === of[group] && !come.has(one.id) && waiting.has(one.id));
}

/** Neither what is written to some bytes, in whatever order, nor what is there at first ends a wait for them. */
function isNeverWritten(trace: Trace, { piece, offset, bytes, ends }: AwaitedValue): boolean {
  const object = trace.pieces[piece]?.object;
  const initial = object && initialValue(object, offset, bytes);
  if (initial === undefined) return false;
  const { starts, sizes, values } = trace.accesses;
  const writes = rowsTouching(trace, piece, offset, bytes).filter((row) => {
    const { writes: isWrite, change } = kindOf(trace, row);
    return isWrite && change !== 'same';
  });
  const cut = (value: bigint): bigint => BigInt.asUintN(8 * bytes, value);
  const found = new Set([initial]);
  for (const isStore of [true, false])
    for (const row of writes) {
      const { change } = kindOf(trace, row);
      const value = values.at(row);
      if (starts.at(row) !== offset || sizes.at(row) !== bytes || value === undefined) return false;
      if ((change === 'set') !== isStore) continue;
      if (change === 'set') found.add(cut(value));
      else if (typeof change === 'string') return false;
      else for (const old of [...found]) found.add(cut(computeArithmetic(change, [old, value])));
      if (found.size > MOST_VALUES) return false;
    }
  return [...found].every((value) => ends(value) === false);
}
