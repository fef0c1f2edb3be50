import type { Span } from '../diagnostics/source.js';
import { type Finding, kindOf, type Step, stepOf, type Trace, threadOf } from '../follow/trace.js';
import type { WholeRun } from './whole-run.js';

/** Something that a thread does in the shared memory of another CTA, which is gone when that has exited. */
export interface Remote {
  /** The CTA that has it, among all that are followed. */
  readonly owner: number;
  readonly step: Step;
  readonly span: Span;
  /** An access, or an operation on an mbarrier in a phase. */
  readonly what:
    | { readonly row: number }
    | {
        readonly object: number;
        readonly phase: number;
        readonly at: number;
        readonly row?: undefined;
        readonly isAsync: boolean;
      };
}

/** All of that in a run. */
export function remoteIn(trace: Trace): readonly Remote[] {
  const { accesses, owners, synchronizations, objects, threads } = trace;
  const found: Remote[] = [];
  for (let row = 0; row < accesses.count; row++) {
    const owner = owners[accesses.pieces.at(row)];
    if (owner === undefined || owner === threadOf(trace, row).ctaId) continue;
    found.push({ owner, step: stepOf(trace, row), span: kindOf(trace, row).span, what: { row } });
  }
  for (const [at, one] of synchronizations.entries()) {
    if (one.kind !== 'mbarrier') continue;
    const { object, phase, span } = one;
    const owner = objects[object]?.ctaId;
    if (owner === undefined) continue;
    for (const step of one.steps)
      if (threads[step.thread]?.ctaId !== owner)
        found.push({ owner, step, span, what: { object, phase, at, isAsync: one.isAsync } });
  }
  return found;
}

/** What is done in the shared memory of CTAs that exit: none does of whose threads one waits for ever. */
export function exitingIn({ halts, threads }: Trace, remote: readonly Remote[]): readonly Remote[] {
  const staying = new Set(halts.map(({ step }) => threads[step.thread]?.ctaId));
  return remote.filter(({ owner }) => !staying.has(owner));
}

/**
 * Whether the run itself may know more of something than is known of all runs: who reads what it has written, or does
 * something later to the same mbarrier, has seen it (PTX ISA 9.7.15.3).
 */
export function mayBeSeen({ accesses, synchronizations, kinds, threads }: Trace, { owner, what }: Remote): boolean {
  if (what.row !== undefined) {
    const kind = kinds[accesses.kinds.at(what.row)];
    // A relaxed wait orders nothing, and is told all the same that something asynchronous is complete.
    const isTold = (): boolean => accesses.tellers.at(what.row) !== 0 && synchronizations.some(isRelaxedWait);
    return kind?.writes === true || kind?.isPossible === true || isTold();
  }
  const isByOwner = ({ thread }: Step): boolean => threads[thread]?.ctaId === owner;
  return synchronizations
    .slice(what.at + 1)
    .some((one) => one.kind === 'mbarrier' && one.object === what.object && one.steps.some(isByOwner));
}

const isRelaxedWait = (one: Trace['synchronizations'][number]): boolean =>
  one.kind === 'mbarrier' && one.step === 'wait' && one.order === 'relaxed';

/** Why nothing is known of all runs, where some of that is left at an exit. */
export const leftBehind = ([first]: readonly Remote[]): WholeRun['open'] =>
  first && { span: first.span, what: 'the CTA whose shared memory this accesses may have exited' };

/** What threads do in the shared memory of CTAs that may have exited: by instruction, the first. */
export function exitsIn({ threads }: Trace, remote: readonly Remote[]): readonly Finding[] {
  const bySpan = new Map(remote.toReversed().map((one) => [one.span, one]));
  return [...bySpan.values()].flatMap(({ step, span }): readonly Finding[] => {
    const thread = threads[step.thread];
    return thread === undefined ? [] : [{ rule: 'shared-memory-of-exited-cta', thread, span }];
  });
}
