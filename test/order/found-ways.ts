import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

const SCOPES = ['cta', 'gpu', 'sys'] as const;
type Scope = (typeof SCOPES)[number];
/** How something is released, or acquired: by the access itself, by a fence beside it, or not at all. */
const MANNERS = ['itself', 'fence', 'not'] as const;
type Manner = (typeof MANNERS)[number];
const CONDITIONS = ['eq', 'ne', 'ge', 'lt'] as const;

interface Handing {
  readonly how: Manner;
  readonly scope: Scope;
}

/** What one thread does, in order. */
type Step =
  | { readonly kind: 'write' | 'read'; readonly at: number }
  | ({ readonly kind: 'set'; readonly flag: number; readonly value: number } & Handing)
  /** Waits until a flag is set, or counts; what it finds there is kept. */
  | ({ readonly kind: 'wait'; readonly flag: number } & Handing)
  | ({ readonly kind: 'count'; readonly isBounded: boolean; readonly more?: number } & Handing)
  /** Writes to the place that was found last, or one behind it. */
  | { readonly kind: 'put'; readonly behind: number }
  /** Says where; accesses what was said last. */
  | { readonly kind: 'point'; readonly at: number }
  | { readonly kind: 'access'; readonly isWrite: boolean }
  | { readonly kind: 'fence'; readonly scope: Scope }
  /** Waits for its turn, by what it has counted; lets the next one have it. */
  | ({ readonly kind: 'turn' } & Handing)
  | ({ readonly kind: 'serve'; readonly more: number; readonly isAdded: boolean } & Handing)
  /** Waits while a semaphore is some value, then adds to it; adds to it for others. */
  | ({
      readonly kind: 'acquire';
      readonly flag: number;
      readonly none: number;
      readonly more: number;
      /** It looks before it tries, each time. */
      readonly isSlow: boolean;
    } & Handing)
  | ({ readonly kind: 'give'; readonly flag: number; readonly more: number } & Handing)
  /** Goes by what was found last. */
  | {
      readonly kind: 'if';
      readonly condition: (typeof CONDITIONS)[number];
      readonly value: number;
      /** The whole block is guarded, and not branched around. */
      readonly isGuarded: boolean;
      readonly ifSo: Step[];
      readonly ifNot: Step[];
    }
  /** What was found last, or whether it is some value, is told to the CTA. */
  | { readonly kind: 'tell'; readonly value: number | undefined }
  | { readonly kind: 'hear' }
  | { readonly kind: 'barrier' };

export interface Plan {
  readonly ctas: number;
  readonly block: number;
  readonly threads: Step[][];
  /** What all threads do alike, instead. */
  readonly common?: string;
}

/** Launches of a few threads that go by what they find in flags and counts, most of them with a mistake or two. */
export const foundWays = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('found-ways', seed, { planOf, spoil, textOf, moduleOf });

/** Of those, such whose threads do different things, each alone in its CTA. */
export const lonePlanOf = (random: Random): Plan => one(random, [lookBack, lookBack, statuses, turns])(random);

export const one = <T>(random: Random, all: readonly T[]): T => all[random.below(all.length)] as T;

function planOf(random: Random): Plan {
  return one(random, [
    lookBack,
    lastOne,
    lastOne,
    lastCta,
    lastCta,
    statuses,
    turns,
    ticketLock,
    ticketLock,
    places,
    places,
    queue,
    ring,
    mutex,
    lastOfAll,
    lastOfAll,
  ])(random);
}

const handing = (random: Random, scope: Scope): Handing => ({ how: one(random, ['itself', 'fence']), scope });

const branch = (
  condition: (typeof CONDITIONS)[number],
  value: number,
  ifSo: Step[],
  ifNot: Step[] = [],
  isGuarded = false,
): Step => ({ kind: 'if', condition, value, isGuarded, ifSo, ifNot });

/** Each tells what it has, and later what all before it have; who comes later takes what is there. */
function lookBack(random: Random): Plan {
  const count = 2 + random.below(2);
  const scope = one(random, ['gpu', 'sys'] as const);
  /** The whole is read where all ways come together. */
  const isBehind = random.below(2) === 0;
  const whole = (at: number): Step => ({ kind: isBehind ? 'point' : 'read', at: 3 + at });
  const threads = Array.from({ length: count }, (_, i): Step[] => {
    const steps: Step[] = [];
    const set = (value: number): Step => ({ kind: 'set', flag: i, value, ...handing(random, scope) });
    const back = (at: number): Step[] => [
      { kind: 'wait', flag: at, ...handing(random, scope) },
      at === 0 ? whole(0) : branch('eq', 2, [whole(at)], [{ kind: 'read', at }, ...back(at - 1)]),
    ];
    if (i > 0) steps.push({ kind: 'write', at: i }, set(1), ...back(i - 1));
    if (i > 0 && isBehind) steps.push({ kind: 'access', isWrite: false });
    steps.push({ kind: 'write', at: 3 + i }, set(2));
    return steps;
  });
  return { ctas: count, block: 1, threads };
}

/** Who counts last reads what the others have written, and all write to one place that do so. */
function lastOne(random: Random): Plan {
  const count = 2 + random.below(2);
  const isSpread = random.below(2) === 0;
  const scope: Scope = isSpread ? 'gpu' : one(random, SCOPES);
  const isBounded = random.below(3) === 0;
  const isBehind = random.below(4) === 0;
  const threads = Array.from({ length: count }, (_, i): Step[] => {
    const reads = Array.from({ length: count }, (__, at): Step => ({ kind: 'read', at }));
    const ifSo: Step[] = [...reads.filter((_step, at) => at !== i), { kind: 'write', at: 5 }];
    if (random.below(2) === 0) ifSo.unshift({ kind: 'fence', scope });
    const isNamed = random.below(2) === 0;
    if (isBehind)
      return [
        { kind: 'write', at: i },
        { kind: 'count', isBounded, ...handing(random, scope) },
        branch(isNamed ? 'eq' : 'ge', count - 1, [...ifSo, { kind: 'point', at: 6 }], [{ kind: 'point', at: 7 }]),
        { kind: 'access', isWrite: random.below(2) === 0 },
      ];
    return [
      { kind: 'write', at: i },
      { kind: 'count', isBounded, ...handing(random, scope) },
      branch(isNamed ? 'eq' : 'ge', count - 1, ifSo, [], random.below(4) === 0),
    ];
  });
  return { ctas: isSpread ? count : 1, block: isSpread ? 1 : count, threads };
}

/** One thread of each CTA counts, and tells the others whether they are the last. */
function lastCta(random: Random): Plan {
  const isPredicate = random.below(2) === 0;
  const threads = [0, 1].flatMap((cta): Step[][] => {
    const ifSo: Step[] = [
      { kind: 'read', at: 1 - cta },
      { kind: 'write', at: 4 },
    ];
    if (random.below(3) === 0) ifSo.unshift({ kind: 'fence', scope: 'gpu' });
    const way = branch('eq', 1, ifSo);
    const tell: Step = { kind: 'tell', value: isPredicate ? 1 : undefined };
    const how = one(random, ['itself', 'fence', 'fence', 'not'] as const);
    const count: Step = { kind: 'count', isBounded: false, how, scope: 'gpu' };
    const first: Step[] = [{ kind: 'write', at: cta }, count, tell, { kind: 'barrier' }, { kind: 'hear' }];
    if (random.below(2) === 0) {
      // Both go that way, and meet there.
      const mate = branch('eq', 1, [{ kind: 'barrier' }, { kind: 'read', at: 4 }, { kind: 'read', at: 1 - cta }]);
      return [
        [...first, branch('eq', 1, [...ifSo, { kind: 'barrier' }])],
        [{ kind: 'barrier' }, { kind: 'hear' }, mate],
      ];
    }
    const isOfOne = random.below(2) === 0;
    return [isOfOne ? [...first, way] : first, [{ kind: 'barrier' }, { kind: 'hear' }, ...(isOfOne ? [] : [way])]];
  });
  return { ctas: 2, block: 2, threads };
}

/** Two set a flag to different values. */
function statuses(random: Random): Plan {
  const scope = one(random, ['gpu', 'sys'] as const);
  const isOne = random.below(2) === 0;
  const set = (value: number): Step => ({ kind: 'set', flag: 0, value, ...handing(random, scope) });
  const first: Step[] = [{ kind: 'write', at: 0 }, set(1)];
  const second: Step[] = [{ kind: 'write', at: 1 }, set(2)];
  const waits: Step[] = [
    { kind: 'wait', flag: 0, ...handing(random, scope) },
    branch(
      one(random, CONDITIONS),
      2,
      [{ kind: 'read', at: random.below(2) }],
      [{ kind: 'read', at: random.below(2) }, ...(random.below(2) === 0 ? [{ kind: 'write', at: 2 } as const] : [])],
    ),
    { kind: 'read', at: isOne ? 0 : 2 },
  ];
  const threads = isOne ? [[...first, ...second], waits] : [first, second, waits];
  return { ctas: threads.length, block: 1, threads };
}

/** Each goes another way, by its place in the order of all. */
function turns(random: Random): Plan {
  const count = 2 + random.below(2);
  const scope: Scope = 'gpu';
  const threads = Array.from({ length: count }, (): Step[] => [
    { kind: 'count', isBounded: false, ...handing(random, scope) },
    branch(
      'eq',
      0,
      [
        { kind: 'write', at: 0 },
        { kind: 'write', at: 1 },
      ],
      [branch('eq', 1, [{ kind: 'write', at: 2 }], [{ kind: 'write', at: 3 }])],
    ),
  ]);
  return { ctas: count, block: 1, threads };
}

/** Each takes a lock in the order in which all have drawn a ticket. */
function ticketLock(random: Random): Plan {
  const count = 2 + random.below(2);
  const isSpread = random.below(3) > 0;
  const scope: Scope = isSpread ? one(random, ['gpu', 'sys']) : one(random, SCOPES);
  const isAdded = random.below(3) === 0;
  const rounds = count === 2 && random.below(4) === 0 ? 2 : 1;
  const threads = Array.from({ length: count }, (_, i): Step[] =>
    Array.from({ length: rounds }, (): Step[] => [
      { kind: 'count', isBounded: false, how: one(random, ['not', 'not', 'itself']), scope },
      { kind: 'turn', ...handing(random, scope) },
      { kind: 'read', at: 0 },
      { kind: 'write', at: 0 },
      ...(random.below(4) === 0 ? [{ kind: 'write', at: 1 + i } as const] : []),
      { kind: 'serve', more: 1, isAdded, ...handing(random, scope) },
    ]).flat(),
  );
  return { ctas: isSpread ? count : 1, block: isSpread ? 1 : count, threads };
}

/** One thread of each CTA takes as many places as it has threads, and tells them where these are. */
function places(random: Random): Plan {
  const taken = 1 + random.below(2);
  const first = (cta: number): Step[] => [
    { kind: 'write', at: 6 + cta },
    { kind: 'count', isBounded: false, more: taken, how: one(random, ['not', 'itself', 'fence']), scope: 'gpu' },
  ];
  const told: Step[] = [{ kind: 'barrier' }, { kind: 'hear' }];
  const tell: Step = { kind: 'tell', value: undefined };
  const threads = [0, 1].flatMap((cta): Step[][] => [
    [...first(cta), tell, ...told, { kind: 'put', behind: 0 }],
    [...told, ...(taken === 2 ? [{ kind: 'put', behind: 1 } as const] : []), { kind: 'read', at: 6 }],
  ]);
  return { ctas: 2, block: 2, threads };
}

/** Each takes work until none is left. */
function queue(random: Random): Plan {
  const scope = one(random, ['gpu', 'sys'] as const);
  const left = 1 + random.below(2);
  const take = (times: number): Step[] => [
    { kind: 'count', isBounded: false, how: one(random, ['not', 'not', 'itself']), scope },
    branch('lt', left, [{ kind: 'put', behind: 0 }, ...(times > 1 ? take(times - 1) : [])]),
  ];
  return { ctas: 2, block: 1, threads: [take(left + 1), take(left + 1)] };
}

const acquire = (random: Random, flag: number, none: number, more: number, scope: Scope): Step => {
  // The engines go round the other loops, and not so far.
  const isSlow = random.below(8) > 0;
  return { kind: 'acquire', flag, none, more, isSlow, ...handing(random, scope) };
};

/** One fills slots, and another one empties them: each waits until there is one. */
function ring(random: Random): Plan {
  const scope = one(random, ['gpu', 'sys'] as const);
  const [slots, count] = [1 + random.below(2), 1 + random.below(2)];
  const items = Array.from({ length: count }, (_, i) => i);
  const first = items.flatMap((i): Step[] => [
    ...(i < slots && random.below(2) === 0 ? [] : [acquire(random, 0, slots, 1, scope)]),
    { kind: 'write', at: i % slots },
    { kind: 'give', flag: 1, more: 1, ...handing(random, scope) },
  ]);
  const second = items.flatMap((i): Step[] => [
    acquire(random, 1, 0, -1, scope),
    { kind: 'read', at: i % slots },
    { kind: 'give', flag: 0, more: -1, ...handing(random, scope) },
  ]);
  return { ctas: 2, block: 1, threads: [first, second] };
}

/** Each does something when it has what one alone, or two, may have. */
function mutex(random: Random): Plan {
  const scope = one(random, ['gpu', 'sys'] as const);
  const most = random.below(4) === 0 ? 2 : 1;
  const threads = Array.from({ length: 2 }, (_, i): Step[] => [
    acquire(random, 0, most, 1, scope),
    { kind: 'read', at: 0 },
    { kind: 'write', at: random.below(3) === 0 ? 1 + i : 0 },
    random.below(3) === 0
      ? { kind: 'set', flag: 0, value: 0, ...handing(random, scope) }
      : { kind: 'give', flag: 0, more: -1, ...handing(random, scope) },
  ]);
  return { ctas: threads.length, block: 1, threads };
}

/** How many CTAs, of how many threads. */
const SHAPES = [
  [1, 2],
  [1, 2],
  [1, 3],
  [2, 1],
  [3, 1],
  [2, 2],
] as const;

/** All threads arrive at a barrier of their own, whose last one does something for all, perhaps with a mistake. */
function lastOfAll(random: Random): Plan {
  const [ctas, block] = one(random, SHAPES);
  const count = ctas * block;
  const mostly = <T>(right: T, others: readonly T[]): T => (random.below(6) > 0 ? right : one(random, others));
  const isSpoilt = random.below(3) === 0;
  const scope = (): string => (ctas === 1 || (isSpoilt && random.below(4) === 0) ? 'cta' : 'gpu');
  /** One of two CTAs hands on what it has done in its own scope alone. */
  const isApart = ctas === 2 && random.below(3) === 0;
  const fences = (label: string): string =>
    `setp.eq.u32 %p3, %r2, ${random.below(2)}; @%p3 bra H${label}; fence.acq_rel.gpu; H${label}: fence.acq_rel.cta;`;
  const [arrive, isFenced] = mostly<readonly [string, boolean]>(
    isApart
      ? ['relaxed', true]
      : one(random, [
          ['acq_rel', false],
          ['release', true],
        ] as const),
    [
      ['acquire', false],
      ['release', false],
      ['relaxed', true],
    ],
  );
  const reads = [0, 1, 2, 3]
    .slice(0, count)
    .map((at) => `ld.global.u32 %r5, [%rd1 + ${4 * at}]; add.u32 %r9, %r9, %r5;`);
  const add = `mov.u32 %r9, 0; ${mostly(reads, [reads.slice(1)]).join(' ')} st.global.u32 [%rd1 + 24], %r9;`;
  const reset = mostly(`st.relaxed.${scope()}.global.u32 [%rd2 + 4], 0;`, ['']);
  const own = mostly('', ['st.global.u32 [%rd1 + 20], %r1;', 'st.global.u32 [%rd1 + 20], 3;']);
  const flip = `sub.u32 %r9, 1, %r7; st.${mostly('release', ['relaxed'])}.${scope()}.global.u32 [%rd2], %r9;`;
  const [first, second] = mostly(
    [add + own + reset, flip],
    [
      [flip, add + own + reset],
      [add + own + reset, ''],
    ],
  );
  const who = mostly('ne.u32 %p4, %r8, ', ['lt.u32 %p4, %r8, ', 'eq.u32 %p4, %r8, ']);
  const looked = mostly('', ['ld.global.u32 %r10, [%rd1];', 'ld.global.u32 %r10, [%rd1 + 20];']);
  const written = mostly('st.global.u32 [%rd5], %r1;', [
    '@%p5 st.global.u32 [%rd5], 9;',
    '@!%p5 st.global.u32 [%rd5], 9;',
  ]);
  /** Who comes last does not wait, or does. */
  const isElse = random.below(3) === 0;
  /** What is waited for is there before. */
  const told = mostly('', ['st.release.cta.global.u32 [%rd2 + 8], %r6; mov.u32 %r7, 0;']);
  const flag = told === '' ? '[%rd2]' : '[%rd2 + 8]';
  const meet = (label: string): string => `ld.relaxed.${scope()}.global.u32 %r7, [%rd2];
${isApart ? fences(label) : ''} atom.${arrive}.${scope()}.global.add.u32 %r8, [%rd2 + 4], 1;
${looked} ${isElse ? told : ''} setp.${who}${count - 1}; @%p4 bra ${label};
${isFenced ? `fence.acq_rel.${scope()};` : ''} ${first} ${second} ${isElse ? `bra.uni J${label};` : ''}
${label}: ld.${mostly('acquire', ['relaxed'])}.${scope()}.global.u32 %r9, ${isElse ? flag : '[%rd2]'};
setp.eq.u32 %p4, %r9, %r7; @%p4 bra ${label}; J${label}:`;
  const again = random.below(3) === 0 && count === 2 ? meet('N') : '';
  const common = `mov.u32 %r6, 1; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, ${block}, %r1;
setp.ne.u32 %p5, %r1, 0; mov.u32 %r10, 0; mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd3, %rd5;
add.s64 %rd5, %rd1, %rd5; ${written} ${meet('M')}
ld.global.u32 %r9, [%rd1 + 24]; st.global.u32 [%rd6], %r9; ${looked === '' ? '' : 'st.global.u32 [%rd6 + 16], %r10;'}
${again}`;
  return { ctas, block, threads: [], common };
}

/** Puts a mistake into a plan. */
export function spoil({ threads, common }: Plan, random: Random): void {
  if (common !== undefined) return;
  let steps = threads[random.below(threads.length)] ?? [];
  for (;;) {
    const inner = steps.flatMap((step) => (step.kind === 'if' ? [step.ifSo, step.ifNot] : []));
    const [first] = inner.filter(({ length }) => length > 0);
    if (first === undefined || random.below(2) === 0) break;
    steps = first;
  }
  const at = random.below(steps.length);
  const step = steps[at];
  if (step === undefined) return;
  const other = random.below(steps.length);
  switch (random.below(7)) {
    case 0:
      if (step.kind !== 'barrier') steps.splice(at, 1);
      return;
    case 1:
      if (step.kind !== 'barrier' && step.kind !== 'tell') steps.splice(at, 0, step);
      return;
    case 2:
      if (step.kind !== 'barrier' && steps[other]?.kind !== 'barrier')
        [steps[at], steps[other]] = [steps[other] as Step, step];
      return;
    case 3:
      if ('how' in step) steps[at] = { ...step, how: 'not' };
      return;
    case 4:
      if ('scope' in step) steps[at] = { ...step, scope: one(random, SCOPES) };
      return;
    case 5:
      if (step.kind === 'if') steps[at] = { ...step, value: random.below(3), condition: one(random, CONDITIONS) };
      else if ('at' in step) steps[at] = { ...step, at: random.below(8) };
      else if (step.kind === 'set') steps[at] = { ...step, value: random.below(3) };
      else if (step.kind === 'serve' || step.kind === 'count') steps[at] = { ...step, more: random.below(3) };
      else if (step.kind === 'acquire') steps[at] = { ...step, none: random.below(3) };
      else if (step.kind === 'give') steps[at] = { ...step, more: random.below(3) - 1 };
      else if (step.kind === 'put') steps[at] = { ...step, behind: random.below(3) };
      return;
    default:
      if (step.kind === 'if') steps[at] = { ...step, ifSo: step.ifNot, ifNot: step.ifSo };
  }
}

export function textOf(name: string, { ctas, block }: Pick<Plan, 'ctas' | 'block'>): string {
  const listed = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => `d[${at}];`).join(' ');
  return (
    `PTX ${name}\n{ .global .u32 d[8] = 0; .global .u32 f[4] = 0; .global .u32 x[8] = 0; }\n` +
    `launch K "k.ptx" (d, f, x) @ grid ${ctas}, block ${block}, gpu 0\nlocations [${listed}]\n`
  );
}

function moduleOf(plan: Plan): string {
  const { common } = plan;
  if (common !== undefined) return kernelModule({ pointers: 3, body: common });
  return moduleBy(plan, 'mov.u32 %r2, %ctaid.x;');
}

/** A module whose threads each do what is theirs, by the number of their CTA; `numbered` says which that is. */
export function moduleBy({ threads }: Plan, numbered: string): string {
  const bodies = threads.map((steps, thread) => `T${thread}:\n${codeOf(steps, `${thread}`, thread)}\nret;`);
  const ways = threads.map((_, thread) => `setp.eq.u32 %p1, %r4, ${thread}; @%p1 bra T${thread};`);
  return kernelModule({
    pointers: 3,
    declared: '.shared .align 4 .u32 s;',
    body: `${numbered} mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
mov.u32 %r6, 0; mov.u64 %rd5, %rd1;
${ways.join('\n')}
ret;
${bodies.join('\n')}`,
  });
}

const codeOf = (steps: readonly Step[], label: string, thread: number): string =>
  steps.map((step, i) => stepOf(step, `${label}_${i}`, thread)).join('\n');

function stepOf(step: Step, label: string, thread: number): string {
  switch (step.kind) {
    case 'write':
      return `st.global.u32 [%rd1 + ${4 * step.at}], ${10 + step.at};`;
    case 'read':
      return `ld.global.u32 %r5, [%rd1 + ${4 * step.at}]; st.global.u32 [%rd3 + ${4 * thread}], %r5;`;
    case 'put':
      return (
        `add.u32 %r9, %r6, ${step.behind}; mul.wide.u32 %rd4, %r9, 4; add.s64 %rd4, %rd1, %rd4; ` +
        'st.global.u32 [%rd4], %r4;'
      );
    case 'point':
      return `add.s64 %rd5, %rd1, ${4 * step.at};`;
    case 'access':
      return step.isWrite
        ? 'st.global.u32 [%rd5], %r4;'
        : `ld.global.u32 %r5, [%rd5]; st.global.u32 [%rd3 + ${4 * thread}], %r5;`;
    case 'fence':
      return `fence.acq_rel.${step.scope};`;
    case 'barrier':
      return 'bar.warp.sync 3;';
    case 'tell': {
      const what = step.value === undefined ? '%r6' : '%r7';
      const told = step.value === undefined ? '' : `setp.eq.u32 %p4, %r6, ${step.value}; selp.u32 %r7, 1, 0, %p4;`;
      return `${told} st.shared.u32 [s], ${what};`;
    }
    case 'hear':
      return 'ld.shared.u32 %r6, [s];';
    case 'if': {
      const negated = { eq: 'ne', ne: 'eq', ge: 'lt', lt: 'ge' }[step.condition];
      const [guarded] = step.ifSo;
      if (step.isGuarded && step.ifSo.length === 1 && step.ifNot.length === 0 && guarded?.kind === 'write')
        return `setp.${step.condition}.u32 %p2, %r6, ${step.value}; @%p2 ${stepOf(guarded, label, thread)}`;
      const [first, second] = [codeOf(step.ifSo, `${label}t`, thread), codeOf(step.ifNot, `${label}e`, thread)];
      return (
        `setp.${negated}.u32 %p2, %r6, ${step.value}; @%p2 bra E${label};\n${first}\n` +
        `bra.uni F${label};\nE${label}:\n${second}\nF${label}:`
      );
    }
    default:
      return handed(step, label);
  }
}

function handed(step: Extract<Step, Handing>, label: string): string {
  const fence = step.how === 'fence' ? `fence.acq_rel.${step.scope};` : '';
  const order = (of: string): string => `${step.how === 'itself' ? of : 'relaxed'}.${step.scope}.global`;
  switch (step.kind) {
    case 'set':
      return `${fence} st.${order('release')}.u32 [%rd2 + ${4 * step.flag}], ${step.value};`;
    case 'wait':
      return (
        `W${label}: ld.${order('acquire')}.u32 %r6, [%rd2 + ${4 * step.flag}]; setp.eq.u32 %p3, %r6, 0; ` +
        `@%p3 bra W${label}; ${fence}`
      );
    case 'acquire': {
      const [word, none] = [`[%rd2 + ${4 * step.flag}]`, `setp.eq.u32 %p3, %r8, ${step.none}; @%p3 bra W${label};`];
      return (
        `W${label}: ld.relaxed.${step.scope}.global.u32 %r8, ${word}; C${label}: ${none} ` +
        `add.u32 %r9, %r8, ${step.more}; mov.u32 %r10, %r8; ` +
        `atom.${order('acquire')}.cas.b32 %r8, ${word}, %r10, %r9; setp.ne.u32 %p3, %r8, %r10; ` +
        `@%p3 bra ${step.isSlow ? 'W' : 'C'}${label}; ${fence}`
      );
    }
    case 'give':
      return `${fence} red.${order('release')}.add.u32 [%rd2 + ${4 * step.flag}], ${step.more};`;
    case 'turn': {
      const look = `ld.${order('acquire')}.u32 %r9, [%rd2]; setp.ne.u32 %p3, %r9, %r6;`;
      return `W${label}: ${look} @%p3 bra W${label}; ${fence}`;
    }
    case 'serve': {
      const { more, isAdded } = step;
      const what = isAdded ? `red.${order('release')}.add.u32 [%rd2], ${more};` : '';
      return `${fence} ${isAdded ? what : `add.u32 %r9, %r6, ${more}; st.${order('release')}.u32 [%rd2], %r9;`}`;
    }
    case 'count': {
      const how = step.isBounded ? 'inc' : 'add';
      const given = step.isBounded ? 7 : (step.more ?? 1);
      return `${fence} atom.${order('acq_rel')}.${how}.u32 %r6, [%rd2 + 12], ${given}; ${fence}`;
    }
  }
}
