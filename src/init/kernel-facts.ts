import { planLaunches } from '../kernel/plan-launches.js';
import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import { typeIn as typeOf } from '../program/data-type.js';
import type { VariableSyntax } from '../syntax/litmus-ast.js';
import type { ModuleEntry, ModuleFile } from '../syntax/module-ast.js';
import { namesIn } from '../syntax/operands.js';
import { parseLitmus } from '../syntax/parse-litmus.js';
import { addressedBy, DataFlow, isAccess, numbersOf, type SlotLoad, type Step } from './data-flow.js';
import { meetsIn } from './meets.js';
import { decided, type MemoryUse, NOTHING, placeKey, type Uses, usesOf } from './memory-use.js';
import { isDoubled, isFlag } from './number-meaning.js';
import { dimensionsOf, sizesIn, stridesIn, type Tiles, tilesIn } from './shapes.js';

/** Some bytes of a parameter that the code loads, or the whole of it. */
export interface Slot {
  /** The number of the parameter, and where in it. */
  readonly parameter: number;
  readonly at: number;
  readonly bytes: number;
  /** Of an element of an array in a structure: where that begins, and which element it is. */
  readonly group: number;
  readonly element: number | undefined;
  readonly kind: 'pointer' | 'integer' | 'float' | 'map' | 'unused';
  /** Of a pointer: what is done with the memory. */
  readonly use: MemoryUse;
  /** Of an integer: numbers that it is compared with, or that are made into what it is compared with. */
  readonly numbers: readonly bigint[];
  /** It decides where threads go, or where in memory. */
  readonly decides: boolean;
  /** It multiplies into addresses and is compared with nothing: how far apart rows are, or planes. */
  readonly isStride: boolean;
  /** It is compared for equality with what is 0 or 1. */
  readonly isFlag: boolean;
  /** What a loop doubles, or halves, in each round is compared with it, or begins with it. */
  readonly isDoubled: boolean;
  /** By comparison with it: of which numbers of threads and CTAs the other side is made, such as `tid.x`. */
  readonly over: readonly ReadonlySet<string>[];
  /** Of a tensor map: how many dimensions its tensor has. */
  readonly rank: number;
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
  /** One thread of each CTA takes a lock in memory that all share, or counts there: it is meant for several CTAs. */
  readonly meets: 'lock' | 'count' | undefined;
  /** The arrays that it names whose size a launch gives. */
  readonly dynamic: readonly string[];
  readonly hasDynamicShared: boolean;
  /** Numbers that the block may be as large as: sizes of shared arrays, what thread numbers are compared with. */
  readonly sizes: readonly number[];
  readonly tiles: Tiles;
  /** Along each axis: steps of threads in loops, which mostly are as wide as the block. */
  readonly strides: Tiles;
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
    meets: meetsIn(module, flow),
    dynamic: dynamicIn(module, flow),
    hasDynamicShared: dynamicIn(module, flow).length > 0,
    sizes: sizesIn(module, flow),
    tiles: tilesIn(flow),
    strides: stridesIn(flow),
    boxes: boxesIn(module, flow),
  };
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

const SAYS_NOTHING = {
  numbers: [],
  decides: false,
  isStride: false,
  isFlag: false,
  isDoubled: false,
  over: [],
  rank: 0,
} as const;

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
  const whole = parameterBytes(parameter);
  const place = { parameter: index, at: 0, bytes: whole, group: 0, element: undefined };
  const plain = { ...place, use: NOTHING, ...SAYS_NOTHING } as const;
  if (isMap(parameter)) return [{ ...plain, kind: 'map', rank: rankOf(used) }];
  if (elements === undefined) {
    const isPointer = directives.some(({ name }) => name === 'ptr');
    if (loads.length === 0) return [{ ...plain, kind: isPointer ? 'pointer' : 'unused' }];
    return [slotOf(used, { at: 0, bytes: whole }, isPointer, type.kind === 'f')];
  }
  const slots = placesIn(loads, whole).map((place) => slotOf(used, place));
  return slots.length > 0 ? slots : [{ ...plain, kind: 'unused' }];
}

/** Bytes of a structure: a field, or an element of an array in it, which begins at the place of its group. */
interface Place {
  readonly at: number;
  readonly bytes: number;
  readonly group?: number;
  readonly element?: number;
}

/** The fields that are loaded, and all elements of arrays of which some are: up to where something else begins. */
function placesIn(loads: readonly SlotLoad[], whole: number): readonly Place[] {
  const starts = [...new Set(loads.map(({ at }) => at))].sort((a, b) => a - b);
  return starts.flatMap((at, i): readonly Place[] => {
    const own = loads.filter((one) => one.at === at);
    const bytes = Math.max(...own.map((one) => one.bytes));
    if (!own.some(({ isElement }) => isElement)) return [{ at, bytes }];
    const count = Math.max(1, Math.floor(((starts[i + 1] ?? whole) - at) / bytes));
    return Array.from({ length: count }, (_, element) => ({ at: at + element * bytes, bytes, group: at, element }));
  });
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
export const parameterBytes = ({ elements, directives }: VariableSyntax): number =>
  ((elements ?? 1) * (typeOf(directives)?.width ?? 32)) / 8;

export const isMap = ({ elements, directives }: VariableSyntax): boolean =>
  elements === DESCRIPTOR_BYTES && directives.some(({ name, argument }) => name === 'align' && (argument ?? 0n) >= 64n);

function slotOf(
  { flow, index, name, uses, loads }: Used,
  { at, bytes, group = at, element }: Place,
  isPointer = false,
  isFloat = false,
): Slot {
  const use = uses.get(placeKey(name, group));
  const own = loads.filter((one) => one.at === group);
  const place = { parameter: index, at, bytes, group, element } as const;
  if (bytes === 8 && (use !== undefined || isPointer))
    return { ...place, kind: 'pointer', use: use ?? NOTHING, ...SAYS_NOTHING };
  if (isFloat || own.every((one) => one.isFloat)) return { ...place, kind: 'float', use: NOTHING, ...SAYS_NOTHING };
  const registers = own.map(({ register }) => register);
  const reached = flow.reachedFrom(registers);
  const decides = decided(reached, registers) !== 'nothing';
  return {
    ...place,
    kind: 'integer',
    use: NOTHING,
    numbers: decides ? numbersAround(flow, reached) : [],
    decides,
    isStride: decides && isStride(reached),
    isFlag: decides && isFlag(flow, registers),
    isDoubled: decides && isDoubled(flow, registers),
    over: comparedWith(flow, reached),
    rank: 0,
  };
}

/** What the numbers are made of that a value is held against. */
const comparedWith = (flow: DataFlow, reached: ReadonlySet<Step>): readonly ReadonlySet<string>[] =>
  [...reached].flatMap(({ mnemonic, sources }) =>
    mnemonic === 'setp' ? [flow.specialsBehind(sources.slice(0, 2).flatMap(namesIn))] : [],
  );

/** What a value comes to where it is a bound of something, or what is divided by it. */
const BOUNDS: ReadonlySet<string> = new Set(['setp', 'set', 'min', 'max', 'div', 'rem', 'slct']);

const isStride = (reached: ReadonlySet<Step>): boolean =>
  ![...reached].some(({ mnemonic }) => BOUNDS.has(mnemonic)) &&
  [...reached].some(
    ({ mnemonic, sources, targets }) =>
      ((mnemonic === 'mul' || mnemonic === 'mad') && sources.slice(0, 2).every(({ kind }) => kind === 'name')) ||
      // What a loop adds in each round.
      (mnemonic === 'add' && sources.some((one) => one.kind === 'name' && targets.includes(one.name))),
  );

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
