import type { KernelThread } from '../convert/kernel-body.js';
import type { KernelFrame } from '../convert/kernel-frame.js';
import type { KernelNames } from '../convert/kernel-names.js';
import type { KernelGrid } from '../convert/kernel-places.js';
import type { InstanceMemory } from './instance-memory.js';

/** Where in the results of an instance a register goes: so many 8-byte words from their begin. */
export interface StoredRegister {
  readonly thread: string;
  readonly register: string;
  readonly word: number;
}

/** Bits of the flags of a run (runner/run.cu has the same). */
export const FLAGS = { precache: 1 } as const;

/** In nanoseconds: a thread that waits for longer gives up, and its instance is counted apart. */
const LONGEST_WAIT = 20_000_000;
/** In nanoseconds: what nobody waits for in a test is complete by then. */
const SETTLING = 200_000;
/** What was loaded may matter, as far as ptxas can tell: it takes loads out that nobody needs. */
const KEEP = [
  'setp.eq.u32 %harness_is, %harness_word, %harness_seed;',
  '@%harness_is st.global.u32 [%harness_scratch], %harness_word;',
];
/** Rounds over hot lines that a CTA makes which only disturbs others. */
const STRESS_ROUNDS = 96;
/** Of the harness: tests have lower ones. */
const BARRIER = 15;

/**
 * The frame that makes many instances of a test out of a launch: each has memory of its own, begins together as well
 * as can be, and leaves what was asked for. What the test itself executes is as it stands (hardware.md, section 1).
 */
export class InstanceFrame implements KernelFrame {
  readonly parameters = [
    ...['memory', 'results', 'control', 'scratch'].map((name) => `.param .u64 harness_${name}`),
    ...['instances', 'seed', 'flags', 'delay'].map((name) => `.param .u32 harness_${name}`),
  ];

  constructor(
    private readonly grid: KernelGrid,
    private readonly memory: InstanceMemory,
    private readonly stored: readonly StoredRegister[],
    /** How many CTAs are launched as a cluster: its barrier lets them begin at almost the same time. */
    private readonly cluster: number,
    /** How many lanes of a warp stand for its thread, each in an instance of its own: 1 or 32. */
    private readonly lanes: number,
  ) {}

  /** All threads of the test are first lanes where there are several instances in a warp. */
  readonly tidOf = (register: string): string =>
    this.lanes === 1 ? `mov.u32 ${register}, %tid.x;` : `and.b32 ${register}, %harness_thread, 0xFFFFFFE0;`;

  readonly ctaOf = (register: string): string => `mov.u32 ${register}, %harness_in;`;

  begin(names: KernelNames): readonly string[] {
    const { grid, memory } = this;
    const { u32, u64, predicate } = registersOf(names);
    const load = (name: string, type: 'u32' | 'u64'): string => `ld.param.${type} %harness_${name}, [harness_${name}];`;
    for (const name of [
      'cta',
      'tid',
      'thread',
      'instances',
      'instance',
      'in',
      'seed',
      'flags',
      'delay',
      'word',
      'other',
    ])
      u32(name);
    for (const name of ['memory', 'results', 'control', 'scratch', 'from', 'now', 'value']) u64(name);
    predicate('is');
    return [
      ...['mov.u32 %harness_cta, %ctaid.x;', 'mov.u32 %harness_tid, %tid.x;', 'mov.u64 %harness_from, %globaltimer;'],
      'mov.u32 %harness_thread, %harness_tid;',
      ...[load('memory', 'u64'), load('results', 'u64'), load('control', 'u64'), load('scratch', 'u64')],
      ...[load('instances', 'u32'), load('seed', 'u32'), load('flags', 'u32'), load('delay', 'u32')],
      `div.u32 %harness_instance, %harness_cta, ${grid.ctas};`,
      `rem.u32 %harness_in, %harness_cta, ${grid.ctas};`,
      'setp.lt.u32 %harness_is, %harness_instance, %harness_instances;',
      '@%harness_is bra harness_begins;',
      ...this.stress(),
      'harness_gives_up:',
      `red.relaxed.gpu.global.add.u32 [%harness_results+${8 * this.words}], 65536;`,
      'ret;',
      'harness_begins:',
      'mad.wide.u32 %harness_control, %harness_instance, 4, %harness_control;',
      ...this.lane(),
      `mad.wide.u32 %harness_memory, %harness_instance, ${memory.stride}, %harness_memory;`,
      `mad.wide.u32 %harness_results, %harness_instance, ${8 * (this.words + 1)}, %harness_results;`,
      ...[...names.handedOver].map(([name, register]) => `add.u64 ${register}, %harness_memory, ${memory.at(name)};`),
      ...this.initialize(),
      ...this.together(),
      ...this.apart(),
    ];
  }

  /** Other lanes of other threads are in the same instance, so that warps do not go in step. */
  private lane(): readonly string[] {
    if (this.lanes === 1) return [];
    return [
      'shr.u32 %harness_word, %harness_tid, 5;',
      'add.u32 %harness_word, %harness_word, %harness_in;',
      'mad.lo.u32 %harness_word, %harness_word, 11, %harness_tid;',
      'and.b32 %harness_word, %harness_word, 31;',
      `mad.lo.u32 %harness_instance, %harness_instance, ${this.lanes}, %harness_word;`,
    ];
  }

  /** Of registers and of what is left in shared memory. */
  private get words(): number {
    return this.stored.length + this.memory.observedShared.length;
  }

  /** CTAs behind the last instance store and load on a few hot lines: that is what makes reordering seen. */
  private stress(): readonly string[] {
    return [
      'mov.u32 %harness_word, 0;',
      'mov.u32 %harness_instance, 0;',
      'and.b32 %harness_other, %harness_cta, 3;',
      'mad.wide.u32 %harness_value, %harness_other, 256, %harness_scratch;',
      'harness_stress:',
      'st.weak.global.u32 [%harness_value], %harness_word;',
      'ld.relaxed.gpu.global.u32 %harness_other, [%harness_value+32];',
      'add.u32 %harness_word, %harness_word, %harness_other;',
      'add.u32 %harness_instance, %harness_instance, 1;',
      `setp.lt.u32 %harness_is, %harness_instance, ${STRESS_ROUNDS};`,
      '@%harness_is bra harness_stress;',
      ...KEEP,
      'ret;',
    ];
  }

  /** Shared memory and its mbarriers as the test has them, before anybody begins. */
  private initialize(): readonly string[] {
    const { lines, isFenced } = this.memory.sharedBegin();
    if (lines.length === 0) return [];
    return [
      'setp.ne.u32 %harness_is, %harness_tid, 0;',
      '@%harness_is bra harness_initialized;',
      ...lines,
      ...(isFenced ? ['fence.mbarrier_init.release.cluster;', 'fence.proxy.async;'] : []),
      'harness_initialized:',
    ];
  }

  /** The CTAs of an instance, and the threads of each, wait for each other; caches may hold old values from before. */
  private together(): readonly string[] {
    const { cluster } = this;
    const { ctas } = this.grid;
    return [
      `bar.sync ${BARRIER};`,
      ...(cluster > 1 ? ['barrier.cluster.arrive;', 'barrier.cluster.wait;'] : []),
      `and.b32 %harness_word, %harness_flags, ${FLAGS.precache};`,
      'setp.eq.u32 %harness_is, %harness_word, 0;',
      '@%harness_is bra harness_cached;',
      'mov.u32 %harness_word, 0;',
      ...this.memory.lines.flatMap((at) => [
        `ld.weak.global.u8 %harness_other, [%harness_memory+${at}];`,
        'add.u32 %harness_word, %harness_word, %harness_other;',
      ]),
      ...KEEP,
      'harness_cached:',
      ...(ctas > cluster ? this.meet() : []),
      `bar.sync ${BARRIER};`,
    ];
  }

  /** No fence is in it, which would take old values out of caches. */
  private meet(): readonly string[] {
    return [
      'setp.ne.u32 %harness_is, %harness_tid, 0;',
      '@%harness_is bra harness_met;',
      'red.relaxed.gpu.global.add.u32 [%harness_control], 1;',
      'harness_meets:',
      'mov.u64 %harness_now, %globaltimer;',
      'sub.u64 %harness_now, %harness_now, %harness_from;',
      `setp.gt.u64 %harness_is, %harness_now, ${LONGEST_WAIT};`,
      '@%harness_is bra harness_met;',
      'ld.relaxed.gpu.global.u32 %harness_word, [%harness_control];',
      `setp.lt.u32 %harness_is, %harness_word, ${this.grid.ctas};`,
      '@%harness_is bra harness_meets;',
      'harness_met:',
    ];
  }

  /** Each thread begins a little later or earlier, by chance. */
  private apart(): readonly string[] {
    return [
      'mad.lo.u32 %harness_word, %harness_cta, 1024, %harness_tid;',
      'xor.b32 %harness_word, %harness_word, %harness_seed;',
      'mul.lo.u32 %harness_word, %harness_word, 0x9E3779B1;',
      'shr.u32 %harness_other, %harness_word, 15;',
      'xor.b32 %harness_word, %harness_word, %harness_other;',
      'mul.lo.u32 %harness_word, %harness_word, 0x85EBCA77;',
      'shr.u32 %harness_word, %harness_word, 8;',
      'and.b32 %harness_word, %harness_word, %harness_delay;',
      'mov.u32 %harness_other, %clock;',
      'harness_waits:',
      'mov.u32 %harness_tid, %clock;',
      'sub.u32 %harness_tid, %harness_tid, %harness_other;',
      'setp.lt.u32 %harness_is, %harness_tid, %harness_word;',
      '@%harness_is bra harness_waits;',
    ];
  }

  end(names: KernelNames, members: readonly KernelThread[], number: string): readonly string[] {
    const { grid, memory } = this;
    const lines = members.flatMap(({ thread, place }) => {
      const own = this.stored.filter((one) => one.thread === thread.name);
      const at = place.cta * grid.block + place.tid;
      return own.flatMap(({ register, word }) => {
        const type = thread.registers.get(register)?.type;
        if (type === undefined) return [];
        const held = names.register(register, type);
        return [
          ...asWord(held, names.registers.get(held) ?? 'b32'),
          `setp.eq.u32 %harness_is, ${number}, ${at};`,
          `@%harness_is st.global.u64 [%harness_results+${8 * word}], %harness_value;`,
        ];
      });
    });
    return [...lines, ...this.settle(), ...memory.sharedEnd(number, grid, this.stored.length), ...this.ended()];
  }

  /** Nobody leaves before the others, where they reach its memory; what goes by itself has time to be complete. */
  private settle(): readonly string[] {
    const { cluster } = this.grid;
    const { observedShared, isAsynchronous } = this.memory;
    return [
      ...(isAsynchronous ? [`nanosleep.u32 ${SETTLING};`] : []),
      ...(cluster > 1
        ? ['barrier.cluster.arrive;', 'barrier.cluster.wait;']
        : observedShared.length > 0
          ? [`barrier.sync ${BARRIER};`]
          : []),
    ];
  }

  private ended(): readonly string[] {
    return [`red.relaxed.gpu.global.add.u32 [%harness_results+${8 * this.words}], 1;`, 'ret;'];
  }

  beforeBranchBack(names: KernelNames): readonly string[] {
    registersOf(names).predicate('late');
    return [
      'mov.u64 %harness_now, %globaltimer;',
      'sub.u64 %harness_now, %harness_now, %harness_from;',
      `setp.gt.u64 %harness_late, %harness_now, ${LONGEST_WAIT};`,
      '@%harness_late bra harness_gives_up;',
    ];
  }
}

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
