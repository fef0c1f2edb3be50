import type { Scope } from '../program/placement.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import type { Qualifiers, Rule, Slot } from './qualifier-rules.js';
import { readOperands, type TypedOperands } from './typed-operands.js';

/** The values that each slot of an instruction may take. In PTX text they stand in any order (ptxas takes them so). */
export type Slots = Readonly<Partial<Record<Slot, readonly string[]>>>;

type Value<S extends Slots, K extends keyof S> = S[K] extends readonly (infer V)[] ? V : never;

/** The qualifiers that an instruction has, written or by default: the values that its slots admit, and nothing else. */
type Given<S extends Slots, Certain extends keyof S, Several extends keyof S> = {
  readonly [K in Exclude<keyof S, Certain>]?: Value<S, K>;
} & { readonly [K in Extract<keyof S, Certain>]: Value<S, K> } & {
  /** Of a slot that may be filled several times: all values. */
  readonly several: readonly Value<S, Several>[];
};

/** First version of the PTX ISA, and first target, that have an instruction; of some qualifiers later ones. */
export interface Since {
  readonly ptx: string;
  readonly target: string;
}

/** Since when many instructions are there. */
export const ANY_TARGET: Since = { ptx: '1.0', target: 'sm_10' };
export const FERMI: Since = { ptx: '2.0', target: 'sm_20' };
export const HOPPER: Since = { ptx: '8.0', target: 'sm_90' };

/** Qualifiers that many instructions share. */
export const SYNC = { sync: ['sync'], aligned: ['aligned'] } as const;
export const OWN_SHARED = ['shared', 'shared::cta'] as const;
export const SHARED = [...OWN_SHARED, 'shared::cluster'] as const;

type OperandCount = readonly [least: number, most: number];

/** All that is known of an instruction but its meaning. */
interface Facts {
  /** As the ISA writes them; '' where there are none. */
  readonly operands: string;
  /** Whether the first operand is written: always, or with a qualifier. */
  readonly destination?: boolean | { readonly with: string };
  /** Combinations that the ISA does not have; they do not bind what is written without a type. */
  readonly rules?: readonly Rule[];
  /** Qualifiers that a user may well write here, with the reason why they do not exist. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Qualifiers that the ISA has here and this tool gives no meaning yet. */
  readonly notYet?: readonly string[];
  /** Takes cache hints (`.L1::…`, `.L2::…`), which mean nothing to memory models. */
  readonly cacheHints?: true;
  /** May be written without its type, as the Dat3M dialect does: it takes the location's. */
  readonly untyped?: true;
  /** Orders that only that shorthand has. */
  readonly untypedOrders?: readonly string[];
  /** What `advise` may change: order and scope of an access; order, scope and presence of a fence; presence only. */
  readonly advised?: 'access' | 'fence' | 'presence';
  /** It is a fence.sc under another name: of which scope, by its level. */
  readonly fenceOf?: Readonly<Record<string, Scope>>;
  /** Not before; or it is a word of a dialect (Dat3M, nvlitmus), and no PTX. */
  readonly since: Since | 'dialect';
}

interface Entry<
  S extends Slots,
  Required extends keyof S,
  Default extends keyof S,
  Several extends keyof S,
  Operands extends readonly unknown[],
> extends Facts {
  readonly slots: S;
  /** How many operands there may be, where `operands` does not say it. */
  readonly operandCount?: OperandCount;
  /** Slots that must be filled. */
  readonly required?: readonly Required[];
  /** What it has where nothing is written. */
  readonly defaults?: { readonly [K in Default]: Value<S, K> };
  /** A slot that may be filled several times, as nvlitmus does. */
  readonly several?: Several;
  /** How its operands are read, one after the other; without this `decode` reads them itself. */
  readonly typed?: (qualifiers: Given<S, Required | Default, Several>) => TypedOperands<Operands>;
  /** Makes operations of it, where all typed operands are right. */
  readonly decode: (
    at: InstructionDecoder,
    qualifiers: Given<S, Required | Default, Several>,
    operands: Operands,
  ) => void;
}

/** One instruction: what it may be written with, by which rules, since when, and what it means. */
export interface Instruction extends Facts {
  readonly slots: Slots;
  readonly operandCount: OperandCount;
  readonly required: readonly Slot[];
  readonly defaults: Readonly<Partial<Record<Slot, string>>>;
  readonly several?: Slot;
  readonly destination: boolean | { readonly with: string };
  readonly rules: readonly Rule[];
  readonly decode: (at: InstructionDecoder, qualifiers: Qualifiers) => void;
}

/** Makes an entry of the table; its decoding gets the qualifiers typed by its slots. */
export function instruction<
  const S extends Slots,
  const Required extends keyof S & Slot = never,
  const Default extends keyof S & Slot = never,
  const Several extends keyof S & Slot = never,
  const Operands extends readonly unknown[] = readonly [],
>(entry: Entry<S, Required, Default, Several, Operands>): Instruction {
  return {
    operandCount: countOf(entry.operands),
    required: [],
    defaults: {},
    destination: false,
    rules: [],
    ...entry,
    decode: (at, qualifiers) => {
      // What the slots admit, with what is required and the defaults: readQualifiers lets nothing else pass.
      const given = qualifiers as unknown as Given<S, Required | Default, Several>;
      const operands = readOperands(at, entry.typed?.(given) ?? ([] as unknown as TypedOperands<Operands>));
      if (operands !== undefined) entry.decode(at, given, operands);
    },
  };
}

/** Operands are between commas outside of brackets; those in braces may be left out. */
function countOf(operands: string): OperandCount {
  const all = operands.replaceAll(/\[.*?\]/g, 'a');
  let certain = all;
  while (certain.includes('{')) certain = certain.replaceAll(/\{[^{}]*\}/g, '');
  const count = (text: string): number => (text === '' ? 0 : text.split(',').length);
  return [count(certain), count(all)];
}

/** Floating-point types of scalars, of which no instruction has a meaning here yet. */
export const FLOATS = ['f16', 'f16x2', 'bf16', 'bf16x2', 'f32', 'f64'] as const;
