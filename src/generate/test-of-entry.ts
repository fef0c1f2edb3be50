import { baseName } from '../diagnostics/source.js';
import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import type { VariableSyntax } from '../syntax/litmus-ast.js';
import type { ModuleEntry, ModuleFile } from '../syntax/module-ast.js';

/**
 * A kernel test to start from, for a kernel of a module: a launch of it, and memory for its pointers. What the module
 * does not say is a guess, and marked as one.
 */
export function testOfEntry(module: ModuleFile, entry: ModuleEntry): string {
  const body = entry.body.source.text.slice(entry.body.start, entry.body.end);
  const taken = new Set(module.variables.map(({ variable }) => variable.name));
  const parameters = entry.parameters.map((parameter, index) => argumentFor(parameter, body, nameFor(index, taken)));
  const path = baseName(module.source.path);
  const lines = [
    `PTX ${entry.name}`,
    `"The kernel ${entry.name} of ${path}: a test to start from."`,
    '{',
    ...parameters.flatMap(({ declared }) => declared),
    '}',
    `launch K "${path}" :: ${entry.name} (${parameters.map(({ given }) => given).join(', ')})`,
    `  @ ${placeOf(module, entry, body)} {  // a guess`,
    '  run auto;',
    '}',
    ...['no-race', 'no-undefined', 'no-deadlock', 'no-trap', 'no-uninitialized'].map(
      (expected) => `expect ${expected}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

const GUESSED_BYTES = 1024;
const GUESSED_BLOCK = 64;

function placeOf({ variables }: ModuleFile, { bounds }: ModuleEntry, body: string): string {
  const size = (numbers: readonly number[]): string =>
    numbers.length > 1 ? `(${numbers.join(', ')})` : `${numbers[0]}`;
  const block = bounds.get('reqntid');
  const cluster = bounds.get('reqnctapercluster');
  const inClusters = bounds.has('explicitcluster') || /\bbarrier\.cluster\b|\bmapa\b/.test(body);
  const dynamic = variables.some(
    ({ isExternal, variable }) => isExternal && variable.directives.some(({ name }) => name === 'shared'),
  );
  return [
    `grid ${cluster === undefined ? '2' : size(cluster)}`,
    `block ${block === undefined ? GUESSED_BLOCK : size(block)}`,
    ...(cluster === undefined && inClusters ? ['cluster 2'] : []),
    ...(dynamic ? [`shared ${GUESSED_BYTES}`] : []),
  ].join(', ');
}

function nameFor(index: number, taken: ReadonlySet<string>): string {
  let name = `data${index}`;
  while (taken.has(name)) name += '_';
  return name;
}

function argumentFor(
  parameter: VariableSyntax,
  body: string,
  location: string,
): { readonly declared: readonly string[]; readonly given: string } {
  const { elements, directives } = parameter;
  if (elements === DESCRIPTOR_BYTES && directives.some(({ name, argument }) => name === 'align' && argument === 64n)) {
    const tensor = `tensormap(.f16, ${location}, dims {16, 16}, strides {32}, box {16, 16})`;
    return {
      declared: [
        `  .global .align 128 .b8 ${location}[${GUESSED_BYTES}];  // a guess: its size`,
        `  map_${location} = ${tensor};  // a guess`,
      ],
      given: `map_${location}`,
    };
  }
  if (elements !== undefined)
    return { declared: [`  // ${elements} bytes of a structure: write { field, … } for ?`], given: '?' };
  if (isPointer(parameter, body))
    return {
      declared: [`  .global .align 16 .b8 ${location}[${GUESSED_BYTES}];  // a guess: its size`],
      given: `&${location}`,
    };
  const float = directives.map(({ name }) => name).find((name) => /^f(32|64)$/.test(name));
  return { declared: [], given: float === undefined ? '1 /* a guess */' : `${float} 1.0 /* a guess */` };
}

/** Instructions that hand a pointer on. */
const POINTERS = /^\s*(?:@!?%?\w+\s+)?(?:mov|add|sub|cvta|selp)(?:\.\w+)*\.[ubs]64\s+(%?\w+),\s*([^;]*);/gm;

/** A parameter whose value, or a sum with it, is an address. */
function isPointer({ name, directives }: VariableSyntax, body: string): boolean {
  if (directives.some((one) => one.name === 'ptr')) return true;
  const load = new RegExp(`ld\\.param\\.[ub]64\\s+(%?\\w+),\\s*\\[${name.replace(/[$]/g, '\\$&')}\\]`);
  const [, register] = load.exec(body) ?? [];
  if (register === undefined) return false;
  const pointers = new Set([register]);
  const handedOn = [...body.matchAll(POINTERS)];
  for (const pointer of pointers)
    for (const [, target = '', operands = ''] of handedOn)
      if (new RegExp(`(?<![%\\w])${pointer}(?!\\w)`).test(operands)) pointers.add(target);
  return [...pointers].some((one) =>
    new RegExp(`(cvta\\.to\\.global\\.u64\\s+%?\\w+,\\s*|\\[)${one}(?!\\w)`).test(body),
  );
}
