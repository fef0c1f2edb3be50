import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { InstructionSyntax, ThreadSyntax } from '../syntax/litmus-ast.js';
import { decodeAtomic, decodeLoad, decodeStore } from './decode-access.js';
import { decodeArithmetic, decodeCompare, decodeConvert, decodeMove, decodeSelect } from './decode-arithmetic.js';
import { decodeBarrier, decodeBranch, decodeCompareBranch, decodeExit, decodeFence, decodeMembar } from './decode-synchronisation.js';
import type { Decoder } from './decoder.js';
import { type Family, INSTRUCTIONS, type InstructionSpec, isMnemonic, OTHER_PTX_INSTRUCTIONS } from './instruction-table.js';
import type { Qualifiers } from './qualifier-rules.js';
import { readQualifiers } from './read-qualifiers.js';

const DECODE: Readonly<Record<Family, (decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers) => void>> = {
  load: decodeLoad,
  store: decodeStore,
  atomic: decodeAtomic,
  fence: decodeFence,
  membar: decodeMembar,
  barrier: decodeBarrier,
  move: decodeMove,
  arithmetic: decodeArithmetic,
  compare: decodeCompare,
  select: decodeSelect,
  convert: decodeConvert,
  branch: decodeBranch,
  compareBranch: decodeCompareBranch,
  exit: decodeExit,
};

/** Turns a thread's statements into operations. Labels get the number of the statement before which they stand. */
export function decodeThread(decoder: Decoder, thread: ThreadSyntax): { readonly labels: ReadonlyMap<string, number>; readonly diagnostics: readonly Diagnostic[] } {
  const labels = new Map<string, number>();
  const diagnostics: Diagnostic[] = [];
  for (const statement of thread.statements) {
    if (statement.kind === 'label') {
      if (labels.has(statement.name)) diagnostics.push(error('L0107', statement.span, `label ${statement.name} is defined twice`));
      labels.set(statement.name, decoder.statements.length);
    } else if (statement.kind === 'instruction') {
      diagnostics.push(...decodeInstruction(decoder, statement));
    }
  }
  diagnostics.push(...decoder.diagnostics);
  for (const { operation, span } of decoder.statements) {
    if (operation.kind === 'branch' && !labels.has(operation.label)) {
      diagnostics.push(error('L0107', span, `unknown label ${operation.label}`, didYouMean(operation.label, labels.keys())));
    }
  }
  return { labels, diagnostics };
}

function decodeInstruction(decoder: Decoder, instruction: InstructionSyntax): readonly Diagnostic[] {
  const { mnemonic, mnemonicSpan } = instruction;
  if (!isMnemonic(mnemonic)) {
    if (OTHER_PTX_INSTRUCTIONS.has(mnemonic))
      return [error('L0106', mnemonicSpan, `${mnemonic} is PTX, but it has no meaning here yet`, 'a test that needs it cannot be decided by this version')];
    return [error('L0101', mnemonicSpan, `unknown instruction ${mnemonic}`, didYouMean(mnemonic, Object.keys(INSTRUCTIONS)))];
  }
  const spec: InstructionSpec = INSTRUCTIONS[mnemonic];
  const { qualifiers, diagnostics } = readQualifiers(instruction, spec);
  if (diagnostics.length > 0) return diagnostics;
  const [least, most] = spec.operandCount;
  const found = instruction.operands.length;
  if (found < least || found > most) {
    const expected = spec.operands === '' ? 'no operands' : `operands ${spec.operands}`;
    return [error('L0104', instruction.span, `${mnemonic} takes ${expected}, found ${found === 0 ? 'none' : `${found}`}`)];
  }
  DECODE[spec.family](decoder, instruction, qualifiers);
  return [];
}
