import type { Placement } from './placement.js';
import type { Program } from './program.js';
import type { Undecided } from './undecided.js';

/**
 * Tensor memory (PTX ISA 9.7.18.1): in each CTA 128 lanes of 512 columns, 32 bits each. An address has the lane in its
 * upper, the column in its lower half.
 */
export const COLUMNS = 512;
/** What loads and stores reach at once: a warp the 32 lanes of its quarter, some shapes half of them. */
export const LANES_OF_BAND = 16;
export const BANDS = 8;
export const WORD_BYTES = 4;

/** Some bytes of the tensor memory of a CTA, of so many in all: `lanes 32.., columns 8..15`. */
export function columnsOf(size: number, offset: number, bytes: number): string {
  const columnBytes = size / (BANDS * COLUMNS);
  const [first, last] = [offset, offset + bytes - 1].map((at) => Math.floor(at / columnBytes)) as [number, number];
  const [from, to] = [first % COLUMNS, last % COLUMNS];
  const lanes = `lanes ${Math.floor(first / COLUMNS) * LANES_OF_BAND}..`;
  return `${lanes}, ${from === to ? `column ${from}` : `columns ${from}..${to}`}`;
}

/** The instructions that access tensor memory; between `alloc` and `dealloc` its columns are used. */
export type TensorInstruction = 'mma' | 'cp' | 'shift' | 'ld' | 'st' | 'alloc' | 'dealloc';

/** Instructions of tcgen05 that access nothing, and are ordered with others. */
export type TensorStep = 'before_thread_sync' | 'after_thread_sync' | 'relinquish_alloc_permit';

/** What a warp of each of two CTAs does together with the other, if they are a pair (PTX ISA 9.7.18.5). */
export type PairStep = 'alloc' | 'dealloc' | 'relinquish_alloc_permit';

/** What an operand of mma is: matrices A, scales and metadata, or the accumulator. */
type TensorRole = 'operand' | 'accumulator';

/**
 * What an access to tensor memory belongs to: by that the ISA says which accesses are pipelined (9.7.18.6.2). `shape`
 * and `dataKind` as the instruction names them, with the size of the accumulator.
 */
export interface TensorUse {
  readonly instruction: TensorInstruction;
  readonly role: TensorRole | undefined;
  readonly group: 1 | 2 | undefined;
  readonly shape: string;
  readonly dataKind: string;
}

/** The columns that an alloc of the test gives out: it is known beforehand, so that addresses are. */
export interface Allocation {
  readonly column: number;
  readonly columns: number;
}

/** The tensor memory of one CTA. */
export interface TensorMemoryOfCta {
  /** Where it begins, in an address space of our own. */
  readonly base: bigint;
  readonly rank: number;
  readonly cluster: string;
  /** The bands that some load or store of the test can tell from each other. */
  readonly bands: readonly number[];
  /** What is allocated by the instructions of the test; undefined: it shows no alloc. */
  readonly allocations: readonly Allocation[] | undefined;
}

/** All tensor memory of a test. */
export class TensorMemory {
  constructor(
    private readonly ctas: ReadonlyMap<string, TensorMemoryOfCta>,
    /** How many lanes of a warp the test shows at most: each has a word of its own in a band. */
    readonly words: number,
    private readonly allocations: ReadonlyMap<string, Allocation>,
    /** Launches whose instructions name both CTA groups. */
    private readonly mixed: ReadonlySet<number>,
    /** Who an alloc is of: a warp; a CTA where the code of all its warps is one. */
    private readonly allocatorOf: (placement: Placement) => string,
  ) {}

  /** All instructions of a kernel name one CTA group (PTX ISA 9.7.18.5). */
  mixesGroups({ grid }: Placement): boolean {
    return this.mixed.has(grid);
  }

  of({ cta }: Placement): TensorMemoryOfCta | undefined {
    return this.ctas.get(cta);
  }

  /** Those that an instruction of that CTA group uses: its own, and of a pair the peer's, if the test shows it. */
  ofGroup(placement: Placement, group: 1 | 2): readonly TensorMemoryOfCta[] {
    const peer = [...this.ctas.values()].find((one) => isPeer(one, placement));
    return [this.of(placement), group === 2 ? peer : undefined].filter((one) => one !== undefined);
  }

  allocation(placement: Placement, at: number): Allocation | undefined {
    return this.allocations.get(allocationKey(this.allocatorOf(placement), at));
  }
}

export const allocationKey = (allocator: string, at: number): string => `${allocator}: ${at}`;

/**
 * Whether a test shows both CTAs of a pair, and one of them allocates or gives back for both: the one may then wait for
 * the other (PTX ISA 9.7.18.5), which is not modeled. So it is not known that no thread waits for ever.
 */
export function pairsMayWait({ threads }: Program): Undecided | undefined {
  const waits = threads.some(
    ({ placement, statements }) =>
      threads.some((other) => isPeer(other.placement, placement)) &&
      statements.some(({ operation }) => operation.kind === 'pair-step'),
  );
  if (!waits) return undefined;
  return { kind: 'value', what: 'tcgen05.alloc and dealloc with .cta_group::2 may wait for the other CTA of the pair' };
}

type InCluster = Pick<Placement, 'cluster' | 'rank'>;
/** CTAs of a pair have ranks that differ in the last bit (PTX ISA 9.7.18.5). */
const isPeer = (a: InCluster, b: InCluster): boolean => a.cluster === b.cluster && a.rank === (b.rank ^ 1);
