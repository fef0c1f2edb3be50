import { positionOf, type Span } from '../diagnostics/source.js';
import type { Slot } from '../isa/instruction-spec.js';
import { specOf } from '../isa/instruction-table.js';
import type { Scope } from '../program/placement.js';
import type { Program } from '../program/program.js';
import type { InstructionSyntax, LitmusFile } from '../syntax/litmus-ast.js';
import { costOf, differentScopes, type Strength } from './strength.js';

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

/** A place in a test where an instruction can be written in several ways, or where a fence can be put. */
export interface Site {
  readonly kind: 'access' | 'fence' | 'gap';
  readonly thread: number;
  readonly line: number;
  /** Opcode and qualifiers of an instruction; for a gap, the empty span before an instruction. */
  readonly span: Span;
  /** The whole instruction, which goes where the choice is `none`. */
  readonly instruction: Span;
  /** As it is. */
  readonly present: Choice;
  /** All others, cheapest first. */
  readonly others: readonly Choice[];
}

/** The orders that a family of instructions can have, and what it has without being told. */
interface Orders {
  readonly kind: Site['kind'];
  readonly strengths: readonly Strength[];
  readonly byDefault: { readonly strength: Strength; readonly scope: Scope | undefined };
}

const FAMILIES: Readonly<Record<string, Orders>> = {
  load: {
    kind: 'access',
    strengths: ['weak', 'relaxed', 'acquire'],
    byDefault: { strength: 'weak', scope: undefined },
  },
  store: {
    kind: 'access',
    strengths: ['weak', 'relaxed', 'release'],
    byDefault: { strength: 'weak', scope: undefined },
  },
  atomic: {
    kind: 'access',
    strengths: ['relaxed', 'acquire', 'release', 'acq_rel'],
    byDefault: { strength: 'relaxed', scope: 'gpu' },
  },
  fence: {
    kind: 'fence',
    strengths: ['none', 'acquire', 'release', 'acq_rel', 'sc'],
    byDefault: { strength: 'acq_rel', scope: 'sys' },
  },
  membar: {
    kind: 'fence',
    strengths: ['none', 'acquire', 'release', 'acq_rel', 'sc'],
    byDefault: { strength: 'sc', scope: 'gpu' },
  },
  proxyFence: { kind: 'fence', strengths: ['none'], byDefault: { strength: 'acq_rel', scope: undefined } },
  mbarrierArrive: {
    kind: 'access',
    strengths: ['relaxed', 'release'],
    byDefault: { strength: 'release', scope: 'cta' },
  },
  mbarrierWait: { kind: 'access', strengths: ['relaxed', 'acquire'], byDefault: { strength: 'acquire', scope: 'cta' } },
};
const MEMBAR_SCOPES: Readonly<Record<string, Scope>> = { cta: 'cta', gl: 'gpu', sys: 'sys' };

/** Order and scope stand before these. */
const AFTER_ORDER: readonly Slot[] = ['space', 'operation', 'vector', 'cache', 'type', 'sourceSpace', 'restriction'];

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
      statement.kind === 'instruction' ? siteOf(statement, index, scopes) : [],
    );
  });
}

function siteOf(instruction: InstructionSyntax, thread: number, scopes: readonly Scope[]): readonly Site[] {
  const entry = specOf(instruction);
  const orders = entry === undefined ? undefined : FAMILIES[entry.spec.family];
  if (entry === undefined || orders === undefined) return [];
  const { spec, qualifiers } = entry;
  const found = (slot: Slot): (typeof qualifiers)[number] | undefined =>
    qualifiers.find(({ text }) => spec.slots[slot]?.includes(text));
  if (found('order')?.text === 'volatile' || found('mmio') !== undefined) return [];
  const fixed = found('restriction') !== undefined || spec.family === 'proxyFence';
  const level = spec.family === 'membar' ? MEMBAR_SCOPES[found('level')?.text ?? ''] : undefined;
  const strength = (found('order')?.text as Strength | undefined) ?? orders.byDefault.strength;
  const scope =
    strength === 'weak' ? undefined : (level ?? (found('scope')?.text as Scope | undefined) ?? orders.byDefault.scope);
  const span = {
    ...instruction.mnemonicSpan,
    end: instruction.qualifiers.at(-1)?.span.end ?? instruction.mnemonicSpan.end,
  };
  const isFence = orders.kind === 'fence';
  const choice = (one: Strength, at: Scope | undefined, text: string): Choice => ({
    strength: one,
    scope: at,
    text,
    cost: costOf(one, at, isFence),
  });
  const present = choice(strength, scope, span.source.text.slice(span.start, span.end));
  const words = (one: Strength, at: Scope | undefined): string => {
    if (spec.family === 'membar') return `fence.${one}.${at}`;
    const [order, reach] = [found('order'), found('scope')];
    const rest = qualifiers.filter((word) => word !== order && word !== reach);
    // Where they are written they are written anew; else before what they stand before.
    const old = qualifiers.findIndex((word) => word === order || word === reach);
    const before = rest.findIndex(({ text }) => AFTER_ORDER.some((slot) => spec.slots[slot]?.includes(text)));
    const place = old >= 0 ? old : before >= 0 ? before : rest.length;
    return [
      entry.name,
      ...rest.slice(0, place).map(({ text }) => text),
      one,
      ...(at === undefined ? [] : [at]),
      ...rest.slice(place).map(({ text }) => text),
    ].join('.');
  };
  const possible =
    spec.slots.scope === undefined || spec.family === 'membar'
      ? scopes
      : scopes.filter((one) => spec.slots.scope?.includes(one));
  const strengths = fixed ? orders.strengths.filter((one) => one === 'none') : orders.strengths;
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
      kind: orders.kind,
      thread,
      line: positionOf(span.source, span.start).line,
      span,
      instruction: instruction.span,
      present,
      others: different,
    },
  ];
}

/** The places between the instructions of a thread where a fence can be put. */
export function gapsOf(program: Program, file: LitmusFile): readonly Site[] {
  const asynchronous = program.threads.some(({ statements }) =>
    statements.some(({ operation }) => operation.kind === 'async'),
  );
  return program.threads.flatMap(({ index, placement }) => {
    const scopes = differentScopes(
      placement,
      program.threads.map((one) => one.placement),
    );
    const instructions = (file.threads[index]?.statements ?? []).flatMap((statement) =>
      statement.kind === 'instruction' ? [statement] : [],
    );
    return instructions.slice(1).flatMap(({ span, guard }): readonly Site[] => {
      const start = guard?.span.start ?? span.start;
      const here = { ...span, start, end: start };
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
      const proxy: Choice = {
        strength: 'acq_rel',
        scope: undefined,
        text: 'fence.proxy.async;',
        cost: costOf('acq_rel', undefined, true),
      };
      const gap = (others: readonly Choice[]): Site => ({
        kind: 'gap',
        thread: index,
        line: positionOf(span.source, start).line,
        span: here,
        instruction: here,
        present: NOTHING,
        others: [...others].sort((a, b) => a.cost - b.cost),
      });
      return [gap(fences), ...(asynchronous ? [gap([proxy])] : [])];
    });
  });
}

const NOTHING: Choice = { strength: 'none', scope: undefined, text: '', cost: 0 };
