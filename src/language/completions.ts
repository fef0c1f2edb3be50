import { BASE_KINDS } from '../execution/base-relations.js';
import { findInstruction, instructionNames } from '../isa/instruction-table.js';
import { EXPECTATIONS } from '../syntax/condition-ast.js';
import { namesOf } from './names.js';
import { regionsOf } from './regions.js';
import { kindOf } from './text-kind.js';

/** What may stand at a place: it replaces the text from `start` on. */
export interface Completion {
  readonly start: number;
  readonly text: string;
  readonly kind: 'instruction' | 'qualifier' | 'name' | 'keyword';
  readonly detail: string;
}

const QUANTIFIERS = ['exists', 'permit', 'forbid', 'require', 'forall', 'expect', 'filter', 'locations', 'allow'];
const CAT_WORDS = ['let', 'rec', 'and', 'as', 'include', 'acyclic', 'irreflexive', 'empty', 'flag', 'undefined_unless'];

/** What may be written at an offset: qualifiers of the instruction, its names, words of conditions and models. */
export function completionsAt(path: string, text: string, offset: number): readonly Completion[] {
  if (kindOf(path) === 'model') return inModel(text, offset);
  const before = text.slice(0, offset);
  const statement = /(?:^|[;{}|:\n]|@\s*!?%?\w+\s)\s*(\.?[a-z][\w.:]*)$/.exec(before)?.[1];
  const region = regionsOf(path, text).find(({ start, end }) => start <= offset && offset <= end + 1);
  const word = /%?[\w$]*$/.exec(before)?.[0] ?? '';
  const start = offset - word.length;
  if (region?.kind === 'clause') {
    const first = before.slice(region.start).trim();
    if (/^expect\s+[\w-]*$/.test(first)) return words([...EXPECTATIONS], offset - lengthOf(/[\w-]*$/, before));
  }
  if (statement?.includes('.') === true && !statement.startsWith('.')) return qualifiers(statement, offset);
  if (statement !== undefined && region?.kind !== 'clause') {
    const instructions = [...new Set(instructionNames().map((name) => name.split('.')[0] ?? name))];
    const keywords = words(QUANTIFIERS, start);
    return [
      ...instructions.map((name) => ({ start, text: name, kind: 'instruction', detail: 'instruction' }) as const),
      ...keywords,
    ];
  }
  const seen = new Set<string>();
  return namesOf(path, text).flatMap(({ name, role, end, key }): readonly Completion[] => {
    const isHere = end === offset;
    const inBody =
      role === 'location' || role === 'function' || region?.body === undefined || key.includes(` ${region.body} `);
    if (isHere || !inBody || seen.has(name)) return [];
    seen.add(name);
    return [{ start, text: name, kind: 'name', detail: role }];
  });
}

const lengthOf = (pattern: RegExp, text: string): number => pattern.exec(text)?.[0].length ?? 0;

const words = (list: readonly string[], start: number): readonly Completion[] =>
  list.map((text) => ({ start, text, kind: 'keyword', detail: 'keyword' }));

/** The qualifiers that the slots of an instruction admit and that are not filled, and longer names. */
function qualifiers(written: string, offset: number): readonly Completion[] {
  const [mnemonic = '', ...given] = written.split('.');
  const last = given.pop() ?? '';
  const start = offset - last.length;
  const span = { source: { path: '', text: '' }, start: 0, end: 0 };
  const syntax = {
    ...({ kind: 'instruction', mnemonic, mnemonicSpan: span, operands: [], span } as const),
    qualifiers: given.map((text) => ({ text, span })),
  };
  const found = findInstruction(syntax);
  const prefix = `${[mnemonic, ...given].join('.')}.`;
  const longer = instructionNames().flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  const rest = new Set(found?.entry === undefined ? [] : found.qualifiers.map(({ text }) => text));
  const slots = Object.entries(found?.entry?.slots ?? {}).filter(
    ([slot, values]) => slot === found?.entry?.several || !values.some((value) => rest.has(value)),
  );
  const admitted = slots.flatMap(([slot, values]) =>
    values.map((text): Completion => ({ start, text, kind: 'qualifier', detail: nameOfSlot(slot) })),
  );
  const named = [...new Set(longer)].map(
    (text): Completion => ({ start, text, kind: 'instruction', detail: 'instruction' }),
  );
  const seen = new Set<string>();
  return [...named, ...admitted].filter(({ text }) => !seen.has(text) && seen.add(text));
}

const nameOfSlot = (slot: string): string => slot.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function inModel(text: string, offset: number): readonly Completion[] {
  const start = offset - lengthOf(/[\w.-]*$/, text.slice(0, offset));
  const defined = namesOf('.cat', text).filter(({ isDefinition, end }) => isDefinition && end !== offset);
  const names = [...new Set(defined.map(({ name }) => name))];
  return [
    ...names.map((name): Completion => ({ start, text: name, kind: 'name', detail: 'of this model' })),
    ...[...BASE_KINDS].map(([name, kind]): Completion => ({ start, text: name, kind: 'name', detail: kind })),
    ...words(CAT_WORDS, start),
  ];
}
