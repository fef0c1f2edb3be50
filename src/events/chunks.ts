/** A run of the bytes that an asynchronous copy moves, by its offset in the copy. */
export interface Chunk {
  readonly offset: number;
  readonly bytes: number;
}

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

/** The two halves of the 16-byte answer to try_cancel. */
export const RESPONSE_CHUNKS: readonly Chunk[] = [
  { offset: 0, bytes: 8 },
  { offset: 8, bytes: 8 },
];
