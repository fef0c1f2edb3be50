import type { BarrierEffect, Effect, MbarrierEffect } from '../effects/effect.js';
import type { Tag } from '../effects/event-tags.js';
import type { GroupOperation } from '../program/async-operation.js';
import type { FenceRestriction, ProxyFence } from '../program/operation.js';

/** What fences, barriers, mbarriers and waits mean for the order of memory, a sentence each. */

type FenceEffect = Extract<Effect, { readonly kind: 'fence' }>;

export function fenceMeaning({ tags, scope, proxyFence, restriction }: FenceEffect): readonly string[] {
  if (proxyFence !== undefined) return proxyFenceMeaning(proxyFence);
  const one = tags.includes('ACQ') ? 'acquire' : tags.includes('REL') ? 'release' : 'release and acquire';
  return [
    `a fence at ${scope} scope: with strong accesses it makes ${one} patterns (8.8)`,
    ...(tags.includes('SC')
      ? ['it stands in one order with every fence.sc that it is morally strong with (8.9.3, 8.10.2)']
      : []),
    ...(restriction === undefined ? [] : [RESTRICTIONS[restriction]]),
  ];
}

const RESTRICTIONS: Readonly<Record<FenceRestriction, string>> = {
  mbarrier_init: 'it covers only mbarrier.init of its thread before it, in shared::cta memory (9.7.15.4)',
  'shared::cta': 'it covers only operations on objects in shared::cta memory (9.7.15.4)',
  'shared::cluster': 'it covers only operations on objects in shared::cluster memory (9.7.15.4)',
};

function proxyFenceMeaning({ proxy, order, scope, space, readsOnly, address }: ProxyFence): readonly string[] {
  if (proxy === 'generic') return ['joins the generic proxy with itself: orders nothing'];
  const other = proxy === 'alias' ? 'accesses by other addresses of the same memory' : `the ${proxy} proxy`;
  const at = scope === undefined ? '' : ` at ${scope} scope`;
  const limits = [
    ...(space === undefined ? [] : [`for ${space} memory only (9.7.15.4)`]),
    ...(address === undefined ? [] : ['for the 128 bytes at its address only (9.7.15.4)']),
    ...(readsOnly ? ['it covers reads of its own thread only, and is not cumulative (9.7.15.4)'] : []),
  ];
  if (order === undefined)
    return [
      `joins the generic proxy and ${other}: between the two, order alone is not enough (8.6, 9.7.15.4)`,
      ...limits,
    ];
  const before = order === 'release' ? 'what comes before it' : 'what comes after it';
  const partner = order === 'release' ? 'an acquire' : 'a release';
  return [
    `one way${at}: joins ${before} by the generic proxy and ${other}, beyond ${partner} that it pairs with (9.7.15.4)`,
    ...limits,
  ];
}

export function barrierMeaning(barrier: BarrierEffect['barrier']): readonly string[] {
  if (barrier.kind === 'cluster-barrier') {
    if (barrier.action === 'wait')
      return [
        'waits for all threads of the cluster to arrive: what they released comes before what follows (9.7.15.3)',
      ];
    return [
      barrier.order === 'relaxed'
        ? 'arrives, and hands over nothing unless a release fence stands before it (9.7.15.3)'
        : 'arrives, without waiting: what its thread did before comes before what follows the waits (9.7.15.3)',
    ];
  }
  switch (barrier.level) {
    case 'cta':
      return [
        barrier.action === 'arrive'
          ? 'arrives, without waiting: what it did before comes before what follows the sync of others (9.7.15.1)'
          : 'waits for the threads that take part: what they did before comes before what follows (9.7.15.1)',
        'asynchronous accesses excepted, and it is no proxy fence',
      ];
    case 'warp':
      return ['waits for the lanes of its mask: what they did before comes before what follows (9.7.15.2)'];
    case 'lanes':
      return ['lanes of its warp come together; that orders no memory'];
  }
}

/** `arrive` of copies and products happens when they are complete. */
export function mbarrierMeaning({ step, operation, tags, scope }: MbarrierEffect): readonly string[] {
  const at = scope === undefined ? '' : ` at ${scope} scope`;
  const releases = tags.includes('REL')
    ? [`release${at}: what its thread did before is handed to who acquires from the phase (8.8)`]
    : [];
  switch (step) {
    case 'init':
      return ['makes an mbarrier object, in its first phase (9.7.15.16.3)'];
    case 'inval':
      return ['ends an mbarrier object: its memory is ordinary again (9.7.15.16.3)'];
    case 'expect_tx':
      return ['makes the phase wait for so many more bytes (9.7.15.16)'];
    case 'complete_tx':
      return [
        operation === undefined
          ? 'when it is done, counts its bytes at the mbarrier, which tells of its own accesses only (8.9.1.1)'
          : 'counts bytes of the phase as there, and moves no data (9.7.15.16)',
      ];
    case 'increment':
      return ['makes the phase wait for one more arrival (9.7.15.16)'];
    case 'arrive':
      return operation?.action === 'async_arrive'
        ? [
            'arrives when the asynchronous operations before it are complete, and hands over those alone ' +
              (operation.family === 'cp.async' ? '(8.9.1.1)' : '(9.7.18.12)'),
          ]
        : [...arrivalMeaning(operation), ...releases];
    case 'wait':
      return tags.includes('ACQ')
        ? [`tells whether a phase is complete; if so, acquires${at}: what was released to it comes before what follows`]
        : ['tells whether a phase is complete; orders nothing without an acquire fence after it (9.7.15.16.19)'];
  }
}

function arrivalMeaning(operation: MbarrierEffect['operation']): readonly string[] {
  if (operation?.action !== 'arrive') return [];
  const { expect, drop, noComplete } = operation;
  return [
    ...(expect === undefined ? [] : ['first makes the phase wait for so many more bytes (9.7.15.16)']),
    'arrives: counts down what the phase waits for (9.7.15.16)',
    ...(drop ? ['later phases wait for that many fewer arrivals (9.7.15.16)'] : []),
    ...(noComplete ? ['undefined if that completes the phase (9.7.15.16)'] : []),
  ];
}

export function groupMeaning(group: GroupOperation): readonly string[] {
  const { family } = group;
  if (family.startsWith('tcgen05')) return [`waits until the ${family} of its thread are complete (9.7.18.6.4)`];
  const [what, section] = GROUPS.find(([name]) => family.startsWith(name))?.slice(1) ?? ['operations', '8.9.1.1'];
  if (group.action === 'commit') return [`closes a group of the ${what} before it: orders nothing (${section})`];
  const { pending, readsOnly } = group;
  const but =
    pending === undefined
      ? ', committed or not'
      : pending === 0
        ? ' in groups'
        : ` but for ${pending} group${pending === 1 ? '' : 's'}`;
  return [
    readsOnly
      ? `waits until the ${what}${but} have read their sources; what they write may not be there yet (${section})`
      : `waits until the ${what}${but} are complete, for its own thread alone (${section})`,
  ];
}

const GROUPS: readonly (readonly [family: string, what: string, section: string])[] = [
  ['wgmma', 'products', '9.7.17'],
  ['cp.async.bulk', 'bulk copies', '9.7.10.28.6'],
  ['bulk', 'bulk copies', '9.7.10.28.6'],
  ['cp.async', 'copies', '9.7.10.28.1.1'],
];

export const tensorStepMeaning = (tags: readonly Tag[]): readonly string[] =>
  tags.includes('RELINQUISH')
    ? ['its CTA allocates no more tensor memory (9.7.18.7)']
    : tags.includes('BEFORE_THREAD_SYNC')
      ? ['its accesses to tensor memory come before later barriers, arrivals and flags (9.7.18.6.3)']
      : ['later accesses to tensor memory come after the barriers, waits and flags before it (9.7.18.6.3)'];
