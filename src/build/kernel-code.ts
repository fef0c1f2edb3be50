import { type Diagnostic, error, hasErrors } from '../diagnostics/diagnostic.js';
import { contractProducts } from '../isa/contraction.js';
import { decodeCopy } from '../isa/decode-parameters.js';
import { decodeInstruction } from '../isa/decode-thread.js';
import type { Decoder } from '../isa/decoder.js';
import { analyzeCode, type Code } from '../launch/code.js';
import type { DataType } from '../program/data-type.js';
import type { ProgramStatement } from '../program/operation.js';
import type { CheckBudget } from '../program/undecided.js';
import { buildRegisters, declaredRegisters } from './build-registers.js';
import type { FlatBody } from './flatten-body.js';

const WORD: DataType = { kind: 'u', width: 32 };

/**
 * Decodes the body of a kernel. What has no meaning is no error yet: a thread that is run may never come there. Until
 * then an exit stands in its place.
 */
export function kernelCode(
  decoder: Decoder,
  body: FlatBody,
  special: ReadonlySet<string>,
  /** Registers that are asked for at the end. */
  asked: ReadonlySet<string>,
  checkBudget: CheckBudget,
): { readonly code: Code; readonly diagnostics: readonly Diagnostic[] } {
  const labels = new Map<string, number>();
  let refused = new Map<number, Diagnostic>();
  for (const statement of body.statements) {
    checkBudget();
    if (statement.kind === 'label') {
      labels.set(statement.name, decoder.statements.length);
      decoder.flagKind = undefined;
      continue;
    }
    if (statement.kind === 'registers') continue;
    const [from, told] = [decoder.statements.length, decoder.diagnostics.length];
    const uses = [decoder.reads.length, decoder.writes.length] as const;
    if (statement.kind === 'refused') {
      refused.set(from, statement.diagnostic);
      decoder.statements.push({ operation: { kind: 'exit' }, guard: undefined, span: statement.span });
      continue;
    }
    const found = statement.kind === 'copy' ? decodeCopy(decoder, statement) : decodeInstruction(decoder, statement);
    const wrong = [...(found ?? []), ...decoder.diagnostics.splice(told)].find(({ severity }) => severity === 'error');
    if (wrong === undefined) continue;
    decoder.statements.length = from;
    decoder.parts.length = 0;
    decoder.reads.length = uses[0];
    decoder.writes.length = uses[1];
    refused.set(from, wrong);
    const guard = statement.kind === 'instruction' ? statement.guard : undefined;
    const held = guard === undefined ? undefined : { register: guard.register, negated: guard.negated };
    decoder.statements.push({ operation: { kind: 'exit' }, guard: held, span: statement.span });
  }
  const placed = contractProducts(decoder);
  if (placed !== undefined) {
    for (const [name, place] of labels) labels.set(name, placed(place));
    refused = new Map([...refused].map(([place, why]) => [placed(place), why]));
  }
  const declared = declaredRegisters(body);
  const { registers, diagnostics } = buildRegisters(declared.types, new Map(), decoder.reads, decoder.writes);
  const all = new Map(registers);
  for (const name of special) all.set(name, { name, type: WORD, initial: 0n });
  const wrong = [...declared.diagnostics, ...diagnostics, ...unknownLabels(decoder.statements, labels)];
  return {
    code: analyzeCode(decoder.statements, labels, all, refused, asked),
    diagnostics: hasErrors(wrong) ? wrong : [],
  };
}

function unknownLabels(
  statements: readonly ProgramStatement[],
  labels: ReadonlyMap<string, number>,
): readonly Diagnostic[] {
  return statements.flatMap(({ operation, span }) =>
    operation.kind === 'branch' && !labels.has(operation.label)
      ? [error('L0107', span, `unknown label ${operation.label}`)]
      : [],
  );
}
