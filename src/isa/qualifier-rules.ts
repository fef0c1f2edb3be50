/** Of accesses, and of what orders them. */
type AccessSlot = 'order' | 'mmio' | 'scope' | 'space' | 'vector' | 'cache' | 'readOnly' | 'unified' | 'accumulator';
type FenceSlot = 'proxyKind' | 'direction' | 'restriction' | 'level' | 'action' | 'aligned' | 'sync';
type MbarrierSlot = 'parity' | 'expectation' | 'noComplete' | 'increment';
type CopySlot = 'sourceSpace' | 'mechanism' | 'multicast' | 'dimension' | 'mode' | 'field' | 'size' | 'reads' | 'query';
/** Of matrices, in registers and in tensor memory. */
type MatrixSlot =
  | ('shape' | 'number' | 'transposed' | 'packed' | 'source' | 'fragment' | 'layout' | 'layoutB')
  | ('typeA' | 'typeB' | 'typeC' | 'kind' | 'metadata' | 'scale' | 'scaleType')
  | ('group' | 'sparsity' | 'ashift' | 'collector');
/** Of what computes; `sourceType`: the second type of cvt. */
type ValueSlot =
  | ('type' | 'sourceType' | 'operation' | 'comparison' | 'combination' | 'uniform' | 'half')
  | ('saturation' | 'carry' | 'rounding' | 'flush' | 'precision' | 'quietNan' | 'sign' | 'magnitude' | 'clip')
  | ('finite' | 'shiftMode');

type TextureSlot = 'geometry' | 'component' | 'clamp';

/** What an instruction's qualifiers speak of. */
export type Slot = TextureSlot | AccessSlot | FenceSlot | MbarrierSlot | CopySlot | MatrixSlot | ValueSlot;

/** The qualifiers of one instruction, by slot. */
export interface Qualifiers extends Readonly<Partial<Record<Slot, string>>> {
  /** Of a slot that may be filled several times: all values. */
  readonly several: readonly string[];
  /** How many operands the instruction was given. */
  readonly operandCount: number;
}

/** A combination of qualifiers that the ISA does not have, with the sentence that says so. */
export interface Rule {
  readonly rule: string | ((qualifiers: Qualifiers) => string);
  readonly broken: (qualifiers: Qualifiers) => boolean;
  /** Also binds the shorthand of the Dat3M dialect, which has no type. */
  readonly always?: true;
}

/** The types of each operation of red.async and cp.reduce.async.bulk, which have no floating point here. */
export const REDUCIBLE_TYPES: Readonly<Record<string, readonly string[]>> = {
  add: ['u32', 's32', 'u64'],
  inc: ['u32'],
  dec: ['u32'],
  min: ['u32', 's32', 'u64', 's64'],
  max: ['u32', 's32', 'u64', 's64'],
  and: ['b32', 'b64'],
  or: ['b32', 'b64'],
  xor: ['b32', 'b64'],
};

/** The types of each atomic operation (PTX ISA, atom). */
export const TYPES_OF: Readonly<Record<string, readonly string[]>> = {
  ...REDUCIBLE_TYPES,
  exch: ['b32', 'b64', 'b128'],
  cas: ['b16', 'b32', 'b64', 'b128'],
  sub: [],
};
