import { type DataType, PREDICATE } from '../program/data-type.js';
import type { Window } from '../program/locations.js';
import { TOKEN } from '../program/mbarrier-operation.js';
import type { Address, Operand } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import { checkPlace } from './decode-access.js';
import type { Decoder } from './decoder.js';

/** `mbarrier.*` and `cp.async.mbarrier.arrive` (PTX ISA, mbarrier). */
const COUNT: DataType = { kind: 'u', width: 32 };
const TOKEN_TYPE: DataType = { kind: 'b', width: TOKEN.width };
const OBJECT_BYTES = 8;
const ONE: Operand = { kind: 'constant', value: 1n };

/** The address of an mbarrier object: 8 bytes, aligned. */
export function objectAddress(
  decoder: Decoder,
  instruction: InstructionSyntax,
  index: number,
  window: Window,
): Address | undefined {
  const at = decoder.address(instruction.operands[index], window);
  if (at === undefined) return undefined;
  const space = window === 'generic' ? undefined : window;
  return checkPlace(decoder, instruction, space, at.range, at.address.offset, OBJECT_BYTES, OBJECT_BYTES)
    ? at.address
    : undefined;
}

export function decodeMbarrierInit(decoder: Decoder, instruction: InstructionSyntax): void {
  const object = objectAddress(decoder, instruction, 0, 'shared::cta');
  const count = decoder.value(instruction.operands[1], COUNT);
  if (object !== undefined && count !== undefined)
    decoder.emit(instruction, { kind: 'mbarrier', action: 'init', object, count });
}

export function decodeMbarrierInval(decoder: Decoder, instruction: InstructionSyntax): void {
  const object = objectAddress(decoder, instruction, 0, 'shared::cta');
  if (object !== undefined) decoder.emit(instruction, { kind: 'mbarrier', action: 'inval', object });
}

/** Where an operation that works across the cluster may go: without a state space anywhere in the cluster. */
const clusterWindow = (space: string | undefined): Window =>
  space === undefined || space === 'shared::cluster' ? 'shared::cluster' : 'shared::cta';

export function decodeMbarrierBytes(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { order, scope, space }: { readonly order: 'relaxed'; readonly scope: Scope; readonly space?: string },
  action: 'expect_tx' | 'complete_tx',
): void {
  const object = objectAddress(decoder, instruction, 0, clusterWindow(space));
  const bytes = decoder.value(instruction.operands[1], COUNT);
  if (object === undefined || bytes === undefined) return;
  decoder.emit(instruction, { kind: 'mbarrier', action, object, bytes, order, scope });
}

/** `drop`: it is mbarrier.arrive_drop. */
export function decodeMbarrierArrive(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: {
    readonly order: 'release' | 'relaxed';
    readonly scope: Scope;
    readonly space?: string;
    readonly expectation?: string;
    readonly noComplete?: string;
  },
  drop: boolean,
): void {
  const [state, , operand] = instruction.operands;
  const discards = state?.kind === 'sink';
  if (!discards && qualifiers.space === 'shared::cluster')
    return void decoder.refuse(
      state?.span ?? instruction.span,
      'an arrival at an object in .shared::cluster returns no state: write _ for it',
    );
  // An arrival that returns its state is for an object of the own CTA.
  const object = objectAddress(decoder, instruction, 1, discards ? clusterWindow(qualifiers.space) : 'shared::cta');
  const value = operand === undefined ? undefined : decoder.value(operand, COUNT);
  const target = discards ? undefined : decoder.target(state, TOKEN_TYPE);
  if (object === undefined || (operand !== undefined && value === undefined)) return;
  const expects = qualifiers.expectation !== undefined;
  decoder.emit(instruction, {
    kind: 'mbarrier',
    action: 'arrive',
    object,
    count: expects ? ONE : (value ?? ONE),
    expect: expects ? value : undefined,
    drop,
    noComplete: qualifiers.noComplete !== undefined,
    order: qualifiers.order,
    scope: qualifiers.scope,
    target,
  });
}

/** test_wait and try_wait: both may answer False before the phase is complete; the time hint is no promise. */
export function decodeMbarrierWait(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: { readonly order: 'acquire' | 'relaxed'; readonly scope: Scope; readonly parity?: string },
): void {
  const [result, , tested, hint] = instruction.operands;
  const object = objectAddress(decoder, instruction, 1, 'shared::cta');
  const kind = qualifiers.parity === undefined ? 'token' : 'parity';
  const operand = decoder.value(tested, kind === 'token' ? TOKEN_TYPE : COUNT);
  if (hint !== undefined) decoder.value(hint, COUNT);
  const target = decoder.target(result, PREDICATE);
  if (object === undefined || operand === undefined || target === undefined) return;
  decoder.emit(instruction, {
    kind: 'mbarrier',
    action: 'wait',
    object,
    target,
    test: { kind, operand },
    order: qualifiers.order,
    scope: qualifiers.scope,
  });
}

/** The count is part of the token of an operation with .noComplete (PTX ISA, mbarrier.pending_count). */
export function decodePendingCount(decoder: Decoder, instruction: InstructionSyntax): void {
  const token = decoder.value(instruction.operands[1], TOKEN_TYPE);
  const target = decoder.target(instruction.operands[0], COUNT);
  if (token === undefined || target === undefined) return;
  const field = (shift: number, width: number, register: string, type: DataType): void => {
    const arithmetic = { name: 'shift-right', signed: false, width: TOKEN.width, resultWidth: width } as const;
    decoder.emit(instruction, {
      kind: 'compute',
      target: register,
      type,
      arithmetic,
      operands: [token, { kind: 'constant', value: BigInt(shift) }],
    });
  };
  const known = decoder.temporary(PREDICATE, instruction.span);
  field(TOKEN.noComplete, 1, known, PREDICATE);
  decoder.emit(instruction, {
    kind: 'require',
    value: { kind: 'register', name: known },
    rule: 'mbarrier-no-token',
  });
  field(0, TOKEN.pendingWidth, target, COUNT);
}

export function decodeAsyncArrive(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: { readonly increment?: string },
): void {
  const object = objectAddress(decoder, instruction, 0, 'shared::cta');
  if (object !== undefined)
    decoder.emit(instruction, {
      kind: 'mbarrier',
      action: 'async_arrive',
      family: 'cp.async',
      object,
      increment: qualifiers.increment === undefined,
    });
}
