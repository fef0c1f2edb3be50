import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { Follower } from '../../src/follow/follower.js';
import type { Halt } from '../../src/follow/halts.js';
import { type Contested, NOT_CONTESTED } from '../../src/follow/memory-image.js';
import { settingOf } from '../../src/follow/setting.js';
import type { Results, Trace } from '../../src/follow/trace.js';
import type { WhichRun } from '../../src/follow/which-run.js';
import { generateTests } from '../../src/generate/generate-tests.js';
import { planLaunches } from '../../src/kernel/plan-launches.js';
import { Conflicts } from '../../src/order/conflicts.js';
import { MustOrder } from '../../src/order/must-order.js';
import { recheck } from '../../src/order/recheck.js';
import { Chains } from '../../src/order/recheck-chains.js';
import type { Claims } from '../../src/order/recheck-links.js';
import { HeldWords } from '../../src/order/recheck-locks.js';
import { firstDoubtfulValue } from '../../src/order/recheck-polls.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { endValue } from '../end-value.js';
import { foundWays } from './found-ways.js';
import { HALT_KERNELS } from './halt-kernels.js';
import { KERNELS } from './kernels.js';
import { proxies } from './proxies.js';
import { QUEUE_KERNELS } from './queue-kernels.js';
import { kernelTest } from './small-kernel.js';
import { toldWaits } from './told-waits.js';
import { vectors } from './vectors.js';
import { votes } from './votes.js';

/** What following, order and the second look say of one launch, or of one trace with something taken out of it. */
export interface Verdict {
  readonly name: string;
  readonly says: string;
}

const GENERATED = [
  [foundWays, 60],
  [votes, 30],
  [toldWaits, 40],
  [proxies, 80],
] as const;

/** Of all kernels here, and of launches that are generated. */
export function* verdicts(): Generator<Verdict> {
  for (const kernel of [...HALT_KERNELS, ...KERNELS]) {
    const { text, modules } = kernelTest(kernel);
    yield { name: kernel.name, says: said(() => followed({ path: 'k.litmus', text, modules })) };
    // Plain runs of queues are long, and say nothing of rounds.
    if (QUEUE_KERNELS.includes(kernel)) continue;
    yield { name: `${kernel.name}, traces`, says: said(() => secondLooks({ path: 'k.litmus', text, modules })) };
  }
  for (const [generated, most] of GENERATED) {
    let left = most;
    for (const { name, text, modules } of generated(5)) {
      if (left-- === 0) break;
      yield { name, says: said(() => followed({ path: `${name}.litmus`, text, modules })) };
    }
  }
  let vector = 0;
  for (const { name, text, modules } of vectors(5)) {
    if (vector++ >= 60) break;
    const source = { path: `${name}.litmus`, text, modules };
    yield { name, says: said(() => followed(source) + endsOf(source)) };
  }
  let count = 0;
  for (const { name, text, module } of generateTests({ seed: 5, mostEvents: 6, families: ['launch'] })) {
    if (count++ >= 150) return;
    const modules = module === undefined ? {} : { [module.path]: module };
    yield { name, says: said(() => followed({ path: `${name}.litmus`, text, modules })) };
  }
}

type Source = Parameters<typeof loadTests>[0];

function said(of: () => string): string {
  try {
    return of();
  } catch (thrown) {
    return `throws ${thrown instanceof Error ? thrown.message : thrown}`;
  }
}

function followed(source: Source): string {
  const [program] = loadTests(source, {}, 'answers').value ?? [];
  const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
  if (program === undefined || run === undefined) return 'not followed';
  const values = program.observed.map((one) => `${one.name}=${endValue(run, one)}`);
  const conflicts = run.conflicts.map(
    ({ kind, threads: [a, b], pairs, isCertain, isSameValue, isPartial, isInFlight, isTooEarly }) =>
      [kind, a.cta, a.tid, b.cta, b.tid, pairs, isCertain, isSameValue, isPartial, isInFlight, isTooEarly].join(' '),
  );
  const found = [...run.findings, ...run.registerFindings];
  const findings = found.map(({ rule, thread: { cta, tid } }) => `${rule} ${cta} ${tid}`);
  const reads = run.uninitialized.map(({ cta, tid }) => `uninitialized ${cta} ${tid}`);
  const maybe = run.conflicts.map(({ isUninitialized }) => isUninitialized);
  const remarks = run.remarks.map((one) => `${one.kind} ${'places' in one ? one.places.length : ''}`);
  const { open, isSettled, unconfirmed, edges } = run;
  return JSON.stringify([
    ...[open?.what, isSettled, values, conflicts, findings, reads, maybe, remarks, unconfirmed],
    [...edges],
  ]);
}

function endsOf(source: Source): string {
  const [program] = loadTests(source, {}, 'answers').value ?? [];
  const ends =
    program === undefined
      ? []
      : [
          ...(wholeTest(program)
            ?.follow(() => undefined)
            .ends() ?? []),
        ];
  return ends.map(({ state }) => program?.observed.map((one) => `${state(one)}`).join(' ')).join('; ');
}

/**
 * Runs of a launch: one with all that is in memory, one without what has conflicts there, and one that goes each way
 * that what is found may lead to, if there are any.
 */
function* tracesOf(source: Source): Generator<Trace> {
  const { value: file } = parseLitmus(source, () => undefined);
  if (file === undefined) return;
  const setting = settingOf(file, planLaunches(file), () => undefined);
  const traceOf = (which: WhichRun): Trace => new Follower(setting, () => undefined, which).run().trace;
  const first = traceOf({});
  yield first;
  const { contested, mayFind } = lookAt(first);
  const isContested = Object.values(contested).some((bytes: Contested['bytes']) => bytes.size > 0);
  const second = isContested ? traceOf({ without: contested }) : first;
  if (second !== first) yield second;
  const results = new Map([...mayFind, ...lookAt(second).mayFind]);
  if (results.size > 0) yield traceOf({ without: { ...NOT_CONTESTED, results: contested.results }, results });
}

function lookAt(trace: Trace): { readonly contested: Contested; readonly mayFind: Results } {
  const order = new MustOrder(trace);
  const conflicts = new Conflicts(trace);
  order.replay((row, before) => conflicts.add(row, before));
  return { contested: conflicts.contested, mayFind: order.mayFind };
}

const secondLooks = (source: Source): string => JSON.stringify([...tracesOf(source)].map(secondLook));

/** What the second look says of a trace, of each without one of its meetings, and of each with one of them too late. */
function secondLook(trace: Trace): string {
  const without = trace.synchronizations.map(
    (_, i): Trace => ({ ...trace, synchronizations: trace.synchronizations.filter((__, j) => i !== j) }),
  );
  const late = trace.synchronizations.map(
    (one, i): Trace => ({
      ...trace,
      synchronizations: trace.synchronizations.with(
        i,
        'waiters' in one
          ? { ...one, waiters: one.waiters.map(({ thread, position }) => ({ thread, position: position + 1 })) }
          : one,
      ),
    }),
  );
  const all = new Map(trace.pieces.map(({ id, object }) => [id, [[0, object.size] as const]]));
  const order = new MustOrder(trace);
  order.replay(() => undefined);
  const { claims } = order;
  const said = [trace, ...without, ...late, ...otherHalts(trace)].map((one) => recheck(one, claims) ?? 'right');
  const others = [claims, ...otherClaims(claims)];
  const claimed = others.flatMap((one) => [recheck(trace, one) ?? 'right', valuesBy(trace, one)]);
  const held = new HeldWords(trace).wrong ?? 'held';
  const strong = recheck(trace, claims, { ...NOT_CONTESTED, bytes: all }, true);
  return JSON.stringify([strong ?? 'all strong', ...said, ...claimed, held]);
}

/** Traces whose threads do not wait for ever: what they wait for is complete, ends their wait, or is not told. */
function otherHalts(trace: Trace): readonly Trace[] {
  const { halts, incomplete } = trace;
  if (halts.length === 0) return [];
  const awaited = (one: Halt): Halt =>
    one.awaited?.kind === 'value' ? { ...one, awaited: { ...one.awaited, ends: () => true } } : one;
  return [
    { ...trace, incomplete: incomplete.map((one) => ({ ...one, count: 32 })) },
    { ...trace, halts: halts.map(awaited) },
    { ...trace, halts: halts.map((one) => ({ ...one, awaited: undefined })) },
    { ...trace, halts: [] },
  ];
}

/** What could end polls besides what they are said to have found, whatever races there are. */
const valuesBy = (trace: Trace, claims: Claims): string =>
  firstDoubtfulValue(trace, new Chains(trace, claims), claims) ?? 'as claimed';

/**
 * What polls and ways are said to have found, with one of them nothing, all but one, one by one, or another's; and of a
 * word no other coherence orders.
 */
function otherClaims(claims: Claims): readonly Claims[] {
  const { polls, ways, coherence } = claims;
  return [
    ...othersOf(polls).map((one): Claims => ({ ...claims, polls: one })),
    ...othersOf(ways).map((one): Claims => ({ ...claims, ways: one })),
    ...[...coherence.keys()].map((word): Claims => ({ ...claims, coherence: new Map(coherence).set(word, []) })),
  ];
}

function othersOf(claims: Claims['polls']): readonly Claims['polls'][] {
  const others = [...claims.values()];
  return [...claims].flatMap(([read, cases], i) => {
    const next = others[(i + 1) % others.length] ?? [];
    const changed = [
      [],
      cases.map((rows) => rows.slice(1)),
      cases.flat().map((row) => [row]),
      next,
      [...cases, ...next],
    ];
    return changed.map((one) => new Map(claims).set(read, one));
  });
}
