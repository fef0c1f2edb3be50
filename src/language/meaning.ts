import type { Effect, EffectKind, MbarrierStep, MemoryOperand } from '../effects/effect.js';
import type { Tag } from '../effects/event-tags.js';
import { ruleSentence } from '../program/undefined-rules.js';

/** What the effects of an instruction mean for the order of memory, a sentence each, with the section that says so. */
export function meaningOf(effects: readonly Effect[]): readonly string[] {
  return [...new Set(effects.flatMap((effect) => (SENTENCES[effect.kind] as Say<Effect>)(effect)))];
}

type Of<Kind extends EffectKind> = Extract<Effect, { readonly kind: Kind }>;
type Say<T> = (effect: T) => readonly string[];

const SENTENCES: { readonly [Kind in EffectKind]: Say<Of<Kind>> } = {
  read: (read) => [access('reads', read.at, read.tags, read.scope), ...orderOf(read.tags)],
  write: (write) =>
    write.tags.includes('OPAQUE') ? [] : [access('writes', write.at, write.tags, write.scope), ...orderOf(write.tags)],
  update: (update) => [
    `${access('reads and writes', update.at, [...update.tags, 'RLX'], update.scope)}, in one step (8.10.3)`,
    ...orderOf([...update.readTags, ...update.writeTags]),
    ...(update.tags.includes('RED') ? ['a reduction takes part in no acquire pattern (8.11.1)'] : []),
  ],
  fence: ({ tags, scope, proxyFence, restriction }) => [
    ...(proxyFence === undefined ? memoryFence(tags, scope) : [PROXY_FENCE(proxyFence.proxy, tags)]),
    ...(restriction === undefined ? [] : [`it covers ${restriction} only (9.7.15.4)`]),
  ],
  barrier: ({ barrier }) =>
    barrier.kind === 'cluster-barrier'
      ? [`${barrier.action}s at the barrier of the cluster; arrivals by .${barrier.order} (9.7.15.3)`]
      : [BARRIERS[barrier.level]],
  mbarrier: ({ step, tags, scope }) => [STEPS[step], ...orderOf(tags, scope)],
  group: ({ group }) => [
    group.action === 'commit'
      ? 'closes an async-group of the copies before it: nothing is ordered by that (9.7.10.28.1.1)'
      : `waits for async-groups${group.readsOnly === true ? ' to have read their sources' : ' to be complete'}: ` +
        'to the thread that waits, and to nobody else (9.7.10.28.1.1)',
  ],
  grid: ({ grid }) => [
    grid === undefined
      ? 'lets dependent grids be launched; says nothing of what was written before (9.7.15.14)'
      : 'waits for the grids before to be complete and their writes to be visible (9.7.15.14)',
  ],
  check: ({ rule }) => [`undefined unless it keeps this rule: ${ruleSentence(rule)}`],
  issue: () => ['starts accesses that are not in program order with what follows (8.9.1.1)'],
  'tensor-step': () => ['orders tcgen05 instructions of several threads (9.7.18.6.3)'],
};

const SPACES: Readonly<Record<string, string>> = { generic: 'memory' };
const PROXIES: readonly (readonly [Tag, string])[] = [
  ['ASYNC', 'the async proxy'],
  ['TMAP', 'the tensormap proxy'],
  ['TEX', 'the texture proxy'],
  ['SUR', 'the surface proxy'],
  ['CON', 'the constant proxy'],
  ['RO', 'the read-only path'],
];

/** `reads 4 bytes of global memory, weak`. */
function access(what: string, at: MemoryOperand, tags: readonly Tag[], scope: string | undefined): string {
  const { window } = at.address;
  const place = SPACES[String(window)] ?? `${String(window)} memory`;
  const bytes = at.bytes?.kind === 'constant' ? `${at.bytes.value} byte${at.bytes.value === 1n ? '' : 's'} of ` : '';
  const kind = tags.includes('VOL')
    ? 'volatile: relaxed at system scope, and no synchronization (8.4.2)'
    : tags.includes('WEAK')
      ? 'weak: not ordered by itself; a data race with a conflicting access of another thread, unless something ' +
        'orders them (8.7.1)'
      : `strong, at ${scope ?? 'no'} scope (8.4, 8.5)`;
  const proxy = PROXIES.find(([tag]) => tags.includes(tag))?.[1];
  return `${what} ${bytes}${place}${proxy === undefined ? '' : ` through ${proxy} (8.6)`}; ${kind}`;
}

/** What acquires and releases. */
function orderOf(tags: readonly Tag[], scope?: string): readonly string[] {
  const at = scope === undefined ? '' : ` at ${scope} scope`;
  const acquires = tags.includes('ACQ') || tags.includes('ACQ_REL');
  const releases = tags.includes('REL') || tags.includes('ACQ_REL');
  return [
    ...(releases ? [`release${at}: what its thread did before is handed to who acquires from it (8.8)`] : []),
    ...(acquires ? [`acquire${at}: what was released to it comes before what its thread does next (8.8)`] : []),
  ];
}

function memoryFence(tags: readonly Tag[], scope: string | undefined): readonly string[] {
  const base = `a fence at ${scope} scope: with strong accesses it makes release and acquire patterns (8.8)`;
  if (tags.includes('SC'))
    return [base, 'it stands in one order with every fence.sc that it is morally strong with (8.9.3, 8.10.2)'];
  const one = tags.includes('ACQ') ? 'acquire patterns' : tags.includes('REL') ? 'release patterns' : undefined;
  return [one === undefined ? base : base.replace('release and acquire patterns', one)];
}

const PROXY_FENCE = (proxy: string, tags: readonly Tag[]): string =>
  `joins the generic proxy and ${proxy === 'alias' ? 'other addresses of the same memory' : `the ${proxy} proxy`}` +
  `${tags.includes('REL') ? ', one way: a release' : tags.includes('ACQ') ? ', one way: an acquire' : ''}: else ` +
  'accesses of one are not visible to those of the other, ordered or not (8.6.1)';

const BARRIERS: Readonly<Record<'cta' | 'warp' | 'lanes', string>> = {
  cta:
    'waits for the threads of the CTA that take part, or arrives for them: what they did before comes before ' +
    'what follows (9.7.15.1)',
  warp: 'waits for the lanes of its mask: what they did before comes before what follows (9.7.15.2)',
  lanes: 'comes together with the lanes of its mask, and orders no memory',
};

const STEPS: Readonly<Record<MbarrierStep, string>> = {
  init: 'makes an mbarrier object, in its first phase (9.7.15.16.3)',
  inval: 'ends an mbarrier object: its memory is ordinary again (9.7.15.16.3)',
  expect_tx: 'makes the phase wait for so many more bytes (9.7.15.16.4)',
  complete_tx: 'counts bytes of the phase as there (9.7.15.16.4)',
  arrive: 'arrives: counts down what the phase waits for (9.7.15.16.4)',
  increment: 'makes the phase wait for one more arrival (9.7.15.16.4)',
  wait: 'tells whether a phase is complete; where it is, what arrived comes before what follows (9.7.15.16.19)',
};
