import type { SmallKernel } from './small-kernel.js';

/** What a warp does: all of its lanes; then the first, and the second; then all again. */
export interface TensorPlace {
  readonly before?: string;
  readonly alone?: string;
  readonly second?: string;
  readonly together?: string;
}

/** Matrices whose rows are next to each other: 128 bytes to a core matrix, 256 to 8 rows of 32 bytes. */
const STRIDES = (8n << 16n) | (16n << 32n);
/** A descriptor of what begins at a variable, in a register of 64 bits. */
export const descriptor = (target: string, of: string): string =>
  `mov.u32 %r5, ${of}; shr.u32 %r5, %r5, 4; and.b32 %r5, %r5, 16383; cvt.u64.u32 ${target}, %r5; ` +
  `or.b64 ${target}, ${target}, ${STRIDES};`;

/** What products read in shared memory, written by one thread, in its last word too. */
const fill = (value: number): string => `st.shared.u32 [sa + 4092], ${value};`;
export const DESCRIPTORS = {
  written: `${fill(1)} fence.proxy.async;`,
  unfenced: fill(1),
  overwritten: fill(2),
} as const;

/** A kernel of five warps, of which the first and the fifth, which reach one quarter of tensor memory, do something. */
export function tensorKernel(name: string, first: TensorPlace, fifth: TensorPlace): SmallKernel {
  const body = [
    '.shared .align 128 .b8 sa[4096]; .shared .align 128 .b8 sb[256]; .shared .b32 slot[2];',
    '.shared .align 8 .b64 m; .shared .align 8 .b64 n; and.b32 %r14, %r1, 31; shr.u32 %r15, %r1, 5;',
    descriptor('%rd5', 'sa'),
    descriptor('%rd6', 'sb'),
    'mov.b32 %r13, 0; mov.b32 %r7, 0; setp.eq.u32 %p8, 1, 1; setp.ne.u32 %p3, %r1, 0; @%p3 bra I;',
    'mbarrier.init.shared::cta.b64 [m], 1; mbarrier.init.shared::cta.b64 [n], 1; I: bar.sync 0;',
    'setp.eq.u32 %p1, %r15, 4; @%p1 bra B; setp.ne.u32 %p1, %r15, 0; @%p1 bra E;',
    `${codeOf('a', first)} bra E; B: ${codeOf('b', fifth)} E:`,
  ].join('\n');
  return { name, place: 'grid 1, block 160', body, target: 'sm_100a' };
}

function codeOf(label: string, { before = '', alone, second, together = '' }: TensorPlace): string {
  const by = (lane: number, what: string | undefined): string =>
    what === undefined || what === ''
      ? ''
      : `setp.ne.u32 %p7, %r14, ${lane}; @%p7 bra ${label}${lane}; ${what} ${label}${lane}:`;
  return [before, by(0, alone), by(1, second), together].join('\n');
}
