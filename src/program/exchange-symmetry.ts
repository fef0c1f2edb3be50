import type { Operation, ProgramStatement } from './operation.js';
import type { Placement, WarpParty } from './placement.js';
import type { Program, Thread } from './program.js';

/**
 * What these do is the same wherever a thread runs; others name CTAs, lanes or groups, or answer by them, and grids are
 * waited for by number.
 */
const ALIKE_ANYWHERE: ReadonlySet<Operation['kind']> = new Set([
  ...([
    'compute',
    'open',
    'load',
    'store',
    'atomic',
    'fence',
    'proxy-fence',
    'require',
    'branch',
    'exit',
    'trap',
  ] as const),
]);

/** The code of a thread as one text, if what it does is the same wherever it runs. */
export function codeOf({ statements, registers, labels }: Thread): string | undefined {
  if (statements.some(({ operation }) => !ALIKE_ANYWHERE.has(operation.kind))) return undefined;
  return JSON.stringify([statements, [...registers]], (key, value: unknown) => {
    if (key === 'span') return undefined;
    // Where a branch goes, not what the place is called.
    if (key === 'label' && typeof value === 'string') return labels.get(value);
    return typeof value === 'bigint' ? `${value}n` : value;
  });
}

/**
 * Whether two threads of one code can change places, so that the program stays what it is: with them the CTAs, grids
 * and so on that they run in get each other's names, and every other thread, every object of memory and every order of
 * grids must be under the new names what it was under the old.
 */
export function exchangeKeeps(program: Program, a: Thread, b: Thread): boolean {
  const { threads, locations } = program;
  const other = (index: number): number => (index === a.index ? b.index : index === b.index ? a.index : index);
  const names = new Map<Unit, ReadonlyMap<string, string>>();
  for (const unit of UNITS) {
    const renamed = renaming(threads, unit, other);
    if (renamed === undefined) return false;
    names.set(unit, renamed);
  }
  const named = (unit: Unit, name: string): string => names.get(unit)?.get(name) ?? name;
  const staysWhere = (unit: Unit, name: string | undefined): boolean =>
    name === undefined || named(unit, name) === name;
  return (
    [a, b].every(({ placement }) => placement.lanes === 1) &&
    traitsOf(a.placement) === traitsOf(b.placement) &&
    // Addresses are the same for all: those of shared memory name a CTA, those of local memory each thread's own.
    locations.objects.every(
      ({ owner, cta, cluster }) =>
        (owner === undefined || other(owner) === owner) && staysWhere('cta', cta) && staysWhere('cluster', cluster),
    ) &&
    threads.every(({ statements }) => statements.every((one) => waitsAlike(one, (grid) => named('grid', grid)))) &&
    partiesAreAlike(program.parties, other, (cta) => named('cta', cta))
  );
}

/** In what threads run together, from large to small. */
const UNITS = ['gpu', 'grid', 'cluster', 'cta', 'warp'] as const;
type Unit = (typeof UNITS)[number];

/** The host is in no GPU and in no grid, whatever its number says. */
const unitOf = (placement: Placement, unit: Unit): string =>
  placement.gpu === undefined && (unit === 'gpu' || unit === 'grid') ? 'host' : String(placement[unit]);

/** What each unit is called after the exchange; undefined if one would have to have two names. */
function renaming(
  threads: readonly Thread[],
  unit: Unit,
  other: (index: number) => number,
): ReadonlyMap<string, string> | undefined {
  const names = new Map<string, string>();
  for (const { index, placement } of threads) {
    const there = threads[other(index)]?.placement ?? placement;
    const [from, to] = [unitOf(placement, unit), unitOf(there, unit)];
    if ((names.get(from) ?? to) !== to) return undefined;
    names.set(from, to);
  }
  return names;
}

/** All of a placement but the names of units, and the numbers that only special registers and addresses tell of. */
function traitsOf(placement: Placement): string {
  const { thread, gpu, grid, cluster, cta, warp, ctaNumber, warpNumber, clusterIndex, warpIndex, ...traits } =
    placement;
  const { lane, firstLane, ...rest } = traits;
  return JSON.stringify([gpu === undefined, Object.entries(rest).sort()]);
}

/** A wait for grids waits for the same ones under their new names. */
function waitsAlike({ operation }: ProgramStatement, named: (grid: string) => string): boolean {
  if (operation.kind !== 'grid-wait') return true;
  return [operation.complete, operation.launchedBy].every((grids) => {
    const there = new Set(grids.map(String));
    return [...there].every((grid) => there.has(named(grid)));
  });
}

/** The CTAs have, under their new names, the warps that they had. */
function partiesAreAlike(
  parties: ReadonlyMap<string, readonly WarpParty[]>,
  other: (index: number) => number,
  named: (cta: string) => string,
): boolean {
  const shown = (warps: readonly WarpParty[], name: (index: number) => number): string =>
    warps
      .map(({ threads, ...rest }) => JSON.stringify([threads.map(name).sort((x, y) => x - y), rest]))
      .sort()
      .join();
  return [...parties].every(
    ([cta, warps]) => shown(warps, other) === shown(parties.get(named(cta)) ?? [], (index) => index),
  );
}
