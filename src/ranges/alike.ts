import { lanesIn } from '../follow/lanes.js';
import { kindOf, type Trace } from '../follow/trace.js';
import { mask } from '../program/integer.js';
import type { Watched } from './dependence.js';
import { Interval } from './interval.js';
import { keepApart } from './keep-apart.js';
import type { RunLog, WatchedRun } from './run-log.js';

/**
 * For which t a test is followed alike with the value `v + t*d`, given how it is followed with `v` (t = 0) and with
 * `v + d` (t = 1); undefined if that cannot be told. Along one way through the code all that is watched is linear in t,
 * so that two points say what it is (docs/decisions/ranges.md).
 */
export function alikeAround(a: RunLog, b: RunLog): Interval['bounds'] {
  if (a.refused !== undefined || b.refused !== undefined || a.runs.length !== b.runs.length) return undefined;
  const interval = new Interval();
  for (const [i, run] of a.runs.entries()) {
    const other = b.runs[i];
    if (other === undefined || !areParallel(run, other)) return undefined;
    keepSteps(interval, a, run, other);
    if (interval.bounds === undefined || !keepAccesses(interval, a, run.trace, other.trace)) return undefined;
  }
  return interval.bounds;
}

/** Whether two runs have the same steps. */
const areParallel = (a: WatchedRun, b: WatchedRun): boolean =>
  a.values.length === b.values.length &&
  a.steps.length === b.steps.length &&
  a.steps.every((one, i) => one === b.steps[i]);

/** Numbers of a step in the list of steps. */
const STEP = 4;

function keepSteps(interval: Interval, log: RunLog, a: WatchedRun, b: WatchedRun): void {
  let from = 0;
  for (let step = 0; step < a.steps.length; step += STEP) {
    const [launch = 0, , statement = 0, lanes = 0] = a.steps.slice(step, step + STEP);
    const watched = log.watchedAt(launch, statement);
    if (watched === undefined) return interval.none();
    const count = lanesIn(lanes).length;
    for (let lane = 0; lane < count; lane++) {
      const operands = watched.operands.map(({ width }, i): Line => {
        const at = from + i * count + lane;
        return lineThrough(a.values[at] ?? 0n, b.values[at] ?? 0n, width, watched.signed);
      });
      keepStep(interval, watched, operands);
    }
    from += count * watched.operands.length;
  }
}

/** A value `at + by*t`, of so many bits. */
interface Line {
  readonly at: bigint;
  readonly by: bigint;
  readonly least: bigint;
  readonly most: bigint;
}

/** The numbers that bits stand for, from their values at t = 0 and at t = 1. */
function lineThrough(a: bigint, b: bigint, width: number, signed: boolean): Line {
  const half = 1n << BigInt(width - 1);
  const read = (bits: bigint): bigint => (signed ? BigInt.asIntN(width, bits) : BigInt.asUintN(width, bits));
  const at = read(a);
  const [least, most] = signed ? [-half, half - 1n] : [0n, mask(width)];
  return { at, by: read(b) - at, least, most };
}

function keepStep(interval: Interval, { rule, comparison }: Watched, operands: readonly Line[]): void {
  if (rule === 'known') return;
  for (const { at, by, least, most } of operands) {
    interval.keep(at - least, by);
    interval.keep(most - at, -by);
  }
  const [one, other] = operands;
  if (rule === 'extend' || one === undefined || other === undefined) return;
  const [at, by] = [one.at - other.at, one.by - other.by];
  if (rule === 'choose') return at < 0n || (at === 0n && by <= 0n) ? interval.keep(-at, -by) : interval.keep(at, by);
  keepComparison(interval, comparison, at, by);
}

/** Keeps the t for which `at + by*t` compares with 0 as it does for 0 and 1. */
function keepComparison(interval: Interval, comparison: Watched['comparison'], at: bigint, by: bigint): void {
  if (comparison === 'equal') return interval.keepSign(at, by);
  // Below: at most -1; at most 0.
  const below = comparison === 'less' ? -1n : 0n;
  if (at <= below) interval.keep(below - at, -by);
  else interval.keep(at - below - 1n, by);
}

/** Keeps the t for which accesses meet as they do for 0 and 1; false where these differ, or it cannot be told. */
function keepAccesses(interval: Interval, log: RunLog, a: Trace, b: Trace): boolean {
  if (!areOfOneShape(a, b)) return false;
  const moves = new Map<number, bigint>();
  const columns = ['threads', 'positions', 'ends', 'tellers', 'kinds', 'pieces', 'ranges', 'sizes', 'issues'] as const;
  for (let row = 0; row < a.accesses.count; row++) {
    if (columns.some((name) => a.accesses[name].at(row) !== b.accesses[name].at(row))) return false;
    const move = b.accesses.starts.at(row) - a.accesses.starts.at(row);
    const isMoving = log.isMoving(kindOf(a, row));
    if (move !== 0 && !isMoving) return false;
    if (isMoving) moves.set(row, BigInt(move));
  }
  return keepApart(interval, a, moves);
}

/** Whether runs have as many of everything, and the same kinds of accesses and pieces of memory. */
function areOfOneShape(a: Trace, b: Trace): boolean {
  const counts = (of: Trace): readonly number[] => [
    ...[of.threads, of.kinds, of.pieces, of.objects, of.issues, of.synchronizations, of.assumptions].map(
      ({ length }) => length,
    ),
    ...[of.counts.length, of.findings.length, of.uninitialized.length, of.accesses.count],
    ...[of.derived.size, of.tickets.size, of.tensors.size, of.results.size],
  ];
  const [own, other] = [counts(a), counts(b)];
  return (
    own.every((count, i) => count === other[i]) &&
    a.kinds.every((one, i) => {
      const same = b.kinds[i];
      return one.launch === same?.launch && one.statement === same.statement && one.unit === same.unit;
    }) &&
    a.pieces.every((one, i) => one.object.id === b.pieces[i]?.object.id && one.owner === b.pieces[i]?.owner)
  );
}
