import type { Confirmation } from '../axiomatic/confirmation/claims.js';
import type { Undecided } from '../program/undecided.js';
import { type AcceptedFinding, nothingKnown } from './accepted-findings.js';
import type { Answers } from './all-undecided.js';
import type { FlagResult } from './flags-of-model.js';
import type { Remark } from './remarks.js';
import type { StatesResult } from './result.js';

/** What is found of a test beside its conditions and expectations. */
export type Findings = Omit<Answers, 'conditions' | 'expectations'>;

/** What two tests of one family have between them; what is told of one of them is told of the first. */
export function mergedFindings(a: Findings, b: Findings): Findings {
  const accepted = each(a.accepted, b.accepted, (one, other) =>
    gravest(ACCEPTED, one, other ?? nothingKnown(one.allowance, NOT_FOR_ALL), acceptedOf),
  );
  const flags = each(a.flags, b.flags, (one, other) =>
    gravest(RAISED, one, other ?? { ...one, raised: undefined, undecided: NOT_FOR_ALL }, raisedOf),
  );
  const remarks = mergedRemarks(a.remarks ?? [], b.remarks ?? []);
  const openValues = [...new Set([...(a.openValues ?? []), ...(b.openValues ?? [])])];
  const [one, other] = [a.confirmation, b.confirmation];
  const confirmation = one && other ? added(one, other) : (one ?? other);
  const followed = a.followed && b.followed && mergedRuns(a.followed, b.followed);
  return {
    undefinedBy: a.undefinedBy ?? b.undefinedBy,
    states: a.states && b.states && mergedStates(a.states, b.states),
    ...(accepted === undefined ? {} : { accepted }),
    ...(flags === undefined ? {} : { flags }),
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(openValues.length === 0 ? {} : { openValues }),
    ...(confirmation === undefined ? {} : { confirmation }),
    ...(followed === undefined ? {} : { followed }),
  };
}

const NOT_FOR_ALL: Undecided = { kind: 'size', what: 'it is not known for all sizes' };

/** Lists of what tests have alike, one by one; a test without a list knows nothing of it. */
const each = <T>(
  a: readonly T[] | undefined,
  b: readonly T[] | undefined,
  of: (one: T, other: T | undefined) => T,
): readonly T[] | undefined =>
  (a ?? b)?.map((one, i) => (a === undefined || b === undefined ? of(one, undefined) : of(one, b[i])));

const ACCEPTED: readonly AcceptedFinding['outcome'][] = ['found', 'undecided', 'nothing'];
const RAISED: readonly FlagResult['raised'][] = [true, undefined, false];
const acceptedOf = ({ outcome }: AcceptedFinding): AcceptedFinding['outcome'] => outcome;
const raisedOf = ({ raised }: FlagResult): FlagResult['raised'] => raised;

const gravest = <T, Outcome>(order: readonly Outcome[], one: T, other: T, of: (result: T) => Outcome): T =>
  order.indexOf(of(other)) < order.indexOf(of(one)) ? other : one;

/** What makes answers thin is told if it does for all. */
function mergedRemarks(a: readonly Remark[], b: readonly Remark[]): readonly Remark[] {
  const keyOf = ({ kind, what, places }: Remark): string =>
    `${kind} ${what} ${places.map(({ source, start }) => `${source.path} ${start}`).join(' ')}`;
  const [inA, inB] = [new Set(a.map(keyOf)), new Set(b.map(keyOf))];
  return [
    ...a.filter((one) => one.kind === 'relaxed' || inB.has(keyOf(one))),
    ...b.filter((one) => one.kind === 'relaxed' && !inA.has(keyOf(one))),
  ];
}

function mergedStates(a: StatesResult, b: StatesResult): StatesResult {
  const keyOf = (state: ReadonlyMap<string, bigint>): string =>
    [...state].map(([name, value]) => `${name} ${value}`).join(' ');
  const known = new Set(a.list.map(({ state }) => keyOf(state)));
  const unconfirmed = a.unconfirmed ?? b.unconfirmed;
  return {
    list: [...a.list, ...b.list.filter(({ state }) => !known.has(keyOf(state)))],
    incomplete: a.incomplete ?? b.incomplete,
    ...(unconfirmed === undefined ? {} : { unconfirmed }),
  };
}

const mergedRuns = (
  a: NonNullable<Answers['followed']>,
  b: NonNullable<Answers['followed']>,
): NonNullable<Answers['followed']> => ({
  threads: a.threads + b.threads,
  accesses: a.accesses + b.accesses,
  orderedBy: [...new Set([...a.orderedBy, ...b.orderedBy])].sort(),
  ...((a.rounds ?? b.rounds) === undefined ? {} : { rounds: Math.max(a.rounds ?? 0, b.rounds ?? 0) }),
});

const added = (a: Confirmation, b: Confirmation): Confirmation => ({
  proof: a.proof + b.proof,
  z3: a.z3 + b.z3,
  open: a.open + b.open,
});
