import type { Span } from '../diagnostics/source.js';
import { BARRIERS } from '../program/barrier-rules.js';
import { groupBy } from '../program/group-by.js';
import type { Program, Thread } from '../program/program.js';
import type { LitmusFile, ThreadSyntax } from '../syntax/litmus-ast.js';
import type { Choices } from './patch.js';
import { type Choice, NOTHING, type Site } from './sites.js';

/** A barrier that a test may get: for each of the threads that meet there, the places where it can stand. */
export interface Barrier {
  readonly places: readonly (readonly Site[])[];
}

/** Of the ways to place one barrier so many are tried: more threads have more of them than can be decided. */
const MOST_PLACEMENTS = 256;

/** Barriers for the threads of each warp, of each CTA and of each cluster that has several of them. */
export function barriersOf({ threads, source }: Program, file: LitmusFile): readonly Barrier[] {
  const groups = (
    key: (thread: Thread) => string,
    wide: (members: readonly Thread[]) => boolean,
    text: (members: readonly Thread[]) => string | undefined,
  ): readonly Barrier[] =>
    [...groupBy(threads, key).values()]
      .filter((members) => members.length > 1 && wide(members))
      .flatMap((members) => {
        const instruction = text(members);
        return instruction === undefined ? [] : [barrierOf(instruction, members, file)];
      });
  const several = (of: (thread: Thread) => string) => (members: readonly Thread[]) => new Set(members.map(of)).size > 1;
  const free = freeBarrier(source.text);
  return [
    ...groups(
      ({ placement }) => placement.warp,
      () => true,
      (members) => `bar.warp.sync 0x${maskOf(members).toString(16)};`,
    ),
    ...groups(
      ({ placement }) => placement.cta,
      several(({ placement }) => placement.warp),
      () => (free === undefined ? undefined : `bar.sync ${free};`),
    ),
    ...groups(
      ({ placement }) => placement.cluster,
      several(({ placement }) => placement.cta),
      () => 'barrier.cluster.arrive; barrier.cluster.wait;',
    ),
  ];
}

const maskOf = (members: readonly Thread[]): number =>
  members.reduce((mask, { placement }) => mask | (1 << placement.lane), 0) >>> 0;

/** The first barrier resource that no instruction names. */
function freeBarrier(text: string): number | undefined {
  const named = new Set(
    [...text.matchAll(/\bbar(?:rier)?\b[\w.:]*\s+(?:\w+\|\w+,\s*)?(\d+)/g)].map(([, number]) => Number(number)),
  );
  return Array.from({ length: Number(BARRIERS) }, (_, i) => i).find((number) => !named.has(number));
}

function barrierOf(text: string, members: readonly Thread[], file: LitmusFile): Barrier {
  // A rank only: it decides nothing, since a test gets one barrier.
  const choice = { strength: 'acq_rel', scope: undefined, text, cost: 1 } as const;
  return { places: members.map(({ index }) => placesIn(index, file, choice)) };
}

/** Before each instruction of a thread, and behind the last one. */
function placesIn(thread: number, file: LitmusFile, choice: Choice): readonly Site[] {
  const syntax = file.threads[thread];
  if (syntax === undefined) return [];
  const starts = syntax.statements.flatMap((statement, i) =>
    statement.kind === 'instruction' && !isInLoop(syntax, i)
      ? [statement.guard?.span.start ?? statement.span.start]
      : [],
  );
  const { source } = syntax.span;
  const place = (kind: Site['kind'], at: number, instruction: Span): Site => ({
    kind,
    threads: [thread],
    spots: [{ span: { source, start: at, end: at }, instruction }],
    present: NOTHING,
    others: [choice],
  });
  const last = syntax.statements.at(-1)?.span;
  return [
    ...starts.map((at) => place('gap', at, { source, start: at, end: at })),
    ...(last === undefined ? [] : [place('end', last.end, last)]),
  ];
}

/** Whether a branch behind a statement, or the statement itself, leads to a label before it. */
function isInLoop({ statements }: ThreadSyntax, i: number): boolean {
  const labels = statements.slice(0, i).flatMap((one) => (one.kind === 'label' ? [one.name] : []));
  return statements
    .slice(i)
    .some(
      (one) =>
        one.kind === 'instruction' &&
        one.mnemonic === 'bra' &&
        one.operands.some((operand) => operand.kind === 'name' && labels.includes(operand.name)),
    );
}

/** Every way to place a barrier, one place in each thread. */
export function* placementsOf({ places }: Barrier): Generator<Choices> {
  const count = places.reduce((product, { length }) => product * length, 1);
  for (let i = 0; i < Math.min(count, MOST_PLACEMENTS); i++) {
    const placement = new Map<Site, Choice>();
    let rest = i;
    for (const sites of places) {
      const site = sites[rest % sites.length];
      const choice = site?.others[0];
      if (site !== undefined && choice !== undefined) placement.set(site, choice);
      rest = Math.floor(rest / sites.length);
    }
    yield placement;
  }
}
