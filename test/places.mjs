import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

/**
 * Places in the code by the names that are declared there, so that a deliberate mistake stays where it belongs when
 * files are moved or laid out anew: `findJoins` is a function, `Interpreter.step` a method, `DECODE.mapa` an entry of a
 * table, and `ptx-9.4/causality` a definition or an axiom of a model. Where two folders declare one name, the folder
 * comes first: `operational/fits`. Within a place a mistake names the few words that it replaces; layout does not
 * matter.
 */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** By name, every place that has it: its file, from the top, and where it begins and ends there. Read once. */
let known;
function places() {
  if (known !== undefined) return known;
  known = new Map();
  const add = (name, place) => known.set(name, [...(known.get(name) ?? []), place]);
  for (const file of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.d.ts')) continue;
    const path = join('src', file);
    const { program } = parseSync(path, readFileSync(join(ROOT, path), 'utf8'));
    for (const { name, start, end } of declarations(program.body)) {
      add(name, { path, start, end });
      add(`${dirname(file)}/${name}`, { path, start, end });
    }
  }
  for (const file of readdirSync(join(ROOT, 'models'))) {
    if (!file.endsWith('.cat')) continue;
    const path = join('models', file);
    for (const { name, start, end } of statements(readFileSync(join(ROOT, path), 'utf8'))) {
      add(`${basename(file, '.cat')}/${name}`, { path, start, end });
    }
  }
  return known;
}

/** What a file declares: functions, classes with their members, constants with the entries of tables (ESTree). */
function* declarations(body) {
  for (const statement of body) {
    const declared = statement.declaration ?? statement;
    const nodes = declared.type === 'VariableDeclaration' ? declared.declarations : [declared];
    for (const node of nodes) {
      if (node?.id?.type !== 'Identifier' || node.type.startsWith('TS')) continue;
      yield { name: node.id.name, start: statement.start, end: statement.end };
      for (const member of membersOf(node)) {
        const name = member.key?.name ?? member.key?.value;
        if (name !== undefined) yield { name: `${node.id.name}.${name}`, start: member.start, end: member.end };
      }
    }
  }
}

function membersOf(node) {
  if (node.type === 'ClassDeclaration') return node.body.body;
  const value = ['TSSatisfiesExpression', 'TSAsExpression'].includes(node.init?.type)
    ? node.init.expression
    : node.init;
  return value?.type === 'ObjectExpression' ? value.properties : [];
}

/** The definitions and axioms of a model. */
function* statements(text) {
  const keyword = /^(let|acyclic|irreflexive|empty|flag|undefined_unless|assert)\b/gm;
  const starts = [...text.matchAll(keyword)].map(({ index }) => index);
  for (const [number, start] of starts.entries()) {
    const end = starts[number + 1] ?? text.length;
    const statement = text.slice(start, end);
    const name = /^let (?:rec )?([\w-]+)/.exec(statement)?.[1] ?? /\bas ([\w-]+)/.exec(statement)?.[1];
    if (name !== undefined) yield { name, start, end };
  }
}

/** The one place of that name. */
export function placeOf(name) {
  const found = places().get(name) ?? [];
  if (found.length !== 1)
    throw new Error(`${name} is declared ${found.length} times: ${found.map(({ path }) => path).join(', ')}`);
  return found[0];
}

/** Words and signs with where they stand; a comma before a closing bracket and the kind of quotes are layout. */
function tokens(text) {
  const all = [...text.matchAll(TOKEN)]
    .filter(([word]) => !COMMENT.test(word))
    .map(({ 0: word, index }) => ({ word: word.replace(/^"(.*)"$/s, "'$1'"), start: index, end: index + word.length }));
  return all.filter(({ word }, number) => !(word === ',' && /^[)\]}]$/.test(all[number + 1]?.word ?? '')));
}
const COMMENT = /^(?:\/\*[\s\S]*\*\/|\/\/.*|\(\*[\s\S]*\*\))$/;
const QUOTED = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/;
const TOKEN = new RegExp(
  [/\/\*[\s\S]*?\*\//, /\/\/[^\n]*/, /\(\*[\s\S]*?\*\)/, QUOTED, /[\w$]+/, /[^\s\w$]/]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/**
 * The files that a mistake changes, with their changed texts by path. A mistake says in which place (`in`) it replaces
 * which words (`from`, there exactly once) by which (`to`); `also`: more of the same.
 */
export function mutate({ what, also = [], ...first }) {
  const changed = new Map();
  const changes = [first, ...also].map((change) => {
    const place = placeOf(change.in);
    const text = readFileSync(join(ROOT, place.path), 'utf8');
    return { path: place.path, text, to: change.to, ...find(text, place, change.from, what) };
  });
  // From the end, so that what was found stays where it was found.
  for (const { path, text, start, end, to } of changes.sort((a, b) => b.start - a.start)) {
    const before = changed.get(path) ?? text;
    changed.set(path, before.slice(0, start) + to + before.slice(end));
  }
  return changed;
}

/** Where the words of a part stand in a place. */
function find(text, { start, end }, part, what) {
  const inside = tokens(text.slice(start, end));
  const wanted = tokens(part).map(({ word }) => word);
  const hits = inside.flatMap((_, at) => (wanted.every((word, next) => inside[at + next]?.word === word) ? [at] : []));
  if (hits.length !== 1) throw new Error(`"${what}": ${JSON.stringify(part)} is there ${hits.length} times`);
  const [at = 0] = hits;
  return { start: start + inside[at].start, end: start + inside[at + wanted.length - 1].end };
}
