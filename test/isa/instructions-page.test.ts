import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Instruction } from '../../src/isa/instruction.js';
import { INSTRUCTION_GROUPS, WITHOUT_MEANING } from '../../src/isa/instruction-table.js';
import { ROOT } from '../support.js';

const words = (list: readonly string[]): string => list.map((word) => `\`.${word}\``).join(', ');

/** A bullet, in lines of at most 120 columns. */
function bullet(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length > 116) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return `* ${lines.join('\n  ')}`;
}

function describeEntry([name, entry]: [string, Instruction]): string {
  const { since } = entry;
  const slots = Object.entries(entry.slots).map(([slot, values]) => {
    const fallback = Object.entries(entry.defaults).find(([one]) => one === slot)?.[1];
    const needed = entry.required.some((one) => one === slot) ? ' (required)' : '';
    const otherwise = fallback === undefined ? '' : `; without one \`.${fallback}\``;
    const title = slot.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return `${title}${needed}: ${words(values)}${otherwise}`;
  });
  const facts = [
    entry.operands === '' ? 'no operands' : `operands: \`${entry.operands}\``,
    ...slots,
    ...(entry.cacheHints === true ? ['cache hints (`.L1::…`, `.L2::…`), which change no verdict'] : []),
    ...(entry.untyped === true ? ['also without its type, as Dat3M writes it: then it has that of the location'] : []),
    ...(entry.notYet === undefined || entry.notYet.length === 0 ? [] : [`no meaning yet: ${words(entry.notYet)}`]),
    ...(since === 'dialect' ? ['a word of Dat3M or nvlitmus'] : [`PTX ${since.ptx}`, `target ${since.target}`]),
  ];
  return [`### ${name}`, '', ...facts.map(bullet), ''].join('\n');
}

const page = [
  '# Instructions',
  '',
  'Written from the table in `src/isa` by `npx vitest run test/isa -u`. Qualifiers stand in any order behind the name.',
  'Where two numbers stand, the later ones are of single qualifiers.',
  '',
  ...Object.entries(INSTRUCTION_GROUPS).flatMap(([title, group]) => [
    `## ${title}`,
    '',
    ...Object.entries(group).map(describeEntry),
  ]),
  '## Without a meaning yet',
  '',
  'PTX has them, and a test with one of them is refused (L0106):',
  '',
  ...[...WITHOUT_MEANING].sort().map((name) => `* \`${name}\``),
  '',
].join('\n');

describe('docs/instructions.md', () => {
  it('says what the table of instructions says', async () => {
    await expect(page).toMatchFileSnapshot(join(ROOT, 'docs/instructions.md'));
  });
});

describe('an entry of the table', () => {
  const entries = Object.values(INSTRUCTION_GROUPS).flatMap((group): [string, Instruction][] => Object.entries(group));

  it('stands in one group', () => {
    const names = entries.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => WITHOUT_MEANING.has(name))).toEqual([]);
  });

  it('gives each qualifier one meaning: a value, refused, or not yet', () => {
    for (const [name, entry] of entries) {
      const values: readonly string[] = Object.values(entry.slots).flat();
      const others = [...Object.keys(entry.refused ?? {}), ...(entry.notYet ?? [])];
      expect(
        others.filter((one) => values.includes(one)),
        name,
      ).toEqual([]);
      expect(new Set(others).size, name).toBe(others.length);
    }
  });

  it('requires and defaults what it has, and nothing twice', () => {
    for (const [name, entry] of entries) {
      const defaults = Object.keys(entry.defaults);
      for (const slot of [...entry.required, ...defaults]) expect(Object.keys(entry.slots), name).toContain(slot);
      expect(
        entry.required.filter((slot) => defaults.includes(slot)),
        name,
      ).toEqual([]);
    }
  });
});
