import { type Span, textOf } from '../diagnostics/source.js';
import type { Instruction } from '../isa/instruction.js';
import { type Found, findInstruction } from '../isa/instruction-table.js';
import type { Slot } from '../isa/qualifier-rules.js';
import type { ProgramStatement } from '../program/operation.js';
import { type Placement, SCOPES, type Scope } from '../program/placement.js';
import type { Program } from '../program/program.js';
import type { InstructionSyntax, LitmusFile } from '../syntax/litmus-ast.js';
import { costOf, differentScopes, STRENGTHS, type Strength } from './strength.js';

/** One way to write an instruction, or a fence that may stand in a place. */
export interface Choice {
  readonly strength: Strength;
  readonly scope: Scope | undefined;
  /**
   * What stands in the place of the site's span: the opcode with its qualifiers; empty where the instruction is taken
   * away.
   */
  readonly text: string;
  readonly cost: number;
  /** Where copies of an instruction have other operands: what stands in the place of one. */
  readonly textAt?: (spot: Spot) => string;
  /** What a reader is told of it, where that is not the text. */
  readonly shown?: string;
  /** What it is in CUDA, where no table says it. */
  readonly cuda?: string;
}

const choiceOf = (strength: Strength, scope: Scope | undefined, text: string, isFence = true): Choice => ({
  strength,
  scope,
  text,
  cost: costOf(strength, scope, isFence),
});

/**
 * A place in a test where an instruction can be written in several ways, or where one can be put: a gap is before an
 * instruction, the end is behind the last one of a thread.
 */
export interface Site {
  readonly kind: 'access' | 'fence' | 'gap' | 'end';
  /** Those that come there. */
  readonly threads: readonly number[];
  /** One; of a kernel as many as a compiler made copies of a line. */
  readonly spots: readonly [Spot, ...Spot[]];
  /** As it is. */
  readonly present: Choice;
  /** All others, cheapest first. */
  readonly others: readonly Choice[];
}

/** Where a text is changed. */
export interface Spot {
  /** Opcode and qualifiers of an instruction; for a gap or the end, the empty span there. */
  readonly span: Span;
  /** The whole instruction, which goes where the choice is `none`; at the end the one before. */
  readonly instruction: Span;
}

/** The orders that an instruction can have; a fence may also not be there, or be another one. */
function strengthsOf(entry: Instruction): readonly Strength[] {
  const orders = entry.fenceOf === undefined ? (entry.slots.order ?? []) : FENCES;
  const absent = entry.advised === 'access' ? [] : ['none'];
  const possible = [...absent, ...(entry.advised === 'presence' ? [] : orders)];
  return STRENGTHS.filter((strength) => possible.includes(strength));
}
/** What an instruction is that has no order: membar is fence.sc, a proxy fence works in both directions. */
const unordered = (entry: Instruction): Strength => (entry.fenceOf === undefined ? 'acq_rel' : 'sc');
export const FENCES: readonly Strength[] = ['acquire', 'release', 'acq_rel', 'sc'];

/** Order and scope stand before these. */
const AFTER_ORDER: readonly Slot[] = [
  'aligned',
  'space',
  'operation',
  'vector',
  'cache',
  'type',
  'sourceSpace',
  'restriction',
];

/**
 * The places of a test whose fences and qualifiers can be changed. Volatile and mmio accesses, and fences for one kind
 * of access, stay or go as they are.
 */
export function sitesOf(program: Program, file: LitmusFile): readonly Site[] {
  return program.threads.flatMap(({ index, placement }) => {
    const scopes = scopesOf(program, placement);
    return (file.threads[index]?.statements ?? []).flatMap((statement) =>
      statement.kind === 'instruction' ? siteOf(statement, [index], scopes) : [],
    );
  });
}

const scopesOf = ({ threads }: Program, at: Placement): readonly Scope[] =>
  differentScopes(
    at,
    threads.map(({ placement }) => placement),
  );

/** An instruction whose order or scope can be changed, or which can be taken away; none if it has neither. */
export function siteOf(
  instruction: InstructionSyntax,
  threads: readonly number[],
  scopes: readonly Scope[],
): readonly Site[] {
  const found = findInstruction(instruction);
  if (found?.entry === undefined) return [];
  const { advised, defaults, fenceOf } = found.entry;
  if (advised === undefined) return [];
  const order = wordOf(found, 'order')?.text;
  if (order === 'volatile' || wordOf(found, 'mmio') !== undefined) return [];
  const strength = STRENGTHS.find((one) => one === (order ?? defaults.order)) ?? unordered(found.entry);
  const reach = wordOf(found, 'scope')?.text ?? defaults.scope;
  const level = fenceOf?.[wordOf(found, 'level')?.text ?? ''];
  const scope = strength === 'weak' ? undefined : (level ?? SCOPES.find((one) => one === reach));
  const span = {
    ...instruction.mnemonicSpan,
    end: instruction.qualifiers.at(-1)?.span.end ?? instruction.mnemonicSpan.end,
  };
  const isFence = advised !== 'access';
  const others = waysToWrite(found, scopes)
    .filter((one) => one.strength !== strength || one.scope !== scope)
    .sort((a, b) => a.cost - b.cost);
  if (others.length === 0) return [];
  return [
    {
      kind: isFence ? 'fence' : 'access',
      threads,
      spots: [{ span, instruction: instruction.span }],
      present: choiceOf(strength, scope, textOf(span), isFence),
      others,
    },
  ];
}

type Known = Extract<Found, { readonly entry: Instruction }>;

/** The qualifier of a slot. */
const wordOf = ({ entry, qualifiers }: Known, slot: Slot): Known['qualifiers'][number] | undefined =>
  qualifiers.find(({ text }) => entry.slots[slot]?.includes(text));

/** An instruction with each order and scope that it can have. */
function waysToWrite(found: Known, scopes: readonly Scope[]): readonly Choice[] {
  const { advised, fenceOf, slots } = found.entry;
  const possible =
    slots.scope === undefined && fenceOf === undefined
      ? [undefined]
      : scopes.filter((one) => slots.scope?.includes(one) ?? true);
  const fixed = wordOf(found, 'restriction') !== undefined;
  return strengthsOf(found.entry)
    .filter((one) => one === 'none' || !fixed)
    .flatMap((strength) => {
      if (strength === 'none') return [NOTHING];
      return (strength === 'weak' ? [undefined] : possible).map((scope) =>
        choiceOf(strength, scope, written(found, strength, scope), advised !== 'access'),
      );
    });
}

/** An instruction with another order and scope. */
function written(found: Known, strength: Strength, scope: Scope | undefined): string {
  const { name, entry, qualifiers } = found;
  if (entry.fenceOf !== undefined) return `fence.${strength}.${scope}`;
  const old = [wordOf(found, 'order'), wordOf(found, 'scope')];
  const rest = qualifiers.filter((word) => !old.includes(word));
  // Where they are written they are written anew; else before what they stand before.
  const first = qualifiers.findIndex((word) => old.includes(word));
  const before = rest.findIndex(({ text }) => AFTER_ORDER.some((slot) => entry.slots[slot]?.includes(text)));
  const place = first >= 0 ? first : before >= 0 ? before : rest.length;
  return [
    name,
    ...rest.slice(0, place).map(({ text }) => text),
    strength,
    ...(scope === undefined ? [] : [scope]),
    ...rest.slice(place).map(({ text }) => text),
  ].join('.');
}

/** The places between the instructions of a thread where a fence can be put. */
export function gapsOf(program: Program, file: LitmusFile): readonly Site[] {
  return program.threads.flatMap(({ index, placement, statements }) => {
    const choices = fencesFor(program, statements, scopesOf(program, placement));
    const instructions = (file.threads[index]?.statements ?? []).flatMap((statement) =>
      statement.kind === 'instruction' ? [statement] : [],
    );
    return instructions.slice(1).flatMap(({ span, guard }): readonly Site[] => {
      const start = guard?.span.start ?? span.start;
      const here = { ...span, start, end: start };
      return choices.map((others) => gap([index], [{ span: here, instruction: here }], others));
    });
  });
}

/** The fences that may be put between the instructions of a thread; of each group one. */
function fencesFor(
  program: Program,
  statements: readonly ProgramStatement[],
  scopes: readonly Scope[],
): readonly (readonly Choice[])[] {
  const asynchronous = program.threads.some((thread) =>
    thread.statements.some(({ operation }) => operation.kind === 'async'),
  );
  const initialized = statements.some(({ operation }) => operation.kind === 'mbarrier' && operation.action === 'init');
  const fences = FENCES.flatMap((strength) => scopes.map((scope) => fenceChoice(strength, scope)));
  return [initialized ? [INIT_FENCE, ...fences] : fences, ...(asynchronous ? [[PROXY_FENCE]] : [])];
}

export const fenceChoice = (strength: Strength, scope: Scope): Choice =>
  choiceOf(strength, scope, `fence.${strength}.${scope};`);

/** A place where one of some instructions can be put. */
export function gap(threads: readonly number[], spots: Site['spots'], others: readonly Choice[]): Site {
  return { kind: 'gap', threads, spots, present: NOTHING, others: [...others].sort((a, b) => a.cost - b.cost) };
}

/** It orders the initialization of mbarriers only, and so costs less than a fence that orders all. */
export const INIT_FENCE: Choice = {
  ...{ strength: 'release', scope: 'cluster', text: 'fence.mbarrier_init.release.cluster;' },
  cost: costOf('relaxed', 'cluster', true),
};

export const PROXY_FENCE = choiceOf('acq_rel', undefined, 'fence.proxy.async;');

/** What stands in a gap. */
export const NOTHING: Choice = { strength: 'none', scope: undefined, text: '', cost: 0 };
