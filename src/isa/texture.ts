import { type DataType, dataTypeOf, PREDICATE, type TypeName } from '../program/data-type.js';
import type { VirtualRange } from '../program/locations.js';
import { constant, type Operand, register } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { vectorElements } from './access.js';
import { WEAK } from './emit-async.js';
import { FERMI, type Instruction, instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { inOne } from './place.js';
import type { Rule } from './qualifier-rules.js';
import { B32, B64, each, value } from './typed-operands.js';

/**
 * Textures and surfaces (PTX ISA, Texture Instructions; Surface Instructions). What is found there is open: formats,
 * filters and layouts belong to objects that a test does not have. Chapter 8 leaves these accesses out (8.1.1); what is
 * read so must not be written while its grid may run, as through the read-only path. Of a texture or surface that the
 * test declares (`t @ texture aliases x;`) any element may be the one that is accessed.
 */
type Kind = 'texture' | 'surface';
type Does = 'reads' | 'writes';

const BYTE: DataType = { kind: 'b', width: 8 };

const declaredAs = (kind: Kind): string => `declare it as t @ ${kind} aliases x; x being its location, and hand t over`;

const rangesOf = (at: InstructionDecoder, kind: Kind): readonly VirtualRange[] =>
  at.decoder.thread.locations.ranges.filter(({ proxy }) => proxy === kind);

/** The handle in `[a, {c}]` and `[a]`, with the coordinates read; undefined where they are wrong. */
function handleOf(at: InstructionDecoder, operand: OperandSyntax | undefined): Operand | undefined {
  const found = at.address(operand, 'global');
  if (operand?.kind === 'tensor') {
    const coordinates = each(at, operand.coordinates, value(B32, { untyped: true }));
    const { sampler, span } = operand;
    const isRegister = sampler !== undefined && at.decoder.thread.registers.has(sampler);
    if (isRegister) at.value({ kind: 'name', name: sampler, offset: 0n, span }, B64);
    if (coordinates === undefined) return undefined;
  }
  return found && inOne(at, found.address);
}

/** Accesses an element of so many bytes, whichever, of the texture or surface with that handle. */
function access(at: InstructionDecoder, kind: Kind, does: Does, handle: Operand, bytes: number): void {
  const ranges = rangesOf(at, kind);
  if (handle.kind === 'constant' && ranges.length > 0 && !ranges.some(({ base }) => base === handle.value))
    return void at.refuse(undefined, `this is no ${kind} that the test declares`, declaredAs(kind));
  if (ranges.length === 0) {
    // What a launch does not show is told with its answers (PlannedLaunch.unseen).
    if (at.decoder.thread.isLaunched) return;
    return void at.refuse(undefined, `the test declares no ${kind}`, declaredAs(kind));
  }
  const of = at.of(64);
  let count: Operand = constant(1);
  let isOne: Operand = constant(0);
  for (const range of ranges) {
    const isThis = of.equal(handle, constant(range.base));
    count = of.select(isThis, constant(Math.max(1, Math.floor(range.object.size / bytes))), count);
    isOne = at.of(1).or(isOne, isThis);
  }
  at.require(isOne, 'texture-handle');
  const element = of.divide('remainder', at.open(64), count);
  const place = at.temporary(B64);
  at.result(place, B64, of.add(handle, of.multiply(element, constant(bytes))));
  const address = { base: register(place), offset: 0n, window: 'global' } as const;
  const type: DataType = { kind: 'b', width: 8 * bytes };
  const common = { type, address, somewhere: true, ...WEAK } as const;
  if (does === 'reads') at.emit({ kind: 'load', targets: [undefined], proxy: 'readonly', ...common });
  else at.emit({ kind: 'store', values: [at.open(type.width)], proxy: 'surface', ...common });
}

/** Registers that take what is found, and a predicate beside them. */
function give(at: InstructionDecoder, destination: OperandSyntax | undefined, type: DataType, count: number): void {
  if (destination === undefined) return;
  const elements = destination.kind === 'vector' ? destination.elements : [destination];
  if (elements.length !== count)
    return void at.refuse(destination, `expected ${count === 1 ? 'a register' : `a vector of ${count} registers`}`);
  for (const element of elements) {
    const target = at.target(element, type, { widerAllowed: true, sink: true });
    if (target !== undefined) at.result(target, type, at.open(type.width));
  }
  const predicate = destination.kind === 'vector' ? destination.predicate : undefined;
  if (predicate === undefined) return;
  const name = { kind: 'name', name: predicate, offset: 0n, span: destination.span } as const;
  const target = at.target(name, PREDICATE);
  if (target !== undefined) at.result(target, PREDICATE, at.open(1));
}

/** Further operands: level of detail, gradients, offsets, a value that is compared with. */
function readRest(at: InstructionDecoder, rest: readonly OperandSyntax[]): void {
  for (const one of rest) {
    const parts = one.kind === 'vector' ? one.elements : [one];
    each(at, parts, value(B32, { untyped: true }));
  }
}

const GEOMETRIES = ['1d', '2d', '3d', 'a1d', 'a2d', 'cube', 'acube', '2dms', 'a2dms'] as const;
const SURFACES = ['1d', '2d', '3d', 'a1d', 'a2d'] as const;
const FOUND = ['u32', 's32', 'f32', 'f16', 'f16x2'] as const;
const COORDINATES = ['s32', 'f32'] as const;
const VECTOR = ['v2', 'v4'] as const;
const CLAMPS = ['trap', 'clamp', 'zero'] as const;

function decodeFetch(
  at: InstructionDecoder,
  { vector, type }: { readonly vector: 'v2' | 'v4'; readonly type: TypeName },
): void {
  const [destination, place, ...rest] = at.operands;
  const handle = handleOf(at, place);
  readRest(at, rest);
  if (handle === undefined) return;
  access(at, 'texture', 'reads', handle, BYTE.width / 8);
  give(at, destination, dataTypeOf(type), Number(vector[1]));
}

/** What a query finds is open. */
const query = (queries: readonly string[]): Instruction =>
  instruction({
    slots: { query: queries, mode: ['level'], type: ['b32'] },
    required: ['query', 'type'],
    operands: 'd, [a]{, lod}',
    destination: true,
    since: FERMI,
    decode: (at) => {
      const [destination, place, ...rest] = at.operands;
      readRest(at, rest);
      if (handleOf(at, place) !== undefined) give(at, destination, B32, 1);
    },
  });

/** Types and vectors of what a surface instruction moves. */
const SURFACE = {
  geometry: SURFACES,
  vector: VECTOR,
  type: ['b8', 'b16', 'b32', 'b64', 'u32', 's32', 'f32'],
  clamp: CLAMPS,
} as const;

const AT_MOST_128_BITS: Rule = {
  rule: 'a surface instruction moves at most 128 bits: .v4 of .b64 is none',
  broken: (q) => q.vector === 'v4' && q.type === 'b64',
};

const surfaceStore = (isFormatted: boolean): Instruction =>
  instruction({
    slots: { ...SURFACE, cache: ['wb', 'cg', 'cs', 'wt'] },
    required: ['geometry', 'type', 'clamp'],
    operands: '[a], b',
    rules: [
      AT_MOST_128_BITS,
      {
        rule: 'sust.p is of .b32, .u32, .s32 or .f32, and sust.b of .b8 to .b64',
        broken: (q) => (isFormatted ? !/32$/.test(q.type ?? '') : !/^b/.test(q.type ?? '')),
      },
    ],
    since: FERMI,
    decode: (at, { vector, type }) => {
      const [place, source] = at.operands;
      const own = dataTypeOf(type);
      const handle = handleOf(at, place);
      const isBraced = vector === undefined && source?.kind === 'vector' && source.elements.length === 1;
      const elements = isBraced ? source.elements : source && vectorElements(at, source, vector);
      if (elements === undefined || handle === undefined) return;
      if (each(at, elements, value(own, { widerAllowed: true })) === undefined) return;
      access(at, 'surface', 'writes', handle, (own.width / 8) * elements.length);
    },
  });

const surfaceReduction = (isFormatted: boolean): Instruction =>
  instruction({
    slots: {
      operation: ['add', 'min', 'max', 'and', 'or'],
      geometry: SURFACES,
      type: ['u32', 'u64', 's32', 's64', 'b32'],
      clamp: CLAMPS,
    },
    required: ['operation', 'geometry', 'type', 'clamp'],
    operands: '[a], b',
    rules: [
      {
        rule: 'sured.b is .add, .min or .max of .u32, .s32, .u64 or .s64, or .and or .or of .b32; sured.p is of .b32',
        broken: (q) => (isFormatted || /and|or/.test(q.operation ?? '') ? q.type !== 'b32' : q.type === 'b32'),
      },
    ],
    since: FERMI,
    decode: (at, { type }) => {
      const [place, source] = at.operands;
      const own = dataTypeOf(type);
      const handle = handleOf(at, place);
      const given = source?.kind === 'vector' && source.elements.length === 1 ? source.elements[0] : source;
      const operand = at.value(given, own);
      if (handle !== undefined && operand !== undefined) access(at, 'surface', 'writes', handle, own.width / 8);
    },
  });

export const TEXTURE_INSTRUCTIONS = {
  tex: instruction({
    slots: {
      mode: ['base', 'level', 'grad'],
      geometry: GEOMETRIES,
      vector: VECTOR,
      type: FOUND,
      sourceType: COORDINATES,
    },
    required: ['geometry', 'vector', 'type', 'sourceType'],
    operands: 'd, [a, c]{, lod}{, e}{, f}{, g}',
    destination: true,
    since: { ptx: '1.0; .base, .level, .grad 3.1', target: 'sm_10' },
    rules: [
      {
        rule: 'a cube has coordinates of .f32',
        broken: (q) => q.geometry?.endsWith('cube') === true && q.sourceType !== 'f32',
      },
    ],
    decode: decodeFetch,
  }),
  tld4: instruction({
    slots: {
      component: ['r', 'g', 'b', 'a'],
      geometry: ['2d', 'a2d', 'cube', 'acube'],
      vector: ['v4'],
      type: ['u32', 's32', 'f32'],
      sourceType: ['f32'],
    },
    required: ['component', 'geometry', 'vector', 'type', 'sourceType'],
    operands: 'd, [a, c]{, e}{, f}',
    destination: true,
    since: FERMI,
    decode: decodeFetch,
  }),
  txq: query([
    ...['width', 'height', 'depth', 'channel_data_type', 'channel_order', 'normalized_coords', 'array_size'],
    ...['num_mipmap_levels', 'num_samples', 'force_unnormalized_coords', 'filter_mode'],
    ...['addr_mode_0', 'addr_mode_1', 'addr_mode_2'],
  ]),
  'suld.b': instruction({
    slots: { ...SURFACE, type: ['b8', 'b16', 'b32', 'b64'], cache: ['ca', 'cg', 'cs', 'cv'] },
    required: ['geometry', 'type', 'clamp'],
    operands: 'd, [a]',
    destination: true,
    rules: [AT_MOST_128_BITS],
    since: FERMI,
    decode: (at, { vector, type }) => {
      const [destination, place] = at.operands;
      const own = dataTypeOf(type);
      const count = Number(vector?.slice(1) ?? 1);
      const handle = handleOf(at, place);
      if (handle === undefined) return;
      access(at, 'surface', 'reads', handle, (own.width / 8) * count);
      give(at, destination, own, count);
    },
  }),
  'sust.b': surfaceStore(false),
  'sust.p': surfaceStore(true),
  'sured.b': surfaceReduction(false),
  'sured.p': surfaceReduction(true),
  suq: query([...['width', 'height', 'depth', 'channel_data_type', 'channel_order', 'array_size', 'memory_layout']]),
  /** Whether an address is that of such an object (PTX ISA, istypep): not known here. */
  istypep: instruction({
    slots: { type: ['texref', 'samplerref', 'surfref'] },
    required: ['type'],
    operands: 'p, a',
    destination: true,
    since: { ptx: '4.0', target: 'sm_30' },
    decode: (at) => {
      const [destination, operand] = at.operands;
      const given = at.value(operand, B64);
      const target = at.target(destination, PREDICATE);
      if (given !== undefined && target !== undefined) at.result(target, PREDICATE, at.open(1));
    },
  }),
} as const satisfies Record<string, Instruction>;
