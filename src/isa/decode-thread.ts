import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Span } from '../diagnostics/source.js';
import { registersRead, registersWritten } from '../program/operands.js';
import { remembered } from '../program/remembered.js';
import type { CheckBudget } from '../program/undecided.js';
import type { InstructionSyntax, Statement } from '../syntax/litmus-ast.js';
import { contractProducts } from './contraction.js';
import { decodeCopy, type HandedOver } from './decode-parameters.js';
import type { Decoder } from './decoder.js';
import { fuseSteps } from './fuse-steps.js';
import type { Instruction } from './instruction.js';
import { InstructionDecoder } from './instruction-decoder.js';
import { findInstruction, instructionNames } from './instruction-table.js';
import type { Qualifiers } from './qualifier-rules.js';
import { readBeforeWriting } from './read-before-write.js';
import { readQualifiers } from './read-qualifiers.js';
import { noticeWaits } from './register-count.js';
import { B64 } from './typed-operands.js';
import { noticeRegisters } from './wgmma.js';

/** A statement of a body without blocks and calls: a label, an instruction, or what a call hands over. */
export type FlatStatement =
  | Extract<Statement, { kind: 'label' | 'registers' }>
  | InstructionSyntax
  | HandedOver
  /** Of a kernel: what has no meaning, and is wrong where a thread comes to it; `next`: where it would go on. */
  | { readonly kind: 'refused'; readonly diagnostic: Diagnostic; readonly next?: string; readonly span: Span };

/** Turns a thread's statements into operations. Labels get the number of the statement before which they stand. */
export function decodeThread(
  decoder: Decoder,
  thread: { readonly statements: readonly FlatStatement[] },
  checkBudget: CheckBudget,
): { readonly labels: ReadonlyMap<string, number>; readonly diagnostics: readonly Diagnostic[] } {
  const labels = new Map<string, number>();
  const diagnostics: Diagnostic[] = [];
  for (const statement of thread.statements) {
    checkBudget();
    if (statement.kind === 'label') {
      if (labels.has(statement.name)) diagnostics.push(labelTwice(statement));
      labels.set(statement.name, decoder.statements.length);
      decoder.flagKind = undefined;
    } else if (statement.kind === 'copy') {
      decodeCopy(decoder, statement);
    } else if (statement.kind === 'instruction') {
      diagnostics.push(...decodeInstruction(decoder, statement));
    }
  }
  const placed = contractProducts(decoder);
  if (placed !== undefined) for (const [name, place] of labels) labels.set(name, placed(place));
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

/** A label that stands in a scope for the second time. */
export const labelTwice = ({ name, span }: Extract<FlatStatement, { readonly kind: 'label' }>): Diagnostic =>
  error('L0107', span, `label ${name} is defined twice`, 'give one of the two another name');

const PAIR = 'launch it in clusters of an even number of CTAs';

/** Decodes one instruction; what is wrong with it is told here, or by the decoder. */
export function decodeInstruction(decoder: Decoder, instruction: InstructionSyntax): readonly Diagnostic[] {
  const of = remembered(recognized, instruction, recognize);
  if (of.wrong !== undefined) return of.wrong;
  const { name, entry, qualifiers } = of;
  const at = withoutPolicy(new InstructionDecoder(decoder, instruction), entry);
  if (at === undefined) return [];
  const [least, most] = entry.operandCount;
  const operands = at.operands.length;
  if (operands < least || operands > most) {
    const expected = entry.operands === '' ? 'no operands' : `operands ${entry.operands}`;
    const policy = hasPolicy(at) ? ' before the cache policy' : '';
    return [
      error('L0104', at.span, `${name} takes ${expected}${policy}, found ${operands === 0 ? 'none' : `${operands}`}`),
    ];
  }
  const first = decoder.statements.length;
  const { rank, clusterSize } = decoder.thread.placement;
  if (decoder.thread.isLaunched && qualifiers['group'] === 'cta_group::2' && (rank ^ 1) >= clusterSize)
    return [
      error('L0103', at.span, `.cta_group::2 takes a pair of CTAs, and this one has no peer in its cluster`, PAIR),
    ];
  entry.decode(at, qualifiers);
  fuseSteps(decoder, first);
  if (decoder.thread.fragments.size > 0 && at.mnemonic !== 'wgmma') {
    const own = decoder.statements.slice(first);
    const accessed = own.flatMap(({ operation, guard }) => [
      ...registersRead(operation),
      ...registersWritten(operation),
      ...(guard === undefined ? [] : [guard.register]),
    ]);
    noticeRegisters(at, new Set(accessed));
  }
  if (decoder.thread.countsRegisters) noticeWaits(at);
  readBeforeWriting(decoder, first);
  const index = decoder.statements.length - 1;
  decoder.contractible.push(...decoder.parts.splice(0).map((part) => ({ ...part, index })));
  return [];
}

/** What an instruction says by itself, wherever it is executed: or what is wrong with that. */
type Recognized =
  | { readonly wrong: readonly Diagnostic[] }
  | { readonly wrong?: never; readonly name: string; readonly entry: Instruction; readonly qualifiers: Qualifiers };

const recognized = new WeakMap<InstructionSyntax, Recognized>();

function recognize(instruction: InstructionSyntax): Recognized {
  const found = findInstruction(instruction);
  if (found === undefined) return { wrong: [unknownInstruction(instruction)] };
  const { name, entry } = found;
  if (entry === undefined) {
    const message = `${name} is PTX, but it has no meaning here yet`;
    const hint = 'a test that needs it cannot be decided by this version';
    return { wrong: [error('L0106', instruction.mnemonicSpan, message, hint)] };
  }
  const { qualifiers, diagnostics } = readQualifiers(instruction, name, entry, found.qualifiers);
  return qualifiers === undefined ? { wrong: diagnostics } : { name, entry, qualifiers };
}

const hasPolicy = ({ qualifiers }: InstructionDecoder): boolean =>
  qualifiers.some(({ text }) => text === 'L2::cache_hint');

/** Without the cache policy, the last operand where .L2::cache_hint is given, which means nothing. */
function withoutPolicy(at: InstructionDecoder, { cacheHints }: Instruction): InstructionDecoder | undefined {
  if (!hasPolicy(at) || cacheHints !== true) return at;
  const last = at.operands.at(-1);
  if (last !== undefined && last.kind !== 'name' && last.kind !== 'number')
    return at.refuse(last, 'with .L2::cache_hint the last operand is the cache policy, a register of 64 bits');
  const policy = at.value(last, B64);
  return policy === undefined
    ? undefined
    : new InstructionDecoder(at.decoder, { ...at, operands: at.operands.slice(0, -1) });
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
