import type { AsyncOperation, Completion } from '../program/async-operation.js';
import { type DataType, dataTypeOf } from '../program/data-type.js';
import type { Operand } from '../program/operation.js';
import { SCOPES, type Scope } from '../program/placement.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { floatAtomic } from './atomic.js';
import { commitGroup, waitGroup } from './cp-async.js';
import { BYTES, emitAsync, fromMemory, REDUCTIONS } from './emit-async.js';
import { HOPPER, type Instruction, instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { mbarrierIn } from './mbarrier.js';
import { place } from './place.js';
import { REDUCIBLE_TYPES, type Rule } from './qualifier-rules.js';
import { GROUP } from './tcgen05.js';
import { decodeTile } from './tensor-copy.js';
import { U32 } from './typed-operands.js';

/** Bulk copies and reductions, of runs of bytes and of tensors (PTX ISA, cp.async.bulk, cp.reduce.async.bulk). */
const MASK: DataType = { kind: 'u', width: 16 };
export const BULK_ALIGNMENT = 16;

/** From where to where a bulk copy goes, and how its end is told (PTX ISA, cp.async.bulk). */
const directions = (allowed: readonly (readonly [destination: string, source: string, mechanism: string])[]): Rule => ({
  rule: `it goes ${allowed.map(([to, from, mechanism]) => `from .${from} to .${to} with .${mechanism}`).join(', or ')}`,
  broken: (q) =>
    !allowed.some(([to, from, mechanism]) => q.space === to && q.sourceSpace === from && q.mechanism === mechanism),
});
const MULTICAST: Rule = {
  rule: '.multicast::cluster goes from .global to .shared::cluster, with the mask of CTAs as the last operand',
  broken: (q) => q.multicast === 'multicast::cluster' && (q.space !== 'shared::cluster' || q.sourceSpace !== 'global'),
};
/** Whose mbarrier tells the end (PTX ISA, cp.async.bulk.tensor): of one CTA, or of a pair of CTAs. */
const OF_GROUP: Rule = {
  rule: '.cta_group::1 and .cta_group::2 go with .mbarrier::complete_tx::bytes',
  broken: (q) => q.group !== undefined && q.mechanism !== BYTES,
};
const RELAXED_BULK: Rule = {
  rule: 'a copy with an order is .relaxed.SCOPE with the type .b128, or .weak',
  broken: (q) =>
    (q.order === 'relaxed') !== (q.scope !== undefined) || (q.order === 'relaxed') !== (q.type !== undefined),
};
const REDUCTION_TYPES: Rule = {
  rule: (q) =>
    `.${q.operation} needs a type among ` +
    `${(REDUCIBLE_TYPES[q.operation ?? ''] ?? []).map((type) => `.${type}`).join(', ')}, or into .global memory a ` +
    'floating-point type: .add.noftz and .min .max of .f16 .bf16, .add of .f32 .f64',
  broken: ({ operation = '', type = '', space, flush }) => {
    const isHalf = type === 'f16' || type === 'bf16';
    if ((flush !== undefined) !== (isHalf && operation === 'add')) return true;
    if (space === 'global' && isHalf) return !['add', 'min', 'max'].includes(operation);
    if (space === 'global' && /^f/.test(type)) return operation !== 'add';
    return !(REDUCIBLE_TYPES[operation] ?? []).includes(type);
  },
};
/** Into shared memory there are fewer (PTX ISA, cp.reduce.async.bulk). */
const SHARED_REDUCTION_TYPES: Rule = {
  rule:
    'a reduction into .shared::cluster has .add .u32 .s32 .u64, .inc .dec .u32, .min .max .u32 .s32, .and ' +
    '.or .xor .b32',
  broken: (q) => q.space === 'shared::cluster' && /64$/.test(q.type ?? '') && q.operation !== 'add',
};

const DIMENSIONS = ['1d', '2d', '3d', '4d', '5d'] as const;
const BULK_SPACES = {
  space: ['shared::cluster', 'shared::cta', 'global'],
  sourceSpace: ['global', 'shared::cta'],
} as const;
const NO_IMAGE = 'a tensor map here has a box (tensormap(.type, x, dims, box)), and no pixels of an image: .tile only';

/** Where a bulk operation goes and how it tells its end. */
interface BulkQualifiers {
  readonly space: string;
  readonly sourceSpace: string;
  readonly mechanism: string;
  readonly multicast?: string;
  readonly group?: string;
}

/** `scope`: of relaxed accesses; without one they are weak. */
function decodeBulk(
  at: InstructionDecoder,
  qualifiers: BulkQualifiers,
  scope: Scope | undefined,
  reduction: AsyncOperation['reduction'],
): void {
  const [to, from, size, ...rest] = at.operands;
  const bytes = at.value(size, U32);
  if (bytes?.kind === 'constant' && (bytes.value % BigInt(BULK_ALIGNMENT) !== 0n || bytes.value === 0n))
    return void at.refuse(size, `a bulk copy moves a multiple of ${BULK_ALIGNMENT} bytes, not ${bytes.value}`);
  const known = bytes?.kind === 'constant' ? Number(bytes.value) : BULK_ALIGNMENT;
  const destination = place(at, to, qualifiers.space, known, BULK_ALIGNMENT);
  const source = place(at, from, qualifiers.sourceSpace, known, BULK_ALIGNMENT);
  const ending = decodeEnding(at, qualifiers, rest);
  if (bytes === undefined || destination === undefined || source === undefined || ending === undefined) return;
  at.requireMultiple(bytes, BULK_ALIGNMENT, U32.width, 'bulk-alignment');
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

/** How a bulk operation tells its end, and to which CTAs a multicast goes. */
export function decodeEnding(
  at: InstructionDecoder,
  qualifiers: Pick<BulkQualifiers, 'space' | 'mechanism' | 'multicast' | 'group'>,
  rest: readonly OperandSyntax[],
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
        `found ${rest.length}`,
    );
  }
  const inPair = qualifiers.group === 'cta_group::2';
  const object = signals ? mbarrierIn(inPair ? 'shared::cluster' : qualifiers.space).read(at, rest[0]) : undefined;
  const multicast = multicasts ? at.value(rest[1], MASK) : undefined;
  if ((signals && object === undefined) || (multicasts && multicast === undefined)) return undefined;
  return {
    completion:
      object === undefined
        ? { kind: 'group', family: 'bulk' }
        : { kind: 'mbarrier', object, ...(inPair ? { inPair } : {}) },
    multicast,
  };
}

export const BULK_INSTRUCTIONS = {
  'cp.async.bulk': instruction({
    slots: {
      ...BULK_SPACES,
      mechanism: [BYTES, 'bulk_group'],
      multicast: ['multicast::cluster'],
      order: ['weak', 'relaxed'],
      scope: SCOPES,
      type: ['b128'],
    },
    required: ['space', 'sourceSpace', 'mechanism'],
    operands: '[dst], [src], size{, [mbar]}{, ctaMask}',
    rules: [
      directions([
        ['shared::cluster', 'global', BYTES],
        ['shared::cta', 'global', BYTES],
        ['shared::cluster', 'shared::cta', BYTES],
        ['global', 'shared::cta', 'bulk_group'],
      ]),
      MULTICAST,
      RELAXED_BULK,
    ],
    notYet: ['cp_mask', 'ignore_oob'],
    cacheHints: true,
    since: { ptx: '8.0; .shared::cta destination 8.6; .relaxed 9.3', target: 'sm_90' },
    decode: (at, qualifiers) => decodeBulk(at, qualifiers, qualifiers.scope, undefined),
  }),
  'cp.async.bulk.commit_group': commitGroup('bulk'),
  'cp.async.bulk.wait_group': waitGroup('bulk'),
  'cp.async.bulk.tensor': instruction({
    slots: {
      dimension: DIMENSIONS,
      ...BULK_SPACES,
      mode: ['tile', 'tile::gather4', 'tile::scatter4'],
      mechanism: [BYTES, 'bulk_group'],
      multicast: ['multicast::cluster'],
      ...GROUP,
    },
    required: ['dimension', 'space', 'sourceSpace', 'mechanism'],
    operands: '[dst], [map, {c0, ...}], [mbar]{, ctaMask} or [map, {c0, ...}], [src]',
    operandCount: [2, 4],
    rules: [
      directions([
        ['shared::cluster', 'global', BYTES],
        ['shared::cta', 'global', BYTES],
        ['global', 'shared::cta', 'bulk_group'],
      ]),
      MULTICAST,
      {
        rule: '.tile::gather4 loads and .tile::scatter4 stores four rows of a .2d tensor',
        broken: (q) =>
          q.mode?.startsWith('tile::') === true &&
          (q.dimension !== '2d' || (q.mode === 'tile::scatter4') !== (q.space === 'global')),
      },
      OF_GROUP,
    ],
    refused: {
      im2col: NO_IMAGE,
      'im2col::w': NO_IMAGE,
      'im2col::w::128': NO_IMAGE,
      im2col_no_offs: NO_IMAGE,
    },
    cacheHints: true,
    since: {
      ptx: '8.0; .shared::cta destination, .tile::gather4, .tile::scatter4 and .cta_group 8.6',
      target: 'sm_90; .tile::gather4 and .tile::scatter4 sm_100, .cta_group sm_100a',
    },
    decode: (at, qualifiers) => decodeTile(at, qualifiers, undefined),
  }),
  'cp.reduce.async.bulk': instruction({
    slots: {
      space: ['shared::cluster', 'global'],
      sourceSpace: ['shared::cta'],
      mechanism: [BYTES, 'bulk_group'],
      operation: REDUCTIONS,
      flush: ['noftz'],
      type: ['u32', 's32', 'u64', 's64', 'b32', 'b64', 'f16', 'bf16', 'f32', 'f64'],
    },
    required: ['space', 'sourceSpace', 'mechanism', 'operation', 'type'],
    operands: '[dst], [src], size{, [mbar]}',
    rules: [
      directions([
        ['shared::cluster', 'shared::cta', BYTES],
        ['global', 'shared::cta', 'bulk_group'],
      ]),
      REDUCTION_TYPES,
      SHARED_REDUCTION_TYPES,
    ],
    cacheHints: true,
    since: HOPPER,
    /** Each element is reduced by an operation of its own, relaxed at system scope (PTX ISA, cp.reduce.async.bulk). */
    decode: (at, qualifiers) => {
      const of = floatAtomic(qualifiers.operation, qualifiers, 'global');
      const reduction = { operation: qualifiers.operation, type: dataTypeOf(qualifiers.type) };
      decodeBulk(at, qualifiers, 'sys', of === undefined ? reduction : { ...reduction, function: of });
    },
  }),
  'cp.reduce.async.bulk.tensor': instruction({
    slots: {
      dimension: DIMENSIONS,
      space: ['global'],
      sourceSpace: ['shared::cta'],
      mode: ['tile'],
      mechanism: ['bulk_group'],
      operation: REDUCTIONS,
    },
    required: ['dimension', 'space', 'sourceSpace', 'mechanism', 'operation'],
    operands: '[map, {c0, ...}], [src]',
    refused: { im2col_no_offs: NO_IMAGE },
    cacheHints: true,
    since: HOPPER,
    decode: (at, qualifiers) => decodeTile(at, qualifiers, qualifiers.operation),
  }),
} as const satisfies Record<string, Instruction>;
