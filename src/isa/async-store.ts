import type { PlaceRule } from '../program/async-operation.js';
import { dataTypeOf, type TypeName } from '../program/data-type.js';
import type { AtomicOperation } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { withoutBraces } from './access.js';
import { BYTES, emitAsync, REDUCTIONS } from './emit-async.js';
import { type Instruction, instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { mbarrierIn } from './mbarrier.js';
import { place } from './place.js';
import { REDUCIBLE_TYPES, type Rule } from './qualifier-rules.js';
import { each, value } from './typed-operands.js';

/**
 * st.async and red.async: values from registers; the weak and relaxed forms tell an mbarrier, the release forms nobody.
 */
const ASYNC_TYPES: Readonly<Record<string, readonly string[]>> = {
  ...REDUCIBLE_TYPES,
  min: ['u32', 's32'],
  max: ['u32', 's32'],
  and: ['b32'],
  or: ['b32'],
  xor: ['b32'],
};
const RED_ASYNC: Rule = {
  rule: (q) =>
    q.order === 'release'
      ? 'red.async.release is red.async{.mmio}.release.gpu or .sys {.global}.add with .u32, .s32, .u64 or .s64 ' +
        'and [a], b'
      : 'red.async.relaxed is red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.OP.TYPE ' +
        'with [a], b, [mbar]',
  broken: (q) =>
    q.order === 'release'
      ? q.operation !== 'add' ||
        !['u32', 's32', 'u64', 's64'].includes(q.type ?? '') ||
        !['gpu', 'sys'].includes(q.scope ?? '') ||
        q.mechanism !== undefined ||
        q.space === 'shared::cluster' ||
        q.operandCount !== 2
      : q.scope !== 'cluster' ||
        q.mechanism !== BYTES ||
        q.mmio !== undefined ||
        q.space === 'global' ||
        q.operandCount !== 3 ||
        !(ASYNC_TYPES[q.operation ?? ''] ?? []).includes(q.type ?? ''),
};
const ST_ASYNC: Rule = {
  rule: (q) =>
    q.order === 'release'
      ? 'st.async.release is st.async{.mmio}.release.gpu or .sys {.global}.TYPE with [a], b'
      : 'st.async is st.async{.weak}{{.shared::cluster}.mbarrier::complete_tx::bytes}{.v2|.v4}.TYPE with [a], b, ' +
        '[mbar] and a type of 32 or 64 bits',
  broken: (q) =>
    q.order === 'release'
      ? !['gpu', 'sys'].includes(q.scope ?? '') ||
        q.mechanism !== undefined ||
        q.vector !== undefined ||
        q.space === 'shared::cluster' ||
        q.operandCount !== 2
      : q.scope !== undefined ||
        (q.space !== undefined && q.mechanism === undefined) ||
        q.mmio !== undefined ||
        q.space === 'global' ||
        q.operandCount !== 3 ||
        !/(32|64)$/.test(q.type ?? '') ||
        (q.vector === 'v4' && /64$/.test(q.type ?? '')),
};

interface RegisterQualifiers {
  readonly order: 'weak' | 'relaxed' | 'release';
  readonly scope?: Scope;
  readonly mmio?: string;
  readonly type: TypeName;
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
  const values = each(at, operands, value(type, { widerAllowed: true }));
  const object = releases ? undefined : mbarrierIn('shared::cluster').read(at, at.operands[2]);
  if (destination === undefined || values === undefined || (!releases && object === undefined)) return;
  emitAsync(at, {
    proxy: 'generic',
    order,
    scope,
    mmio: mmio !== undefined,
    source: { kind: 'values', values, type },
    destination,
    reduction: reduction === undefined ? undefined : { operation: reduction, type },
    completion: object === undefined ? { kind: 'none' } : { kind: 'mbarrier', object },
    rules: releases ? [] : rules,
  });
}

export const ASYNC_STORE_INSTRUCTIONS = {
  'st.async': instruction({
    slots: {
      order: ['weak', 'release'],
      mmio: ['mmio'],
      scope: ['gpu', 'sys'],
      space: ['shared::cluster', 'global'],
      mechanism: [BYTES],
      vector: ['v2', 'v4'],
      type: ['b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64', 'f32', 'f64'],
    },
    required: ['type'],
    defaults: { order: 'weak' },
    operands: '[a], b{, [mbar]}',
    rules: [ST_ASYNC],
    since: { ptx: '8.1; .release 8.7', target: 'sm_90; .release sm_100' },
    decode: (at, qualifiers) => {
      const elements = qualifiers.vector === undefined ? 1 : Number(qualifiers.vector.slice(1));
      const operand = at.operands[1];
      const values =
        elements === 1 ? [operand && withoutBraces(operand)] : operand?.kind === 'vector' ? operand.elements : [];
      if (values.length !== elements) return void at.refuse(operand, `.v${elements} needs a vector of ${elements}`);
      decodeFromRegisters(at, qualifiers, values, undefined, ['mbarrier-with-destination', 'cluster-of-several-ctas']);
    },
  }),
  'red.async': instruction({
    slots: {
      order: ['relaxed', 'release'],
      mmio: ['mmio'],
      scope: ['cluster', 'gpu', 'sys'],
      space: ['shared::cluster', 'global'],
      mechanism: [BYTES],
      operation: REDUCTIONS,
      type: ['u32', 's32', 'u64', 's64', 'b32'],
    },
    required: ['order', 'operation', 'type'],
    operands: '[a], b{, [mbar]}',
    rules: [RED_ASYNC],
    since: { ptx: '8.1; .release 8.7', target: 'sm_90; .release sm_100' },
    decode: (at, qualifiers) =>
      decodeFromRegisters(at, qualifiers, [at.operands[1]], qualifiers.operation, [
        'mbarrier-with-destination',
        'destination-in-other-cta',
      ]),
  }),
} as const satisfies Record<string, Instruction>;
