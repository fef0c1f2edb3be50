import type { SmallKernel } from './small-kernel.js';

/** Words with what is free, and what is full: counted from 0, and from a number upwards to 2. */
const [FULL, FREE] = ['[%rd1 + 1020]', '[%rd1 + 1016]'];

/** Waits while a word is some value, then adds to it. */
const acquire = (label: string, of: string, none: number, step: number, how = 'acquire.gpu'): string =>
  `${label}: ld.relaxed.gpu.global.u32 %r8, ${of}; ${label}C: setp.eq.u32 %p4, %r8, ${none}; @%p4 bra ${label}; ` +
  `add.u32 %r9, %r8, ${step}; mov.u32 %r10, %r8; atom.${how}.global.cas.b32 %r8, ${of}, %r10, %r9; ` +
  `setp.ne.u32 %p4, %r8, %r10; @%p4 bra ${label}C;`;
/** The same by an exchange, of a word that is 1 where it is free. */
const exchange = (label: string, of: string): string =>
  `${label}E: atom.acquire.gpu.global.exch.b32 %r8, ${of}, 1; setp.eq.u32 %p4, %r8, 0; @%p4 bra ${label}D; ` +
  `${label}: ld.relaxed.gpu.global.u32 %r8, ${of}; setp.eq.u32 %p4, %r8, 1; @%p4 bra ${label}; bra.uni ${label}E; ` +
  `${label}D:`;
/** As compilers leave it, by a branch of its own behind each compare-and-swap: that behind the first goes elsewhere. */
const compiled = (l: string, of: string, none: number, step: number, first = `${l}D`): string => {
  const look = (how: string): string => `ld.${how}.gpu.global.u32 %r8, ${of};`;
  const unless = `setp.eq.u32 %p4, %r8, ${none}; @%p4 bra ${l}W;`;
  const swap = `add.u32 %r9, %r8, ${step}; mov.u32 %r10, %r8; atom.acquire.gpu.global.cas.b32 %r8, ${of}, %r10, %r9;`;
  return (
    `bra.uni ${l}A; ${l}C: ${unless} ${swap} setp.ne.u32 %p4, %r8, %r10; @%p4 bra ${l}C; bra.uni ${l}D; ` +
    `${l}W: ${look('relaxed')} ${unless} ${l}A: ${look('acquire')} ${unless} ${swap} ` +
    `setp.eq.u32 %p4, %r8, %r10; @%p4 bra ${first}; bra.uni ${l}C; ${l}D:`
  );
};
const release = (of: string, step: number, how = 'release.gpu'): string => `red.${how}.global.add.u32 ${of}, ${step};`;
const put = (slot: number, value: number): string => `st.global.u32 [%rd1 + ${4 * slot}], ${value};`;
const get = (slot: number, to: number): string =>
  `ld.global.u32 %r6, [%rd1 + ${4 * slot}]; st.global.u32 [%rd1 + ${4 * to}], %r6;`;
const either = (first: string, second: string): string =>
  `mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; @%p1 bra B; ${first} bra.uni E; B: ${second} E:`;
const PAIR = 'grid 2, block 1, gpu 0';

/** A ring of two slots: one fills it, the other empties it, `n` times. */
const ring = (n: number, { slots = 2, early = false, late = false } = {}): string => {
  const items = Array.from({ length: n }, (_, i) => i);
  const full = release(FULL, 1);
  const fill = items.map((i) => {
    const own = put(i % 2, i + 1);
    return acquire(`P${i}`, FREE, slots, 1) + (early ? full + own : own + full);
  });
  const empty = items.map((i) => {
    const own = get(i % 2, 16 + i);
    const free = release(FREE, -1);
    return acquire(`C${i}`, FULL, 0, -1) + (late ? free + own : own + free);
  });
  return either(fill.join(' '), empty.join(' '));
};

const COUNT = 'ld.global.u32 %r6, [%rd1]; add.u32 %r6, %r6, 1; st.global.u32 [%rd1], %r6;';
const takeOne = (how?: string): string => acquire('W', FREE, 1, 1, how);
const mutex = (take: string, leave: string): string => `${take} ${COUNT} ${leave}`;

/** Kernels that wait for semaphores, and mistakes there. */
export const SEMAPHORE_KERNELS: readonly SmallKernel[] = [
  { name: 'a ring of two slots', place: PAIR, body: ring(4) },
  { name: 'a ring of two slots of which three are free', place: PAIR, body: ring(4, { slots: 3 }) },
  { name: 'a ring whose slots are full before they are written', place: PAIR, body: ring(3, { early: true }) },
  { name: 'a ring whose slots are free before they are read', place: PAIR, body: ring(3, { late: true }) },
  {
    name: 'a mutex that is taken by one of two compare-and-swaps',
    place: 'grid 3, block 1, gpu 0',
    body: mutex(compiled('M', FREE, 1, 1), release(FREE, -1)),
  },
  {
    name: 'the same, and it is told by which',
    place: 'grid 3, block 1, gpu 0',
    body: `${compiled('M', FREE, 1, 1, 'F')} ${COUNT} ${release(FREE, -1)} ret; F: ${put(8, 1)} ${release(FREE, -1)}`,
  },
  {
    name: 'the same, and one of them goes on behind a branch',
    place: 'grid 3, block 1, gpu 0',
    body:
      `mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; ${compiled('M', FREE, 1, 1, 'F')} @%p1 bra F; ${put(8, 1)} ` +
      `F: ${COUNT} ${release(FREE, -1)}`,
  },
  {
    name: 'the same, and a branch comes behind it',
    place: 'grid 3, block 1, gpu 0',
    body:
      `mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; ${compiled('M', FREE, 1, 1)} @%p1 bra F; ${put(8, 1)} ` +
      `F: ${COUNT} ${release(FREE, -1)}`,
  },
  {
    name: 'a semaphore for two that is given once',
    place: 'grid 3, block 1, gpu 0',
    body:
      `mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; @%p1 bra B; ${put(0, 1)} ${release(FULL, 1)} bra.uni E; ` +
      `B: ${acquire('W', FULL, 0, -1)} E:`,
  },
  {
    name: 'a semaphore for two that is given to each',
    place: 'grid 3, block 1, gpu 0',
    body:
      `mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; @%p1 bra B; ${put(0, 1)} ${release(FULL, 2)} bra.uni E; ` +
      `B: ${acquire('W', FULL, 0, -1)} ld.global.u32 %r6, [%rd1]; E:`,
  },
  {
    name: 'a semaphore that is given before the second word is written',
    place: 'grid 3, block 1, gpu 0',
    body:
      `mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; @%p1 bra B; ${release(FULL, 1)} ${put(0, 1)} ` +
      `${release(FULL, 1)} bra.uni E; B: ${acquire('W', FULL, 0, -1)} ld.global.u32 %r6, [%rd1]; E:`,
  },
  { name: 'a semaphore as a lock', place: PAIR, body: mutex(takeOne(), release(FREE, -1)) },
  { name: 'a semaphore as a lock, not given back', place: PAIR, body: mutex(takeOne(), '') },
  { name: 'a semaphore as a lock, not acquired', place: PAIR, body: mutex(takeOne('relaxed.gpu'), release(FREE, -1)) },
  {
    name: 'a semaphore as a lock, not released',
    place: PAIR,
    body: mutex(takeOne(), release(FREE, -1, 'relaxed.gpu')),
  },
  {
    name: 'a semaphore as a lock that two have',
    place: PAIR,
    body: mutex(acquire('W', FREE, 2, 1), release(FREE, -1)),
  },
  {
    name: 'a semaphore as a lock, by an exchange and a store',
    place: PAIR,
    body: mutex(exchange('W', FREE), `st.release.gpu.global.u32 ${FREE}, 0;`),
  },
  {
    name: 'a semaphore as a lock, by an exchange, not given back',
    place: PAIR,
    body: mutex(exchange('W', FREE), ''),
  },
  {
    name: 'a semaphore as a lock, by an exchange, given back in the scope of a CTA',
    place: PAIR,
    body: mutex(exchange('W', FREE), `st.release.cta.global.u32 ${FREE}, 0;`),
  },
  {
    name: 'a semaphore as a lock of three',
    place: 'grid 3, block 1, gpu 0',
    body: mutex(takeOne(), release(FREE, -1)),
  },
  {
    name: 'a semaphore that is given up where it holds seven',
    place: PAIR,
    body:
      `mov.u32 %r7, %ctaid.x; setp.eq.u32 %p1, %r7, 0; @%p1 bra B; ${release(FULL, 7)} bra.uni E; ` +
      `B: W: ld.relaxed.gpu.global.u32 %r8, ${FULL}; setp.eq.u32 %p4, %r8, 0; @%p4 bra W; ` +
      'setp.eq.u32 %p4, %r8, 7; @%p4 bra E; sub.u32 %r9, %r8, 1; ' +
      `atom.acquire.gpu.global.cas.b32 %r10, ${FULL}, %r8, %r9; setp.ne.u32 %p4, %r10, %r8; @%p4 bra W; E:`,
  },
];
