import type { Chunk } from '../effects/effect.js';

/** How an asynchronous operation is cut. */
export interface Chunks {
  /** What it moves. */
  readonly moved: readonly Chunk[];
  /** The descriptor of a tensor copy behind the address in it, as far as the test may write there. */
  readonly descriptor: readonly Chunk[];
}

/** Stands for a copy before it is cut. */
export const WHOLE: Chunks = { moved: [{ offset: 0, bytes: 1 }], descriptor: [] };

export type NodeChunks = (thread: number, node: number) => Chunks;
