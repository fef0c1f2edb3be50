import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withDefaults } from '../../src/cli/project-defaults.js';
import { findProjectFile, type ProjectFile, readProjectFile } from '../../src/cli/project-file.js';
import { UsageError } from '../../src/diagnostics/usage-error.js';
import { ROOT } from '../support.js';

const COMMANDS = new Map([
  ['check', ['model', 'include', 'timeout', 'strict', 'engine', 'reporter']],
  ['baseline write', ['out', 'timeout']],
]);
const schema = JSON.parse(readFileSync(join(ROOT, 'src/report/schema/project-1.schema.json'), 'utf8')) as object;
const isValid = new Ajv({ allowUnionTypes: true }).compile(schema);

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ptx-litmus-project-')));
  mkdirSync(join(folder, 'repository/.git'), { recursive: true });
  mkdirSync(join(folder, 'repository/tests/deep'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string): ProjectFile {
  const path = join(folder, 'ptx-litmus.json');
  writeFileSync(path, text);
  return readProjectFile(path, COMMANDS);
}
function mistakeIn(text: string): string {
  try {
    read(text);
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.message.replace(/^.*ptx-litmus\.json:/, '');
    throw thrown;
  }
  return 'none';
}

describe('the project file', () => {
  it('is that of the nearest folder, and none beyond the repository', () => {
    const deep = join(folder, 'repository/tests/deep');
    writeFileSync(join(folder, 'ptx-litmus.json'), '{}');
    expect(findProjectFile(deep)).toBeUndefined();
    writeFileSync(join(folder, 'repository/ptx-litmus.json'), '{}');
    expect(findProjectFile(deep)).toBe(join(folder, 'repository/ptx-litmus.json'));
    writeFileSync(join(folder, 'repository/tests/ptx-litmus.json'), '{}');
    expect(findProjectFile(deep)).toBe(join(folder, 'repository/tests/ptx-litmus.json'));
  });

  it.each([
    [
      '{\n  "modles": []\n}',
      '2: unknown key "modles"; expected "$schema", "models", "include", "options", "allow"; did',
    ],
    ['{\n\n  "models": "sc" }', '3: found "sc"; expected a list'],
    ['{ "include": [\n 1 ] }', '2: found 1; expected a text'],
    [
      '{ "options": {\n "tiemout": 3 } }',
      '2: unknown key "tiemout"; expected an option or a command; did you mean "timeout"?',
    ],
    ['{ "options": { "check": {\n "out": "x" } } }', '2: unknown key "out"'],
    ['{ "options": {\n "check": 3 } }', '2: expected an object with options of it'],
    ['{ "allow": [\n { "test": "a", "finding": "race" } ] }', '2: "reason" is missing: why it is accepted'],
    ['{ "allow": [ { "test": "a",\n "finding": "rase", "reason": "b" } ] }', '2: found "rase"; expected "race", '],
    ['{ "allow": [\n { "test": "a", "reason": "b" } ] }', '2: expected either "finding" or "claim"'],
    ['{ "allow": [ { "test": "a", "claim": "b", "reason": "c",\n "at": ["1"] } ] }', '2: a claim is accepted wherever'],
  ])('says of %j where the mistake is, and what was expected', (text, message) => {
    expect(mistakeIn(text)).toContain(message);
    // Options are known to the command alone.
    if (!text.includes('options')) expect(isValid(JSON.parse(text))).toBe(false);
  });

  it('that is no JSON is told as such', () => {
    expect(mistakeIn('{ "models": [ }')).toContain('this is no JSON');
  });

  it('cites lines of the test, files, and lines of files', () => {
    const allow = [{ test: 'a*', finding: 'race', at: ['8', 'a.cu', 'dir/a.cu:12'], reason: 'known' }];
    expect(isValid({ allow })).toBe(true);
    expect(read(JSON.stringify({ allow })).allow[0]?.at).toEqual([
      { file: undefined, line: 8 },
      { file: 'a.cu', line: undefined },
      { file: 'dir/a.cu', line: 12 },
    ]);
  });
});

describe('options of a project', () => {
  const OPTIONS = {
    model: { type: 'string', array: true, default: ['ptx-9.4'] },
    timeout: { coerce: (value: unknown) => Number(value), default: 60 },
    strict: { type: 'boolean', default: false },
    engine: { choices: ['axiomatic', 'both'], default: 'axiomatic' },
    reporter: { type: 'string', array: true, default: ['text'] },
  } as const;
  const defaults = (text: string): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      Object.entries(withDefaults('check', OPTIONS, read(text))).map(([name, { default: value }]) => [name, value]),
    );

  it('are the defaults of every command that has them, those of one command before the common ones', () => {
    const text = '{ "models": ["sc"], "options": { "timeout": 5, "check": { "timeout": 7, "reporter": "json" } } }';
    expect(defaults(text)).toEqual({
      ...{ model: ['sc'], timeout: 7, strict: false, engine: 'axiomatic', reporter: ['json'] },
    });
    expect(isValid(JSON.parse(text))).toBe(true);
  });

  it.each([
    ['{ "options": {\n "strict": 1 } }', '2: "strict" is 1; expected true or false'],
    ['{ "options": {\n "engine": "axioms" } }', '2: "engine" is "axioms"; expected one of "axiomatic", "both"'],
    ['{ "options": {\n "reporter": [1] } }', '2: "reporter" is [1]; expected a list of texts'],
  ])('have the values that the option takes: %j', (text, message) => {
    expect(() => defaults(text)).toThrow(message);
  });
});
