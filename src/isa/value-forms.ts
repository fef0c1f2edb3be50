import { type DataType, dataTypeOf, showDataType, type TypeName } from '../program/data-type.js';
import { constant, type Operand } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { mayContract, type Part } from './contractible.js';
import { type Instruction, instruction, type Since } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import type { StepNumbers } from './numbers.js';
import type { Qualifiers, Rule, Slot } from './qualifier-rules.js';

/** What a form of an instruction computes its results from. */
export interface FormContext {
  readonly at: InstructionDecoder;
  /** Its qualifiers that are no types. */
  readonly words: ReadonlySet<string>;
  readonly typeName: TypeName;
  readonly sourceTypeName: TypeName;
  /** Of the instruction; of Dat3M's shorthand the default one. */
  readonly type: DataType;
  /** Arithmetic on numbers of that type. */
  readonly of: StepNumbers;
  readonly operands: readonly Operand[];
  /** The first operands, 0 where there are fewer. */
  readonly a: Operand;
  readonly b: Operand;
  readonly c: Operand;
  readonly d: Operand;
}

/** The types of results and operands of a form, given the type (and the second one) of the instruction. */
type Types = (type: DataType, source: DataType) => readonly DataType[];

/**
 * A form of an instruction that computes with registers alone: for these types, with exactly one word of each group
 * that it needs and at most one of each that it may have.
 */
export interface Form {
  readonly types: readonly TypeName[];
  /** Where there are two types. */
  readonly sourceTypes?: readonly TypeName[];
  readonly needs?: readonly (readonly string[])[];
  readonly may?: readonly (readonly string[])[];
  /** By default one, of the instruction's type; a second one is a predicate behind `|`. */
  readonly results?: Types;
  /** By default all are of the instruction's type. */
  readonly sources?: Types;
  /** Operands at most and at least, where the instruction has optional ones. */
  readonly operandCount?: number;
  /** What it is to products that go into sums (contraction.ts). */
  readonly part?: Part;
  /** The results; undefined where the operands are refused. */
  readonly compute: (context: FormContext) => Operand | readonly Operand[] | undefined;
}

interface More {
  /** Registers wider than the types are taken, as by cvt (PTX ISA, Operand Size Exceeding Instruction-Type Size). */
  readonly wider?: true;
  /** May be written without its type, as the Dat3M dialect does. */
  readonly untyped?: true;
}

const ZERO = constant(0);

/** The slot of each word that such instructions take beside types; of one slot there is at most one word. */
const SLOT_OF: Readonly<Record<string, Slot>> = Object.fromEntries(
  Object.entries({
    half: ['wide'],
    saturation: ['sat'],
    carry: ['cc'],
    rounding: ['rn', 'rz', 'rm', 'rp', 'rs', 'rna', 'rni', 'rzi', 'rmi', 'rpi'],
    flush: ['ftz', 'noftz'],
    precision: ['approx', 'full', 'oob'],
    quietNan: ['NaN'],
    sign: ['xorsign'],
    magnitude: ['abs'],
    clip: ['relu'],
    finite: ['satfinite'],
    shiftMode: ['clamp', 'wrap', 'shiftamt'],
    direction: ['l', 'r'],
    // The type of c of cvt.pack.
    size: ['b32'],
    mode: [
      ...['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'],
      ...['finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'],
    ],
    // Of mul and mad, .lo and .hi are halves of the product.
    comparison: [
      ...['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'lo', 'ls', 'hi', 'hs'],
      ...['equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan'],
    ],
    combination: ['and', 'or', 'xor'],
  } satisfies Partial<Record<Slot, readonly string[]>>).flatMap(([slot, words]) =>
    words.map((word) => [word, slot as Slot]),
  ),
);

/** Makes the entry of an instruction from its forms. */
export function values(operands: string, since: Since, forms: readonly Form[], more: More = {}): Instruction {
  const required: readonly Slot[] = forms.every(({ sourceTypes }) => sourceTypes !== undefined)
    ? ['type', 'sourceType']
    : ['type'];
  return instruction({
    slots: slotsOf(forms),
    operands,
    destination: true,
    rules: [formRule(forms)],
    ...(more.untyped === undefined ? { required } : { untyped: true as const }),
    since,
    decode: (at, given) => {
      const qualifiers = given as unknown as Qualifiers;
      const form = forms.find((one) => matches(one, qualifiers)) ?? forms[0];
      if (form !== undefined) decodeForm(at, qualifiers, form, more.wider === true);
    },
  });
}

function slotsOf(forms: readonly Form[]): Partial<Record<Slot, readonly string[]>> {
  const slots: Partial<Record<Slot, Set<string>>> = {};
  const add = (slot: Slot, words: readonly string[]): void => {
    slots[slot] = new Set([...(slots[slot] ?? []), ...words]);
  };
  for (const { types, sourceTypes, needs = [], may = [] } of forms) {
    for (const word of [...needs, ...may].flat()) {
      const slot = SLOT_OF[word];
      if (slot === undefined) throw new Error(`no slot for .${word}`);
      add(slot, [word]);
    }
    add('type', types);
    if (sourceTypes !== undefined) add('sourceType', sourceTypes);
  }
  return Object.fromEntries(Object.entries(slots).map(([slot, words]) => [slot, [...words]]));
}

const isTyped = ({ types, sourceTypes }: Form, { type, sourceType }: Qualifiers): boolean =>
  (type === undefined || types.includes(type as TypeName)) &&
  (sourceTypes === undefined ? sourceType === undefined : sourceTypes.includes(sourceType as TypeName));

/** The words of a form's qualifiers that are no types. */
const wordsOf = (qualifiers: Qualifiers): readonly string[] =>
  Object.entries(qualifiers).flatMap(([slot, word]) =>
    typeof word === 'string' && slot !== 'type' && slot !== 'sourceType' && SLOT_OF[word] !== undefined ? [word] : [],
  );

const matches = (form: Form, qualifiers: Qualifiers): boolean =>
  matchesButCount(form, qualifiers) &&
  (form.operandCount === undefined || form.operandCount === qualifiers.operandCount);

function matchesButCount(form: Form, qualifiers: Qualifiers): boolean {
  const { needs = [], may = [] } = form;
  const words = wordsOf(qualifiers);
  return (
    isTyped(form, qualifiers) &&
    needs.every((group) => group.some((word) => words.includes(word))) &&
    words.every((word) => [...needs, ...may].some((group) => group.includes(word)))
  );
}

/** An instruction is one of its forms. */
function formRule(forms: readonly Form[]): Rule {
  return {
    rule: (qualifiers) => {
      const typed = forms.filter((form) => isTyped(form, qualifiers));
      const counts = forms.flatMap((form) => (matchesButCount(form, qualifiers) ? (form.operandCount ?? []) : []));
      if (counts.length > 0) return `this form takes ${counts.join(' or ')} operands, found ${qualifiers.operandCount}`;
      const type = [qualifiers.type, qualifiers.sourceType].filter((one) => one !== undefined).map((one) => `.${one}`);
      if (typed.length === 0) {
        const types = new Set(forms.flatMap(({ types: some, sourceTypes = [] }) => [...some, ...sourceTypes]));
        return `it is not for ${type.join('')}; its types are ${[...types].map((one) => `.${one}`).join(' ')}`;
      }
      const group = (words: readonly string[]): string => words.map((word) => `.${word}`).join('|');
      const shown = typed.map(({ needs = [], may = [] }) =>
        [...needs.map(group), ...may.map((words) => `{${group(words)}}`)].join(' '),
      );
      const takes = [...new Set(shown)].map((one) => (one === '' ? 'nothing' : one)).join(', or ');
      return `${type.join('')} takes ${takes}`;
    },
    broken: (qualifiers) => !forms.some((form) => matches(form, qualifiers)),
  };
}

function decodeForm(at: InstructionDecoder, qualifiers: Qualifiers, form: Form, widerAllowed: boolean): void {
  const untyped = qualifiers.type === undefined;
  const type = at.type(qualifiers.type as TypeName | undefined);
  const source = qualifiers.sourceType === undefined ? type : dataTypeOf(qualifiers.sourceType as TypeName);
  const given = at.operands.slice(1);
  const sources = form.sources?.(type, source) ?? given.map(() => type);
  const results = form.results?.(type, source) ?? [type];
  if (given.length > sources.length)
    return void at.refuse(undefined, `${at.name} takes ${sources.length} operands after its result`);
  const use = { untyped, widerAllowed };
  const read = given.map((operand, i) => {
    const of = sources[i] ?? type;
    if (of.kind === 'pred') return at.predicate(operand);
    if (operand.kind === 'negated') return at.refuse(operand, '! is for predicates');
    return at.value(operand, of, use);
  });
  const targets = targetsOf(at, at.operands[0], results, use);
  if (read.some((operand) => operand === undefined) || targets === undefined) return;
  const operands = read as Operand[];
  const [a = ZERO, b = ZERO, c = ZERO, d = ZERO] = operands;
  const words = new Set(wordsOf(qualifiers));
  const typeName = (qualifiers.type ?? showDataType(type)) as TypeName;
  const sourceTypeName = (qualifiers.sourceType ?? typeName) as TypeName;
  const of = at.of(type.width, type.kind === 's');
  const computed = form.compute({ at, words, typeName, sourceTypeName, type, of, operands, a, b, c, d });
  if (computed === undefined) return;
  const all = Array.isArray(computed) ? (computed as readonly Operand[]) : [computed as Operand];
  targets.forEach((target, i) => {
    const [value, of] = [all[i], results[i]];
    if (target !== undefined && value !== undefined && of !== undefined) at.result(target, of, value);
  });
  const [target] = targets;
  const { part } = form;
  if (part === undefined || target === undefined || !mayContract(part, words)) return;
  at.decoder.parts.push({ part, at, target, operands, typeName, words });
}

/** The registers written: one, or with a predicate behind `|` two, of which `_` is none. */
function targetsOf(
  at: InstructionDecoder,
  operand: OperandSyntax | undefined,
  results: readonly DataType[],
  use: { readonly untyped: boolean; readonly widerAllowed: boolean },
): readonly (string | undefined)[] | undefined {
  const [first, second] = results;
  if (first === undefined) return undefined;
  if (operand?.kind !== 'pair') {
    const target = at.target(operand, first, use);
    return target === undefined ? undefined : [target];
  }
  if (second === undefined) return at.refuse(operand, 'this form writes one register');
  return at.pair(operand, first, second, use);
}
