import { numberGrowths } from '../follow/ticket-growth.js';
import { firstOfWarp, kindOf, type Trace, wordOf } from '../follow/trace.js';
import { groupBy } from '../program/group-by.js';

/** In rounds of a queue that come after so many, or so many times what a loop draws, all is as in the last of these. */
export const MOST_ROUNDS = 4;

/** What orders threads in rounds: they meet in their CTA. */
const IN_ROUNDS: ReadonlySet<string> = new Set(['cta-barrier', 'warp-barrier']);

/** What a thread does by one statement: of accesses whose address is open, all bytes that it may be. */
interface Done {
  readonly what: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Runs of a queue, looked at again, by how many rounds each thread makes: whether all threads that draw do so as often,
 * nothing orders CTAs once one draws, what is done where there are fewer rounds is done in the last run as well, and
 * what that has more than the one before is a round twice. In a loop that draws more than once these are as many
 * rounds, so that each of the last runs is looked at. Gives what is not so.
 */
export function unlikeRounds(traces: readonly Trace[], period = 1): string | undefined {
  const numberOf = numberGrowths();
  const all = traces.map((trace) => ({ trace, draws: drawsIn(trace), done: doneIn(trace, numberOf) }));
  const last = all.at(-1);
  const isEnough = traces.length === 1 || traces.length > MOST_ROUNDS * period;
  if (last === undefined || !isEnough) return 'how many rounds there are';
  for (const [rounds, { trace, draws, done }] of all.entries()) {
    const isSame = draws.size === last.draws.size && [...draws.keys()].every((thread) => last.draws.has(thread));
    if (!isSame || [...draws.values()].some((rows) => rows.length !== rounds + 1)) return 'who draws, and how often';
    if (ordersIn(trace, draws) || meetApart(trace, draws)) return 'what orders threads in rounds';
    for (const [thread, own] of done) if (!isCovered(own, last.done.get(thread) ?? [])) return 'what other runs do';
  }
  if (all.length === 1) return undefined;
  for (let back = 1; back <= period; back++)
    for (const [thread, own] of all.at(-back)?.done ?? [])
      if (!hasTwice(all.at(-back - period)?.done.get(thread) ?? [], own)) return ROUNDS_UNLIKE;
  return undefined;
}

export const ROUNDS_UNLIKE = 'rounds that are not alike';

/** By thread, its draws. */
export function drawsIn(trace: Trace): ReadonlyMap<number, readonly number[]> {
  const words = new Set(trace.counts.flatMap((one) => (one.isOfQueue === true ? [wordOf(one.piece, one.offset)] : [])));
  const draws = new Map<number, number[]>();
  const { accesses, pieces } = trace;
  for (let row = 0; row < accesses.count; row++) {
    const piece = pieces[accesses.pieces.at(row)];
    if (piece === undefined || !words.has(wordOf(piece, accesses.starts.at(row)))) continue;
    const thread = accesses.threads.at(row);
    draws.set(thread, [...(draws.get(thread) ?? []), row]);
  }
  return draws;
}

/** Whether threads meet, once one of their CTA has drawn, several of which draw for themselves. */
function meetApart({ threads, synchronizations }: Trace, draws: ReadonlyMap<number, readonly number[]>): boolean {
  const drawing = [...draws].flatMap(([id, [row = 0]]) => {
    const thread = threads[id];
    return thread === undefined ? [] : [{ cta: thread.ctaId, warp: firstOfWarp(thread), row }];
  });
  const byCta = groupBy(drawing, ({ cta }) => cta);
  return synchronizations.some((one) => {
    if (one.kind !== 'cta-barrier' && one.kind !== 'warp-barrier') return false;
    const [thread] = one.waiters.flatMap(({ thread: id }) => threads[id] ?? []);
    const own = byCta.get(thread?.ctaId ?? -1) ?? [];
    if (thread === undefined || !own.some(({ row }) => row < one.row)) return false;
    const warp = firstOfWarp(thread);
    return (one.kind === 'cta-barrier' ? own : own.filter((other) => other.warp === warp)).length > 1;
  });
}

/** Whether threads are ordered by anything but barriers of their CTA or warp, from where all CTAs that do so draw. */
function ordersIn(trace: Trace, draws: ReadonlyMap<number, readonly number[]>): boolean {
  const firsts = new Map<number, number>();
  let to = -1;
  for (const [thread, rows] of draws) {
    const cta = trace.threads[thread]?.ctaId ?? -1;
    for (const row of rows) {
      firsts.set(cta, Math.min(row, firsts.get(cta) ?? row));
      to = Math.max(to, row);
    }
  }
  const from = [...firsts.values()].reduce((last, row) => Math.max(last, row), -1);
  return trace.synchronizations.some(({ kind, row }) => row > from && row <= to && !IN_ROUNDS.has(kind));
}

/** By thread, what it does, one after the other. */
function doneIn(trace: Trace, numberOf: ReturnType<typeof numberGrowths>): ReadonlyMap<number, readonly Done[]> {
  const { threads, positions, pieces, starts, sizes, count } = trace.accesses;
  const done = new Map<number, Map<string, Done>>();
  for (let row = 0; row < count; row++) {
    const { launch, statement, reads, writes } = kindOf(trace, row);
    const { scale, first, growth } = trace.tickets.get(row) ?? {};
    const object = trace.pieces[pieces.at(row)];
    const address = `${object && wordOf(object, 0)} ${scale} ${first} ${numberOf(growth)}`;
    const what = `${launch} ${statement} ${reads} ${writes} ${address}`;
    const own = done.get(threads.at(row)) ?? new Map<string, Done>();
    const key = `${positions.at(row)} ${what}`;
    const known = own.get(key);
    const [from, to] = [starts.at(row), starts.at(row) + sizes.at(row)];
    own.set(key, { what, from: Math.min(from, known?.from ?? from), to: Math.max(to, known?.to ?? to) });
    done.set(threads.at(row), own);
  }
  return new Map([...done].map(([thread, own]) => [thread, [...own.values()]]));
}

/** Whether what is done somewhere is done by the same statement among others, at no fewer bytes. */
function isCovered(some: readonly Done[], others: readonly Done[]): boolean {
  const bytes = new Map<string, Map<number, number>>();
  for (const [what, own] of groupBy(others, (one) => one.what)) {
    const runs = new Map<number, number>();
    let [begin, end] = [-1, -1];
    for (const { from, to } of own.toSorted((a, b) => a.from - b.from)) {
      if (from > end || begin < 0) begin = from;
      end = Math.max(to, from > end ? to : end);
      runs.set(begin, end);
    }
    bytes.set(what, runs);
  }
  return some.every(({ what, from, to }) =>
    [...(bytes.get(what) ?? [])].some(([begin, end]) => begin <= from && to <= end),
  );
}

const doTheSame = (a: Done | undefined, b: Done | undefined): boolean =>
  a?.what === b?.what && a?.from === b?.from && a?.to === b?.to;

/** Whether one of two lists is the other with a part of it twice. */
function hasTwice(shorter: readonly Done[], longer: readonly Done[]): boolean {
  const more = longer.length - shorter.length;
  let ahead = 0;
  while (ahead < shorter.length && doTheSame(shorter[ahead], longer[ahead])) ahead++;
  let behind = 0;
  while (behind < shorter.length && doTheSame(shorter.at(-1 - behind), longer.at(-1 - behind))) behind++;
  for (let at = Math.max(more, shorter.length - behind); at <= ahead; at++) {
    const isTwice = Array.from({ length: more }, (_, i) => doTheSame(longer[at - more + i], longer[at + i]));
    if (isTwice.every((one) => one)) return true;
  }
  return false;
}
