import { type DataType, PREDICATE } from '../program/data-type.js';
import type { Window } from '../program/locations.js';
import { TOKEN } from '../program/mbarrier-operation.js';
import { type Address, constant, type Operand } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import { checkPlace } from './decode-access.js';
import type { InstructionDecoder } from './instruction-decoder.js';

/** `mbarrier.*` and `cp.async.mbarrier.arrive` (PTX ISA, mbarrier). */
const COUNT: DataType = { kind: 'u', width: 32 };
const TOKEN_TYPE: DataType = { kind: 'b', width: TOKEN.width };
const OBJECT_BYTES = 8;
const ONE: Operand = constant(1n);

/** The address of an mbarrier object: 8 bytes, aligned. */
export function objectAddress(at: InstructionDecoder, index: number, window: Window): Address | undefined {
  const found = at.address(at.operands[index], window);
  if (found === undefined) return undefined;
  const space = window === 'generic' ? undefined : window;
  return checkPlace(at, space, found.range, found.address.offset, OBJECT_BYTES, OBJECT_BYTES)
    ? found.address
    : undefined;
}

export function decodeMbarrierInit(at: InstructionDecoder): void {
  const object = objectAddress(at, 0, 'shared::cta');
  const count = at.value(at.operands[1], COUNT);
  if (object !== undefined && count !== undefined) at.emit({ kind: 'mbarrier', action: 'init', object, count });
}

export function decodeMbarrierInval(at: InstructionDecoder): void {
  const object = objectAddress(at, 0, 'shared::cta');
  if (object !== undefined) at.emit({ kind: 'mbarrier', action: 'inval', object });
}

/** Where an operation that works across the cluster may go: without a state space anywhere in the cluster. */
const clusterWindow = (space: string | undefined): Window =>
  space === undefined || space === 'shared::cluster' ? 'shared::cluster' : 'shared::cta';

export function decodeMbarrierBytes(
  at: InstructionDecoder,
  { order, scope, space }: { readonly order: 'relaxed'; readonly scope: Scope; readonly space?: string },
  action: 'expect_tx' | 'complete_tx',
): void {
  const object = objectAddress(at, 0, clusterWindow(space));
  const bytes = at.value(at.operands[1], COUNT);
  if (object === undefined || bytes === undefined) return;
  at.emit({ kind: 'mbarrier', action, object, bytes, order, scope });
}

/** `drop`: it is mbarrier.arrive_drop. */
export function decodeMbarrierArrive(
  at: InstructionDecoder,
  qualifiers: {
    readonly order: 'release' | 'relaxed';
    readonly scope: Scope;
    readonly space?: string;
    readonly expectation?: string;
    readonly noComplete?: string;
  },
  drop: boolean,
): void {
  const [state, , operand] = at.operands;
  const discards = state?.kind === 'sink';
  if (!discards && qualifiers.space === 'shared::cluster')
    return void at.refuse(state, 'an arrival at an object in .shared::cluster returns no state: write _ for it');
  // An arrival that returns its state is for an object of the own CTA.
  const object = objectAddress(at, 1, discards ? clusterWindow(qualifiers.space) : 'shared::cta');
  const value = operand === undefined ? undefined : at.value(operand, COUNT);
  const target = discards ? undefined : at.target(state, TOKEN_TYPE);
  if (object === undefined || (operand !== undefined && value === undefined)) return;
  const expects = qualifiers.expectation !== undefined;
  at.emit({
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
  at: InstructionDecoder,
  qualifiers: { readonly order: 'acquire' | 'relaxed'; readonly scope: Scope; readonly parity?: string },
): void {
  const [result, , tested, hint] = at.operands;
  const object = objectAddress(at, 1, 'shared::cta');
  const kind = qualifiers.parity === undefined ? 'token' : 'parity';
  const operand = at.value(tested, kind === 'token' ? TOKEN_TYPE : COUNT);
  if (hint !== undefined) at.value(hint, COUNT);
  const target = at.target(result, PREDICATE);
  if (object === undefined || operand === undefined || target === undefined) return;
  at.emit({
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
export function decodePendingCount(at: InstructionDecoder): void {
  const token = at.value(at.operands[1], TOKEN_TYPE);
  const target = at.target(at.operands[0], COUNT);
  if (token === undefined || target === undefined) return;
  const of = at.of(TOKEN.width);
  at.require(of.shiftRight(token, constant(TOKEN.noComplete), 1), 'mbarrier-no-token');
  const pending = of.shiftRight(token, constant(0), TOKEN.pendingWidth);
  at.result(target, COUNT, at.of(TOKEN.pendingWidth).convert(pending, COUNT.width));
}

export function decodeAsyncArrive(at: InstructionDecoder, qualifiers: { readonly increment?: string }): void {
  const object = objectAddress(at, 0, 'shared::cta');
  if (object !== undefined)
    at.emit({
      kind: 'mbarrier',
      action: 'async_arrive',
      family: 'cp.async',
      object,
      increment: qualifiers.increment === undefined,
    });
}
