import type { InstructionDecoder } from './instruction-decoder.js';
import type { Qualifiers, Rule } from './qualifier-rules.js';

/** Which shapes and types matrix products have (PTX ISA, the tables of matrix shapes of wmma, mma and wgmma). */
const KIND_OF: Readonly<Record<string, string>> = {
  ...{ f16: 'f16', bf16: 'bf16', tf32: 'tf32', f64: 'f64', b1: 'b1' },
  ...{ e4m3: 'f8', e5m2: 'f8', e3m2: 'f6', e2m3: 'f6', e2m1: 'f6' },
  ...{ s8: 'i8', u8: 'i8', s4: 'i4', u4: 'i4' },
};
/** Results and accumulators of products of elements of a kind. */
const RESULTS_OF: Readonly<Record<string, readonly string[]>> = {
  f16: ['f16.f16', 'f32.f32'],
  bf16: ['f32.f32'],
  tf32: ['f32.f32'],
  f64: ['f64.f64'],
  f8: ['f16.f16', 'f32.f32'],
  f6: ['f16.f16', 'f32.f32'],
  i8: ['s32.s32'],
  i4: ['s32.s32'],
  b1: ['s32.s32'],
};
type Shapes = Readonly<Record<string, readonly string[]>>;
const WMMA_HALVES = ['m16n16k16', 'm8n32k16', 'm32n8k16'];
const WMMA: Shapes = {
  f16: WMMA_HALVES,
  bf16: WMMA_HALVES,
  tf32: ['m16n16k8'],
  f64: ['m8n8k4'],
  i8: WMMA_HALVES,
  i4: ['m8n8k32'],
  b1: ['m8n8k128'],
};
const MMA: Shapes = {
  f16: ['m8n8k4', 'm16n8k8', 'm16n8k16'],
  bf16: ['m16n8k8', 'm16n8k16'],
  tf32: ['m16n8k4', 'm16n8k8'],
  f64: ['m8n8k4', 'm16n8k4', 'm16n8k8', 'm16n8k16'],
  f8: ['m16n8k16', 'm16n8k32'],
  i8: ['m8n8k16', 'm16n8k16', 'm16n8k32'],
  i4: ['m8n8k32', 'm16n8k32', 'm16n8k64'],
  b1: ['m8n8k128', 'm16n8k128', 'm16n8k256'],
};
/** With A sparse. */
const MMA_SPARSE: Shapes = {
  f16: ['m16n8k16', 'm16n8k32'],
  bf16: ['m16n8k16', 'm16n8k32'],
  tf32: ['m16n8k8', 'm16n8k16'],
  f8: ['m16n8k64'],
  i8: ['m16n8k32', 'm16n8k64'],
  i4: ['m16n8k64', 'm16n8k128'],
};
/** With numbers of 4, 6 and 8 bits, and perhaps scales. */
const MMA_KINDS = ['m16n8k32', 'm16n8k64', 'm16n8k128'];
const WGMMA_DEPTHS: Readonly<Record<string, number>> = { f16: 16, bf16: 16, tf32: 8, f8: 32, i8: 32, b1: 256 };

const goesWith = (shapes: Shapes, [a, b, d, c]: readonly (string | undefined)[], shape: string): boolean => {
  const kind = KIND_OF[a ?? ''] ?? '';
  return (
    kind === KIND_OF[b ?? ''] &&
    (shapes[kind] ?? []).includes(shape) &&
    (kind === 'f8' || kind === 'i8' || kind === 'i4' || a === b) &&
    (RESULTS_OF[kind] ?? []).includes(`${d}.${c}`)
  );
};
const isInteger = (type: string | undefined): boolean => /^[us][48]$/.test(type ?? '');
/** `.and.popc` or `.xor.popc` are for bits, `.satfinite` is for integers, a rounding for `.f64`. */
const areWordsRight = (q: Qualifiers, a: string | undefined, mayLimit = isInteger(a)): boolean =>
  (q.operation !== undefined) === (a === 'b1') &&
  (q.combination !== undefined) === (a === 'b1') &&
  (q.finite === undefined || mayLimit) &&
  (q.rounding === undefined || a === 'f64');

export const MMA_SHAPES = (isSparse: boolean): Rule => ({
  rule: `${isSparse ? 'mma.sp' : 'mma'} has no such shape with these types, or takes its matrices .row and .col only`,
  broken: (q) => {
    if (q.shape === undefined) return true;
    const isPlain = q.kind === undefined && q.metadata === undefined && q.scale === undefined;
    if (!isPlain) return !MMA_KINDS.includes(q.shape) || q.kind === undefined;
    const anyLayout = q.shape === 'm8n8k4' && q.sourceType === 'f16';
    if (q.layout === undefined || q.layoutB === undefined) return true;
    if (!anyLayout && (q.layout !== 'row' || q.layoutB !== 'col')) return true;
    const types = [q.sourceType, q.typeB, q.type, q.typeC];
    const mixed = q.shape === 'm8n8k4' && q.sourceType === 'f16' && q.type === 'f32' && q.typeC === 'f16';
    if (!mixed && !goesWith(isSparse ? MMA_SPARSE : MMA, types, q.shape)) return true;
    return !areWordsRight(q, q.sourceType);
  },
});

export const WMMA_SHAPES: Rule = {
  rule: 'wmma.mma has no such shape with these types, or takes its matrices .row and .col only',
  broken: (q) => {
    if (q.shape === undefined || q.layout === undefined || q.layoutB === undefined) return true;
    if (q.kind !== undefined || q.metadata !== undefined || q.scale !== undefined) return true;
    if (q.typeB === undefined) {
      const halves = ['f16', 'f32'];
      const known = halves.includes(q.type ?? '') && halves.includes(q.sourceType ?? '');
      return !known || !WMMA_HALVES.includes(q.shape) || q.operation !== undefined || q.combination !== undefined;
    }
    const types = [q.sourceType, q.typeB, q.type, q.typeC];
    const anyLayout = !['i4', 'b1'].includes(KIND_OF[q.sourceType ?? ''] ?? '');
    if (q.sourceType === 'f16' || !goesWith(WMMA, types, q.shape)) return true;
    if (isInteger(q.sourceType) && q.sourceType !== q.typeB) return true;
    return (!anyLayout && (q.layout !== 'row' || q.layoutB !== 'col')) || !areWordsRight(q, q.sourceType);
  },
};

/** Types of a fragment that wmma loads or stores, for each shape. */
export const FRAGMENT_SHAPES: Rule = {
  rule: (q) => `wmma has no fragment .${q.fragment} of .${q.shape} with .${q.type}, or not in this layout`,
  broken: (q) => {
    const [type = '', shape = ''] = [q.type, q.shape];
    const kinds = Object.keys(WMMA).filter((kind) => (WMMA[kind] ?? []).includes(shape));
    if (q.fragment === 'c' || q.fragment === 'd')
      return !kinds.some((kind) => (RESULTS_OF[kind] ?? []).includes(`${type}.${type}`));
    const kind = KIND_OF[type] ?? '';
    const only = { a: 'row', b: 'col' }[q.fragment ?? ''];
    return !kinds.includes(kind) || ((kind === 'i4' || kind === 'b1') && q.layout !== only);
  },
};

export const WGMMA_SHAPES = (isSparse: boolean): Rule => ({
  rule: 'wgmma.mma_async has no such shape with these types',
  broken: (q) => {
    const kind = KIND_OF[q.typeA ?? ''] ?? '';
    const [, n, k] = dimensionsOf(q.shape ?? '');
    const depth = (WGMMA_DEPTHS[kind] ?? 0) * (isSparse ? 2 : 1);
    if (depth !== k || (isSparse && kind === 'b1')) return true;
    const isWhole = kind === 'i8' || kind === 'b1';
    if (isWhole && n > 24 && n % 16 !== 0) return true;
    if (kind !== KIND_OF[q.typeB ?? ''] || (kind !== 'f8' && kind !== 'i8' && q.typeA !== q.typeB)) return true;
    if (!(RESULTS_OF[kind] ?? []).includes(`${q.type}.${q.type}`)) return true;
    // Scales of the operands are for floating-point numbers, transposition for those of 16 bits.
    const least = isSparse ? 6 : 4;
    const isHalf = kind === 'f16' || kind === 'bf16';
    const count = q.operandCount - least;
    return !(isWhole ? [0] : isHalf ? [3, 4] : [2]).includes(count) || !areWordsRight(q, q.typeA);
  },
});

/** The sizes m, n and k that a shape such as m16n8k4 names. */
export function dimensionsOf(shape: string): readonly [m: number, n: number, k: number] {
  const [m = 0, n = 0, k = 0] = [...shape.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  return [m, n, k];
}

const ELEMENT_BITS: Readonly<Record<string, number>> = {
  ...{ b1: 1, u4: 4, s4: 4, u8: 8, s8: 8, f16: 16, bf16: 16, tf32: 32, f32: 32, s32: 32, f64: 64 },
  ...{ e4m3: 8, e5m2: 8, e3m2: 8, e2m3: 8, e2m1: 8 },
};
export const elementBits = (type: string): number => ELEMENT_BITS[type] ?? 32;

/** How many registers each lane has of a matrix of so many elements: of 32 bits, or one for each number of 64. */
export function registersOfFragment(elements: number, type: string): number {
  return Math.max(1, (elements * elementBits(type)) / 32 / (type === 'f64' ? 64 : 32));
}

/** The registers of d, a, b and c of a product; none where these are scaled kinds. */
export function fragmentLengths({ mnemonic, qualifiers }: InstructionDecoder, q: Qualifiers): readonly number[] {
  if (q.kind !== undefined) return [];
  const [m, n, k] = dimensionsOf(q.shape ?? '');
  const [d, a, b, c] =
    q.typeB === undefined ? [q.type, 'f16', 'f16', q.sourceType] : [q.type, q.sourceType, q.typeB, q.typeC];
  // Of m8n8k4 with .f16 a warp computes four.
  const products = mnemonic === 'mma' && q.shape === 'm8n8k4' && a === 'f16' ? 4 : 1;
  const isSparse = qualifiers.some(({ text }) => text.startsWith('sp'));
  const of = (elements: number, type: string | undefined): number =>
    registersOfFragment(products * elements, type ?? 'f32');
  if (mnemonic === 'wmma' && a === 'f16') return [of(m * n, d), 8, 8, of(m * n, c)];
  return [of(m * n, d), of((m * k) / (isSparse ? 2 : 1), a), of(k * n, b), of(m * n, c)];
}
