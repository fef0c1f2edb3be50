import { type Step, type Trace, threadOf } from '../follow/trace.js';
import { groupBy } from '../program/group-by.js';
import type { ChainStart, Chains } from './recheck-chains.js';
import type { Claims } from './recheck-links.js';
import { isFinder } from './recheck-polls.js';
import type { TensorChains } from './recheck-tensors.js';

/** Behind all that a thread does. */
const END = 0xffff_ffff;

/** An access to the shared memory of another CTA of which no thread of that CTA knows when it exits. */
export function firstDoubtfulExit(
  trace: Trace,
  chains: Chains,
  tensors: Pick<TensorChains, 'arrivalsOf'>,
  claims: Pick<Claims, 'polls'>,
): string | undefined {
  const { accesses, owners, synchronizations, objects, threads, halts } = trace;
  const members = groupBy(
    threads.filter(({ way }) => way === undefined),
    ({ ctaId }) => ctaId,
  );
  const staying = new Set(halts.map(({ step }) => threads[step.thread]?.ctaId));
  const isKnown = (starts: readonly ChainStart[], owner: number): boolean =>
    staying.has(owner) ||
    (members.get(owner) ?? []).some(({ id }) =>
      starts.some((from) => chains.leads(from, { thread: id, position: END })),
    );
  /** By write: the CTAs of threads that wait for it, and find it in any case. */
  const finders = new Map<number, Set<number>>();
  for (const one of synchronizations) {
    const [found = [], ...others] = one.kind === 'poll' ? (claims.polls.get(one.read) ?? []) : [];
    if (one.kind !== 'poll' || others.length > 0 || !isFinder(trace, one)) continue;
    const ctaId = threads[one.step.thread]?.ctaId ?? -1;
    for (const write of found) finders.set(write, (finders.get(write) ?? new Set()).add(ctaId));
  }
  for (let row = 0; row < accesses.count; row++) {
    const owner = owners[accesses.pieces.at(row)];
    const { id, ctaId, launch } = threadOf(trace, row);
    if (owner === undefined || owner === ctaId) continue;
    const [end, teller] = [accesses.ends.at(row), accesses.tellers.at(row)];
    const from: ChainStart =
      teller === 0
        ? { kind: 'step', thread: id, position: end }
        : { kind: 'phase', object: teller - 1, phase: end - 1, launch };
    // What a commit tells of is complete where it has arrived.
    const committed = from.kind === 'phase' ? tensors.arrivalsOf(from.object, from.phase) : [];
    const starts = [from, ...committed.map((one): ChainStart => ({ kind: 'phase', launch, ...one }))];
    const isFound = finders.get(row)?.has(owner) === true;
    if (!isFound && !isKnown(starts, owner)) return `CTA ${owner} may have exited before an access by thread ${id}`;
  }
  for (const one of synchronizations) {
    if (one.kind !== 'mbarrier') continue;
    const owner = objects[one.object]?.ctaId ?? -1;
    const isOver = ({ thread, position }: Step): boolean => {
      const of = threads[thread];
      if (of === undefined || of.ctaId === owner) return true;
      const { object, phase } = one;
      const starts: readonly ChainStart[] = [
        { kind: 'phase', object, phase, launch: of.launch },
        ...(one.isAsync ? [] : [{ kind: 'step', thread, position: position + 1 } as const]),
      ];
      return isKnown(starts, owner);
    };
    if (!one.steps.every(isOver)) return `CTA ${owner} may have exited before an mbarrier of it is done with`;
  }
  return undefined;
}
