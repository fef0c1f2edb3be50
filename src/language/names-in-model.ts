import type { NameUse } from './names.js';
import { withoutComments } from './regions.js';

const WORDS = new Set(
  (
    'let rec and as include acyclic irreflexive empty flag undefined_unless if then else show unshow domain range ' +
    'fencerel toid'
  ).split(' '),
);
const KEYWORD = /(?<![\w.-])(?:let|and|include|acyclic|irreflexive|empty|flag|undefined_unless|show|unshow)(?![\w.-])/g;
const NAME = /(?<![\w.-])[A-Za-z_][\w.-]*/g;

/** The names that a model in cat defines, and where it uses them; parameters belong to their definition. */
export function namesInModel(text: string): readonly NameUse[] {
  const plain = withoutComments(text).replace(/"[^"\n]*"?/g, (quoted) => ' '.repeat(quoted.length));
  const starts = [...plain.matchAll(KEYWORD)].map(({ index }) => index);
  const parts = starts.map((start, i) => ({ start, text: plain.slice(start, starts[i + 1]) }));
  const defined = new Set(parts.flatMap((part) => headOf(part.text)?.name ?? []));
  return parts.flatMap(({ start, text: part }, i) => {
    const head = headOf(part);
    const parameters = new Set(head?.parameters ?? []);
    return [...part.matchAll(NAME)].flatMap(({ 0: name, index }): readonly NameUse[] => {
      if (WORDS.has(name)) return [];
      const place = { start: start + index, end: start + index + name.length, name, role: 'definition' as const };
      const isHead = index === head?.at;
      if (parameters.has(name) && !isHead)
        return [{ ...place, key: `definition ${i} ${name}`, isDefinition: index < (head?.end ?? 0) }];
      return defined.has(name) && !isAxiomName(part, index)
        ? [{ ...place, key: `definition model ${name}`, isDefinition: isHead }]
        : [];
    });
  });
}

interface Head {
  readonly name: string;
  readonly at: number;
  /** Behind its parameters. */
  readonly end: number;
  readonly parameters: readonly string[];
}

/** `let f(r, s) =`. */
function headOf(part: string): Head | undefined {
  const found = /^(?:let(?:\s+rec)?|and)\s+([A-Za-z_][\w.-]*)\s*(?:\(([^)]*)\))?\s*=/d.exec(part);
  const at = found?.indices?.[1]?.[0];
  if (found?.[1] === undefined || at === undefined) return undefined;
  const parameters = (found[2] ?? '').split(',').map((one) => one.trim());
  return { name: found[1], at, end: found[0].length, parameters: parameters.filter((one) => one !== '') };
}

/** Behind `as` stands the name of an axiom, which nothing uses. */
const isAxiomName = (part: string, at: number): boolean => /\bas\s+$/.test(part.slice(0, at));
