import type { VariableSyntax } from '../syntax/litmus-ast.js';
import type { ModuleEntry, ModuleFile, ModuleFunction, ModuleVariable } from '../syntax/module-ast.js';

/**
 * A litmus test to start from, for a kernel of a module: its parameters and variables, the functions that it calls, and
 * its body for three threads, two in one CTA. What the module does not say is a guess, and marked as one.
 */
export function testOfEntry(module: ModuleFile, entry: ModuleEntry): string {
  const body = textOf(entry);
  const functions = functionsCalled(module, body);
  const text = [body, ...functions.map((one) => one.text)].join('\n');
  const variables = module.variables.filter(({ variable }) => mentions(text, variable.name));
  const taken = new Set([
    ...variables.map(({ variable }) => variable.name),
    ...entry.parameters.map(({ name }) => name),
  ]);
  const lines = [
    `PTX ${entry.name}`,
    `"The kernel ${entry.name} of ${fileName(module.source.path)}: a test to start from."`,
    '{',
    ...entry.parameters.flatMap((parameter, index) => declareParameter(parameter, body, nameFor(index, taken))),
    ...variables.map((one) => declareVariable(one, taken)),
    '}',
    ...functions.map((one) => one.text),
    `${THREADS}${usesClusters(entry, text) ? CLUSTER : ''} {${body.trimEnd()}`,
    '}',
    ...['no-race', 'no-undefined', 'no-deadlock', 'no-trap'].map((expected) => `expect ${expected}`),
  ];
  return `${lines.join('\n')}\n`;
}

const THREADS = 'P0, P1, P2 @ cta 0, 0, 1';
const CLUSTER = ', cluster 0, 0, 0';
const GUESSED_BYTES = 1024;

const textOf = ({ body }: ModuleEntry): string => body.source.text.slice(body.start, body.end);
const fileName = (path: string): string => path.replace(/^.*[\\/]/, '');

/** Whether a name stands in a text, not as a part of another one. */
function mentions(text: string, name: string): boolean {
  const part = /[\w$%.]/;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (!part.test(text[at - 1] ?? ' ') && !part.test(text[at + name.length] ?? ' ')) return true;
  return false;
}

/** The functions that a body calls, and those that these call; of one that is declared and defined, the definition. */
function functionsCalled({ functions }: ModuleFile, body: string): readonly ModuleFunction[] {
  const byName = new Map<string, ModuleFunction>();
  for (const one of functions) if (one.isDefined || !byName.has(one.name)) byName.set(one.name, one);
  const called = new Set<ModuleFunction>();
  const pending = [body];
  for (let text = pending.pop(); text !== undefined; text = pending.pop())
    for (const one of byName.values()) {
      if (called.has(one) || !mentions(text, one.name)) continue;
      called.add(one);
      if (one.isDefined) pending.push(one.text);
    }
  return [...byName.values()].filter((one) => called.has(one));
}

function usesClusters({ bounds }: ModuleEntry, text: string): boolean {
  return bounds.has('reqnctapercluster') || bounds.has('explicitcluster') || /\bbarrier\.cluster\b|\bmapa\b/.test(text);
}

function nameFor(index: number, taken: ReadonlySet<string>): string {
  let name = `data${index}`;
  while (taken.has(name)) name += '_';
  return name;
}

function declareParameter(parameter: VariableSyntax, body: string, location: string): readonly string[] {
  const declared = written(parameter);
  if (parameter.elements !== undefined) return [`  ${declared};  // a guess: zeros`];
  if (isPointer(parameter, body))
    return [
      `  .global .align 16 .b8 ${location}[${GUESSED_BYTES}];  // a guess: its size`,
      `  ${declared} = &${location};`,
    ];
  const isFloat = parameter.directives.some(({ name }) => /^f(32|64)$/.test(name));
  return [`  ${declared} = ${isFloat ? '1.0' : '1'};  // a guess`];
}

/** A parameter whose value goes into an address, as far as the text shows it at once. */
function isPointer({ name, directives }: VariableSyntax, body: string): boolean {
  if (directives.some((one) => one.name === 'ptr')) return true;
  const load = new RegExp(`ld\\.param\\.[ub]64\\s+(%?\\w+),\\s*\\[${name.replace(/[$]/g, '\\$&')}\\]`);
  const [, register] = load.exec(body) ?? [];
  if (register === undefined) return false;
  return new RegExp(`(cvta\\.to\\.global\\.u64\\s+%?\\w+,\\s*|\\[)${register}(?!\\w)`).test(body);
}

function declareVariable({ variable, isExternal, initial }: ModuleVariable, declared: ReadonlySet<string>): string {
  const isSized = variable.elements !== 0;
  const text = written(isSized ? variable : { ...variable, elements: GUESSED_BYTES });
  const guess = isSized ? '' : '  // a guess: its size';
  if (isExternal || variable.directives.some(({ name }) => name === 'shared')) return `  ${text} = ?;${guess}`;
  if (initial === undefined) return `  ${text};${guess}`;
  // The name of another variable is its address, and so is the generic one of it.
  const [, pointed = ''] = /^(?:generic\()?([\w$]+)\)?$/.exec(initial) ?? [];
  if (declared.has(pointed)) return `  ${text} = ${pointed};`;
  return NUMBERS.test(initial) ? `  ${text} = ${initial};` : `  ${text} = ?;  // ${initial.replace(/\s+/g, ' ')}`;
}

const NUMBER = String.raw`\s*-?(0[xX][0-9a-fA-F]+|0[fFdD][0-9a-fA-F]+|\d+(\.\d+)?)\s*`;
const NUMBERS = new RegExp(`^(${NUMBER}|\\{(${NUMBER}(,${NUMBER})*)?\\})$`);

/** A declaration as litmus tests have it: without attributes of pointers. */
function written({ directives, name, elements }: VariableSyntax): string {
  const words: string[] = [];
  let pointed = false;
  for (const { name: word, argument } of directives) {
    // What stands behind .ptr is of the location that it points to.
    pointed ||= word === 'ptr';
    if (!pointed) words.push(`.${word}${argument === undefined ? '' : ` ${argument}`}`);
  }
  return `${words.join(' ')} ${name}${elements === undefined ? '' : `[${elements}]`}`;
}
