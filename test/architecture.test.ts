import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { DEFAULTS, LONG_FUNCTIONS } from './architecture-exceptions.js';

/** Which folders of src each folder may import from; type-only imports are marked, and may be the only ones. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  diagnostics: [],
  relation: [],
  // Grammars and models as the build leaves them.
  '../generated': [],
  syntax: ['../generated', 'diagnostics'],
  program: ['syntax:type', 'diagnostics'],
  // What an operation does, said once.
  effects: ['program'],
  // Control flow, and what follows from it, said once.
  flow: ['effects', 'program'],
  isa: ['program', 'syntax:type', 'diagnostics'],
  // A test that writes its threads out.
  build: ['flow', 'effects', 'isa', 'program', 'syntax', 'diagnostics'],
  // Modules, launches, arguments, and memory before the launch.
  kernel: ['build', 'flow', 'isa', 'program', 'syntax', 'diagnostics'],
  // The threads of launches, followed by what is known before they run.
  follow: ['kernel', 'build', 'flow', 'effects', 'isa', 'semantics', 'program', 'syntax', 'diagnostics'],
  // What comes in one order in every execution of a followed launch.
  order: ['follow', 'kernel', 'build', 'program', 'syntax:type', 'diagnostics:type'],
  // Tests of many sizes, and which sizes are alike.
  ranges: ['follow', 'kernel', 'build', 'program', 'syntax', 'diagnostics'],
  // Tests with launches as tests without, and the other way round.
  convert: ['follow', 'kernel', 'build', 'flow', 'effects', 'isa', 'program', 'syntax', 'diagnostics'],
  unroll: ['flow', 'program'],
  events: ['effects', 'program', 'unroll:type', 'diagnostics:type'],
  semantics: ['flow', 'effects', 'events', 'unroll', 'program', 'diagnostics:type'],
  execution: ['effects', 'semantics', 'events', 'program', 'relation'],
  generate: ['program', 'diagnostics', 'syntax:type'],
  cat: ['syntax', 'relation', 'execution', 'diagnostics'],
  'axiomatic/formula': ['program', 'semantics:type'],
  'axiomatic/solver': ['axiomatic/formula', 'program'],
  // What the search has refuted, and who confirms it.
  'axiomatic/confirmation': ['axiomatic/solver', 'axiomatic/formula', 'program'],
  'axiomatic/relations': ['axiomatic/formula', 'relation', 'cat:type'],
  'axiomatic/encoding': [
    ...['axiomatic/relations', 'axiomatic/formula', 'execution', 'semantics', 'events', 'program', 'cat', 'relation'],
    ...['diagnostics:type', 'syntax:type'],
  ],
  'axiomatic/session': [
    ...[
      'axiomatic/encoding',
      'axiomatic/formula',
      'axiomatic/confirmation',
      'axiomatic/solver:type',
      'execution',
      'semantics',
      'program',
      'cat',
      'relation',
      'diagnostics',
    ],
    ...['events:type', 'unroll:type'],
  ],
  // Runs without an end, in states that interleavings reach.
  progress: ['flow', 'program'],
  // What loops that write do, statement by statement.
  'axiomatic/looping': [
    ...['axiomatic/encoding', 'axiomatic/session:type', 'progress', 'execution', 'semantics', 'events', 'flow'],
    ...['unroll', 'program', 'cat', 'relation'],
  ],
  // The second opinion: nothing that the axioms are stated with, and nothing of the engine that they are solved with.
  operational: ['progress', 'unroll', 'flow', 'effects', 'semantics', 'events', 'program'],
  check: [
    'axiomatic',
    'operational',
    'execution',
    'semantics',
    'events',
    'flow',
    'build',
    'follow',
    'order',
    'ranges',
    'program',
    'cat',
    'relation',
    'diagnostics',
    'syntax',
  ],
  files: ['cat', 'execution', 'diagnostics', 'syntax'],
  // Tests to start from, of kernels that nobody has launched yet.
  init: ['order', 'follow', 'effects', 'flow', 'kernel', 'isa:type', 'program', 'syntax', 'diagnostics'],
  // Launches of applications as kernel tests.
  record: ['follow', 'kernel', 'program', 'syntax', 'diagnostics'],
  // Tests as a GPU runs them.
  export: ['convert', 'kernel', 'build', 'program', 'syntax:type'],
  // What editors show of a text without a verdict.
  language: ['check', 'cat', 'execution', 'effects', 'isa', 'program', 'syntax', 'diagnostics'],
  // What a page or an editor asks of a text that is being written, as plain data.
  interactive: [
    ...['language', 'library', 'advise', 'compare', 'report', 'explain', 'check', 'cat', 'program', 'diagnostics'],
    ...['operational', 'axiomatic/solver:type'],
  ],
  // The language server.
  lsp: [
    ...['interactive', 'language', 'report', 'files', 'worker', 'cat', 'execution', 'axiomatic/solver', 'diagnostics'],
    'syntax',
  ],
  // What is asked of many tests, in whatever process: all above the command line.
  suite: [
    ...['check', 'explain', 'advise', 'compare', 'report', 'library', 'files', 'worker', 'axiomatic/solver'],
    'axiomatic/session',
    ...['axiomatic/confirmation', 'axiomatic/formula', 'program', 'syntax', 'diagnostics', 'cat:type'],
  ],
  worker: ['check', 'files', 'report', 'axiomatic/solver', 'diagnostics:type', 'program:type'],
  explain: ['effects', 'check', 'execution', 'semantics', 'events', 'program', 'cat', 'relation', 'axiomatic:type'],
  compare: ['check', 'axiomatic', 'execution:type', 'program', 'cat:type', 'generate', 'syntax', 'diagnostics'],
  advise: [
    ...['check', 'isa', 'kernel', 'flow', 'follow', 'ranges', 'program', 'syntax', 'diagnostics'],
    ...['order:type', 'cat:type', 'axiomatic:type'],
  ],
  report: [
    ...['check', 'operational', 'execution', 'diagnostics', 'explain:type', 'compare:type', 'advise:type'],
    'axiomatic/confirmation:type',
    ...['semantics:type', 'events:type', 'effects:type', 'program', 'relation:type', 'cat:type'],
  ],
};
/** Packages that one file or folder alone may use. */
const OWNERS: Readonly<Record<string, string>> = {
  'ohm-js': 'syntax/',
  'z3-solver': 'axiomatic/solver/z3.ts',
  yargs: 'cli/',
  tinyglobby: 'cli/',
  chokidar: 'cli/watch.ts',
  workerpool: 'suite/',
  'write-file-atomic': 'suite/result-cache.ts',
  '@viz-js/viz': 'cli/render-svg.ts',
  diff: 'advise/',
  'vscode-languageserver': 'lsp/',
  'vscode-languageserver-textdocument': 'lsp/',
};
const LONGEST_FILE = 400;
const LONGEST_FUNCTION = 60;
const WIDEST_LINE = 120;

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.d.ts'),
);

interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(/^(?:import|export) (type )?[^;]*? from '([^']+)';/gms)].map((match) => ({
    from: match[2] ?? '',
    typeOnly: match[1] !== undefined,
  }));
}

/** The innermost folder of a file that has rules of its own. */
function roomOf(file: string): string {
  const [outer = '', inner = ''] = file.split('/');
  return `${outer}/${inner}` in LAYERS ? `${outer}/${inner}` : outer;
}

describe('the layers of src', () => {
  it('import only what lies below them', () => {
    const wrong: string[] = [];
    for (const file of files) {
      const room = roomOf(file);
      const allowed = LAYERS[room];
      if (allowed === undefined) continue;
      const mayImport = (target: string, kind: string): boolean =>
        allowed.some((one) => one === `${target}${kind}` || target.startsWith(`${one.replace(':type', '')}/`));
      for (const { from, typeOnly } of importsOf(file)) {
        if (!from.startsWith('.')) continue;
        const target = roomOf(relative(SRC, resolve(SRC, dirname(file), from)));
        if (target === room || mayImport(target, '') || (typeOnly && mayImport(target, ':type'))) continue;
        wrong.push(`${file} imports ${from}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('keep each package behind its one door', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file).flatMap(({ from }) => {
        const owner = Object.entries(OWNERS).find(([name]) => from === name || from.startsWith(`${name}/`))?.[1];
        return owner !== undefined && !file.startsWith(owner) ? [`${file} imports ${from}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('do no input and output below cli', () => {
    const wrong = files.filter(
      (file) =>
        !file.startsWith('cli/') &&
        !file.startsWith('files/') &&
        !file.startsWith('worker/') &&
        !file.startsWith('suite/') &&
        !file.startsWith('lsp/') &&
        // The clock of whoever gives none.
        file !== 'check/limits.ts' &&
        /\bprocess\.|\bconsole\.|from 'node:(?!module)|\bDate\.now\b|\bperformance\./.test(withoutComments(file)),
    );
    expect(wrong).toEqual([]);
  });

  it('have no file longer than a reader can hold', () => {
    const long = files.filter((file) => readFileSync(join(SRC, file), 'utf8').split('\n').length > LONGEST_FILE);
    expect(long).toEqual([]);
  });

  it('have no function longer than a page, but those that the list of exceptions names', () => {
    const long = [...parsed].flatMap(([file, nodes]) => longFunctions(file, nodes).map((name) => `${file} ${name}`));
    expect([...new Set(long)].sort()).toEqual(Object.keys(LONG_FUNCTIONS).sort());
  });

  it('list every case of an operation or event, so that a new one is missed by the compiler', () => {
    const open = [...parsed].flatMap(([file, nodes]) => openSwitches(file, nodes).map((on) => `${file} ${on}`));
    expect([...new Set(open)].sort()).toEqual(Object.keys(DEFAULTS).sort());
  });

  it('have no line wider than a page, in code, tests and models', () => {
    const all = ['src', 'test', 'bench', 'models'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(ts|mjs|cat|ohm)$/.test(file))
        .map((file) => join(folder, file)),
    );
    const wide = all.flatMap((file) => {
      const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
      return lines.flatMap((line, at) => (line.length > WIDEST_LINE ? [`${file}:${at + 1}`] : []));
    });
    expect(wide).toEqual([]);
  });
});

function withoutComments(file: string): string {
  return readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
}

/** A part of the syntax tree (ESTree), as the parser of vite has it. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The nodes of a file, each with its parents, the nearest first. */
function* nodesOf(file: string): Iterable<readonly [node: Node, parents: readonly Node[]]> {
  const { program } = parseSync(file, readFileSync(join(SRC, file), 'utf8'));
  const waiting: [Node, readonly Node[]][] = [[program as unknown as Node, []]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    const [node, parents] = next;
    for (const value of Object.values(node).flat()) if (isNode(value)) waiting.push([value, [node, ...parents]]);
  }
}

const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
type Nodes = readonly (readonly [node: Node, parents: readonly Node[]])[];
/** What the two laws of functions and switches look at, by file; walked once. */
const parsed: ReadonlyMap<string, Nodes> = new Map(
  files.map((file) => [
    file,
    [...nodesOf(file)].filter(([{ type }]) => type === 'SwitchStatement' || FUNCTION.test(type)),
  ]),
);

function longFunctions(file: string, nodes: Nodes): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return nodes.flatMap(([node, parents]) => {
    const lines = text.slice(node.start, node.end).split('\n').length;
    return FUNCTION.test(node.type) && lines > LONGEST_FUNCTION ? [nameOf([node, ...parents])] : [];
  });
}

/** The name of a function, or of what it is given to. */
function nameOf(path: readonly Node[]): string {
  const names = path.flatMap(({ id, key }) =>
    [id, key].flatMap((one) => (isNode(one) ? [String(one['name'] ?? one['value'])] : [])),
  );
  const own = path.findIndex(({ type }) => type === 'ClassDeclaration');
  const [name = 'without a name', outer = ''] = names;
  return own >= 0 && outer !== '' ? `${outer}.${name}` : name;
}

const discriminants = /^(kind|action|step)$/;
/** What operations and events say of themselves. */
const CASES = new Set(
  ['program/operation.ts', 'program/async-operation.ts', 'program/mbarrier-operation.ts', 'events/program-event.ts']
    .flatMap((file) => [...nodesOf(file)])
    .flatMap(([{ type, key, typeAnnotation }, [, parent]]) => {
      const name = isNode(key) ? String(key['name'] ?? key['value']) : '';
      if (type !== 'TSPropertySignature') return [];
      if (isNode(parent) && isNode(parent['id']) && parent['id']['name'] === 'Members') return [name];
      return discriminants.test(name) ? literalsIn(typeAnnotation) : [];
    }),
);

function literalsIn(value: unknown): readonly string[] {
  if (!isNode(value)) return [];
  if (value.type === 'Literal') return [String(value['value'])];
  return Object.values(value).flat().flatMap(literalsIn);
}

/** The switches over what an operation or event is that have a default; each by its function and what it is over. */
function openSwitches(file: string, nodes: Nodes): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return nodes.flatMap(([node, parents]) => {
    if (node.type !== 'SwitchStatement') return [];
    const on = node['discriminant'] as Node;
    const cases = (node['cases'] as readonly Node[]).map(({ test }) => (isNode(test) ? test['value'] : undefined));
    const property = isNode(on['property']) ? String(on['property']['name']) : '';
    const isOurs = discriminants.test(property) && cases.every((one) => one === undefined || CASES.has(String(one)));
    return isOurs && cases.includes(undefined) ? [`${nameOf(parents)} ${text.slice(on.start, on.end)}`] : [];
  });
}
