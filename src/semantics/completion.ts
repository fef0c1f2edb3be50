import { type EventStructure, inProgramOrder } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import type { Completion, GroupFamily } from '../program/async-operation.js';
import type { TensorAccess } from '../program/operation.js';
import { areInOneWarpgroup } from '../program/placement.js';
import type { ValueDomain } from './value-domain.js';

/**
 * Whether a wait of an async-group says that an asynchronous access is complete (PTX ISA, Asynchronous copy): it
 * belongs to a group that the same thread committed before the wait, with at least as many groups committed after it as
 * may be pending. Groups of cp.async and of bulk copies are kept apart; `.read` tells of reads of the source only.
 */
export function groupTells<V, C>(
  domain: ValueDomain<V, C>,
  structure: EventStructure,
  access: ProgramEvent,
  wait: ProgramEvent,
  executed: (event: ProgramEvent) => C,
): C {
  const operation = wait.group;
  if (operation?.action !== 'wait') return domain.no;
  const completion = completionOf(structure, access);
  if (completion?.kind !== 'group' || completion.family !== operation.family) return domain.no;
  if (operation.family === 'wgmma' && access.thread !== wait.thread)
    return warpgroupTells(domain, structure, access, wait, executed);
  if (access.thread !== wait.thread || access.node >= wait.node) return domain.no;
  // What is read is the source, and of a tile the descriptor.
  if (operation.readsOnly && (access.kind !== 'read' || access.partner !== undefined)) return domain.no;
  const both = domain.and(executed(access), executed(wait));
  if (operation.pending === undefined) return both;
  const between = structure.events.filter(
    (event) =>
      event.thread === access.thread &&
      closesGroup(event, operation.family) &&
      event.node > access.node &&
      inProgramOrder(event, wait),
  );
  return domain.and(both, atLeast(domain, between.map(executed), operation.pending + 1));
}

/**
 * The same of a thread and the wait of another one of its warpgroup: all warps execute the same instructions, and each
 * commit_group makes one group of the warpgroup (PTX ISA, wgmma.commit_group;
 * docs/decisions/warpgroups.md).
 */
function warpgroupTells<V, C>(
  domain: ValueDomain<V, C>,
  structure: EventStructure,
  access: ProgramEvent,
  wait: ProgramEvent,
  executed: (event: ProgramEvent) => C,
): C {
  if (wait.group?.action !== 'wait' || !areInOneWarpgroup(access.placement, wait.placement)) return domain.no;
  const closedBefore = ({ thread, node }: ProgramEvent): readonly C[] =>
    structure.events
      .filter((event) => event.thread === thread && event.node < node && closesGroup(event, 'wgmma'))
      .map(executed);
  const [own, theirs, pending] = [closedBefore(wait), closedBefore(access), wait.group.pending ?? 0];
  const isComplete = Array.from({ length: theirs.length + 1 }, (_, group) =>
    domain.and(domain.not(atLeast(domain, theirs, group + 1)), atLeast(domain, own, group + pending + 1)),
  ).reduce((all, one) => domain.or(all, one), domain.no);
  return domain.and(domain.and(executed(access), executed(wait)), isComplete);
}

/** Commits a group: commit_group, and wait_all, which does so before it waits. */
function closesGroup({ group }: ProgramEvent, family: GroupFamily): boolean {
  return group?.family === family && (group.action === 'commit' || group.pending === undefined);
}

/**
 * Whether two writes are by different cp.async of one async-group: a commit behind them takes both, and none between
 * them took the first. What is never committed is in no group, however it completes.
 */
export function inOneGroup<V, C>(
  domain: ValueDomain<V, C>,
  structure: EventStructure,
  a: ProgramEvent,
  b: ProgramEvent,
  executed: (event: ProgramEvent) => C,
): C {
  const ofGroup = ({ thread, node, kind, tags }: ProgramEvent): boolean => {
    const operation = structure.threads[thread]?.nodes[node]?.statement.operation;
    return (
      kind === 'write' &&
      tags.has('ASY') &&
      operation?.kind === 'async' &&
      operation.completion.kind === 'group' &&
      operation.completion.family === 'cp.async'
    );
  };
  if (a.thread !== b.thread || a.node >= b.node || !ofGroup(a) || !ofGroup(b)) return domain.no;
  const commits = structure.events.filter(
    (event) => event.thread === a.thread && closesGroup(event, 'cp.async') && event.node > a.node,
  );
  const any = (of: typeof commits): C => of.map(executed).reduce((all, one) => domain.or(all, one), domain.no);
  const between = any(commits.filter(({ node }) => node < b.node));
  const behind = any(commits.filter(({ node }) => node > b.node));
  return domain.and(domain.and(executed(a), executed(b)), domain.and(behind, domain.not(between)));
}

/** Whether at least so many of the conditions hold. */
export function atLeast<V, C>(domain: ValueDomain<V, C>, conditions: readonly C[], count: number): C {
  const open = conditions.filter((condition) => !domain.isNo(condition) && !domain.isNo(domain.not(condition)));
  const certain = conditions.filter((condition) => domain.isNo(domain.not(condition))).length;
  const missing = count - certain;
  if (missing <= 0) return domain.yes;
  if (missing > open.length) return domain.no;
  let reached: readonly C[] = [domain.yes];
  for (const condition of open) {
    reached = Array.from({ length: Math.min(reached.length, missing) + 1 }, (_, n) =>
      n === 0 ? domain.yes : domain.or(reached[n] ?? domain.no, domain.and(condition, reached[n - 1] ?? domain.no)),
    );
  }
  return reached[missing] ?? domain.no;
}

/** What tells of the completion of the operation that an event belongs to, if that is asynchronous. */
export function completionOf({ threads }: EventStructure, { thread, node }: ProgramEvent): Completion | undefined {
  const operation = threads[thread]?.nodes[node]?.statement.operation;
  if (operation?.kind === 'tensor') return completionInTensorMemory(operation);
  return operation?.kind === 'async' ? operation.completion : undefined;
}

/** PTX ISA 9.7.18.6.4: loads and stores are waited for by themselves, the rest by commits for its CTA group. */
function completionInTensorMemory({ instruction, group }: TensorAccess): Completion {
  if (instruction === 'alloc' || instruction === 'dealloc') return { kind: 'none' };
  const family = instruction === 'ld' || instruction === 'st' ? instruction : (`cta_group::${group ?? 1}` as const);
  return { kind: 'group', family: `tcgen05.${family}` };
}

/** cp.async.mbarrier.arrive tells of cp.async, tcgen05.commit of those of its CTA group (PTX ISA, both). */
export function tellsOf({ mbarrier }: ProgramEvent, completion: Completion): boolean {
  const operation = mbarrier?.operation;
  return operation?.action === 'async_arrive' && completion.kind === 'group' && completion.family === operation.family;
}

/**
 * The mbarrier operations whose counting in a phase tells that an asynchronous access is complete: complete-tx of its
 * own operation, or a later cp.async.mbarrier.arrive or tcgen05.commit.
 */
export function tellingOperations(structure: EventStructure, access: ProgramEvent): readonly ProgramEvent[] {
  if (!access.tags.has('ASY')) return [];
  const completion = completionOf(structure, access);
  if (completion === undefined) return [];
  const rank = access.chunk?.rank;
  return structure.events.filter((event) => {
    if (event.kind !== 'mbarrier' || event.thread !== access.thread || !event.tags.has('ASY')) return false;
    if (event.mbarrier?.step === 'complete_tx')
      return event.node === access.node && (rank === undefined || event.chunk?.rank === rank);
    return tellsOf(event, completion) && event.node > access.node;
  });
}
