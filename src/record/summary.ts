import { demangled } from '../kernel/demangle.js';
import { groupBy } from '../program/group-by.js';
import type { Recording } from './recording.js';
import type { Outcome } from './write-tests.js';

/** What `summary.json` of a recording says of the application. */
export interface ApplicationEnd {
  readonly command: readonly string[];
  readonly status: number;
  readonly signal: string | undefined;
  readonly milliseconds: number;
  readonly gpu: string | undefined;
}

/** What was launched, and what became of it, as plain data: each launch in one class. */
export interface Summary {
  readonly version: 1;
  readonly application: ApplicationEnd | undefined;
  readonly counts: Recording['counts'];
  readonly launches: readonly {
    readonly id: number;
    readonly entry: string;
    readonly class: Outcome['kind'];
    readonly times: number;
    readonly stream: number;
    readonly grid: readonly number[];
    readonly block: readonly number[];
    readonly test?: string;
    readonly notes?: readonly string[];
    readonly reason?: string;
    readonly shrunk?: string;
  }[];
  /** By stream: launches by their ids, in order, and how often each was made then. */
  readonly streams: readonly { readonly stream: number; readonly launches: readonly (readonly [number, number])[] }[];
  readonly problems: readonly string[];
}

/** Of a stream so many changes of what is launched are told. */
const MOST_CHANGES = 1000;

export function summaryOf(
  recording: Recording,
  outcomes: readonly Outcome[],
  application: ApplicationEnd | undefined,
  shrunk: ReadonlyMap<number, string>,
): Summary {
  const launches = outcomes.map((one) => {
    const { id, entry, times, stream, grid, block } = one.launch;
    const proposal = shrunk.get(id);
    return {
      ...{ id, entry, class: one.kind, times, stream, grid, block },
      ...(one.kind === 'written'
        ? { test: `${one.written.test.name}.litmus`, notes: one.written.test.notes }
        : { reason: one.reason }),
      ...(proposal === undefined ? {} : { shrunk: proposal }),
    };
  });
  const { counts, problems } = recording;
  return { version: 1, application, counts, launches, streams: streamsOf(recording), problems };
}

function streamsOf({ sequence }: Recording): Summary['streams'] {
  const streams = new Map<number, [number, number][]>();
  const full = new Set<number>();
  for (const { stream, launch = -1 } of sequence) {
    const changes = streams.get(stream) ?? [];
    streams.set(stream, changes);
    const last = changes.at(-1);
    if (full.has(stream)) continue;
    if (last?.[0] === launch) last[1] += 1;
    else if (changes.length < MOST_CHANGES) changes.push([launch, 1]);
    else full.add(stream);
  }
  return [...streams].map(([stream, launches]) => ({ stream, launches }));
}

/** Launches whose place in their streams is not kept; where no order is kept at all, there is none. */
function withoutOrder(recording: Recording): number {
  const kept = streamsOf(recording).flatMap(({ launches }) => launches.map(([, times]) => times));
  return kept.length === 0 ? 0 : recording.counts.launches - kept.reduce((all, times) => all + times, 0);
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : what.endsWith('ch') ? 'es' : 's'}`;
const sum = (outcomes: readonly Outcome[]): number => outcomes.reduce((all, { launch }) => all + launch.times, 0);

const CLASSES: Readonly<Record<Outcome['kind'], string>> = {
  written: 'a test is written of',
  'no-ptx': 'no PTX of',
  'not-said': 'a test cannot say',
  'not-read': 'not recorded are the parameters of',
  'left-out': 'left out are',
};

/** The same in words. */
export function describeSummary(
  recording: Recording,
  outcomes: readonly Outcome[],
  application: ApplicationEnd | undefined,
): string {
  const { counts, problems, isEnded } = recording;
  const kinds = Object.keys(CLASSES) as Outcome['kind'][];
  const lines = [
    ...(application === undefined ? [] : describeApplication(application)),
    ...(isEnded ? [] : ['the recorder has not seen the application end: it crashed, or was killed']),
    `${counted(counts.launches, 'launch')} seen, ${outcomes.length} distinct; ` +
      `the recorder took ${Math.round(counts.milliseconds)} ms`,
    ...kinds.flatMap((kind) => describeClass(kind, outcomes)),
    ...describeRest(recording),
    ...problems,
  ];
  return `${lines.join('\n')}\n`;
}

function describeApplication({ command, status, signal, milliseconds }: ApplicationEnd): readonly string[] {
  const how = signal !== undefined ? `crashed: it was ended by signal ${signal}` : `ended with exit status ${status}`;
  return [`${command.join(' ')} ${how}, after ${milliseconds} ms`];
}

/** A name may be as long as templates make it, and hold any byte. */
function shown(entry: string): string {
  const plain = demangled(entry).replace(/[\p{C}]/gu, '?');
  return plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME)}…` : plain;
}
const LONGEST_NAME = 100;

type Written = Extract<Outcome, { readonly kind: 'written' }>;
type Refusal = Exclude<Outcome, Written>;

function describeClass(kind: Outcome['kind'], all: readonly Outcome[]): readonly string[] {
  const some = all.filter((one) => one.kind === kind);
  if (some.length === 0) return [];
  return [
    `${CLASSES[kind]} ${some.length} of them, made ${counted(sum(some), 'time')}`,
    ...some.flatMap((one) => (one.kind === 'written' ? describe(one) : [])),
    ...describeGroups(some.flatMap((one) => (one.kind === 'written' ? [] : one))),
  ];
}

function describe(one: Written): string {
  const { name, notes } = one.written.test;
  return [`  ${name}.litmus${often([one])}`, ...notes.map((note) => `    ${note}`)].join('\n');
}

/** How many launches these are, and how often they were made. */
function often(outcomes: readonly Outcome[]): string {
  const times = counted(sum(outcomes), 'time');
  if (outcomes.length === 1) return sum(outcomes) === 1 ? '' : ` (${times})`;
  const isOnceEach = sum(outcomes) === outcomes.length;
  return ` (${outcomes.length} ${isOnceEach ? 'launches' : `distinct launches, made ${times}`})`;
}

/** A line for each kernel and reason; kernels of one reason stand below it. recorded.json has each launch. */
function describeGroups(outcomes: readonly Refusal[]): readonly string[] {
  return [...groupBy(outcomes, reasonOfAny)].flatMap(([ofAny, some]) => {
    const reason = some.every((one) => one.reason === some[0]?.reason) ? (some[0]?.reason ?? ofAny) : ofAny;
    const kernels = groupBy(some, ({ launch }) => shown(launch.entry));
    const named = [...kernels].map(([name, launches]) => `${name}${often(launches)}`);
    return named.length === 1 ? [`  ${named[0]}: ${reason}`] : [`  ${reason}:`, ...named.map((one) => `    ${one}`)];
  });
}

/** A library has many images: their numbers do not keep its kernels apart. */
const reasonOfAny = ({ reason, launch }: Refusal): string =>
  reason.replace(new RegExp(`^image ${launch.image} `), 'an image ');

function describeRest(recording: Recording): readonly string[] {
  const { counts } = recording;
  const told: readonly (readonly [number, string])[] = [
    [counts.leftOut, 'beyond the bounds of the recorder (4096 distinct launches, 64 MiB), without a class'],
    [
      withoutOrder(recording),
      `whose order recorded.json does not have (65536 are recorded, and ${MOST_CHANGES} changes of a stream told)`,
    ],
    [counts.captured, 'captured into graphs: they are among the above, once for each capture'],
    [counts.graphLaunches, 'of graphs: what is in these is told where it was captured'],
    [counts.graphNodes, 'added to graphs as kernel nodes by hand, which is not read'],
    [counts.otherLaunches, 'by calls that are not read (cuLaunch, cuLaunchGrid, several devices at once)'],
  ];
  return told.flatMap(([count, what]) => (count === 0 ? [] : [`${counted(count, 'launch')} ${what}`]));
}
