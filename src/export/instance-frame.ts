import type { KernelThread } from '../convert/kernel-body.js';
import type { KernelFrame } from '../convert/kernel-frame.js';
import type { KernelNames } from '../convert/kernel-names.js';
import type { KernelGrid, KernelPlace } from '../convert/kernel-places.js';
import { WARP_SIZE } from '../kernel/grid.js';
import { FLAGS, jamming, KEEP, scatteringOf, stressing } from './disturbance.js';
import type { InstanceMemory } from './instance-memory.js';

/** Where in the results of an instance a register goes: so many 8-byte words from their begin. */
export interface StoredRegister {
  readonly thread: string;
  readonly register: string;
  readonly word: number;
}

/** How the instances of a test lie in a launch. */
export interface InstanceShape {
  /** How many lanes of a warp stand for its thread, each in an instance of its own: 1 or 32. */
  readonly lanes: number;
  /** How many CTAs with threads, of all grids that are not ordered, begin together. */
  readonly meeting: number;
  /** Of what instances have in common: `sys` where they are on several GPUs. */
  readonly scope: 'gpu' | 'sys';
  /** The CTA may have more warps, which do nothing but disturb. */
  readonly isJammed: boolean;
}

/** In nanoseconds: a thread that waits for longer gives up, and its instance is counted apart. */
const LONGEST_WAIT = 20_000_000;
/** In nanoseconds: what nobody waits for in a test is complete by then. */
const SETTLING = 300_000;
/** Of the harness: tests have lower ones. */
const BARRIER = 15;

/** Of a thread, in the line table. */
const FIRST_LINE = 1000;
/** Of what the frame executes, in the line table: instructions of the test have lines of their own. */
const NO_LINE = '.loc 1 1 0';

const WORDS = [
  ...[
    'cta',
    'tid',
    'group',
    'groups',
    'in',
    'instance',
    'iteration',
    'iterations',
    'span',
    'number',
    'leads',
    'counts',
  ],
  ...['seed', 'flags', 'delay', 'word', 'other'],
];
const DOUBLE_WORDS = ['memory', 'results', 'control', 'scratch', 'meeting', 'left', 'from', 'now', 'value'];
const POINTERS = ['memory', 'results', 'control', 'scratch'];
const NUMBERS = ['groups', 'iterations', 'span', 'seed', 'flags', 'delay'];

/**
 * The frame that makes many instances of a test out of a launch: each has memory of its own, begins together as well
 * as can be, and leaves what was asked for; then the threads go on to the next. What the test itself executes is as it
 * stands (docs/hardware.md).
 */
export class InstanceFrame implements KernelFrame {
  readonly parameters = [
    ...POINTERS.map((name) => `.param .u64 harness_${name}`),
    ...NUMBERS.map((name) => `.param .u32 harness_${name}`),
  ];

  constructor(
    private readonly grid: KernelGrid,
    private readonly places: readonly KernelPlace[],
    private readonly memory: InstanceMemory,
    private readonly stored: readonly StoredRegister[],
    /** Words that an instance leaves, before the one that counts its threads. */
    private readonly words: number,
    private readonly shape: InstanceShape,
  ) {}

  /** All threads of the test are first lanes where there are several instances in a warp. */
  readonly tidOf = (register: string): string =>
    this.shape.lanes === 1 ? `mov.u32 ${register}, %tid.x;` : `and.b32 ${register}, %harness_tid, 0xFFFFFFE0;`;

  readonly ctaOf = (register: string): string => `mov.u32 ${register}, %harness_in;`;

  begin(names: KernelNames): readonly string[] {
    const { grid } = this;
    const { u32, u64, predicate } = registersOf(names);
    for (const name of WORDS) u32(name);
    for (const name of DOUBLE_WORDS) u64(name);
    predicate('is');
    const load = (name: string, type: 'u32' | 'u64'): string => `ld.param.${type} %harness_${name}, [harness_${name}];`;
    return [
      ...(this.shape.isJammed ? jamming.variables : []),
      NO_LINE,
      ...['mov.u32 %harness_cta, %ctaid.x;', 'mov.u32 %harness_tid, %tid.x;', 'mov.u64 %harness_from, %globaltimer;'],
      ...POINTERS.map((name) => load(name, 'u64')),
      ...NUMBERS.map((name) => load(name, 'u32')),
      ...(this.shape.isJammed ? jamming.lines(this.warps * WARP_SIZE) : []),
      `div.u32 %harness_group, %harness_cta, ${grid.ctas};`,
      `rem.u32 %harness_in, %harness_cta, ${grid.ctas};`,
      'setp.lt.u32 %harness_is, %harness_group, %harness_groups;',
      '@%harness_is bra harness_begins;',
      ...stressing(grid.ctas),
      'harness_begins:',
      ...this.takePart(),
      'mad.wide.u32 %harness_meeting, %harness_group, 4, %harness_control;',
      'mov.u32 %harness_iteration, 0;',
      'mov.u32 %harness_counts, 0;',
      '.pragma "nounroll";',
      'harness_iterates:',
      ...this.orLeave(),
      'mov.u64 %harness_from, %globaltimer;',
      'mad.lo.u32 %harness_instance, %harness_iteration, %harness_groups, %harness_group;',
      ...this.lane(),
      `mad.wide.u32 %harness_left, %harness_instance, ${8 * (this.words + 1)}, %harness_results;`,
      ...[...names.handedOver].flatMap(([name, register]) => this.address(name, register)),
      ...this.initialize(),
      ...this.together([...names.handedOver.values()]),
      ...this.apart(),
    ];
  }

  /** All instances of a location are in one array, one after the other or scattered over its pages. */
  private address(name: string, register: string): readonly string[] {
    const { locations } = this.memory;
    const index = this.memory.indexOf(name);
    const before = locations.slice(0, index).reduce((sum, { size }) => sum + size, 0);
    return [
      `and.b32 %harness_word, %harness_flags, ${FLAGS.scatter};`,
      'setp.ne.u32 %harness_is, %harness_word, 0;',
      `selp.u32 %harness_word, ${scatteringOf(index)}, 1, %harness_is;`,
      'mul.lo.u32 %harness_word, %harness_word, %harness_instance;',
      'sub.u32 %harness_other, %harness_span, 1;',
      'and.b32 %harness_word, %harness_word, %harness_other;',
      `mad.wide.u32 ${register}, %harness_word, ${locations[index]?.size ?? 0}, %harness_memory;`,
      `mad.wide.u32 ${register}, %harness_span, ${before}, ${register};`,
    ];
  }

  private get warps(): number {
    return Math.ceil(this.grid.block / WARP_SIZE);
  }

  /** The number of the harness's barrier, and who takes part: warps that jam do not. */
  private get party(): string {
    return `${BARRIER}${this.shape.isJammed ? `, ${this.warps * WARP_SIZE}` : ''}`;
  }

  private get barrier(): string {
    return `barrier.sync ${this.party};`;
  }

  /** Threads that the test has not leave; the first of each CTA does what is done once. */
  private takePart(): readonly string[] {
    const { block } = this.grid;
    const isFirst = (one: KernelPlace): boolean =>
      this.places.every(({ cta, tid }) => cta !== one.cta || tid >= one.tid);
    return [
      'mov.u32 %harness_leads, 0;',
      this.tidOf('%harness_number'),
      `mad.lo.u32 %harness_number, %harness_in, ${block}, %harness_number;`,
      ...this.places.flatMap((place) => [
        `setp.eq.u32 %harness_is, %harness_number, ${place.cta * block + place.tid};`,
        ...(isFirst(place) ? ['@%harness_is mov.u32 %harness_leads, 1;'] : []),
        '@%harness_is bra harness_takes_part;',
      ]),
      'ret;',
      'harness_takes_part:',
      ...(this.shape.lanes === 1
        ? []
        : [
            `and.b32 %harness_word, %harness_tid, ${WARP_SIZE - 1};`,
            'setp.ne.u32 %harness_is, %harness_word, 0;',
            '@%harness_is mov.u32 %harness_leads, 0;',
          ]),
    ];
  }

  /** Other lanes of other threads are in the same instance, so that warps do not go in step. */
  private lane(): readonly string[] {
    const { lanes } = this.shape;
    if (lanes === 1) return [];
    return [
      'shr.u32 %harness_word, %harness_tid, 5;',
      'add.u32 %harness_word, %harness_word, %harness_in;',
      'mad.lo.u32 %harness_word, %harness_word, 11, %harness_tid;',
      `and.b32 %harness_word, %harness_word, ${WARP_SIZE - 1};`,
      `mad.lo.u32 %harness_instance, %harness_instance, ${lanes}, %harness_word;`,
    ];
  }

  /** Where one thread of a CTA has given up, all of them leave: nobody waits at a barrier for one that is gone. */
  private orLeave(): readonly string[] {
    return [
      'setp.gt.u32 %harness_is, %harness_counts, 1;',
      `barrier.red.or.pred %harness_is, ${this.party}, %harness_is;`,
      '@%harness_is bra harness_leaves;',
    ];
  }

  /** Shared memory and its mbarriers as the test has them, before anybody begins, and after all have ended. */
  private initialize(): readonly string[] {
    const { lines, isFenced } = this.memory.sharedBegin();
    if (lines.length === 0) return [];
    return [
      'setp.eq.u32 %harness_is, %harness_leads, 0;',
      '@%harness_is bra harness_initialized;',
      ...lines,
      ...(isFenced ? ['fence.mbarrier_init.release.cluster;', 'fence.proxy.async;'] : []),
      'harness_initialized:',
    ];
  }

  /** The CTAs of an instance, and the threads of each, wait for each other; caches may hold old values from before. */
  private together(locations: readonly string[]): readonly string[] {
    const { meeting } = this.shape;
    return [
      this.barrier,
      ...(this.grid.ctas > 1 ? ['barrier.cluster.arrive;', 'barrier.cluster.wait;'] : []),
      `and.b32 %harness_word, %harness_flags, ${FLAGS.precache};`,
      'setp.eq.u32 %harness_is, %harness_word, 0;',
      '@%harness_is bra harness_cached;',
      ...chance(),
      'mov.u32 %harness_counts, %harness_word;',
      'mov.u32 %harness_word, 0;',
      ...locations.flatMap((register, i) => [
        `and.b32 %harness_other, %harness_counts, ${2 ** (i % 16)};`,
        'setp.ne.u32 %harness_is, %harness_other, 0;',
        `@%harness_is ld.weak.global.u8 %harness_other, [${register}];`,
        'add.u32 %harness_word, %harness_word, %harness_other;',
      ]),
      ...KEEP,
      'harness_cached:',
      'mov.u32 %harness_counts, 0;',
      ...(meeting > 1 ? this.meet() : []),
      ...this.orLeave(),
    ];
  }

  /** Where no barrier of a cluster does it. No fence is in it, which would take old values out of caches. */
  private meet(): readonly string[] {
    const { meeting, scope } = this.shape;
    return [
      'mov.u32 %harness_word, %cluster_nctaid.x;',
      `setp.ge.u32 %harness_is, %harness_word, ${meeting};`,
      '@%harness_is bra harness_met;',
      'setp.eq.u32 %harness_is, %harness_leads, 0;',
      '@%harness_is bra harness_met;',
      'add.u32 %harness_number, %harness_iteration, 1;',
      `mul.lo.u32 %harness_number, %harness_number, ${meeting};`,
      `red.relaxed.${scope}.global.add.u32 [%harness_meeting+4], 1;`,
      'harness_meets:',
      ...late('is'),
      '@%harness_is mov.u32 %harness_counts, 65536;',
      '@%harness_is bra harness_met;',
      `ld.relaxed.${scope}.global.u32 %harness_word, [%harness_meeting+4];`,
      'setp.lt.u32 %harness_is, %harness_word, %harness_number;',
      '@%harness_is bra harness_meets;',
      'harness_met:',
    ];
  }

  /** Each thread begins a little later or earlier, by chance. */
  private apart(): readonly string[] {
    return [
      ...chance(),
      'and.b32 %harness_word, %harness_word, %harness_delay;',
      'mov.u32 %harness_other, %clock;',
      'harness_waits:',
      'mov.u32 %harness_number, %clock;',
      'sub.u32 %harness_number, %harness_number, %harness_other;',
      'setp.lt.u32 %harness_is, %harness_number, %harness_word;',
      '@%harness_is bra harness_waits;',
    ];
  }

  /** A line of its own for each instruction of a thread, by which it is found again in what ptxas made of it. */
  lineOf(thread: number, instruction: number): string {
    return `.loc 1 ${FIRST_LINE * (thread + 1) + instruction} 0`;
  }

  end(names: KernelNames, members: readonly KernelThread[], number: string): readonly string[] {
    const { block } = this.grid;
    const lines = members.flatMap(({ thread, place }) => {
      const own = this.stored.filter((one) => one.thread === thread.name);
      const at = place.cta * block + place.tid;
      return own.flatMap(({ register, word }) => {
        const type = thread.registers.get(register)?.type;
        if (type === undefined) return [];
        const held = names.register(register, type);
        return [
          ...asWord(held, names.registers.get(held) ?? 'b32'),
          `setp.eq.u32 %harness_is, ${number}, ${at};`,
          `@%harness_is st.global.u64 [%harness_left+${8 * word}], %harness_value;`,
        ];
      });
    });
    return [NO_LINE, ...lines, 'mov.u32 %harness_counts, 1;', 'bra harness_done;'];
  }

  finish(number: string): readonly string[] {
    const { scope, isJammed } = this.shape;
    return [
      'harness_gives_up:',
      'mov.u32 %harness_counts, 65536;',
      'harness_done:',
      ...this.settle(),
      ...this.memory.sharedEnd(number, this.grid, this.stored.length),
      `red.relaxed.${scope}.global.add.u32 [%harness_left+${8 * this.words}], %harness_counts;`,
      'add.u32 %harness_iteration, %harness_iteration, 1;',
      'setp.lt.u32 %harness_is, %harness_iteration, %harness_iterations;',
      '@%harness_is bra harness_iterates;',
      'harness_leaves:',
      ...(isJammed ? jamming.over : []),
      `red.relaxed.${scope}.global.add.u32 [%harness_control], %harness_leads;`,
      'ret;',
    ];
  }

  /** Nobody leaves before the others, where they reach its memory; what goes by itself has time to be complete. */
  private settle(): readonly string[] {
    const { observedShared, isAsynchronous } = this.memory;
    return [
      // A sleep may be of any length up to twice what it is asked for (PTX ISA, nanosleep).
      ...(isAsynchronous
        ? ['mov.u64 %harness_from, %globaltimer;', 'harness_settles:', 'nanosleep.u32 20000;']
            .concat(elapsed('lt', SETTLING, 'is'))
            .concat('@%harness_is bra harness_settles;')
        : []),
      ...(this.grid.cluster > 1
        ? ['barrier.cluster.arrive;', 'barrier.cluster.wait;']
        : observedShared.length > 0
          ? [this.barrier]
          : []),
    ];
  }

  beforeBranchBack(names: KernelNames): readonly string[] {
    registersOf(names).predicate('late');
    return [...late('late'), '@%harness_late bra harness_gives_up;'];
  }
}

/** Sets a predicate by how long ago `from` was, in nanoseconds. */
const elapsed = (comparison: 'gt' | 'lt', nanoseconds: number, predicate: string): readonly string[] => [
  'mov.u64 %harness_now, %globaltimer;',
  'sub.u64 %harness_now, %harness_now, %harness_from;',
  `setp.${comparison}.u64 %harness_${predicate}, %harness_now, ${nanoseconds};`,
];

/** Whether the thread has waited for too long. */
const late = (predicate: string): readonly string[] => elapsed('gt', LONGEST_WAIT, predicate);

/** Bits by chance, other ones for each thread and each instance. */
const chance = (): readonly string[] => [
  'mad.lo.u32 %harness_word, %harness_cta, 1024, %harness_tid;',
  'mad.lo.u32 %harness_word, %harness_iteration, 0x632BE5AB, %harness_word;',
  'xor.b32 %harness_word, %harness_word, %harness_seed;',
  'mul.lo.u32 %harness_word, %harness_word, 0x9E3779B1;',
  'shr.u32 %harness_other, %harness_word, 15;',
  'xor.b32 %harness_word, %harness_word, %harness_other;',
  'mul.lo.u32 %harness_word, %harness_word, 0x85EBCA77;',
  'shr.u32 %harness_word, %harness_word, 8;',
];

const registersOf = (names: KernelNames) => ({
  u32: (name: string): string => names.address(`harness_${name}`, 'b32'),
  u64: (name: string): string => names.address(`harness_${name}`, 'b64'),
  predicate: (name: string): string => names.address(`harness_${name}`, 'pred'),
});

/** The bits of a register, in 64. */
function asWord(register: string, type: string): readonly string[] {
  switch (type.replace(/^[a-z]+/, '') || type) {
    case 'pred':
      return [`selp.u64 %harness_value, 1, 0, ${register};`];
    case '16':
      return [`cvt.u64.u16 %harness_value, ${register};`];
    case '64':
      return [`mov.b64 %harness_value, ${register};`];
    default:
      return [`cvt.u64.u32 %harness_value, ${register};`];
  }
}
