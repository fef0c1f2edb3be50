import type { VariableSyntax } from '../syntax/litmus-ast.js';
import type { ModuleEntry } from '../syntax/module-ast.js';

/** Instructions that hand a pointer on. */
const HANDS_ON = /^\s*(?:@!?%?\w+\s+)?(?:mov|add|sub|cvta|selp|mad)(?:\.\w+)*\.[ubs]64\s+(%?\w+),\s*([^;]*);/gm;
const ACCESS = /^\s*(?:@!?%?\w+\s+)?(?:ld|st|atom|red)((?:\.[\w:]+)+)\s+[^;[]*\[\s*(%?\w+)[\s+\-\w]*\]/gm;
const TYPE = /^[ubsf](?:8|16|32|64)$/;

/** The type of the elements that a kernel accesses by a parameter, if it is one type; else undefined. */
export function elementType(entry: ModuleEntry, { name }: VariableSyntax): string | undefined {
  const { source, start, end } = entry.body;
  const { pointersFrom, typesOf } = readBody(source.text.slice(start, end));
  const pointers = new Set(pointersFrom.get(name));
  return oneOf(new Set([...pointers].flatMap((register) => [...(typesOf.get(register) ?? [])])));
}

/** The places in a structure that a kernel loads from. */
export function loadsOf(entry: ModuleEntry, { name }: VariableSyntax): ReadonlySet<number> {
  const { source, start, end } = entry.body;
  const places = new Set<number>();
  for (const [, vector = '1', bits = '32', parameter, offset = '0'] of source.text.slice(start, end).matchAll(LOAD))
    if (parameter === name)
      for (let i = 0; i < Number(vector); i++) places.add(Number(offset) + (i * Number(bits)) / 8);
  return places;
}
const LOAD = /ld\.param(?:\.v([248]))?\.[ubsf](\d+)\s+[^[]*\[\s*([\w$]+)(?:\s*\+\s*(\d+))?\s*\]/g;

/** Types of one width that differ are bits of that width. */
function oneOf(types: ReadonlySet<string>): string | undefined {
  const [first] = types;
  if (first === undefined || types.size === 1) return first;
  const widths = new Set([...types].map((type) => type.slice(1)));
  return widths.size === 1 ? `b${first.slice(1)}` : undefined;
}

interface ReadBody {
  /** By parameter: the registers that hold it, or a sum with it. */
  readonly pointersFrom: ReadonlyMap<string, ReadonlySet<string>>;
  /** By register: the types of what is accessed by it. */
  readonly typesOf: ReadonlyMap<string, ReadonlySet<string>>;
}

const READ = new Map<string, ReadBody>();
const MOST_READ = 8;

function readBody(body: string): ReadBody {
  const known = READ.get(body);
  if (known !== undefined) return known;
  const targets = new Map<string, string[]>();
  for (const [, target = '', operands = ''] of body.matchAll(HANDS_ON))
    for (const operand of operands.match(/%\w+/g) ?? [])
      targets.set(operand, [...(targets.get(operand) ?? []), target]);
  const typesOf = new Map<string, Set<string>>();
  for (const [, words = '', register = ''] of body.matchAll(ACCESS)) {
    const type = words.split('.').findLast((word) => TYPE.test(word));
    if (type !== undefined) typesOf.set(register, (typesOf.get(register) ?? new Set()).add(type));
  }
  const pointersFrom = new Map<string, ReadonlySet<string>>();
  for (const [, register = '', parameter = ''] of body.matchAll(
    /ld\.param\.[ub]64\s+(%?\w+),\s*\[\s*([\w$]+)(?:\s*\+\s*0)?\s*\]/g,
  )) {
    const pointers = new Set([...(pointersFrom.get(parameter) ?? []), register]);
    for (const pointer of pointers) for (const target of targets.get(pointer) ?? []) pointers.add(target);
    pointersFrom.set(parameter, pointers);
  }
  if (READ.size >= MOST_READ) READ.clear();
  const read = { pointersFrom, typesOf };
  READ.set(body, read);
  return read;
}
