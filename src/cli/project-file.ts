import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { placesInJson } from '../diagnostics/json-places.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { positionOf } from '../diagnostics/source.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { readText } from '../files/read-text.js';
import { type CitedLine, FINDINGS, type Finding } from '../syntax/condition-ast.js';

export const PROJECT_FILE = 'ptx-litmus.json';

/** A finding that a project accepts in some of its tests, and why. */
export interface ProjectAllowance {
  /** The name or the path of a test; `*` stands for any characters. */
  readonly test: string;
  /** What is found: at these lines, or anywhere in the test. */
  readonly finding: Finding | undefined;
  /** In place of a finding: the claim that is broken, as reports print it. */
  readonly claim: string | undefined;
  readonly at: readonly CitedLine[];
  readonly reason: string;
  /** Of the file: where it stands. */
  readonly line: number;
}

/** What a project says once for every run. */
export interface ProjectFile {
  /** As messages name it. */
  readonly path: string;
  readonly models: readonly string[];
  readonly include: readonly string[];
  /** By the long names of options, each with the line that says it. */
  readonly options: ReadonlyMap<string, ProjectOption>;
  /** The same for one command, by its name. */
  readonly ofCommands: ReadonlyMap<string, ReadonlyMap<string, ProjectOption>>;
  readonly allow: readonly ProjectAllowance[];
}

export interface ProjectOption {
  readonly value: unknown;
  readonly at: string;
}

/** The file of the folder, or of the nearest one around it; a repository ends at the folder with `.git`. */
export function findProjectFile(folder: string): string | undefined {
  const path = join(folder, PROJECT_FILE);
  if (existsSync(path)) return path;
  const around = dirname(folder);
  return around === folder || existsSync(join(folder, '.git')) ? undefined : findProjectFile(around);
}

/** Throws `UsageError`, with the line, for what the file may not say. */
export function readProjectFile(path: string, commands: ReadonlyMap<string, readonly string[]>): ProjectFile {
  return new Reader(path, commands).read();
}

const KEYS = ['$schema', 'models', 'include', 'options', 'allow'] as const;
const ALLOW_KEYS = ['test', 'finding', 'claim', 'at', 'reason'] as const;

type Members = Readonly<Record<string, unknown>>;

class Reader {
  private readonly text: string;
  private readonly shown: string;
  private readonly places: ReadonlyMap<string, number>;

  /** @param commands - The options of each command, by its name. */
  constructor(
    private readonly path: string,
    private readonly commands: ReadonlyMap<string, readonly string[]>,
  ) {
    this.text = readText(path);
    this.shown = relative('', path);
    this.places = placesInJson(this.text);
  }

  read(): ProjectFile {
    const all = this.members(this.parsed(), '', KEYS);
    const known = [...new Set([...this.commands.values()].flat())];
    const options = this.members(all['options'] ?? {}, '/options', [...known, ...this.commands.keys()]);
    const ofCommands = [...this.commands].flatMap(([command, names]) => {
      // A command and an option may have one name: what has members is for the command.
      const own = options[command];
      if (!isObject(own)) return [];
      const path = `/options/${command}`;
      return [[command, this.options(this.members(own, path, names), path)] as const];
    });
    const commands = new Set(ofCommands.map(([name]) => name));
    const common = Object.entries(options).filter(([name]) => !commands.has(name));
    const misplaced = common.find(([name]) => !known.includes(name));
    if (misplaced !== undefined) this.fail(`/options/${misplaced[0]}`, 'expected an object with options of it');
    return {
      path: this.shown,
      models: this.strings(all['models'], '/models').map((name) => this.fromHere(name, name.endsWith('.cat'))),
      include: this.strings(all['include'], '/include').map((folder) => this.fromHere(folder, true)),
      options: this.options(Object.fromEntries(common), '/options'),
      ofCommands: new Map(ofCommands),
      allow: this.list(all['allow'], '/allow').map((one, i) => this.allowance(one, `/allow/${i}`)),
    };
  }

  private parsed(): unknown {
    try {
      return JSON.parse(this.text);
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      const offset = /position (\d+)/.exec(message)?.[1];
      const at = offset === undefined ? '' : `:${this.lineAt(Number(offset))}`;
      throw new UsageError(`${this.shown}${at}: this is no JSON (${message}); docs/project-file.md shows such a file`);
    }
  }

  private allowance(value: unknown, path: string): ProjectAllowance {
    const { test, finding, claim, at, reason } = this.members(value, path, ALLOW_KEYS);
    const known = FINDINGS.find((one) => one === finding);
    if (finding !== undefined && known === undefined)
      this.fail(`${path}/finding`, `found ${JSON.stringify(finding)}; expected ${quoted(FINDINGS)}`, finding, FINDINGS);
    if ((finding === undefined) === (claim === undefined))
      this.fail(path, 'expected either "finding" or "claim", which say what is accepted');
    if (claim !== undefined && at !== undefined) this.fail(`${path}/at`, 'a claim is accepted wherever it is broken');
    return {
      test: this.string(test, path, 'test', 'the name of a test, such as "gemm*"'),
      finding: known,
      claim: claim === undefined ? undefined : this.string(claim, path, 'claim', 'a claim as reports print it'),
      at: this.strings(at, `${path}/at`).map((text, i) => this.citedLine(text, `${path}/at/${i}`)),
      reason: this.string(reason, path, 'reason', 'why it is accepted'),
      line: this.lineOf(path),
    };
  }

  private citedLine(text: string, path: string): CitedLine {
    const { file, line } = /^(?:(?<file>.*[^\d:].*?)(?::(?=\d+$)|$))?(?<line>\d+)?$/.exec(text)?.groups ?? {};
    if (file === undefined && line === undefined)
      this.fail(path, `found ${JSON.stringify(text)}; expected a line ("8"), a file ("a.cu") or both ("a.cu:8")`);
    return { file, line: line === undefined ? undefined : Number(line) };
  }

  private options(given: Members, path: string): ReadonlyMap<string, ProjectOption> {
    return new Map(
      Object.entries(given).map(([name, value]) => [
        name,
        { value, at: `${this.shown}:${this.lineOf(`${path}/${name}`)}` },
      ]),
    );
  }

  private members(value: unknown, path: string, known: readonly string[]): Members {
    if (!isObject(value)) this.fail(path, `found ${JSON.stringify(value)}; expected an object`);
    for (const key of Object.keys(value))
      if (!known.includes(key))
        this.fail(
          `${path}/${key}`,
          `unknown key "${key}"; expected ${known.length > MANY ? 'an option or a command' : quoted(known)}`,
          key,
          known,
        );
    return value;
  }

  private list(value: unknown, path: string): readonly unknown[] {
    if (value === undefined) return [];
    return Array.isArray(value) ? value : this.fail(path, `found ${JSON.stringify(value)}; expected a list`);
  }

  private strings(value: unknown, path: string): readonly string[] {
    return this.list(value, path).map((one, i) =>
      typeof one === 'string' ? one : this.fail(`${path}/${i}`, `found ${JSON.stringify(one)}; expected a text`),
    );
  }

  private string(value: unknown, path: string, key: string, expected: string): string {
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (value === undefined) this.fail(path, `"${key}" is missing: ${expected}`);
    return this.fail(`${path}/${key}`, `found ${JSON.stringify(value)}; expected ${expected}`);
  }

  /** Paths are from the folder of the file. */
  private fromHere(path: string, isPath: boolean): string {
    return isPath ? relative('', resolve(dirname(this.path), path)) || '.' : path;
  }

  private fail(path: string, what: string, word?: unknown, words: readonly string[] = []): never {
    const hint = typeof word === 'string' ? didYouMean(word, words) : undefined;
    throw new UsageError(`${this.shown}:${this.lineOf(path)}: ${what}${hint === undefined ? '' : `; ${hint}`}`);
  }

  private lineOf(path: string): number {
    return this.lineAt(this.places.get(path) ?? this.places.get('') ?? 0);
  }

  private lineAt(offset: number): number {
    return positionOf({ path: this.path, text: this.text }, offset).line;
  }
}

/** More keys are not listed. */
const MANY = 8;
const quoted = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ');
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
