import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { clusterOf, ctasOfCluster, type LaunchedThread, laneOf, linearOf, type Shape, volume } from '../kernel/grid.js';
import type { Dimensions, RunClause, Selection } from '../syntax/launch-ast.js';

/** The threads of a CTA that go the same way, as far as that is known before the launch; in order. */
export type Ways = (cta: number) => readonly (readonly number[])[];

/** A thread that is run, with those of its CTA that it represents where threads are counted. */
export interface RunThread extends LaunchedThread {
  readonly represents: readonly number[];
}

/** The threads that the clauses name. */
export function namedThreads(
  clauses: readonly RunClause[],
  shape: Shape,
): { readonly threads: readonly LaunchedThread[]; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const [ctas, tids] = [volume(shape.grid), volume(shape.block)];
  const threads = clauses.flatMap(({ kind, threads: chosen, ctas: within, span }): readonly LaunchedThread[] => {
    const numbers = (selections: readonly Selection[], size: Dimensions, what: string): readonly number[] =>
      selections.flatMap((one) => {
        const list = selected(one, size);
        const wrong = list.find((number) => number < 0 || number >= volume(size));
        if (wrong === undefined) return list;
        diagnostics.push(error('L0209', span, `there is no ${what} ${wrong}: the launch has ${volume(size)}`));
        return [];
      });
    const inCtas = within === undefined ? range(ctas) : numbers(within, shape.grid, 'cta');
    const own =
      kind === 'all' || kind === 'auto'
        ? range(tids)
        : kind === 'warps'
          ? range(tids).filter((tid) => tid % 32 === 0)
          : numbers(chosen, shape.block, 'tid');
    if (inCtas.length * own.length > MOST_RUN) {
      diagnostics.push(
        error(
          'L0209',
          span,
          `this runs ${inCtas.length * own.length} threads, and no more than ${MOST_RUN} can be run`,
          'without run the test is about all of them; run warps takes one of each warp',
        ),
      );
      return [];
    }
    return inCtas.flatMap((cta) => own.map((tid) => ({ cta, tid })));
  });
  return { threads, diagnostics };
}

/** More have never been decided. */
const MOST_RUN = 256;

const range = (length: number): readonly number[] => Array.from({ length }, (_, i) => i);

function selected(selection: Selection, size: Dimensions): readonly number[] {
  if (selection.kind === 'point')
    return [selection.at.every((one, i) => one < (size[i] ?? 0)) ? linearOf(selection.at, size) : volume(size)];
  const { from, to, step } = selection;
  const list: number[] = [];
  for (let number = from; number <= to && list.length <= volume(size); number += step) list.push(number);
  return list;
}

/** Threads that represent nobody, each once, in the order of CTA and thread. */
export const alone = (given: readonly LaunchedThread[]): readonly RunThread[] =>
  [...byCtaOf(given)].flatMap(([cta, tids]) =>
    [...tids].sort((a, b) => a - b).map((tid) => ({ cta, tid, represents: [] })),
  );

/**
 * A part of a launch: some threads, the lowest of each way that none of them goes in its CTA, and the first of every
 * other CTA of a cluster. Each represents others of its way, in its warp if there is one of that, else the next before
 * them.
 */
export function partOf(shape: Shape, given: readonly LaunchedThread[], ways: Ways): readonly RunThread[] {
  const byCta = byCtaOf(given);
  for (const cluster of new Set([...byCta.keys()].map((cta) => clusterOf(shape, cta).cluster)))
    for (const cta of ctasOfCluster(shape, cluster)) if (!byCta.has(cta)) byCta.set(cta, new Set([0]));
  for (const [cta, tids] of byCta)
    for (const way of ways(cta)) {
      const [lowest] = way;
      if (lowest !== undefined && !way.some((tid) => tids.has(tid))) tids.add(lowest);
    }
  return [...byCta]
    .sort(([a], [b]) => a - b)
    .flatMap(([cta, tids]): readonly RunThread[] => {
      const represented = new Map([...tids].sort((a, b) => a - b).map((tid) => [tid, [] as number[]]));
      for (const way of ways(cta)) {
        const run = way.filter((tid) => tids.has(tid));
        for (const tid of way.filter((one) => !tids.has(one))) {
          const { warp } = laneOf(shape, { cta, tid });
          const mate =
            run.find((one) => laneOf(shape, { cta, tid: one }).warp === warp) ??
            run.findLast((one) => one < tid) ??
            run[0];
          represented.get(mate ?? -1)?.push(tid);
        }
      }
      return [...represented].map(([tid, represents]) => ({ cta, tid, represents }));
    });
}

/** By CTA, in order, the numbers of some threads. */
function byCtaOf(threads: readonly LaunchedThread[]): Map<number, Set<number>> {
  const byCta = new Map<number, Set<number>>();
  for (const { cta, tid } of [...threads].sort((a, b) => a.cta - b.cta))
    byCta.set(cta, (byCta.get(cta) ?? new Set()).add(tid));
  return byCta;
}
