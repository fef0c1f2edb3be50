import { type DataType, PREDICATE } from '../program/data-type.js';
import type { Exchange, Operand } from '../program/operation.js';
import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import type { Decoder } from './decoder.js';
import type { Qualifiers } from './qualifier-rules.js';

/**
 * vote.sync, match.sync, redux.sync, activemask and elect.sync: values over the lanes of a mask; they order no memory.
 */
const WORD: DataType = { kind: 'b', width: 32 };
const ZERO: Operand = { kind: 'constant', value: 0n };
const VOTES: Readonly<Record<string, Exchange>> = { all: 'and', any: 'or', uni: 'uniform', ballot: 'ballot' };
const REDUCTIONS: Readonly<Record<string, Exchange>> = {
  add: 'add',
  min: 'minimum',
  max: 'maximum',
  and: 'and',
  or: 'or',
  xor: 'xor',
};

export function decodeWarp(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  const [destination, given, members] = instruction.operands;
  if (instruction.mnemonic === 'activemask') {
    const target = decoder.target(destination, WORD);
    // Any lanes of the warp may be active, the thread's own among them; nobody waits.
    if (target !== undefined)
      emit(decoder, instruction, 'arrive', ZERO, {
        operation: 'active',
        target,
        value: ZERO,
        width: 1,
        signed: false,
        resultWidth: 32,
      });
    return;
  }
  const mask = decoder.value(members, WORD);
  if (instruction.mnemonic === 'vote') {
    const value = given === undefined ? undefined : decoder.predicate(instruction, given);
    const ballot = qualifiers.mode === 'ballot';
    const target = decoder.target(destination, ballot ? WORD : PREDICATE);
    if (mask === undefined || value === undefined || target === undefined) return;
    return emit(decoder, instruction, 'red', mask, {
      operation: VOTES[qualifiers.mode ?? ''] ?? 'and',
      target,
      value,
      width: 1,
      signed: false,
      resultWidth: ballot ? 32 : 1,
    });
  }
  if (instruction.mnemonic === 'redux') {
    const type: DataType = { kind: qualifiers.type?.startsWith('s') === true ? 's' : 'u', width: 32 };
    const value = decoder.value(given, type);
    const target = decoder.target(destination, type);
    if (mask === undefined || value === undefined || target === undefined) return;
    const operation = REDUCTIONS[qualifiers.operation ?? ''] ?? 'add';
    return emit(decoder, instruction, 'red', mask, {
      operation,
      target,
      value,
      width: 32,
      signed: type.kind === 's',
      resultWidth: 32,
    });
  }
  const type: DataType = { kind: 'b', width: qualifiers.type === 'b64' ? 64 : 32 };
  const value = decoder.value(given, type);
  if (destination?.kind === 'pair' && qualifiers.mode !== 'all')
    return void decoder.refuse(destination.span, 'match.any returns a mask only');
  if (mask === undefined || value === undefined) return;
  decodeMaskAndPredicate(decoder, instruction, mask, {
    operation: qualifiers.mode === 'all' ? 'match-all' : 'match-any',
    value,
    width: type.width,
  });
}

/** The elected lane is the lowest of the mask: some lane, and always the same one (PTX ISA, elect.sync). */
export function decodeElect(decoder: Decoder, instruction: InstructionSyntax): void {
  const [destination, members] = instruction.operands;
  if (destination?.kind !== 'pair')
    return void decoder.refuse(destination?.span ?? instruction.span, 'elect.sync writes a pair: d|p, or _|p');
  const mask = decoder.value(members, WORD);
  if (mask !== undefined)
    decodeMaskAndPredicate(decoder, instruction, mask, { operation: 'elect', value: ZERO, width: 1 });
}

/** Results of a word and a predicate come as one value: the predicate is bit 32. */
function decodeMaskAndPredicate(
  decoder: Decoder,
  instruction: InstructionSyntax,
  mask: Operand,
  reduction: { readonly operation: Exchange; readonly value: Operand; readonly width: number },
): void {
  const [destination] = instruction.operands;
  const both = decoder.temporary({ kind: 'b', width: 64 }, instruction.span);
  emit(decoder, instruction, 'red', mask, { ...reduction, target: both, signed: false, resultWidth: 64 });
  const take = (target: string, type: DataType, shift: bigint): void => {
    const arithmetic = { name: 'shift-right', signed: false, width: 64, resultWidth: type.width } as const;
    decoder.emit(instruction, {
      kind: 'compute',
      target,
      type,
      arithmetic,
      operands: [
        { kind: 'register', name: both },
        { kind: 'constant', value: shift },
      ],
    });
  };
  const [word, predicate] =
    destination?.kind === 'pair'
      ? [destination.first, destination.second]
      : [destination?.kind === 'name' ? destination.name : undefined, undefined];
  const span = destination?.span ?? instruction.span;
  const named = (name: string | undefined, type: DataType): string | undefined =>
    name === undefined ? undefined : decoder.target({ kind: 'name', name, offset: 0n, span }, type);
  const wordTarget = named(word, WORD);
  const predicateTarget = named(predicate, PREDICATE);
  if (wordTarget !== undefined) take(wordTarget, WORD, 0n);
  if (predicateTarget !== undefined) take(predicateTarget, PREDICATE, 32n);
}

function emit(
  decoder: Decoder,
  instruction: InstructionSyntax,
  action: 'red' | 'arrive',
  mask: Operand,
  reduction: NonNullable<Extract<Parameters<Decoder['emit']>[1], { kind: 'barrier' }>['reduction']>,
): void {
  decoder.emit(instruction, {
    kind: 'barrier',
    action,
    level: 'lanes',
    id: mask,
    count: undefined,
    aligned: false,
    reduction,
  });
}
