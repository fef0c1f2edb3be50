import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { CheckBudget } from '../program/undecided.js';
import type { InstructionSyntax, ThreadSyntax } from '../syntax/litmus-ast.js';
import type { Decoder } from './decoder.js';
import { findInstruction, instructionNames } from './instruction-table.js';
import { readBeforeWriting } from './read-before-write.js';
import { readQualifiers } from './read-qualifiers.js';

/** Turns a thread's statements into operations. Labels get the number of the statement before which they stand. */
export function decodeThread(
  decoder: Decoder,
  thread: ThreadSyntax,
  checkBudget: CheckBudget,
): { readonly labels: ReadonlyMap<string, number>; readonly diagnostics: readonly Diagnostic[] } {
  const labels = new Map<string, number>();
  const diagnostics: Diagnostic[] = [];
  for (const statement of thread.statements) {
    checkBudget();
    if (statement.kind === 'label') {
      if (labels.has(statement.name))
        diagnostics.push(error('L0107', statement.span, `label ${statement.name} is defined twice`));
      labels.set(statement.name, decoder.statements.length);
    } else if (statement.kind === 'instruction') {
      diagnostics.push(...decodeInstruction(decoder, statement));
    }
  }
  diagnostics.push(...decoder.diagnostics);
  for (const { operation, span } of decoder.statements) {
    if (operation.kind === 'branch' && !labels.has(operation.label)) {
      diagnostics.push(
        error('L0107', span, `unknown label ${operation.label}`, didYouMean(operation.label, labels.keys())),
      );
    }
  }
  return { labels, diagnostics };
}

function decodeInstruction(decoder: Decoder, instruction: InstructionSyntax): readonly Diagnostic[] {
  const found = findInstruction(instruction);
  if (found === undefined) return [unknownInstruction(instruction)];
  const { name, entry } = found;
  if (entry === undefined)
    return [
      error(
        'L0106',
        instruction.mnemonicSpan,
        `${name} is PTX, but it has no meaning here yet`,
        'a test that needs it cannot be decided by this version',
      ),
    ];
  const { qualifiers, diagnostics } = readQualifiers(instruction, name, entry, found.qualifiers);
  if (qualifiers === undefined) return diagnostics;
  const [least, most] = entry.operandCount;
  const operands = instruction.operands.length;
  if (operands < least || operands > most) {
    const expected = entry.operands === '' ? 'no operands' : `operands ${entry.operands}`;
    return [
      error('L0104', instruction.span, `${name} takes ${expected}, found ${operands === 0 ? 'none' : `${operands}`}`),
    ];
  }
  const first = decoder.statements.length;
  entry.decode(decoder, instruction, qualifiers);
  readBeforeWriting(decoder, first);
  return [];
}

function unknownInstruction({ mnemonic, mnemonicSpan, qualifiers, span }: InstructionSyntax): Diagnostic {
  const names = instructionNames();
  const forms = names.filter((name) => name.startsWith(`${mnemonic}.`));
  const words = [mnemonic, ...qualifiers.map(({ text }) => text)];
  if (forms.length === 0)
    return error('L0101', mnemonicSpan, `unknown instruction ${mnemonic}`, didYouMean(mnemonic, names));
  return error(
    'L0101',
    span,
    `no form of ${mnemonic} begins with ${words.slice(0, 2).join('.')}`,
    didYouMean(words.join('.'), forms) ?? `${mnemonic} has the forms ${forms.join(', ')}`,
  );
}
