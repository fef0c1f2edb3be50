import type { FloatFormat } from '../program/float-format.js';
import { addressedBy, type DataFlow, isAccess, type Root, type Step, typeIn, widthIn } from './data-flow.js';
import { comparedWith, constantIn } from './number-meaning.js';

/** What is done with the memory that a pointer leads to. */
export interface MemoryUse {
  /** Of accesses, in bytes: of one element, and of the largest at once. */
  readonly element: number;
  readonly largest: number;
  /** What its elements are used as, if that is floating-point numbers. */
  readonly float: FloatFormat | undefined;
  readonly reads: boolean;
  readonly writes: boolean;
  /** It is counted in, or waited for: it begins as 0. */
  readonly isCounter: boolean;
  /** What is found there leads to addresses, or decides where threads go. */
  readonly decides: 'address' | 'branch' | 'nothing';
  /** Constants that what is loaded there is compared with, and those that a compare-and-swap expects there. */
  readonly compared: readonly number[];
  readonly expected: readonly number[];
  /** Each thread takes two numbers there that stand together, and compares: where its row begins, and the next one. */
  readonly isOfRows: boolean;
  /** Where pointers are found there: what is done with the memory that these lead to. */
  readonly points: MemoryUse | undefined;
}

export const NOTHING: MemoryUse = {
  ...{ element: 4, largest: 4, float: undefined, reads: false, writes: false, isCounter: false },
  ...{ decides: 'nothing', compared: [], expected: [], isOfRows: false, points: undefined },
};

/** By parameter and place: what is done with memory there. */
export type Uses = ReadonlyMap<string, MemoryUse>;
export const placeKey = (parameter: string, at: number): string => `${parameter}+${at}`;

/** What is done with the memory that the bytes of parameters lead to, and with that which is found there. */
export function usesOf(flow: DataFlow): Uses {
  const uses = new Map<string, MemoryUse>();
  const found: { readonly step: Step; readonly register: string; readonly roots: readonly Root[] }[] = [];
  for (const step of flow.steps) {
    if (!isAccess(step) || step.words.has('param')) continue;
    for (const register of addressedBy(step)) {
      const roots = flow.rootsOf(register);
      const slots = roots.filter((root) => root.kind === 'slot');
      if (slots.length === 0) found.push({ step, register, roots });
      for (const { parameter, at } of slots) {
        const key = placeKey(parameter, at);
        uses.set(key, joined(uses.get(key), useOf(step, flow, register)));
      }
    }
  }
  for (const { step, register, roots } of found)
    for (const root of roots) if (root.kind === 'loaded') pointedAt(flow, uses, root.step, useOf(step, flow, register));
  return uses;
}

/** A pointer was loaded by a step, and this is what is done with the memory that it leads to. */
function pointedAt(flow: DataFlow, uses: Map<string, MemoryUse>, by: Step, use: MemoryUse): void {
  if (widthIn(by.words) !== 64) return;
  const place = flow.elementOf(by);
  if (place !== undefined) {
    const key = placeKey(place.parameter, place.at);
    uses.set(key, joined(uses.get(key), use));
    return;
  }
  for (const root of addressedBy(by).flatMap((base) => flow.rootsOf(base))) {
    if (root.kind !== 'slot') continue;
    const key = placeKey(root.parameter, root.at);
    const own = uses.get(key) ?? NOTHING;
    uses.set(key, { ...own, points: joined(own.points, use) });
  }
}

const joined = (a: MemoryUse | undefined, b: MemoryUse): MemoryUse =>
  a === undefined
    ? b
    : {
        element: Math.min(a.element, b.element),
        largest: Math.max(a.largest, b.largest),
        float: a.float ?? b.float,
        reads: a.reads || b.reads,
        writes: a.writes || b.writes,
        isCounter: a.isCounter || b.isCounter,
        decides:
          a.decides === 'address' || b.decides === 'address'
            ? 'address'
            : a.decides === 'branch'
              ? a.decides
              : b.decides,
        compared: [...new Set([...a.compared, ...b.compared])],
        expected: [...new Set([...a.expected, ...b.expected])],
        isOfRows: a.isOfRows || b.isOfRows,
        points: a.points ?? b.points,
      };

/** What one access does with the memory at a register. */
function useOf(step: Step, flow: DataFlow, register: string): MemoryUse {
  const { mnemonic, words, instruction } = step;
  const vector = words.has('v2') ? 2 : words.has('v4') ? 4 : words.has('v8') ? 8 : 1;
  const isCopy = mnemonic === 'cp';
  const size = instruction?.operands.find((one) => one.kind === 'number');
  const bytes = Math.max(1, widthIn(words) / 8);
  const isAtomic = mnemonic === 'atom' || mnemonic === 'red';
  const isFirst = instruction?.operands.find(({ kind }) => kind === 'address');
  const isTarget = isFirst?.kind === 'address' && isFirst.base === register;
  const loads = mnemonic === 'ld' || mnemonic === 'ldu' || mnemonic === 'ldmatrix' || mnemonic === 'atom';
  const isSynchronizing = ['acquire', 'volatile', 'relaxed'].some((word) => words.has(word));
  const reached = loads ? flow.reachedFrom(step.targets) : new Set<Step>();
  const decides = decided(reached, step.targets);
  return {
    element: isCopy ? 4 : bytes,
    largest: isCopy ? copied(words, size?.kind === 'number' ? Number(size.value) : 16) : bytes * vector,
    float: floatIn(step, flow),
    reads: loads || isAtomic || (isCopy && !isTarget),
    writes: mnemonic === 'st' || isAtomic || (isCopy && isTarget),
    isCounter: isAtomic || (loads && isSynchronizing && decides !== 'nothing'),
    decides,
    compared: loads ? comparedIn(step, flow) : [],
    expected: isAtomic && words.has('cas') ? expectedIn(step, flow) : [],
    isOfRows: loads && decides === 'address' && takesTwo(step, flow, register, reached),
    points: undefined,
  };
}

/** Larger constants, of either sign, say nothing of what may be in an array. */
const LARGEST_CONSTANT = 4096;
const isSmall = (one: number): boolean => Math.abs(one) <= LARGEST_CONSTANT;

const comparedIn = ({ targets }: Step, flow: DataFlow): readonly number[] =>
  comparedWith(flow, targets).filter(isSmall);

/** What a compare-and-swap expects to find, if that is a constant. */
function expectedIn({ sources: [, expected], words }: Step, flow: DataFlow): readonly number[] {
  const constant = expected && constantIn(flow, expected, widthIn(words));
  return constant === undefined || !isSmall(constant) ? [] : [constant];
}

/** The format of the floating-point numbers that an access takes, by its type, or what is done with what it loads. */
function floatIn(step: Step, flow: DataFlow): FloatFormat | undefined {
  const type = typeIn(step.words);
  if (type === 'f32' || type === 'f64') return type;
  const waiting = [...step.targets];
  for (const name of waiting)
    for (const reading of flow.readersOf(name)) {
      // What is unpacked goes on by moves.
      if (reading.mnemonic === 'mov') {
        waiting.push(...reading.targets.filter((one) => !waiting.includes(one)));
        continue;
      }
      // Of a conversion the last type is that of what it takes.
      const types = reading.mnemonic === 'cvt' ? [typeIn(reading.words)] : [...reading.words];
      const format = FORMATS.find((one) => types.includes(one) || types.includes(`${one}x2`));
      if (!isAccess(reading) && format !== undefined) return format;
    }
  return undefined;
}

/** Of floating-point numbers that are loaded as bits. */
const FORMATS: readonly FloatFormat[] = ['f16', 'bf16'];

/** Whether the number beside it is loaded as well, and no more, and both are compared: more are an unrolled loop. */
function takesTwo({ words }: Step, flow: DataFlow, register: string, reached: ReadonlySet<Step>): boolean {
  if (![...reached].some(({ mnemonic }) => mnemonic === 'setp')) return false;
  const places = flow.steps.flatMap((other) =>
    (other.instruction?.operands ?? []).flatMap((one) =>
      one.kind === 'address' && one.base === register && other.mnemonic === 'ld' ? [Number(one.offset)] : [],
    ),
  );
  const [first = 0, second = 0, ...more] = [...new Set(places)];
  return more.length === 0 && Math.abs(first - second) === widthIn(words) / 8;
}

const copied = (words: ReadonlySet<string>, bytes: number): number => (words.has('bulk') ? 16 : Math.min(16, bytes));

/** What the instructions that a value comes to do with it. */
export function decided(reached: ReadonlySet<Step>, from: readonly string[]): MemoryUse['decides'] {
  const made = new Set([...from, ...[...reached].flatMap((step) => (isAccess(step) ? [] : step.targets))]);
  if ([...reached].some((step) => addressedBy(step).some((name) => made.has(name)))) return 'address';
  return [...reached].some(({ mnemonic }) => mnemonic === 'setp' || mnemonic === 'bra') ? 'branch' : 'nothing';
}
