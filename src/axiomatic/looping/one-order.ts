import type { Located } from '../../program/locations.js';
import type { AccessQualifiers, Address } from '../../program/operation.js';
import { type Placement, scopeIncludes } from '../../program/placement.js';
import type { Program } from '../../program/program.js';
import { overlap, sameBytes } from '../../semantics/cells.js';

/** An access of a thread, by where it goes in every execution. */
interface Known extends AccessQualifiers {
  readonly thread: Placement;
  readonly at: Located;
  readonly writes: boolean;
}

/**
 * Whether every execution is an interleaving of the threads: they meet in at most one place in memory, by accesses that
 * are morally strong pairwise (PTX ISA 8.7). Then the axioms Coherence and SC-per-Location put all of them in one order
 * with program order (8.10.1, 8.10.5), and each read takes the last write before it. What else is accessed is read
 * only, or by one thread only. Where an address is computed, or memory goes with a CTA, this is not known: so nothing
 * of it is undefined either.
 */
export function isInOneOrder(program: Program): boolean {
  const accesses = knownAccesses(program);
  if (accesses === undefined) return false;
  const conflict = (a: Known, b: Known): boolean => a !== b && (a.writes || b.writes) && overlap(a.at, b.at);
  const meeting = accesses.filter((a) => accesses.some((b) => !isOneThread(a, b) && conflict(a, b)));
  return (
    meeting.every((a) => meeting.every((b) => overlap(a.at, b.at))) &&
    accesses.every((a) => accesses.every((b) => !conflict(a, b) || areOrdered(a, b)))
  );
}

/** The accesses of all threads; undefined where one is not known beforehand, or is no scalar. */
function knownAccesses(program: Program): readonly Known[] | undefined {
  const accesses: Known[] = [];
  for (const { statements, placement } of program.threads)
    for (const { operation } of statements) {
      if (operation.kind !== 'load' && operation.kind !== 'store' && operation.kind !== 'atomic') continue;
      const elements = operation.kind === 'load' ? operation.targets.length : operation.values.length;
      const isScalar = operation.kind === 'atomic' || elements === 1;
      const at = isScalar ? placeOf(program, operation.address, operation.type.width / 8, placement) : undefined;
      if (at === undefined) return undefined;
      accesses.push({ ...operation, thread: placement, at, writes: operation.kind !== 'load' });
    }
  return accesses;
}

/** Where an address that is a number goes; undefined: it is computed, or lies where something may be undefined. */
function placeOf(
  program: Program,
  { base, offset }: Address,
  bytes: number,
  placement: Placement,
): Located | undefined {
  if (base.kind !== 'constant') return undefined;
  const address = base.value + offset;
  const found = program.locations.locate({ bytes, window: 'generic', alignment: bytes }, placement, address);
  return found?.object.cta === undefined && found?.object.mbarrier === undefined ? found : undefined;
}

const isOneThread = (a: Known, b: Known): boolean => a.thread.thread === b.thread.thread;

/** Of accesses that conflict: in program order at one range of addresses, or morally strong. */
function areOrdered(a: Known, b: Known): boolean {
  if (a.proxy !== 'generic' || b.proxy !== 'generic' || a.at.range !== b.at.range) return false;
  if (isOneThread(a, b)) return true;
  if (a.scope === undefined || b.scope === undefined || a.order === 'weak' || b.order === 'weak') return false;
  return (
    sameBytes(a.at, b.at) && scopeIncludes(a.scope, a.thread, b.thread) && scopeIncludes(b.scope, b.thread, a.thread)
  );
}
