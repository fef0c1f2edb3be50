import type { Span } from '../diagnostics/source.js';
import type { Instruction } from '../isa/instruction.js';
import { findInstruction } from '../isa/instruction-table.js';
import type { Slot } from '../isa/qualifier-rules.js';
import type { ProgramStatement } from '../program/operation.js';
import { SCOPES, type Scope } from '../program/placement.js';
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
}

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
const FENCES: readonly Strength[] = ['acquire', 'release', 'acq_rel', 'sc'];

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
    const scopes = differentScopes(
      placement,
      program.threads.map((one) => one.placement),
    );
    return (file.threads[index]?.statements ?? []).flatMap((statement) =>
      statement.kind === 'instruction' ? siteOf(statement, [index], scopes) : [],
    );
  });
}

/** An instruction whose order or scope can be changed, or which can be taken away; none if it has neither. */
export function siteOf(
  instruction: InstructionSyntax,
  threads: readonly number[],
  scopes: readonly Scope[],
): readonly Site[] {
  const named = findInstruction(instruction);
  if (named?.entry === undefined) return [];
  const { entry, qualifiers } = named;
  const { advised, defaults, fenceOf, slots } = entry;
  if (advised === undefined) return [];
  const found = (slot: Slot): (typeof qualifiers)[number] | undefined =>
    qualifiers.find(({ text }) => slots[slot]?.includes(text));
  if (found('order')?.text === 'volatile' || found('mmio') !== undefined) return [];
  const fixed = found('restriction') !== undefined;
  const strength = STRENGTHS.find((one) => one === (found('order')?.text ?? defaults.order)) ?? unordered(entry);
  const level = fenceOf?.[found('level')?.text ?? ''];
  const scope =
    strength === 'weak' ? undefined : (level ?? SCOPES.find((one) => one === (found('scope')?.text ?? defaults.scope)));
  const span = {
    ...instruction.mnemonicSpan,
    end: instruction.qualifiers.at(-1)?.span.end ?? instruction.mnemonicSpan.end,
  };
  const isFence = advised !== 'access';
  const choice = (one: Strength, at: Scope | undefined, text: string): Choice => ({
    strength: one,
    scope: at,
    text,
    cost: costOf(one, at, isFence),
  });
  const present = choice(strength, scope, span.source.text.slice(span.start, span.end));
  const words = (one: Strength, at: Scope | undefined): string => {
    if (fenceOf !== undefined) return `fence.${one}.${at}`;
    const [order, reach] = [found('order'), found('scope')];
    const rest = qualifiers.filter((word) => word !== order && word !== reach);
    // Where they are written they are written anew; else before what they stand before.
    const old = qualifiers.findIndex((word) => word === order || word === reach);
    const before = rest.findIndex(({ text }) => AFTER_ORDER.some((slot) => slots[slot]?.includes(text)));
    const place = old >= 0 ? old : before >= 0 ? before : rest.length;
    return [
      named.name,
      ...rest.slice(0, place).map(({ text }) => text),
      one,
      ...(at === undefined ? [] : [at]),
      ...rest.slice(place).map(({ text }) => text),
    ].join('.');
  };
  const { scope: reaches } = slots;
  const possible =
    reaches === undefined && fenceOf === undefined
      ? [undefined]
      : scopes.filter((one) => reaches?.includes(one) ?? true);
  const strengths = strengthsOf(entry).filter((one) => one === 'none' || !fixed);
  const others = strengths.flatMap((one) =>
    one === 'none'
      ? [choice('none', undefined, '')]
      : one === 'weak'
        ? [choice('weak', undefined, words('weak', undefined))]
        : possible.map((at) => choice(one, at, words(one, at))),
  );
  const different = others
    .filter((one) => one.strength !== strength || one.scope !== scope)
    .sort((a, b) => a.cost - b.cost);
  if (different.length === 0) return [];
  return [
    {
      kind: isFence ? 'fence' : 'access',
      threads,
      spots: [{ span, instruction: instruction.span }],
      present,
      others: different,
    },
  ];
}

/** The places between the instructions of a thread where a fence can be put. */
export function gapsOf(program: Program, file: LitmusFile): readonly Site[] {
  return program.threads.flatMap(({ index, placement, statements }) => {
    const scopes = differentScopes(
      placement,
      program.threads.map((one) => one.placement),
    );
    const choices = fencesFor(program, statements, scopes);
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
export function fencesFor(
  program: Program,
  statements: readonly ProgramStatement[],
  scopes: readonly Scope[],
): readonly (readonly Choice[])[] {
  const asynchronous = program.threads.some((thread) =>
    thread.statements.some(({ operation }) => operation.kind === 'async'),
  );
  const initialized = statements.some(({ operation }) => operation.kind === 'mbarrier' && operation.action === 'init');
  const fences = (['acquire', 'release', 'acq_rel', 'sc'] as const).flatMap((strength) =>
    scopes.map(
      (scope): Choice => ({
        strength,
        scope,
        text: `fence.${strength}.${scope};`,
        cost: costOf(strength, scope, true),
      }),
    ),
  );
  const init: Choice = { strength: 'release', scope: 'cluster', text: INIT_FENCE, cost: INIT_FENCE_COST };
  const proxy: Choice = {
    strength: 'acq_rel',
    scope: undefined,
    text: 'fence.proxy.async;',
    cost: costOf('acq_rel', undefined, true),
  };
  return [initialized ? [init, ...fences] : fences, ...(asynchronous ? [[proxy]] : [])];
}

/** A place where one of some instructions can be put. */
export function gap(threads: readonly number[], spots: Site['spots'], others: readonly Choice[]): Site {
  return { kind: 'gap', threads, spots, present: NOTHING, others: [...others].sort((a, b) => a.cost - b.cost) };
}

const INIT_FENCE = 'fence.mbarrier_init.release.cluster;';
/** It orders the initialization of mbarriers only, and so costs less than a fence that orders all. */
const INIT_FENCE_COST = costOf('relaxed', 'cluster', true);

/** What stands in a gap. */
export const NOTHING: Choice = { strength: 'none', scope: undefined, text: '', cost: 0 };
