/** Bits of the flags of a run (runner/configurations.h has the same). */
export const FLAGS = {
  precache: 1,
  jam: 2,
  /** Stress by atomics; else by a store and a load. */
  atomics: 4,
  /** Lanes that stress are at words of their own. */
  spread: 8,
  /** Locations of an instance, and those of other instances, are in pages far apart. */
  scatter: 16,
  /** From this bit on: the logarithm of the number of hot lines. */
  lines: 8,
} as const;

/** What was loaded may matter, as far as ptxas can tell: it takes loads out that nobody needs. */
export const KEEP = [
  'setp.eq.u32 %harness_is, %harness_word, %harness_seed;',
  '@%harness_is st.global.u32 [%harness_scratch], %harness_word;',
];

/** The number of an instance times that, modulo a power of two, is where its location is: each has its own. */
export const scatteringOf = (location: number): number => ((0x9e3779b1 + 0x61c88646 * location) | 1) >>> 0;

/** In nanoseconds: longer than any thread of a test waits. */
const LONGEST = 50_000_000;

/**
 * CTAs behind the last instance store and load on hot lines until all others have left: that is what makes reordering
 * seen (docs/hardware.md).
 */
export function stressing(ctas: number): readonly string[] {
  return [
    `bfe.u32 %harness_other, %harness_flags, ${FLAGS.lines}, 8;`,
    'mov.u32 %harness_word, 1;',
    'shl.b32 %harness_word, %harness_word, %harness_other;',
    'sub.u32 %harness_word, %harness_word, 1;',
    'shr.u32 %harness_other, %harness_tid, 5;',
    'mad.lo.u32 %harness_other, %harness_cta, 37, %harness_other;',
    'and.b32 %harness_other, %harness_other, %harness_word;',
    'mad.wide.u32 %harness_value, %harness_other, 256, %harness_scratch;',
    'and.b32 %harness_word, %harness_tid, 31;',
    `and.b32 %harness_other, %harness_flags, ${FLAGS.spread};`,
    'setp.eq.u32 %harness_is, %harness_other, 0;',
    '@%harness_is mov.u32 %harness_word, 0;',
    'mad.wide.u32 %harness_value, %harness_word, 4, %harness_value;',
    `mul.lo.u32 %harness_number, %harness_groups, ${ctas};`,
    `and.b32 %harness_leads, %harness_flags, ${FLAGS.atomics};`,
    'mov.u32 %harness_word, 0;',
    'mov.u32 %harness_instance, 0;',
    'harness_stresses:',
    'setp.ne.u32 %harness_is, %harness_leads, 0;',
    '@%harness_is bra harness_stresses_by_atomics;',
    'st.weak.global.u32 [%harness_value], %harness_word;',
    'ld.relaxed.gpu.global.u32 %harness_other, [%harness_value+32];',
    'bra harness_stressed;',
    'harness_stresses_by_atomics:',
    'atom.relaxed.gpu.global.add.u32 %harness_other, [%harness_value], 1;',
    'harness_stressed:',
    'add.u32 %harness_word, %harness_word, %harness_other;',
    'add.u32 %harness_instance, %harness_instance, 1;',
    'and.b32 %harness_other, %harness_instance, 15;',
    'setp.ne.u32 %harness_is, %harness_other, 0;',
    '@%harness_is bra harness_stresses;',
    'mov.u64 %harness_now, %globaltimer;',
    'sub.u64 %harness_now, %harness_now, %harness_from;',
    `setp.gt.u64 %harness_is, %harness_now, ${LONGEST};`,
    '@%harness_is bra harness_has_stressed;',
    'ld.relaxed.gpu.global.u32 %harness_other, [%harness_control];',
    'setp.lt.u32 %harness_is, %harness_other, %harness_number;',
    '@%harness_is bra harness_stresses;',
    'harness_has_stressed:',
    ...KEEP,
    'ret;',
  ];
}

/**
 * Warps that a CTA has besides those of the test, and that store and load in its shared memory with conflicts of all
 * banks until the test is over: that is what makes the asynchronous proxy late (docs/hardware.md).
 */
export const jamming = {
  variables: ['.shared .align 128 .b8 harness_jam[8192];', '.shared .align 4 .u32 harness_over;'],
  lines: (block: number): readonly string[] => [
    `setp.lt.u32 %harness_is, %harness_tid, ${block};`,
    '@%harness_is bra harness_is_no_jam;',
    'and.b32 %harness_word, %harness_tid, 31;',
    'mov.u32 %harness_number, harness_jam;',
    'mad.lo.u32 %harness_number, %harness_word, 128, %harness_number;',
    'harness_jams:',
    'st.volatile.shared.u32 [%harness_number], %harness_tid;',
    'ld.volatile.shared.u32 %harness_word, [%harness_number+4];',
    'st.volatile.shared.u32 [%harness_number+4096], %harness_word;',
    'ld.volatile.shared.u32 %harness_word, [%harness_number+4100];',
    'mov.u64 %harness_now, %globaltimer;',
    'sub.u64 %harness_now, %harness_now, %harness_from;',
    `setp.gt.u64 %harness_is, %harness_now, ${LONGEST};`,
    '@%harness_is bra harness_has_jammed;',
    'ld.volatile.shared.u32 %harness_word, [harness_over];',
    'setp.ne.u32 %harness_is, %harness_word, %harness_seed;',
    '@%harness_is bra harness_jams;',
    'harness_has_jammed:',
    'ret;',
    'harness_is_no_jam:',
  ],
  /** The seed is another one for each launch. */
  over: ['st.volatile.shared.u32 [harness_over], %harness_seed;'],
} as const;
