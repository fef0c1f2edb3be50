import { exitOf } from '../events/events.js';
import { isOfLanes, laneGroups } from '../events/lane-groups.js';
import { reductionOf } from '../events/program-event.js';
import { Relation } from '../relation/relation.js';
import { areTogether } from '../semantics/active-lanes.js';
import { collectiveResult } from '../semantics/collective-result.js';
import { CONCRETE_VALUES } from '../semantics/concrete-values.js';
import { type Election, electionResult, leaderOf, mayBoth } from '../semantics/elections.js';
import type { PartOfExecution, Violation } from './candidate-execution.js';
import type { RunThreads } from './run-threads.js';

/**
 * What the warp instructions of one execution do (see encode-lanes.ts): throws if one goes on too early or returns
 * another value.
 */
export function runLanes({ universe, runs, ended, kept }: RunThreads): PartOfExecution<'laneSynchronization'> {
  const { structure } = universe;
  const laneSynchronization = new Relation(universe.events.length);
  const violations: Violation[] = [];
  for (const { name, members: live } of laneGroups(
    { ...structure, events: structure.events.filter(({ id }) => runs[id] !== undefined) },
    (event) => (isOfLanes(event) ? runs[event.id]?.value : runs[event.id]?.barrierId)?.bits,
    ({ id }) => runs[id]?.barrierId?.bits,
  )) {
    const elections: Election[] = [];
    for (const { lane, events } of live) {
      events.forEach((event, round) => {
        if (!isOfLanes(event)) return;
        const run = runs[event.id];
        const reduction = reductionOf(event);
        if (run?.barrierId === undefined || run.value === undefined || reduction === undefined) return;
        const mask = run.barrierId.bits;
        const within = live.filter((other) => ((mask >> BigInt(other.lane)) & 1n) === 1n);
        const isMember = within.some((other) => other.lane === lane);
        if (!isMember) violations.push({ rule: 'outside-membermask', event: event.id });
        const complete = within.every((other) => other.events[round] !== undefined || ended[other.thread] === true);
        if (complete === kept.has(event.id))
          throw new Error(`${name}: a lane ${complete ? 'is kept' : 'goes on too early'}`);
        if (!complete) return;
        for (const other of within) {
          const awaited = other.events[round] ?? exitOf(structure.events, other.thread);
          if (other.lane !== lane && awaited !== undefined) laneSynchronization.add(awaited.id, event.id);
        }
        const shown = within.flatMap((other) => {
          const value = runs[other.events[round]?.id ?? -1]?.value;
          return value === undefined ? [] : [{ lane: other.lane, present: true, value }];
        });
        if (reduction.operation === 'elect') {
          if (!isMember) return;
          const leader = leaderOf(run.result?.bits ?? 0n);
          const election = { mask, leader, present: shown.map((other) => other.lane) };
          const isOne = election.present.includes(leader) && run.result?.bits === electionResult(leader, lane);
          if (!isOne || !elections.every((other) => mayBoth(election, other)))
            throw new Error(`${name}: lane ${leader} cannot be elected`);
          elections.push(election);
          return;
        }
        const given = [...shown, ...(run.represented ?? [])];
        const expected = collectiveResult(CONCRETE_VALUES, reduction, { lane, value: run.value }, given);
        if (reduction.target !== '' && run.result?.bits !== expected.bits)
          throw new Error(`${name}: ${run.result?.bits} instead of ${expected.bits}`);
      });
    }
  }
  if (!areTogether(structure, (event) => runs[event]?.result?.bits))
    throw new Error('lanes are active together that are not');
  return { relations: { laneSynchronization }, violations };
}
