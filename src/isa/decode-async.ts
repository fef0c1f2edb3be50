import type { AsyncOperation, AsyncSource, Completion, GroupFamily, PlaceRule } from '../program/async-operation.js';
import { type DataType, dataTypeOf, type TypeName } from '../program/data-type.js';
import { type Address, type AtomicOperation, constant, type Operand } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { UndefinedRule } from '../program/undefined-rules.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { place } from './decode-access.js';
import { floatAtomic } from './decode-atomic.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { windowOf } from './instruction-decoder.js';
import { objectAddress } from './mbarrier.js';

/**
 * cp.async, cp.async.bulk, cp.reduce.async.bulk, st.async, red.async and the async-groups (PTX ISA, Asynchronous copy).
 */
const SIZE: DataType = { kind: 'u', width: 32 };
const MASK: DataType = { kind: 'u', width: 16 };
export const BULK_ALIGNMENT = 16;
/** A plain asynchronous access; issued by nobody in particular order. */
export const WEAK = { order: 'weak', scope: undefined, volatile: false, mmio: false } as const;

/** Emits an asynchronous operation, by what it does not have in common with most. */
export function emitAsync(
  at: InstructionDecoder,
  own: Pick<AsyncOperation, 'source' | 'destination' | 'completion'> & Partial<AsyncOperation>,
): void {
  const common = { reduction: undefined, multicast: undefined, tile: undefined, rules: [] };
  at.emit({ kind: 'async', proxy: 'async', ...WEAK, ...common, ...own });
}

/** Bytes of memory, all of which are read. */
export const fromMemory = (address: Address, bytes: Operand): Extract<AsyncSource, { kind: 'memory' }> => ({
  ...{ kind: 'memory', address, bytes, given: undefined, ignored: undefined },
});

export function decodeAsyncCopy(
  at: InstructionDecoder,
  qualifiers: { readonly space: string },
  name: string,
  sizes: readonly bigint[],
): void {
  const [to, from, size, ...rest] = at.operands;
  if (size?.kind !== 'number' || !sizes.includes(size.value)) {
    return void at.refuse(size, `${name} copies ${sizes.join(', ')} bytes`);
  }
  const bytes = Number(size.value);
  const destination = place(at, to, qualifiers.space, bytes, bytes);
  const source = place(at, from, 'global', bytes, bytes);
  // After the size: the bytes that are read, or a predicate that says that none are.
  const [third] = rest;
  const ignores =
    third !== undefined && (third.kind === 'negated' || (third.kind === 'name' && at.decoder.isPredicate(third.name)));
  if (rest.length > 1) return void at.refuse(rest[1], 'cache policies are not modeled: leave the operand out');
  if (third?.kind === 'number' && (third.value < 0n || third.value > size.value))
    return void at.refuse(third, `src-size is at most cp-size, ${size.value}`);
  const given = third === undefined || ignores ? undefined : at.value(third, SIZE);
  const ignored = ignores ? at.predicate(third) : undefined;
  if (
    destination === undefined ||
    source === undefined ||
    (third !== undefined && given === undefined && ignored === undefined)
  )
    return;
  // src-size above cp-size is undefined.
  if (given?.kind === 'register') at.require(at.of(32).lessOrEqual(given, constant(size.value)), 'source-size');
  emitAsync(at, {
    proxy: 'generic',
    source: { ...fromMemory(source, constant(size.value)), given, ignored },
    destination,
    completion: { kind: 'group', family: 'cp.async' },
  });
}

/** Where a bulk operation goes and how it tells its end. */
interface BulkQualifiers {
  readonly space: string;
  readonly sourceSpace: string;
  readonly mechanism: string;
  readonly multicast?: string;
}

export function decodeBulkCopy(at: InstructionDecoder, qualifiers: BulkQualifiers & { readonly scope?: Scope }): void {
  decodeBulk(at, qualifiers, qualifiers.scope, undefined);
}

/** Each element is reduced by an operation of its own, relaxed at system scope (PTX ISA, cp.reduce.async.bulk). */
export function decodeBulkReduction(
  at: InstructionDecoder,
  qualifiers: BulkQualifiers & { readonly operation: AtomicOperation; readonly type: TypeName },
): void {
  const of = floatAtomic(qualifiers.operation, qualifiers, 'global');
  const reduction = {
    operation: qualifiers.operation,
    type: dataTypeOf(qualifiers.type),
    ...(of === undefined ? {} : { function: of }),
  };
  decodeBulk(at, qualifiers, 'sys', reduction);
}

/** `scope`: of relaxed accesses; without one they are weak. */
function decodeBulk(
  at: InstructionDecoder,
  qualifiers: BulkQualifiers,
  scope: Scope | undefined,
  reduction: AsyncOperation['reduction'],
): void {
  const [to, from, size, ...rest] = at.operands;
  const bytes = at.value(size, SIZE);
  if (bytes?.kind === 'constant' && (bytes.value % BigInt(BULK_ALIGNMENT) !== 0n || bytes.value === 0n))
    return void at.refuse(size, `a bulk copy moves a multiple of ${BULK_ALIGNMENT} bytes, not ${bytes.value}`);
  const known = bytes?.kind === 'constant' ? Number(bytes.value) : BULK_ALIGNMENT;
  const destination = place(at, to, qualifiers.space, known, BULK_ALIGNMENT);
  const source = place(at, from, qualifiers.sourceSpace, known, BULK_ALIGNMENT);
  const ending = decodeEnding(at, qualifiers, rest, 3);
  if (bytes === undefined || destination === undefined || source === undefined || ending === undefined) return;
  if (bytes.kind === 'register') requireMultiple(at, bytes, SIZE.width, 'bulk-alignment');
  emitAsync(at, {
    ...(scope === undefined ? {} : { order: 'relaxed', scope }),
    source: fromMemory(source, bytes),
    destination,
    reduction,
    ...ending,
    rules: [
      'bulk-alignment',
      ...(qualifiers.space === 'global' ? [] : (['mbarrier-with-destination'] as const)),
      ...(qualifiers.space === 'shared::cluster' && qualifiers.sourceSpace === 'shared::cta'
        ? (['destination-in-other-cta'] as const)
        : []),
    ],
  });
}

/** A size or address, of so many bits, that is no multiple of 16 bytes breaks the rule: undefined. */
export function requireMultiple(at: InstructionDecoder, value: Operand, width: number, rule: UndefinedRule): void {
  const of = at.of(width);
  at.require(of.equal(of.and(value, constant(BULK_ALIGNMENT - 1)), constant(0)), rule);
}

/** How a bulk operation tells its end, and to which CTAs a multicast goes; `index`: of the first of these operands. */
export function decodeEnding(
  at: InstructionDecoder,
  qualifiers: Pick<BulkQualifiers, 'space' | 'mechanism' | 'multicast'>,
  rest: readonly OperandSyntax[],
  index: number,
): { readonly completion: Completion; readonly multicast: Operand | undefined } | undefined {
  const multicasts = qualifiers.multicast === 'multicast::cluster';
  const signals = qualifiers.mechanism !== 'bulk_group';
  const wanted = (signals ? 1 : 0) + (multicasts ? 1 : 0);
  if (rest.length !== wanted) {
    const expected = [signals ? '[mbar]' : undefined, multicasts ? 'ctaMask' : undefined].filter(
      (word) => word !== undefined,
    );
    return at.refuse(
      undefined,
      `expected ${expected.length === 0 ? 'no operand' : expected.join(' and ')} after the places and sizes, ` +
        `found ${rest.length}; cache policies are not modeled`,
    );
  }
  const object = signals ? objectAddress(at, index, windowOf(qualifiers.space)) : undefined;
  const multicast = multicasts ? at.value(rest[1], MASK) : undefined;
  if ((signals && object === undefined) || (multicasts && multicast === undefined)) return undefined;
  return {
    completion: object === undefined ? { kind: 'group', family: 'bulk' } : { kind: 'mbarrier', object },
    multicast,
  };
}

interface RegisterQualifiers {
  readonly order: 'weak' | 'relaxed' | 'release';
  readonly scope?: Scope;
  readonly mmio?: string;
  readonly type: TypeName;
}

/**
 * st.async and red.async: values from registers; the weak and relaxed forms tell an mbarrier, the release forms nobody.
 */
export function decodeAsyncStore(
  at: InstructionDecoder,
  qualifiers: RegisterQualifiers & { readonly vector?: 'v2' | 'v4' },
): void {
  const elements = qualifiers.vector === undefined ? 1 : Number(qualifiers.vector.slice(1));
  const operand = at.operands[1];
  const values = elements === 1 ? [operand] : operand?.kind === 'vector' ? operand.elements : [];
  if (values.length !== elements) return void at.refuse(operand, `.v${elements} needs a vector of ${elements}`);
  decodeFromRegisters(at, qualifiers, values, undefined, ['mbarrier-with-destination', 'cluster-of-several-ctas']);
}

export function decodeAsyncReduction(
  at: InstructionDecoder,
  qualifiers: RegisterQualifiers & { readonly operation: AtomicOperation },
): void {
  decodeFromRegisters(at, qualifiers, [at.operands[1]], qualifiers.operation, [
    'mbarrier-with-destination',
    'destination-in-other-cta',
  ]);
}

function decodeFromRegisters(
  at: InstructionDecoder,
  { order, scope, mmio, type: typeName }: RegisterQualifiers,
  operands: readonly (OperandSyntax | undefined)[],
  reduction: AtomicOperation | undefined,
  rules: readonly PlaceRule[],
): void {
  const type = dataTypeOf(typeName);
  const releases = order === 'release';
  // The release forms write global memory, the others the shared memory of the cluster.
  const space = releases ? 'global' : 'shared::cluster';
  const bytes = (type.width / 8) * operands.length;
  const destination = place(at, at.operands[0], space, bytes, bytes);
  const values = operands.map((operand) => at.value(operand, type, { widerAllowed: true }));
  const object = releases ? undefined : objectAddress(at, 2, 'shared::cluster');
  if (destination === undefined || values.some((value) => value === undefined) || (!releases && object === undefined))
    return;
  emitAsync(at, {
    proxy: 'generic',
    order,
    scope,
    mmio: mmio !== undefined,
    source: { kind: 'values', values: values as Operand[], type },
    destination,
    reduction: reduction === undefined ? undefined : { operation: reduction, type },
    completion: object === undefined ? { kind: 'none' } : { kind: 'mbarrier', object },
    rules: releases ? [] : rules,
  });
}

export function decodeCommitGroup(at: InstructionDecoder, family: GroupFamily): void {
  at.emit({ kind: 'group', action: 'commit', family });
}

/** Waits until at most so many of the newest groups are pending. */
export function decodeWaitGroup(
  at: InstructionDecoder,
  kind: { readonly family: GroupFamily; readonly readsOnly: boolean },
): void {
  const [count] = at.operands;
  if (count?.kind !== 'number' || count.value < 0n)
    return void at.refuse(count, 'the number of groups that may be pending is a constant, 0 or more');
  at.emit({ kind: 'group', action: 'wait', pending: Number(count.value), ...kind });
}

/** All copies of the thread, committed or not (PTX ISA, cp.async.wait_all). */
export function decodeWaitAll(at: InstructionDecoder): void {
  at.emit({
    kind: 'group',
    action: 'wait',
    family: 'cp.async',
    pending: undefined,
    readsOnly: false,
  });
}
