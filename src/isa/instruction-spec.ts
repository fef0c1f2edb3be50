import type { Rule } from './qualifier-rules.js';

/** What an instruction's qualifiers speak of. In PTX text they may stand in any order (ptxas takes them so). */
export type Slot =
  | 'order'
  | 'mmio'
  | 'scope'
  | 'space'
  | 'type'
  | 'vector'
  | 'cache'
  | 'operation'
  | 'comparison'
  | 'combination'
  | 'proxy'
  | 'proxyKind'
  | 'level'
  | 'action'
  | 'aligned'
  | 'uniform'
  | 'half'
  | 'sourceSpace'
  | 'parity'
  | 'expectation'
  | 'noComplete'
  | 'increment'
  | 'mechanism'
  | 'multicast'
  | 'dimension'
  | 'mode'
  | 'field'
  | 'size'
  | 'restriction'
  | 'direction'
  | 'reads'
  | 'sync'
  | 'query'
  | 'fences';

/** The function that gives an instruction its meaning: one for each family, in `decode-*.ts`. */
export type Family =
  | 'load'
  | 'store'
  | 'atomic'
  | 'fence'
  | 'membar'
  | 'proxyFence'
  | 'barrier'
  | 'clusterBarrier'
  | 'mbarrierObject'
  | 'mbarrierBytes'
  | 'mbarrierArrive'
  | 'mbarrierWait'
  | 'pendingCount'
  | 'asyncArrive'
  | 'asyncCopy'
  | 'bulkCopy'
  | 'tensorCopy'
  | 'asyncStore'
  | 'asyncReduction'
  | 'group'
  | 'tensormapReplace'
  | 'tensormapCopy'
  | 'tryCancel'
  | 'queryCancel'
  | 'warp'
  | 'elect'
  | 'grid'
  | 'mapAddress'
  | 'clusterRank'
  | 'convertAddress'
  | 'nothing'
  | 'move'
  | 'arithmetic'
  | 'compare'
  | 'select'
  | 'convert'
  | 'branch'
  | 'compareBranch'
  | 'exit';

export interface InstructionSpec {
  readonly family: Family;
  /** The values each slot may take. */
  readonly slots: Partial<Record<Slot, readonly string[]>>;
  /** Slots that must be filled. A missing type makes the instruction a shorthand of the Dat3M dialect. */
  readonly required?: readonly Slot[];
  /** As the ISA writes them. */
  readonly operands: string;
  readonly operandCount: readonly [least: number, most: number];
  /** Whether the first operand is a register that is written. */
  readonly destination: boolean;
  /** Combinations that the ISA does not have; they do not bind the shorthand. */
  readonly rules: readonly Rule[];
  /** Qualifiers that a user may well write here, with the reason why they do not exist. */
  readonly refused?: Readonly<Record<string, string>>;
  /** The first version of the PTX ISA, and the first target, that has it. */
  readonly ptx: string;
  readonly target: string;
  /** Not PTX: a name of the Dat3M or the nvlitmus dialect. */
  readonly shorthandOnly?: true;
}
