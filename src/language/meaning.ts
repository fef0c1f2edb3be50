import type { Effect, EffectKind, MemoryOperand } from '../effects/effect.js';
import type { Tag } from '../effects/event-tags.js';
import { ruleSentence } from '../program/undefined-rules.js';
import { barrierMeaning, fenceMeaning, groupMeaning, mbarrierMeaning, tensorStepMeaning } from './synchronizing.js';

/** What effects mean for the order of memory, a sentence each, with the section that says so. */
export function meaningOf(effects: readonly Effect[], written: string): readonly string[] {
  const known = knownMeaning(written);
  if (known !== undefined) return known;
  const said = effects.flatMap((effect) => (SENTENCES[effect.kind] as Say<Effect>)(effect, written));
  return [...new Set(said)];
}

/** What an instruction means whatever its operands are, where its name says it. */
export const knownMeaning = (written: string): readonly string[] | undefined =>
  OF_INSTRUCTIONS.find(({ words }) => words.test(written))?.sentences;

/** What an instruction means that has no effect on memory, or another one than its accesses tell. */
const OF_INSTRUCTIONS: readonly { readonly words: RegExp; readonly sentences: readonly string[] }[] = [
  {
    words: /^(prefetch|prefetchu|applypriority|cp\.async\.bulk\.prefetch)(\.|$)/,
    sentences: ['a hint: no effect on the values or the order of memory'],
  },
  {
    words: /^(nanosleep|pmevent|brkpt)(\.|$)/,
    sentences: ['no effect on the values or the order of memory'],
  },
  {
    words: /^setmaxnreg(\.|$)/,
    sentences: [
      'all warps of the warpgroup execute it alike, and synchronize before the next one: else undefined',
      'no effect on the values or the order of memory',
    ],
  },
  { words: /^trap$/, sentences: ['ends the grid: an execution that comes here has no final state (9.7.21)'] },
  { words: /^activemask/, sentences: ['tells which lanes are active: waits for nobody, and orders no memory'] },
  {
    words: /^griddepcontrol\.wait/,
    sentences: ['waits for the grids that this one depends on to be complete, and what they wrote visible (9.7.15.14)'],
  },
  {
    words: /^(ld\.global.*\.nc|ldu)(\.|$)/,
    sentences: ['reads outside of the memory model (8.1): undefined if its bytes may be written while the grid runs'],
  },
  {
    words: /^discard/,
    sentences: ['leaves 128 bytes unstable: each read may find something else until they are written (9.7.10)'],
  },
  {
    words: /^(ldmatrix|stmatrix|wmma\.(load|store))/,
    sentences: ['the lanes of a warp access a matrix together: weak, and in no order among the lanes (9.7.16)'],
  },
  {
    words: /^tcgen05\.(alloc|dealloc)/,
    sentences: ['gives out or takes back columns of tensor memory, which are accessed only between (9.7.18.7)'],
  },
];

type Of<Kind extends EffectKind> = Extract<Effect, { readonly kind: Kind }>;
type Say<T> = (effect: T, written: string) => readonly string[];

const SENTENCES: { readonly [Kind in EffectKind]: Say<Of<Kind>> } = {
  read: ({ at, tags, scope, when }, written) => {
    const most = when?.below === undefined && when?.unless === undefined ? '' : 'at most ';
    return [...access('reads', at, tags, scope, written, most), ...orderOf(tags)];
  },
  write: ({ at, tags, scope }, written) =>
    tags.includes('OPAQUE') ? [] : [...access('writes', at, tags, scope, written), ...orderOf(tags)],
  update: ({ at, tags, readTags, writeTags, scope }, written) => [
    ...access('reads and writes', at, [...tags, ...readTags], scope, written),
    isSplit(at, tags) ? 'each element in one step, the whole not (8.2.4, 8.10.3)' : 'in one step (8.10.3)',
    ...orderOf(tags.includes('RED') ? writeTags : [...readTags, ...writeTags]),
    ...(tags.includes('RED') ? ['a reduction takes part in no acquire pattern (8.11.1)'] : []),
  ],
  fence: fenceMeaning,
  barrier: ({ barrier }) => barrierMeaning(barrier),
  mbarrier: mbarrierMeaning,
  group: ({ group }) => groupMeaning(group),
  grid: ({ grid }) => [
    grid === undefined
      ? 'lets dependent grids be launched; orders nothing by itself, but a release fence before it does (9.7.15.14)'
      : 'waits for the grids that this one depends on to be complete, and what they wrote visible (9.7.15.14)',
  ],
  check: ({ rule, takes }) => {
    const { operand } = takes?.value ?? {};
    const isKept = operand?.kind === 'constant' && operand.value === 1n;
    return isKept ? [] : [`undefined behavior: ${ruleSentence(rule)}`];
  },
  issue: ({ at }, written) => {
    if (at !== undefined) return [];
    const section = written.startsWith('tcgen05') ? '9.7.18.6.1' : '8.9.1.1';
    const late = 'until it is known to be complete, writing its source or reading its destination is undefined';
    return [
      `starts accesses that are not in program order with what follows (${section})`,
      ...(/^cp\./.test(written) ? [`${late} (9.7.10.28.1)`] : []),
    ];
  },
  'tensor-step': ({ tags }) => tensorStepMeaning(tags),
};

const isSplit = ({ parts }: MemoryOperand, tags: readonly Tag[]): boolean =>
  tags.includes('COPY') || typeof parts !== 'number' || parts > 1;

const PROXIES: readonly (readonly [Tag, string])[] = [
  ['ASYNC', ' through the async proxy (8.6)'],
  ['TMAP', ' through the tensormap proxy (8.6)'],
  ['TEX', ' through the texture proxy (8.6)'],
  ['SUR', ' through the surface proxy (8.6)'],
  ['CON', ' through the constant proxy (8.6)'],
  ['RO', ' through the read-only path (8.6)'],
];

/** `reads 4 bytes of global memory; weak: …`. */
function access(
  what: string,
  at: MemoryOperand,
  tags: readonly Tag[],
  scope: string | undefined,
  written: string,
  most = '',
): readonly string[] {
  if (tags.includes('TMEM'))
    return [`${what} tensor memory: ordered only by pipelines, waits, commit and tcgen05.fence (9.7.18.6)`];
  const { window } = at.address;
  const place = placeOf(window, written);
  const bytes =
    at.bytes?.kind === 'constant' && !written.startsWith('wgmma') ? `${most}${size(at.bytes.value)} of ` : '';
  const proxy = PROXIES.find(([tag]) => tags.includes(tag))?.[1] ?? '';
  const where = [
    ...(at.multicast === undefined ? [] : [', in each CTA of its mask']),
    ...(written.startsWith('multimem') ? [', at each replica apart (8.2.3)'] : []),
    ...(typeof at.parts === 'number' && at.parts > 1 ? [`, in ${at.parts} parts without an order (8.2.4)`] : []),
  ].join('');
  return [
    `${what} ${bytes}${place}${proxy}${where}; ${strengthOf(tags, scope, window)}`,
    ...(tags.includes('MMIO') ? ['performed exactly as it is written, and never merged with another (8.4)'] : []),
  ];
}

/** Descriptors of matrices have the window of the cluster, whoever's memory they name. */
const placeOf = (window: string, written: string): string =>
  window === 'generic' ? 'memory' : written.startsWith('wgmma') ? 'shared memory' : `${window} memory`;

const size = (bytes: bigint): string => `${bytes} byte${bytes === 1n ? '' : 's'}`;

function strengthOf(tags: readonly Tag[], scope: string | undefined, window: string): string {
  if (window === 'local') return 'weak: memory of its own thread, for which nobody else can race (5.1.5)';
  if (window === 'const' || window === 'param') return 'weak: nothing writes there while the grid runs (5.1.3, 5.1.6)';
  if (tags.includes('RO')) return 'no fence helps: the bytes must not be written while the kernel runs';
  if (tags.includes('WEAK'))
    return (
      'weak: not ordered by itself; a data race with a conflicting access of another thread, unless something ' +
      'orders them (8.7.1)'
    );
  return tags.includes('VOL')
    ? 'strong: volatile is relaxed at sys scope, and releases or acquires only by fences (8.4.2, 8.8)'
    : `strong, at ${scope ?? 'no'} scope (8.4, 8.5)`;
}

/** What acquires and releases. */
function orderOf(tags: readonly Tag[]): readonly string[] {
  return [
    ...(tags.includes('REL') ? ['release: what its thread did before is handed to who acquires from it (8.8)'] : []),
    ...(tags.includes('ACQ') ? ['acquire: what was released to it comes before what its thread does next (8.8)'] : []),
  ];
}
