import type { Span } from '../diagnostics/source.js';
import { kindOf, type Trace, threadOf } from './trace.js';

/** A thread begins that does what whoever makes the last of some atomics does, which finds a value. */
export interface LastStep {
  readonly kind: 'last';
  readonly row: number;
  readonly thread: number;
  readonly rows: readonly number[];
  /** The one that comes last in the run. */
  readonly read: number;
  readonly finds: bigint;
  readonly block: BlockOfLast;
  readonly span: Span;
}

/** Statements of the code of some atomics, of which whoever makes the last one goes another way. */
export interface BlockOfLast {
  readonly atomic: number;
  /** Between the atomic and the branch, and what whoever comes last does behind it, up to where all go on. */
  readonly inside: ReadonlySet<number>;
  /** The loads by which the others wait beside it. */
  readonly waits: ReadonlySet<number>;
}

/** The first thread of which it is not known that it does what whoever comes last does, in every execution. */
export function firstDoubtful(
  trace: Trace,
  lasts: readonly LastStep[],
  results: { readonly isOneLast: (one: LastStep) => boolean },
  /** The writes of each case that a read may have found. */
  foundIn: ReadonlyMap<number, readonly (readonly number[])[]>,
): LastStep | undefined {
  const wrong = lasts.find((one) => !results.isOneLast(one) || usesOwnMemory(trace, one));
  return wrong ?? (waitForLast(trace, lasts, foundIn) ? undefined : lasts[0]);
}

/** Whether a thread that comes to where one of several goes another way accesses memory of its own there. */
function usesOwnMemory(trace: Trace, { read, block }: LastStep): boolean {
  const { launch } = kindOf(trace, read);
  const { pieces, count } = trace.accesses;
  for (let row = 0; row < count; row++) {
    const { statement, launch: of } = kindOf(trace, row);
    if (trace.pieces[pieces.at(row)]?.object.owner === undefined || of !== launch) continue;
    if (block.inside.has(statement)) return true;
  }
  return false;
}

/**
 * Whether those who do not come last wait for what is written by whoever does, and for nobody else, and all see it:
 * then who comes last knows all that they are told there, and may be taken to wait, too.
 */
function waitForLast(
  trace: Trace,
  lasts: readonly LastStep[],
  foundIn: ReadonlyMap<number, readonly (readonly number[])[]>,
): boolean {
  const byThread = new Map<number, { readonly row: number; readonly last: LastStep }[]>();
  const waiting = lasts.filter(({ block }) => block.waits.size > 0);
  for (const last of waiting)
    for (const row of last.rows) {
      const { id } = threadOf(trace, row);
      byThread.set(id, [...(byThread.get(id) ?? []), { row, last }]);
    }
  const isBeside = (read: number, { block, read: of }: LastStep): boolean => {
    const [own, other] = [kindOf(trace, read), kindOf(trace, of)];
    return block.waits.has(own.statement) && own.launch === other.launch;
  };
  const ended = new Set<number>();
  const areOfLast = trace.synchronizations.every((one) => {
    if (one.kind !== 'poll' || !waiting.some((last) => isBeside(one.read, last))) return true;
    const own = (byThread.get(one.step.thread) ?? []).filter(
      ({ row, last }) => row < one.read && isBeside(one.read, last),
    );
    const { last, row: atomic } = own.at(-1) ?? {};
    if (atomic !== undefined) ended.add(atomic);
    const cases = foundIn.get(one.read) ?? [];
    const isOfLast = (row: number): boolean => threadOf(trace, row).id === last?.thread;
    return cases.length > 0 && cases.every((rows) => rows.every(isOfLast));
  });
  return areOfLast && waiting.every(({ rows }) => rows.every((row) => ended.has(row)));
}
