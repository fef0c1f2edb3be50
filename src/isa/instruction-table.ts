import type { InstructionSyntax, Qualifier } from '../syntax/litmus-ast.js';
import { ARITHMETIC_INSTRUCTIONS } from './arithmetic-instructions.js';
import { ASYNC_STORE_INSTRUCTIONS } from './async-store.js';
import { ATOMIC_INSTRUCTIONS, LEGACY_ATOMIC_INSTRUCTIONS, REDUCTION_INSTRUCTIONS } from './atomic.js';
import { BARRIER_INSTRUCTIONS } from './barrier.js';
import { BULK_INSTRUCTIONS } from './bulk-copy.js';
import { HINT_INSTRUCTIONS } from './cache-hints.js';
import { ADDRESS_INSTRUCTIONS } from './cluster-address.js';
import { CONTROL_INSTRUCTIONS, NANOSLEEP } from './control-flow.js';
import { CP_ASYNC_INSTRUCTIONS } from './cp-async.js';
import { FENCE_INSTRUCTIONS } from './fence.js';
import { GRID_INSTRUCTIONS } from './grid-dependency.js';
import type { Instruction } from './instruction.js';
import { LAUNCH_CONTROL_INSTRUCTIONS } from './launch-control.js';
import { LEGACY_ACCESS_INSTRUCTIONS, LOAD_STORE_INSTRUCTIONS, UNIFORM_LOAD_INSTRUCTIONS } from './load-store.js';
import { MATRIX_INSTRUCTIONS } from './matrix.js';
import { PRODUCT_INSTRUCTIONS } from './matrix-product.js';
import { MBARRIER_INSTRUCTIONS } from './mbarrier.js';
import { REGION_INSTRUCTIONS } from './memory-region.js';
import { MULTIMEM_INSTRUCTIONS } from './multimem.js';
import { ALLOCATION_INSTRUCTIONS } from './tcgen05-allocation.js';
import { COMPLETION_INSTRUCTIONS } from './tcgen05-completion.js';
import { TENSOR_PRODUCT_INSTRUCTIONS } from './tcgen05-product.js';
import { TRANSFER_INSTRUCTIONS } from './tcgen05-transfer.js';
import { TENSORMAP_INSTRUCTIONS } from './tensormap.js';
import { TEXTURE_INSTRUCTIONS } from './texture.js';
import { WARP_INSTRUCTIONS } from './warp.js';
import { WGMMA_INSTRUCTIONS } from './wgmma.js';

/** Every instruction that has a meaning here, in groups, under as many words of its name as tell it apart. */
export const INSTRUCTION_GROUPS = {
  'Memory accesses': {
    ...LOAD_STORE_INSTRUCTIONS,
    ...ATOMIC_INSTRUCTIONS,
    ...UNIFORM_LOAD_INSTRUCTIONS,
    ...MULTIMEM_INSTRUCTIONS,
    ...REGION_INSTRUCTIONS,
    ...HINT_INSTRUCTIONS,
    ...REDUCTION_INSTRUCTIONS,
    ...LEGACY_ACCESS_INSTRUCTIONS,
    ...LEGACY_ATOMIC_INSTRUCTIONS,
  },
  'Textures and surfaces': TEXTURE_INSTRUCTIONS,
  'Fences and barriers': { ...FENCE_INSTRUCTIONS, ...BARRIER_INSTRUCTIONS },
  Mbarriers: MBARRIER_INSTRUCTIONS,
  'Asynchronous operations': {
    ...CP_ASYNC_INSTRUCTIONS,
    ...BULK_INSTRUCTIONS,
    ...ASYNC_STORE_INSTRUCTIONS,
    ...TENSORMAP_INSTRUCTIONS,
    ...LAUNCH_CONTROL_INSTRUCTIONS,
  },
  'Clusters and warps': {
    ...WARP_INSTRUCTIONS,
    ...GRID_INSTRUCTIONS,
    ...ADDRESS_INSTRUCTIONS,
    nanosleep: NANOSLEEP,
  },
  Matrices: { ...WGMMA_INSTRUCTIONS, ...MATRIX_INSTRUCTIONS, ...PRODUCT_INSTRUCTIONS },
  'Tensor memory': {
    ...ALLOCATION_INSTRUCTIONS,
    ...TRANSFER_INSTRUCTIONS,
    ...COMPLETION_INSTRUCTIONS,
    ...TENSOR_PRODUCT_INSTRUCTIONS,
  },
  Arithmetic: ARITHMETIC_INSTRUCTIONS,
  'Control flow': CONTROL_INSTRUCTIONS,
} as const satisfies Record<string, Readonly<Record<string, Instruction>>>;

const INSTRUCTIONS: ReadonlyMap<string, Instruction> = new Map(
  Object.values(INSTRUCTION_GROUPS).flatMap((group): [string, Instruction][] => Object.entries(group)),
);

/** Instructions and forms that PTX has and this tool gives no meaning yet: they are told apart from misspellings. */
export const WITHOUT_MEANING: ReadonlySet<string> = new Set(
  `alloca stackrestore stacksave tcgen05.ld.red
  cp.reduce.async.bulk.prefetch`.split(/\s+/),
);

/** Of `cp.reduce.async.bulk.tensor`, in qualifiers. */
const LONGEST_NAME = 4;

/** What an instruction is: the longest of our names that it begins with counts. */
export type Found =
  /** `qualifiers`: those that the name does not hold. */
  | { readonly name: string; readonly entry: Instruction; readonly qualifiers: readonly Qualifier[] }
  /** PTX has it, but it has no meaning here yet. */
  | { readonly name: string; readonly entry: undefined };

export function findInstruction({ mnemonic, qualifiers }: InstructionSyntax): Found | undefined {
  for (let words = Math.min(qualifiers.length, LONGEST_NAME); words >= 0; words--) {
    const name = [mnemonic, ...qualifiers.slice(0, words).map(({ text }) => text)].join('.');
    const entry = INSTRUCTIONS.get(name);
    if (entry !== undefined) return { name, entry, qualifiers: qualifiers.slice(words) };
    if (WITHOUT_MEANING.has(name)) return { name, entry };
  }
  return undefined;
}

/** All names, for whoever looks for the one that was meant. */
export const instructionNames = (): readonly string[] => [...INSTRUCTIONS.keys()];
