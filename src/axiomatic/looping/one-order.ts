import type { AccessQualifiers, Address } from '../../program/operation.js';
import { type Placement, scopeIncludes } from '../../program/placement.js';
import type { Program } from '../../program/program.js';

/** An access of a thread, by where it goes in every execution. */
interface Known extends AccessQualifiers {
  readonly thread: Placement;
  readonly at: string;
  readonly writes: boolean;
}

/**
 * Whether every execution is an interleaving of the threads: at most one place in memory is accessed by several of them
 * and written by one, and accesses to it are morally strong pairwise (PTX ISA 8.7). Then the axioms Coherence and
 * SC-per-Location put all of them in one order with program order (8.10.1, 8.10.4), and each read takes the last write
 * before it. What else is accessed is read only, or by one thread only. Where an address is computed, or memory goes
 * with a CTA, this is not known: so nothing of it is undefined either.
 */
export function isInOneOrder(program: Program): boolean {
  const accesses: Known[] = [];
  for (const { statements, placement } of program.threads)
    for (const { operation } of statements) {
      if (operation.kind !== 'load' && operation.kind !== 'store' && operation.kind !== 'atomic') continue;
      const elements = operation.kind === 'load' ? operation.targets.length : operation.values.length;
      const isScalar = operation.kind === 'atomic' || elements === 1;
      const place = isScalar ? placeOf(program, operation.address, operation.type.width / 8, placement) : undefined;
      if (place === undefined) return false;
      accesses.push({ ...operation, thread: placement, at: place, writes: operation.kind !== 'load' });
    }
  const shared = [...new Set(accesses.map(({ at }) => at))]
    .map((at) => accesses.filter((one) => one.at === at))
    .filter((own) => own.some(({ writes }) => writes) && new Set(own.map(({ thread }) => thread.thread)).size > 1);
  const overlaps = [...new Set(accesses.map(({ at }) => at.split('+')[0]))].some((object) => {
    const sizes = new Set(accesses.filter(({ at }) => at.startsWith(`${object}+`)).map(({ at }) => at));
    return sizes.size > 1 && shared.some(([one]) => one?.at.startsWith(`${object}+`));
  });
  return shared.length <= 1 && !overlaps && shared.every((own) => own.every((a) => own.every((b) => areStrong(a, b))));
}

/** Object, offset and bytes of an address that is a number; undefined: it is computed, or lies outside of memory. */
function placeOf(program: Program, { base, offset }: Address, bytes: number, placement: Placement): string | undefined {
  if (base.kind !== 'constant') return undefined;
  const address = base.value + offset;
  const found = program.locations.locate({ bytes, window: 'generic', alignment: bytes }, placement, address);
  // Through an alias it is another virtual address.
  const { cta, mbarrier } = found?.object ?? {};
  return found === undefined || cta !== undefined || mbarrier !== undefined
    ? undefined
    : `${found.object.id}+${found.offset}+${bytes}+${found.virtualAddress}`;
}

function areStrong(a: Known, b: Known): boolean {
  if (a.thread.thread === b.thread.thread) return a.proxy === b.proxy && a.proxy === 'generic';
  const { scope: one, order } = a;
  const { scope: other, order: otherOrder } = b;
  if (one === undefined || other === undefined || order === 'weak' || otherOrder === 'weak') return false;
  return (
    a.proxy === 'generic' &&
    b.proxy === 'generic' &&
    scopeIncludes(one, a.thread, b.thread) &&
    scopeIncludes(other, b.thread, a.thread)
  );
}
