import { loadTests } from '../check/load-tests.js';
import type { Source } from '../diagnostics/source.js';
import { effectsOf } from '../effects/effects-of.js';
import { BASE_KINDS } from '../execution/base-relations.js';
import type { Instruction } from '../isa/instruction.js';
import { type Found, findInstruction } from '../isa/instruction-table.js';
import type { Program } from '../program/program.js';
import { instructionAt, type PlacedInstruction } from './instruction-at.js';
import { knownMeaning, meaningOf } from './meaning.js';
import { definitionOf, nameAt, namesOf } from './names.js';
import { regionsOf } from './regions.js';
import { sectionOf } from './sections.js';
import { kindOf } from './text-kind.js';

/** What is told of a place in a text, in Markdown. */
export interface Hover {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What an instruction means for the order of memory, with its section; where a name is defined. */
export function hoverAt(source: Source, offset: number): Hover | undefined {
  const { path, text } = source;
  if (kindOf(path) !== 'model') {
    const found = instructionAt(path, text, offset);
    if (found !== undefined && offset >= found.opcode.start && offset <= found.opcode.end)
      return { ...found.opcode, text: describeInstruction(source, found) };
  }
  const names = namesOf(path, text);
  const use = nameAt(names, offset);
  if (use === undefined) return kindOf(path) === 'model' ? vocabularyAt(text, offset) : undefined;
  const definition = definitionOf(names, use) ?? use;
  const line = text.slice(text.lastIndexOf('\n', definition.start - 1) + 1).split('\n', 1)[0] ?? '';
  return { start: use.start, end: use.end, text: `${use.role} \`${use.name}\`\n\n\`\`\`\n${line.trim()}\n\`\`\`` };
}

function describeInstruction(source: Source, { syntax, start, opcode, end }: PlacedInstruction): string {
  const found = findInstruction(syntax);
  const written = [syntax.mnemonic, ...syntax.qualifiers.map(({ text }) => text)].join('.');
  // Functions are put in their callers' places.
  if (syntax.mnemonic === 'call')
    return '**`call`**: goes on in a function, and comes back: no effect on memory itself';
  if (found === undefined) return `\`${written}\` is no instruction that is known here`;
  const { name, entry } = found;
  if (entry === undefined) return `\`${name}\` is PTX, and has no meaning here yet`;
  const section = sectionOf(written) ?? sectionOf(name);
  const alone = source.text.slice(opcode.start, end);
  const meaning = meaningAt(source, start, written) ?? meaningAlone(alone, written) ?? [];
  return [
    `**\`${name}\`** \`${entry.operands}\`${section === undefined ? '' : `: PTX ISA ${section}`}`,
    ...meaning.map((sentence) => `* ${sentence}`),
    ...(meaning.length === 0 ? [describeForm(found, entry)] : []),
  ].join('\n');
}

/** What it may be written with, where nothing is known of what it does. */
function describeForm({ name }: Found, { slots }: Instruction): string {
  const given = Object.values(slots).map((values) => values.map((value) => `.${value}`).join(' '));
  return `\`${name}\` takes ${given.length === 0 ? 'no qualifiers' : given.map((one) => `\`${one}\``).join(', ')}`;
}

/** What the operations mean that an instruction was decoded to; of a body of several threads, those of the first. */
function meaningAt(source: Source, start: number, written: string): readonly string[] | undefined {
  // The threads of a launch would be followed for that.
  const isWithLaunches = regionsOf(source.path, source.text).some(({ kind }) => kind === 'launch');
  if (kindOf(source.path) !== 'litmus' || isWithLaunches) return undefined;
  const programs = loadTests(source).value ?? [];
  let begins = 0;
  for (const program of programs) {
    const found = meaningIn(program, start - begins, written);
    if (found !== undefined && start >= begins && start < begins + program.source.text.length) return found;
    begins += program.source.text.length;
  }
  return undefined;
}

/**
 * What it means by itself: of a module, of a kernel test, or beside a mistake; without what other lines say of it.
 * Addresses are registers, as in modules, since nothing is declared.
 */
function meaningAlone(instruction: string, written: string): readonly string[] | undefined {
  const alone = instruction.replace(/\[\s*(?=[\p{L}_$])/gu, '[%at_');
  const text = `PTX alone\n{ }\nP0 @ cta 0, cluster 0 {\n  ${alone};\n}\nexists (true)\n`;
  const [program] = loadTests({ path: 'alone.litmus', text }).value ?? [];
  return (program && meaningIn(program, text.indexOf(alone), written)) ?? knownMeaning(written);
}

function meaningIn({ threads, source }: Program, at: number, written: string): readonly string[] | undefined {
  for (const { statements } of threads) {
    const own = statements.filter(({ span }) => span.source === source && span.start <= at && at < span.end);
    if (own.length === 0) continue;
    const effects = own.flatMap(({ operation }) => effectsOf(operation));
    const meaning = meaningOf(effects, written);
    return meaning.length > 0 ? meaning : ['works on registers, or says where to go on: no effect on memory'];
  }
  return undefined;
}

/** A name that every model starts with. */
function vocabularyAt(text: string, offset: number): Hover | undefined {
  const before = /[\w.-]*$/.exec(text.slice(0, offset))?.[0] ?? '';
  const start = offset - before.length;
  const word = /^[\w.-]+/.exec(text.slice(start))?.[0] ?? '';
  const kind = BASE_KINDS.get(word);
  return kind === undefined
    ? undefined
    : { start, end: start + word.length, text: `\`${word}\`: a ${kind} of the vocabulary (docs/cat.md)` };
}
