import type { Range } from '../diagnostics/scanner.js';
import type { InstructionSyntax, Statement } from '../syntax/litmus-ast.js';
import { parseStatement } from '../syntax/parse-statement.js';
import { regionsOf, withoutComments } from './regions.js';

/** An instruction of a text, by its places in the whole of it. */
export interface PlacedInstruction extends Range {
  readonly syntax: InstructionSyntax;
  /** Of its name and qualifiers. */
  readonly opcode: Range;
}

/** The instruction that stands at an offset. */
export function instructionAt(path: string, text: string, offset: number): PlacedInstruction | undefined {
  const region = regionsOf(path, text).find(
    ({ kind, start, end }) => kind === 'statement' && start <= offset && offset <= end,
  );
  return region === undefined ? undefined : instructionIn(text, region);
}

/** All of them. */
export function instructionsOf(path: string, text: string): readonly PlacedInstruction[] {
  return regionsOf(path, text).flatMap((region) =>
    region.kind === 'statement' ? (instructionIn(text, region) ?? []) : [],
  );
}

function instructionIn(text: string, { start, end }: Range): PlacedInstruction | undefined {
  const source = { path: '', text: withoutComments(text.slice(start, end)) };
  const { value } = parseStatement({ source, start: 0, end: source.text.length });
  const syntax = (value ?? []).find((one: Statement): one is InstructionSyntax => one.kind === 'instruction');
  if (syntax === undefined) return undefined;
  const last = syntax.qualifiers.at(-1)?.span ?? syntax.mnemonicSpan;
  return {
    syntax,
    start: start + syntax.span.start,
    end: start + syntax.span.end,
    opcode: { start: start + syntax.mnemonicSpan.start, end: start + last.end },
  };
}
