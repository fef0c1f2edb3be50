import type { Remark } from '../check/remarks.js';
import type { TestResult } from '../check/result.js';
import { citations, meaningOf } from '../diagnostics/source.js';
import type { LaunchFacts, Program, Thread } from '../program/program.js';
import type { Style } from './text.js';
import { indent } from './words.js';

/** Where a thread runs: of a launch, which of its threads it is. */
export function describePlace({ launched, placement: { ctaNumber, gpu } }: Thread): string {
  const place = gpu === undefined ? 'host' : `cta ${ctaNumber}, gpu ${gpu}`;
  return launched === undefined ? place : `${launched.launch}: cta ${ctaNumber}, tid ${launched.tid}, gpu ${gpu}`;
}

/** Why one run of all threads speaks for every execution; with `inFull` also what orders it, and who says so. */
export function orderLines(result: Pick<TestResult, 'followed' | 'expectations'>, inFull = false): readonly string[] {
  const { followed, expectations } = result;
  if (followed === undefined) return [];
  const count = followed.accesses;
  const what = count === 1 ? '1 access to memory' : `${count} accesses to memory`;
  const decided = `decided by order: ${what}, and those that conflict come in one order in every execution`;
  const by = [...new Set(followed.orderedBy.map((edge) => ORDERED_BY[edge]))].join(', ');
  const who = expectations.some(({ unconfirmed }) => unconfirmed !== undefined) ? 'not confirmed' : 'confirmed';
  const { rounds } = followed;
  const queue =
    rounds === undefined || rounds === 0
      ? []
      : [`followed for 0 to ${rounds} rounds of a queue; any more are like these`];
  const how = `ordered by ${by === '' ? 'the program alone' : by}; ${who} by a second party`;
  return (inFull ? [decided, ...queue, how] : [decided]).map((line) => `    ${line}`);
}

/** What orders accesses, by kind of edge. */
const ORDERED_BY: Readonly<Record<NonNullable<TestResult['followed']>['orderedBy'][number], string>> = {
  'cta-barrier': 'barriers of CTAs',
  'warp-barrier': 'barriers of warps',
  'warp-exchange': 'what lanes of warps exchange',
  'cluster-barrier': 'barriers of clusters',
  'grid-start': 'the order of launches',
  'grid-wait': 'griddepcontrol.wait',
  'grid-trigger': 'fences before griddepcontrol.launch_dependents',
  'group-wait': 'waits for cp.async',
  'group-mbarrier': 'cp.async.mbarrier.arrive',
  mbarrier: 'mbarriers',
  'mbarrier-cluster': 'mbarriers of other CTAs',
  fence: 'fences',
  'init-fence': 'fence.mbarrier_init',
  'cluster-fence': 'fences before barriers of clusters',
  'proxy-fence': 'fences of the async proxy',
  'proxy-acquire': 'fences of the async proxy that release and acquire',
  'bulk-mbarrier': 'completion of copies at mbarriers',
  'bulk-group': 'waits for groups of copies',
  'bulk-cluster': 'completion of copies in other CTAs',
  'grid-bulk': 'the end of launches',
  'async-owner': 'that the async proxy goes to shared memory in the CTA whose it is',
  'grid-read-only': 'the end of launches',
  'matrix-group': 'waits for groups of wgmma',
  'tensor-accumulators': 'pipelines of tcgen05',
  'tensor-operands': 'pipelines of tcgen05',
  'tensor-transfers': 'pipelines of tcgen05',
  'tensor-wait': 'tcgen05.wait',
  'tensor-commit': 'tcgen05.commit',
  'tensor-acquire': 'acquiring waits in the place of fences of tcgen05',
  'tensor-allocation': 'execution up to tcgen05.alloc and dealloc',
  'tensor-pair': 'tcgen05 of pairs of CTAs',
  'pair-fence': 'fences of the async proxy in the other CTA of a pair',
  'poll-cta': 'flags, counts and locks at .cta',
  'poll-cluster': 'flags, counts and locks at .cluster',
  'poll-gpu': 'flags, counts and locks at .gpu',
  'poll-sys': 'flags, counts and locks at .sys',
};

/** What a run of all threads shows that breaks nothing. */
export function remarkLines({ what, places }: Remark, style: Style): readonly string[] {
  const all = places.slice(0, MOST_REMARKS);
  const cited = citations(all);
  const shown = all.map((span, i) => `    ${cited[i]}: ${meaningOf(span)}`);
  const more = places.length > MOST_REMARKS ? [`    and ${places.length - MOST_REMARKS} more`] : [];
  return [`  ${style.faint('remark')}: ${what}`, ...shown, ...more];
}

/** What every answer says of the launches of a kernel test. */
export function launchLines({ launches }: Program): readonly string[] {
  return launches.flatMap((launch) => [
    `  ${launch.name}: ${launch.kernel}, ${launch.shape}`,
    ...indent([...threadLines(launch), ...selectionLines(launch)]),
  ]);
}

function threadLines({ run, threads, choice }: LaunchFacts): readonly string[] {
  const followed = threads === 1 ? 'its thread followed' : `all ${threads} threads followed`;
  if (choice === 'whole') return [followed];
  const shown = run.slice(0, MOST_SHOWN).map(({ thread, cta, tid, represents }) => {
    const others = represents === 0 ? '' : ` for ${represents + 1}`;
    return `${thread} = cta ${cta}, tid ${tid}${others}`;
  });
  const more = run.length > MOST_SHOWN ? [`and ${run.length - MOST_SHOWN} more`] : [];
  if (choice === 'asked') return [`${followed}, ${run.length} asked about`, ...wrapped([...shown, ...more])];
  const never = choice === 'exactly' && run.length < threads ? '; the others never arrive anywhere' : '';
  return [`${run.length} of ${threads} threads run${never}`, ...wrapped([...shown, ...more])];
}

const MOST_SHOWN = 24;
const WIDTH = 100;

function wrapped(parts: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length < WIDTH) lines[lines.length - 1] = `${last}; ${part}`;
    else lines.push(part);
  }
  return lines;
}

/** What the threads that are told of have to do with all others of the launch. */
const OF_OTHERS: Readonly<Record<LaunchFacts['choice'], string | undefined>> = {
  all: undefined,
  whole: undefined,
  shown: undefined,
  part: 'named by the test; others are only counted, so that this is no execution of the launch',
  exactly: 'chosen by the test: it is about a launch of these alone',
  symmetric: 'each of the others does what one of these does, elsewhere in memory: what is said is so for all',
  asked: 'named by the test: of races and of what is undefined, those are told that one of these is in',
};

function selectionLines({ choice, run, threads }: LaunchFacts): readonly string[] {
  const told = OF_OTHERS[choice];
  return told === undefined || run.length === threads ? [] : [told];
}

const MOST_REMARKS = 8;
