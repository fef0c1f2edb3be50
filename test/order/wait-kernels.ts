import type { SmallKernel } from './small-kernel.js';

const PAIR = 'grid 2, block 32, gpu 0';
/** CTA 0 gives, and sets so many flags, or these numbers; CTA 1 waits in its way, and takes. */
const handed = (setting: string, waiting: string): string =>
  'mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; setp.ne.u32 %p3, %r1, 0; @%p1 bra B; ' +
  `st.global.u32 [%rd2], %r1; bar.sync 0; @%p3 bra E; ${setting} bra.uni E; ` +
  `B: ${waiting} T: ld.global.u32 %r6, [%rd2]; st.global.u32 [%rd2 + 256], %r6; E:`;
/** Thread 0 of a CTA waits for all. */
const first = (waiting: string): string => `@%p3 bra X; ${waiting} X: bar.sync 0;`;
const flag = (number: number): string => `[%rd1 + ${1016 + 4 * number}]`;
const set = (number: number, how = 'release.gpu', value = 1): string =>
  `st.${how}.global.u32 ${flag(number)}, ${value};`;
const look = (number: number, register: string, how = 'acquire.gpu'): string =>
  `ld.${how}.global.u32 ${register}, ${flag(number)};`;
const until = (number: number, to: string, how = 'acquire.gpu'): string =>
  `${look(number, '%r8', how)} setp.eq.u32 %p4, %r8, 0; @%p4 bra ${to};`;
/** A round that a compiler has set apart, with the last one behind the loop's test. */
const APART = `${look(0, '%r8')} setp.ne.u32 %p4, %r8, 0; @%p4 bra V;`;
const LATE = 'mov.u64 %rd4, %clock64; sub.s64 %rd4, %rd4, %rd3; setp.gt.s64 %p5, %rd4, 1000000;';
const BOTH = 'setp.eq.u32 %p5, %r11, 0;';
const vote = (of: string): string => `${look(0, '%r8')} setp.${of}.u32 %p4, %r8, 0;`;

/** A state and a value in one vector; a look at both, which goes by the state. */
const setVector = (how: string): string =>
  `mov.u32 %r8, 1; mov.u32 %r9, 7; st.${how}.global.v2.u32 [%rd1 + 1016], {%r8, %r9};`;
const lookAt = (how: string, at = '%rd1 + 1016'): string =>
  `ld.${how}.global.v2.u32 {%r8, %r9}, [${at}]; setp.eq.u32 %p4, %r8, 0;`;
/** Each lane of CTA 0 gives one of its own, those that may; the lanes of CTA 1 wait for theirs, and vote. */
const ownStates = (may: string): string =>
  'mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; mul.wide.u32 %rd3, %r1, 8; add.s64 %rd3, %rd1, %rd3; @%p1 bra W; ' +
  `st.global.u32 [%rd2], %r1; mov.u32 %r8, 1; mov.u32 %r9, 7; ${may} st.release.gpu.global.v2.u32 [%rd3 + 512], ` +
  `{%r8, %r9}; bra.uni E; W: ${lookAt('acquire.gpu', '%rd3 + 512')} vote.sync.any.pred %p4, %p4, -1; @%p4 bra W; ` +
  'ld.global.u32 %r6, [%rd2]; st.global.u32 [%rd2 + 256], %r6; E:';

/** Ways to wait, as people and compilers write them. */
export const WAIT_KERNELS: readonly SmallKernel[] = [
  {
    name: 'a flag whose first look stands apart',
    place: PAIR,
    body: handed(set(0), first(`${APART} W: nanosleep.u32 20; ${until(0, 'W')} V:`)),
  },
  {
    name: 'a flag whose first look stands apart, and does not acquire',
    place: PAIR,
    body: handed(
      set(0),
      first(`${look(0, '%r8', 'relaxed.gpu')} setp.ne.u32 %p4, %r8, 0; @%p4 bra V; W: ${until(0, 'W')} V:`),
    ),
  },
  {
    name: 'a flag whose first look ends by another value',
    place: PAIR,
    body: handed(
      set(0, 'release.gpu', 1) + set(0, 'release.gpu', 2),
      first(`${look(0, '%r8')} setp.eq.u32 %p4, %r8, 2; @%p4 bra V; W: ${until(0, 'W')} V:`),
    ),
  },
  {
    name: 'a flag of which it is told how it was found',
    place: PAIR,
    body: handed(
      set(0),
      first(`mov.u32 %r10, 1; ${APART} mov.u32 %r10, 2; W: ${until(0, 'W')} V: st.global.u32 [%rd1 + 512], %r10;`),
    ),
  },
  {
    name: 'a wait for any change',
    place: PAIR,
    body: handed(set(0), first(`${look(0, '%r8')} W: ${look(0, '%r9')} setp.eq.u32 %p4, %r8, %r9; @%p4 bra W;`)),
  },
  {
    name: 'a flag between longer and longer pauses',
    place: PAIR,
    body: handed(set(0), first(`mov.u32 %r9, 8; W: nanosleep.u32 %r9; shl.b32 %r9, %r9, 1; ${until(0, 'W')}`)),
  },
  {
    name: 'a flag with a time-out',
    place: PAIR,
    body: handed(
      set(0),
      first(
        `mov.u64 %rd3, %clock64; W: ${look(0, '%r8')} setp.ne.u32 %p4, %r8, 0; @%p4 bra V; ${LATE} @!%p5 bra W; ` +
          'st.global.u32 [%rd1], 9; trap; V:',
      ),
    ),
  },
  {
    name: 'a flag with a time-out that nobody sets',
    place: PAIR,
    body: handed('', first(`mov.u64 %rd3, %clock64; W: ${LATE} @%p5 trap; ${until(0, 'W')}`)),
  },
  {
    name: 'a flag with so many looks at most',
    place: PAIR,
    body: handed(
      set(0),
      first(`mov.u32 %r9, 0; W: add.u32 %r9, %r9, 1; setp.gt.u32 %p5, %r9, 999; @%p5 trap; ${until(0, 'W')}`),
    ),
  },
  {
    name: 'a flag that is wrong, and traps',
    place: PAIR,
    body: handed(
      set(0, 'release.gpu', 2),
      first(`W: ${look(0, '%r8')} setp.eq.u32 %p5, %r8, 2; @%p5 trap; setp.eq.u32 %p4, %r8, 0; @%p4 bra W;`),
    ),
  },
  {
    name: 'a flag with a time-out that goes on',
    place: PAIR,
    body: handed(set(0), first(`mov.u64 %rd3, %clock64; W: ${LATE} @%p5 bra V; ${until(0, 'W')} V:`)),
  },
  {
    name: 'two flags, one after the other from the beginning',
    place: PAIR,
    body: handed(set(0) + set(1), first(`W: ${until(0, 'W')} ${until(1, 'W')}`)),
  },
  {
    name: 'two flags of which the second is not set',
    place: PAIR,
    body: handed(set(0), first(`W: ${until(0, 'W')} ${until(1, 'W')}`)),
  },
  {
    name: 'two flags at once',
    place: PAIR,
    body: handed(
      set(0) + set(1),
      first(`W: ${look(0, '%r8')} ${look(1, '%r9')} and.b32 %r11, %r8, %r9; ${BOTH} @%p5 bra W;`),
    ),
  },
  {
    name: 'two flags at once, none of which acquires',
    place: PAIR,
    body: handed(
      set(0) + set(1),
      first(
        `W: ${look(0, '%r8', 'relaxed.gpu')} ${look(1, '%r9', 'relaxed.gpu')} ` +
          `and.b32 %r11, %r8, %r9; ${BOTH} @%p5 bra W;`,
      ),
    ),
  },
  {
    name: 'a flag, and a word beside it that is written before it is set',
    place: PAIR,
    body: handed(
      `st.global.u32 ${flag(1)}, 1; ${set(0)}`,
      first(`W: ${look(0, '%r8')} ${look(1, '%r9', 'relaxed.gpu')} setp.eq.u32 %p4, %r8, 0; @%p4 bra W;`),
    ),
  },
  {
    name: 'a flag, and a word behind it that is written before it is set',
    place: PAIR,
    body: handed(
      `st.global.u32 ${flag(1)}, 1; ${set(0)}`,
      first(`W: ${until(0, 'W')} ${until(1, 'W', 'relaxed.gpu')}`),
    ),
  },
  {
    name: 'a word that is looked at while a flag says so, which says more behind that',
    place: PAIR,
    body: handed(
      `${set(0, 'relaxed.gpu', 5)} st.global.u32 ${flag(1)}, 1; ${set(0)}`,
      first(
        `W: ${look(0, '%r8')} setp.eq.u32 %p4, %r8, 5; @!%p4 bra V; ${look(1, '%r9', 'relaxed.gpu')} ` +
          'V: setp.ne.u32 %p4, %r8, 1; @%p4 bra W;',
      ),
    ),
  },
  {
    name: 'one of two flags',
    place: PAIR,
    body: handed(
      set(0) + set(1),
      first(`W: ${look(0, '%r8')} ${look(1, '%r9')} or.b32 %r11, %r8, %r9; ${BOTH} @%p5 bra W;`),
    ),
  },
  {
    name: 'two flags that together have had what ends the wait before',
    place: PAIR,
    body: handed(
      [set(0, 'relaxed.gpu', 2), set(1, 'relaxed.gpu', 2), set(0), set(1)].join(' '),
      first(`W: ${look(0, '%r8')} ${look(1, '%r9')} and.b32 %r11, %r8, %r9; ${BOTH} @%p5 bra W;`),
    ),
  },
  {
    name: 'a vote that all have found a flag',
    place: PAIR,
    body: handed(set(0), `W: ${vote('ne')} vote.sync.all.pred %p5, %p4, -1; @!%p5 bra W;`),
  },
  {
    name: 'a vote that none has not found a flag',
    place: PAIR,
    body: handed(set(0), `W: ${vote('eq')} vote.sync.any.pred %p5, %p4, -1; @%p5 bra W;`),
  },
  {
    name: 'a vote that one has found a flag',
    place: PAIR,
    body: handed(set(0), `W: ${vote('ne')} vote.sync.any.pred %p5, %p4, -1; @!%p5 bra W;`),
  },
  {
    name: 'a barrier that tells whether all have found a flag',
    place: 'grid 2, block 64, gpu 0',
    body: handed(set(0), `W: ${vote('eq')} barrier.cta.red.or.pred %p5, 1, %p4; @%p5 bra W;`),
  },
  {
    name: 'a vote in which half of the lanes look at a flag',
    place: PAIR,
    body: handed(
      set(0),
      `setp.lt.u32 %p2, %r1, 16; W: mov.u32 %r8, 1; @%p2 ${look(0, '%r8')} setp.ne.u32 %p4, %r8, 0; ` +
        'vote.sync.all.pred %p5, %p4, -1; @!%p5 bra W; bar.warp.sync -1;',
    ),
  },
  {
    name: 'a loop within a loop that look at one flag',
    place: PAIR,
    body: handed(
      set(0),
      first(`O: ${look(0, '%r8')} setp.ne.u32 %p4, %r8, 0; @%p4 bra V; W: ${until(0, 'W')} ${until(0, 'O')} V:`),
    ),
  },
  {
    name: 'a count that is looked at again when it has changed',
    place: PAIR,
    body: handed(
      set(0),
      first(
        `O: ${look(0, '%r8')} setp.ne.u32 %p4, %r8, 0; @%p4 bra V; ` +
          `W: ${look(0, '%r9', 'relaxed.gpu')} setp.eq.u32 %p4, %r8, %r9; @%p4 bra W; bra.uni O; V:`,
      ),
    ),
  },
  {
    name: 'a state that stands in a vector beside its value',
    place: PAIR,
    body: handed(setVector('release.gpu'), first(`W: ${lookAt('acquire.gpu')} @%p4 bra W;`)),
  },
  {
    name: 'a state in a vector that nobody acquires',
    place: PAIR,
    body: handed(setVector('release.gpu'), first(`W: ${lookAt('relaxed.gpu')} @%p4 bra W;`)),
  },
  {
    name: 'a vector by both of whose elements it is gone',
    place: PAIR,
    body: handed('', first(`W: ${lookAt('acquire.gpu')} @%p4 bra W; setp.eq.u32 %p4, %r9, 0; @%p4 bra W;`)),
  },
  {
    name: 'states of each lane, all of which are there',
    place: PAIR,
    body: ownStates(''),
  },
  {
    name: 'states of each lane, one of which never comes',
    place: PAIR,
    body: ownStates('setp.ne.u32 %p5, %r1, 9; @%p5'),
  },
];
