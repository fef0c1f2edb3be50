import type { NamedPlace } from '../check/found-by-following.js';
import type { NamedLink, NamedOrder } from '../check/order-reasons.js';
import { citation, quoteOf } from '../diagnostics/source.js';
import { indent } from './words.js';

/** Why a launch has no race: of lines whose accesses share bytes, two accesses, and the chain that orders them. */
export function describeOrder(pairs: readonly NamedOrder[]): readonly string[] {
  return [
    'What orders accesses to the same bytes in every execution, of each two lines the first:',
    ...pairs.flatMap(describePair),
  ];
}

function describePair({ threads, bytes, chain }: NamedOrder): readonly string[] {
  const width = Math.max(...threads.map(({ thread }) => thread.length));
  const [first = '', second = ''] = threads.map((one) => `${one.thread.padEnd(width)}  ${placeOf(one)}`);
  return ['', ...indent([bytes, ...indent([first, ...indent(chain.flatMap(linkLines), 2), second], 2)], 2)];
}

/** A link in one line, where threads meet at one place; else with a line for each of them. */
function linkLines({ kind, from, to }: NamedLink): readonly string[] {
  const is = WORDS[kind];
  const all = [from, to].filter((one) => one !== undefined);
  if (from !== undefined && from.span === to?.span) {
    const names = [...new Set([from.thread, to.thread])].join(' and ');
    return [`${is}: ${names} at ${placeOf(to)}`];
  }
  return [
    all.length === 0 ? is : `${is}:`,
    ...indent(
      all.map((one) => `${one.thread} at ${placeOf(one)}`),
      2,
    ),
  ];
}

const placeOf = ({ span }: NamedPlace): string => `${citation(span)}: ${quoteOf(span)}`;

/** What a link of a chain is. */
const WORDS: Readonly<Record<NamedLink['kind'], string>> = {
  'cta-barrier': 'a barrier of the CTA',
  'warp-barrier': 'a barrier of the warp',
  'warp-exchange': 'an exchange of values in the warp',
  'cluster-barrier': 'a barrier of the cluster',
  'grid-start': 'the launch begins when those before it have ended',
  'grid-wait': 'a wait for the launches before',
  'grid-trigger': 'a fence before the trigger of a dependent launch',
  mbarrier: 'a phase of an mbarrier',
  fence: 'a fence that releases or acquires, with what is read of it',
  way: 'what is found',
  'way-end': 'what is done whatever is found',
  election: 'elect.sync',
  last: 'the last one to count',
  'matrix-group': 'a wait for matrix products',
  'tensor-fence': 'a fence of tcgen05',
  'init-fence': 'fence.mbarrier_init',
  'cluster-fence': 'a fence before a barrier of the cluster',
  'pair-step': 'a step of a pair of CTAs',
  relinquish: 'the end of allocations',
  poll: 'a release, and the acquire that waits for it',
  take: 'a lock',
  'proxy-fence': 'a fence of the async proxy',
  'proxy-release': 'a fence that releases to the async proxy',
  'proxy-acquire': 'a fence that acquires in the async proxy',
};
