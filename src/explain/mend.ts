import { checkExecution } from '../cat/check-execution.js';
import type { Model } from '../cat/model.js';
import { SCOPE_TAGS, type Tag } from '../effects/event-tags.js';
import type { ExecutionEvent } from '../events/program-event.js';
import type { CandidateExecution, ExecutionRelations } from '../execution/candidate-execution.js';
import type { Scope } from '../program/placement.js';
import { Relation } from '../relation/relation.js';
import type { Missing } from './missing.js';

/** What is changed of an event. */
interface Change {
  readonly add?: readonly Tag[];
  readonly without?: readonly Tag[];
  readonly scope?: Scope;
}

interface Mending<Kind extends Missing['kind']> {
  /** The events that it is told of: where one is changed to mend it, that one. */
  readonly events: (missing: Extract<Missing, { readonly kind: Kind }>) => readonly number[];
  /** How these would be written if it were there; none for what needs an event that is not there. */
  readonly change?: (missing: Extract<Missing, { readonly kind: Kind }>) => Change;
}

const MENDING: { readonly [Kind in Missing['kind']]: Mending<Kind> } = {
  weak: { events: ({ event }) => [event], change: () => ({ without: ['WEAK'], add: ['RLX'], scope: 'sys' }) },
  red: { events: ({ event }) => [event], change: () => ({ without: ['RED'] }) },
  scope: { events: ({ reach }) => [reach.from], change: ({ reach }) => ({ scope: reach.needed }) },
  proxy: { events: ({ first, second }) => [first, second] },
  'no-release': { events: ({ write }) => [write], change: () => ({ add: ['REL'] }) },
  'no-acquire': { events: ({ read }) => [read], change: () => ({ add: ['ACQ'] }) },
  'no-fence-sc': { events: ({ from, to }) => [from, to] },
  'across-proxies': { events: ({ from, to }) => [from, to] },
  'not-told': { events: ({ wait }) => [wait], change: () => ({ add: ['ACQ'] }) },
};
const mendingOf = ({ kind }: Missing): Mending<Missing['kind']> => MENDING[kind] as Mending<Missing['kind']>;

export const eventsOf = (missing: Missing): readonly number[] => mendingOf(missing).events(missing);

/**
 * The same execution with some events as if they had been written otherwise: what is said to be missing is there.
 * Undefined if that takes more events.
 */
export function mended(execution: CandidateExecution, missing: readonly Missing[]): CandidateExecution | undefined {
  const events = [...execution.universe.events];
  const apply = (id: number, { add = [], without = [], scope: wanted }: Change): void => {
    const event = events[id];
    if (event === undefined) return;
    const scope = wanted ?? event.scope;
    const scopeTags: readonly Tag[] = Object.values(SCOPE_TAGS);
    const kept = [...event.tags].filter((tag) => !without.includes(tag) && !scopeTags.includes(tag));
    const tags = new Set([...kept, ...add, ...(scope === undefined ? [] : [SCOPE_TAGS[scope]])]);
    events[id] = { ...event, scope, tags } as ExecutionEvent;
  };
  for (const one of missing) {
    const change = mendingOf(one).change?.(one);
    if (change === undefined) return undefined;
    for (const id of eventsOf(one)) {
      apply(id, change);
      // The halves of an atomic operation have one scope.
      const partner = events[id]?.partner;
      if (partner !== undefined && change.scope !== undefined) apply(partner, { scope: change.scope });
    }
  }
  return { ...execution, universe: { ...execution.universe, events } };
}

/** More pairs than these are not ordered in every way. */
const MOST_PAIRS = 8;

/**
 * Whether a model excludes an execution however the writes and fences are ordered that it now wants ordered: those that
 * were not morally strong, and are so after a change.
 */
export function isExcluded(model: Model, execution: CandidateExecution, morallyStrong: Relation): boolean {
  const { events } = execution.universe;
  const { relations } = execution;
  const unordered = [...morallyStrong].filter(([a, b]) => {
    if (a > b) return false;
    const [x, y] = [events[a], events[b]];
    if (x?.kind === 'write' && y?.kind === 'write')
      return relations.sameLocation.has(a, b) && !relations.coherence.has(a, b) && !relations.coherence.has(b, a);
    return (
      x?.kind === 'fence' &&
      y?.kind === 'fence' &&
      x.tags.has('SC') &&
      y.tags.has('SC') &&
      !relations.fenceSc.has(a, b) &&
      !relations.fenceSc.has(b, a)
    );
  });
  if (unordered.length > MOST_PAIRS) return false;
  for (let choice = 0; choice < 1 << unordered.length; choice++) {
    const ordered = unordered.map(([a, b], i): readonly [number, number] => ((choice >> i) & 1 ? [b, a] : [a, b]));
    const completed = complete(execution, ordered);
    if (completed !== undefined && checkExecution(model, { ...execution, relations: completed }).consistent)
      return false;
  }
  return true;
}

/**
 * The relations with more pairs of coherence and of the Fence-SC order; undefined if a final value would not be of a
 * last write any more.
 */
function complete(
  { universe, relations, finalWrites, targets }: CandidateExecution,
  pairs: readonly (readonly [number, number])[],
): ExecutionRelations | undefined {
  const { events } = universe;
  const withPairsOf = (kind: ExecutionEvent['kind'], order: Relation): Relation =>
    order
      .union(
        Relation.ofPairs(
          events.length,
          pairs.filter(([a]) => events[a]?.kind === kind),
        ),
      )
      .transitiveClosure();
  const closed = withPairsOf('write', relations.coherence);
  const overwritten = finalWrites.some(({ write, objectId }) =>
    [...closed.successors(write)].some((later) => targets[later]?.object.id === objectId),
  );
  if (overwritten) return undefined;
  return {
    ...relations,
    coherence: closed,
    fenceSc: withPairsOf('fence', relations.fenceSc),
    fromReads: relations.fromReads.union(relations.readsFrom.inverse().compose(closed)),
  };
}
