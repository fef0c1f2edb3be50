import { planLaunches } from '../kernel/plan-launches.js';
import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import { typeIn as typeOf } from '../program/data-type.js';
import type { VariableSyntax } from '../syntax/litmus-ast.js';
import type { ModuleEntry, ModuleFile } from '../syntax/module-ast.js';
import { parseLitmus } from '../syntax/parse-litmus.js';
import { addressedBy, DataFlow, isAccess, numbersOf, type SlotLoad, type Step, typeIn, widthIn } from './data-flow.js';

/** Some bytes of a parameter that the code loads, or the whole of it. */
export interface Slot {
  /** The number of the parameter, and where in it. */
  readonly parameter: number;
  readonly at: number;
  readonly bytes: number;
  readonly kind: 'pointer' | 'integer' | 'float' | 'map' | 'unused';
  /** Of a pointer: what is done with the memory. */
  readonly use: MemoryUse;
  /** Of an integer: numbers that it is compared with, or that are made into what it is compared with. */
  readonly numbers: readonly bigint[];
  /** It decides where threads go, or where in memory. */
  readonly decides: boolean;
  /** Of a tensor map: how many dimensions its tensor has. */
  readonly rank: number;
}

/** What is done with the memory that a pointer leads to. */
export interface MemoryUse {
  /** Of accesses, in bytes: of one element, and of the largest at once. */
  readonly element: number;
  readonly largest: number;
  readonly isFloat: boolean;
  readonly reads: boolean;
  readonly writes: boolean;
  /** It is counted in, or waited for: it begins as 0. */
  readonly isCounter: boolean;
  /** What is found there leads to addresses, or decides where threads go. */
  readonly decides: 'address' | 'branch' | 'nothing';
}

/** What a module says of one of its kernels. */
export interface KernelFacts {
  readonly module: ModuleFile;
  readonly entry: ModuleEntry;
  readonly slots: readonly Slot[];
  /** The predefined registers that it reads, such as `tid.y`. */
  readonly special: ReadonlySet<string>;
  /** Of blocks and grids that it is made for; ranks of cooperative groups read all three and say nothing. */
  readonly dimensions: number;
  readonly gridDimensions: number;
  /** It waits for all threads of its grid as cooperative groups do. */
  readonly isCooperative: boolean;
  readonly isOfClusters: boolean;
  /** The arrays that it names whose size a launch gives. */
  readonly dynamic: readonly string[];
  readonly hasDynamicShared: boolean;
  /** Numbers that the block may be as large as: sizes of shared arrays, what thread numbers are compared with. */
  readonly sizes: readonly number[];
  /** In bytes: what mbarriers are told to expect, and sizes of shared arrays: boxes of tensor maps may be as large. */
  readonly boxes: readonly number[];
  /** Why its body cannot be read, if so. */
  readonly problem: string | undefined;
}

/** Reads what the code of a kernel says of its launch. */
export function kernelFacts(module: ModuleFile, entry: ModuleEntry): KernelFacts {
  const { statements, parameters, problem } = bodyOf(module, entry);
  const flow = new DataFlow(statements, new Set(parameters.keys()));
  const special = specialIn(flow.steps);
  const isCooperative = special.has('envreg1') || special.has('envreg2');
  const uses = usesOf(flow);
  const loads = flow.slots();
  const slots = entry.parameters.flatMap((parameter, index) => {
    const [name = parameter.name] = [...parameters].find(([, own]) => own === index) ?? [];
    const own = loads.filter((load) => load.parameter === name);
    return slotsOf({ flow, parameter, index, name, uses, loads: own });
  });
  return {
    ...{ module, entry, slots, special, problem, isCooperative },
    dimensions: dimensionsOf('tid', flow),
    gridDimensions: dimensionsOf('ctaid', flow),
    isOfClusters:
      entry.bounds.has('explicitcluster') ||
      flow.steps.some(({ mnemonic, words }) => mnemonic === 'mapa' || words.has('cluster') || isOfClusterMemory(words)),
    dynamic: dynamicIn(module, flow),
    hasDynamicShared: dynamicIn(module, flow).length > 0,
    sizes: sizesIn(module, flow),
    boxes: boxesIn(module, flow),
  };
}

/** As many as are read for themselves: a rank among all, as cooperative groups make it, says nothing of shapes. */
function dimensionsOf(of: 'tid' | 'ctaid', flow: DataFlow): number {
  const isRead = (axis: 'y' | 'z'): boolean =>
    flow.steps.some((step) => flow.specialsOf(step).includes(`${of}.${axis}`) && !isOfRank(of, flow, step));
  return isRead('z') ? 3 : isRead('y') ? 2 : 1;
}

/** Whether a step makes a part of a rank: z * sizes + y, y * size + x, or what is 0 for the first of all. */
function isOfRank(of: 'tid' | 'ctaid', flow: DataFlow, step: Step): boolean {
  const { mnemonic, sources } = step;
  if (mnemonic === 'mov' || mnemonic === 'cvt' || mnemonic === 'neg') return true;
  const read = flow.specialsOf(step);
  const [among, scale] = of === 'tid' ? [/^n?tid\./, 'ntid.'] : [/^n?ctaid\./, 'nctaid.'];
  if (!read.every((one) => among.test(one))) return false;
  if (['mad', 'mul'].includes(mnemonic)) return read.some((one) => one.startsWith(scale));
  return (mnemonic === 'add' || mnemonic === 'or') && sources.every((one) => isMadeOf(of, flow, one));
}

/** Whether an operand is made of such numbers alone, by a few sums. */
function isMadeOf(of: 'tid' | 'ctaid', flow: DataFlow, one: Step['sources'][number], depth = 5): boolean {
  if (one.kind !== 'name' || depth === 0) return false;
  const writing = flow.writersOf(one.name);
  if (writing.length === 0) return one.name.startsWith(`${of}.`);
  return writing.every((step) => {
    const { mnemonic, sources } = step;
    if (mnemonic === 'mul' || mnemonic === 'mad') return isOfRank(of, flow, step);
    const isSum = ['mov', 'cvt', 'neg', 'add', 'or'].includes(mnemonic);
    return isSum && sources.every((next) => isMadeOf(of, flow, next, depth - 1));
  });
}

const isOfClusterMemory = (words: ReadonlySet<string>): boolean =>
  words.has('shared::cluster') && (words.has('multicast::cluster') || words.has('st') || words.has('red'));

function bodyOf(
  module: ModuleFile,
  entry: ModuleEntry,
): Pick<KernelFacts, 'problem'> & {
  readonly statements: ConstructorParameters<typeof DataFlow>[0];
  readonly parameters: ReadonlyMap<string, number>;
} {
  const { path, text } = module.source;
  const block = (entry.bounds.get('reqntid') ?? [1]).join(', ');
  const cluster = entry.bounds.get('reqnctapercluster');
  const grid = cluster === undefined ? '' : `grid (${cluster.join(', ')}), `;
  const given = entry.parameters.map(() => '?').join(', ');
  const test = `PTX k {} launch K "m" :: ${entry.name} (${given}) @ ${grid}block (${block})`;
  const { value: file, diagnostics } = parseLitmus({ path: 'k.litmus', text: test, modules: { m: { path, text } } });
  const plan = file === undefined ? undefined : planLaunches(file);
  const all = [...diagnostics, ...(plan?.diagnostics ?? [])];
  const problem = all.find(({ severity }) => severity === 'error')?.message;
  const statements = plan?.launches[0]?.body.statements ?? [];
  const declared = new Set(plan?.declarations.map((one) => ('name' in one ? one.name : '')));
  const parameters = entry.parameters.map(
    ({ name }, index) => [declared.has(name) ? name : `K.${name}`, index] as const,
  );
  return { statements, parameters: new Map(parameters), problem };
}

const NOTHING: MemoryUse = {
  ...{ element: 4, largest: 4, isFloat: false, reads: false, writes: false, isCounter: false, decides: 'nothing' },
};

/** By parameter and place: what is done with memory there. */
type Uses = ReadonlyMap<string, MemoryUse>;
const keyOf = (parameter: string, at: number): string => `${parameter}+${at}`;

function usesOf(flow: DataFlow): Uses {
  const uses = new Map<string, MemoryUse>();
  for (const step of flow.steps) {
    if (!isAccess(step) || step.words.has('param')) continue;
    for (const register of addressedBy(step))
      for (const root of flow.rootsOf(register)) {
        if (root.kind !== 'slot') continue;
        const key = keyOf(root.parameter, root.at);
        uses.set(key, joined(uses.get(key), useOf(step, flow, register)));
      }
  }
  return uses;
}

const joined = (a: MemoryUse | undefined, b: MemoryUse): MemoryUse =>
  a === undefined
    ? b
    : {
        element: Math.min(a.element, b.element),
        largest: Math.max(a.largest, b.largest),
        isFloat: a.isFloat || b.isFloat,
        reads: a.reads || b.reads,
        writes: a.writes || b.writes,
        isCounter: a.isCounter || b.isCounter,
        decides:
          a.decides === 'address' || b.decides === 'address'
            ? 'address'
            : a.decides === 'branch'
              ? a.decides
              : b.decides,
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
    isFloat: /^f(32|64)$/.test(typeIn(words)),
    reads: loads || isAtomic || (isCopy && !isTarget),
    writes: mnemonic === 'st' || isAtomic || (isCopy && isTarget),
    isCounter: isAtomic || (loads && isSynchronizing && decides !== 'nothing'),
    decides,
  };
}

const copied = (words: ReadonlySet<string>, bytes: number): number => (words.has('bulk') ? 16 : Math.min(16, bytes));

/** What the instructions that a value comes to do with it. */
function decided(reached: ReadonlySet<Step>, from: readonly string[]): MemoryUse['decides'] {
  const made = new Set([...from, ...[...reached].flatMap((step) => (isAccess(step) ? [] : step.targets))]);
  if ([...reached].some((step) => addressedBy(step).some((name) => made.has(name)))) return 'address';
  return [...reached].some(({ mnemonic }) => mnemonic === 'setp' || mnemonic === 'bra') ? 'branch' : 'nothing';
}

/** A parameter with what is known of how it is used. */
interface Used {
  readonly flow: DataFlow;
  readonly parameter: VariableSyntax;
  readonly index: number;
  readonly name: string;
  readonly uses: Uses;
  readonly loads: readonly SlotLoad[];
}

function slotsOf(used: Used): readonly Slot[] {
  const { parameter, index, loads } = used;
  const { elements, directives } = parameter;
  const type = typeOf(directives) ?? { kind: 'b', width: 32 };
  const whole = bytesOf(parameter);
  const plain = { parameter: index, at: 0, bytes: whole, use: NOTHING, numbers: [], decides: false, rank: 0 } as const;
  if (isMap(parameter)) return [{ ...plain, kind: 'map', rank: rankOf(used) }];
  if (elements === undefined) {
    const isPointer = directives.some(({ name }) => name === 'ptr');
    if (loads.length === 0) return [{ ...plain, kind: isPointer ? 'pointer' : 'unused' }];
    return [slotOf(used, 0, whole, isPointer, type.kind === 'f')];
  }
  const places = [...new Set(loads.map(({ at }) => at))].sort((a, b) => a - b);
  const slots = places.map((at) => {
    const bytes = Math.max(...loads.filter((one) => one.at === at).map((one) => one.bytes));
    return slotOf(used, at, bytes, false, false);
  });
  return slots.length > 0 ? slots : [{ ...plain, kind: 'unused' }];
}

/** How many dimensions the tensor of a map has, as the copies say that use it. */
function rankOf({ flow, name }: Used): number {
  const copies = flow.steps.filter(({ words }) => words.has('tensor'));
  const own = copies.filter((step) =>
    addressedBy(step).some((register) =>
      flow.rootsOf(register).some((root) => root.kind === 'parameter' && root.parameter === name),
    ),
  );
  const [step = copies[0]] = own;
  const word = [...(step?.words ?? [])].find((one) => /^[1-5]d$/.test(one));
  return word === undefined ? 2 : Number(word[0]);
}

/** What mbarriers are told to expect, and the sizes of shared arrays. */
function boxesIn({ variables }: ModuleFile, flow: DataFlow): readonly number[] {
  const expected = flow.steps.flatMap(({ mnemonic, words, sources }) =>
    mnemonic === 'mbarrier' && (words.has('expect_tx') || words.has('arrive'))
      ? sources.flatMap((one) =>
          one.kind === 'number'
            ? [Number(one.value)]
            : one.kind === 'name'
              ? flow.numbersIn(one.name, 3).map(Number)
              : [],
        )
      : [],
  );
  const arrays = variables.flatMap(({ variable: { directives, elements = 0 } }) =>
    directives.some(({ name }) => name === 'shared') ? [elements] : [],
  );
  const all = [...expected, ...expected.map((bytes) => bytes / 2), ...arrays, ...arrays.map((bytes) => bytes / 2)];
  return [...new Set(all)].filter((bytes) => bytes >= 16 && bytes % 16 === 0);
}

/** Of a parameter. */
export const bytesOf = ({ elements, directives }: VariableSyntax): number =>
  ((elements ?? 1) * (typeOf(directives)?.width ?? 32)) / 8;

export const isMap = ({ elements, directives }: VariableSyntax): boolean =>
  elements === DESCRIPTOR_BYTES && directives.some(({ name, argument }) => name === 'align' && (argument ?? 0n) >= 64n);

function slotOf(
  { flow, index, name, uses, loads }: Used,
  at: number,
  bytes: number,
  isPointer: boolean,
  isFloat: boolean,
): Slot {
  const use = uses.get(keyOf(name, at));
  const own = loads.filter((one) => one.at === at);
  const place = { parameter: index, at, bytes } as const;
  if (bytes === 8 && (use !== undefined || isPointer))
    return { ...place, kind: 'pointer', use: use ?? NOTHING, numbers: [], decides: false, rank: 0 };
  if (isFloat || own.every((one) => one.isFloat))
    return { ...place, kind: 'float', use: NOTHING, numbers: [], decides: false, rank: 0 };
  const registers = own.map(({ register }) => register);
  const reached = flow.reachedFrom(registers);
  const decides = decided(reached, registers) !== 'nothing';
  return {
    ...place,
    kind: 'integer',
    use: NOTHING,
    numbers: decides ? numbersAround(flow, reached) : [],
    decides,
    rank: 0,
  };
}

/** The numbers that are met on the way from a value to where it decides something. */
function numbersAround(flow: DataFlow, reached: ReadonlySet<Step>): readonly bigint[] {
  const numbers = [...reached].flatMap((step) => [
    ...(isAccess(step) ? [] : numbersOf(step.mnemonic, step.words, step.sources)),
    ...(step.mnemonic === 'setp'
      ? step.sources.flatMap((one) => (one.kind === 'name' ? flow.numbersIn(one.name) : []))
      : []),
  ]);
  return [...new Set(numbers)].filter((one) => one > 0n && one <= 4096n).sort((a, b) => Number(a - b));
}

function specialIn(steps: readonly Step[]): ReadonlySet<string> {
  const names = steps.flatMap(({ mnemonic, sources }) =>
    mnemonic === 'mov' ? sources.flatMap((one) => (one.kind === 'name' && one.name.length > 3 ? [one.name] : [])) : [],
  );
  return new Set(names);
}

/** The arrays that the code names whose size a launch gives. */
function dynamicIn({ variables }: ModuleFile, flow: DataFlow): readonly string[] {
  const named = new Set(
    flow.steps.flatMap(({ instruction }) =>
      (instruction?.operands ?? []).flatMap((one) => [
        ...('name' in one ? [one.name] : []),
        ...('base' in one ? [String(one.base)] : []),
      ]),
    ),
  );
  return variables.flatMap(({ isExternal, variable: { name, directives } }) =>
    isExternal && directives.some((one) => one.name === 'shared') && named.has(name) ? [name] : [],
  );
}

/** Sizes of shared arrays in elements, and what numbers of threads are compared with. */
function sizesIn({ variables }: ModuleFile, flow: DataFlow): readonly number[] {
  const arrays = variables.flatMap(({ variable: { directives, elements }, isExternal }) => {
    if (isExternal || elements === undefined || !directives.some(({ name }) => name === 'shared')) return [];
    return [elements / 4, elements / 8, elements].filter((size) => Number.isInteger(size));
  });
  const threads = flow.steps.filter(
    ({ mnemonic, sources: [from] }) => mnemonic === 'mov' && from?.kind === 'name' && /^tid\.x$/.test(from.name),
  );
  const reached = flow.reachedFrom(threads.flatMap(({ targets }) => targets));
  const compared = [...reached].flatMap((step) =>
    step.mnemonic === 'setp' ? numbersOf(step.mnemonic, step.words, step.sources).map(Number) : [],
  );
  // A tree of additions begins with the lower half.
  const halves = compared.flatMap((size) =>
    [size, size + 1].flatMap((one) => (one > 1 && Number.isInteger(Math.log2(one)) ? [2 * one] : [])),
  );
  const largest = [...halves].sort((a, b) => b - a);
  const sizes = [...largest, ...compared.flatMap((size) => [size, size + 1]), ...arrays].filter((size) => size >= 32);
  return [...new Set(sizes)].filter((size) => size <= 1024 && size % 32 === 0);
}
