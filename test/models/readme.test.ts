import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INSTRUCTION_GROUPS } from '../../src/isa/instruction-table.js';
import { builtInModel, ROOT } from '../support.js';

const text = readFileSync(join(ROOT, 'models/README.md'), 'utf8');
const rows = text
  .slice(text.indexOf('## Instructions'), text.indexOf("## What the ISA's text does not say"))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));
const tests = new Map(
  readdirSync(join(ROOT, 'litmus'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'))
    .map(
      (file) =>
        [basename(file, '.litmus'), readFileSync(join(ROOT, 'litmus', file), 'utf8').replace(/"[^"]*"/g, '')] as const,
    ),
);

describe('the table of instructions in models/README.md', () => {
  it('has events, a section and tests in every row', () => {
    expect(rows.length).toBeGreaterThan(50);
    for (const row of rows)
      expect(row.length === 4 && row.every((cell) => cell.length > 0), row.join(' | ')).toBe(true);
  });

  it('names tests that are there and use the instruction', () => {
    for (const [instruction = '', , , named = ''] of rows) {
      const words = [...instruction.matchAll(/`\.?([a-z]+)/g)].map(([, word = '']) => word);
      for (const [, name = ''] of named.matchAll(/`([^`]+)`/g))
        expect(
          words.some((word) => tests.get(name)?.includes(word)),
          `${instruction}: ${name}`,
        ).toBe(true);
    }
  });

  it('has every instruction of the synchronization chapter that we know', () => {
    const described = rows.map(([instruction]) => instruction).join(' ');
    const {
      'Memory accesses': accesses,
      'Textures and surfaces': _textures,
      Arithmetic: _,
      'Control flow': __,
      ...rest
    } = INSTRUCTION_GROUPS;
    const synchronizing = ['atom', 'red', ...Object.values(rest).flatMap((group) => Object.keys(group))];
    expect(Object.keys(accesses)).toEqual(expect.arrayContaining(['atom', 'red']));
    const missing = synchronizing
      .map((name) => name.replace(/\.sync$/, ''))
      .filter((name) => name !== 'nanosleep' && !described.includes(name));
    expect(missing).toEqual([]);
  });

  it('names each inferred rule of ptx-9.4', () => {
    expect(builtInModel('ptx-9.4').inferred.size).toBeGreaterThan(3);
    for (const name of builtInModel('ptx-9.4').inferred.keys()) expect(text).toContain(`\`${name}\``);
  });
});
