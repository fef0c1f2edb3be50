import type { KernelGrid } from '../convert/kernel-places.js';
import { Inexpressible } from '../convert/written-thread.js';
import { addressesIn } from '../kernel/initial-addresses.js';
import type { DataType } from '../program/data-type.js';
import { initialValue, type MemoryObject, type Tensor } from '../program/locations.js';
import type { Observable, Program } from '../program/program.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';

/** Locations are on lines of their own: what shares a line hides that its parts were read at different times. */
const LINE = 128;

/** A location of global memory. */
export interface InstanceLocation {
  readonly name: string;
  /** In bytes, rounded up to whole lines; those of all instances are in one array. */
  readonly size: number;
  /** What is there before each launch. */
  readonly image: Uint8Array;
}

/** A tensor map in a location, which the driver makes (CUDA driver API, cuTensorMapEncodeTiled). */
export interface InstanceTensor {
  readonly location: number;
  readonly offset: number;
  /** What it describes. */
  readonly target: number;
  readonly elementType: DataType;
  /** In elements, bytes and elements, innermost first; of the outer dimensions alone: strides. */
  readonly dimensions: readonly number[];
  readonly strides: readonly number[];
  readonly box: readonly number[];
}

/** A value of a final state that is in global memory: so many bytes in one of the locations. */
export interface ObservedBytes {
  readonly name: string;
  readonly location: number;
  readonly offset: number;
  readonly bytes: number;
}

/** One that is in shared memory: a thread of its CTA stores it at the end. */
export interface ObservedShared {
  readonly name: string;
  readonly variable: string;
  /** The number of its CTA among those of the test. */
  readonly cta: number;
  readonly offset: number;
  readonly bytes: number;
}

/** The memory of one instance of a test. */
export class InstanceMemory {
  /** Those in global memory. */
  readonly locations: readonly InstanceLocation[];
  readonly tensors: readonly InstanceTensor[];
  readonly observedGlobal: readonly ObservedBytes[];
  readonly observedShared: readonly ObservedShared[];
  /** Something may go on after its thread has ended. */
  readonly isAsynchronous: boolean;
  private readonly shared: readonly MemoryObject[];

  constructor(
    program: Program,
    file: LitmusFile,
    /** The numbers of the CTAs of the test in the launch. */
    private readonly ctas: ReadonlyMap<string, number>,
  ) {
    refuse(program, file);
    const objects = objectsOf(program);
    const global = objects.filter(({ space }) => space === 'global');
    this.shared = objects.filter(({ space }) => space === 'shared');
    this.locations = global.map(locationOf);
    const isPlain = !/\.tensor\.[2-5]d/.test(file.source.text);
    this.tensors = global.flatMap((object, location) =>
      object.tensors.map(({ at, tensor }) => ({ location, offset: at, ...this.tensorOf(object, tensor, isPlain) })),
    );
    const memory = program.observed.flatMap((one) => (one.kind === 'memory' ? [one] : []));
    this.observedGlobal = memory
      .filter(({ object }) => object.space === 'global')
      .map(({ name, object, offset, type }) => ({
        ...{ name, offset, bytes: type.width / 8 },
        location: this.indexOf(object.name),
      }));
    this.observedShared = memory.filter(({ object }) => object.space === 'shared').map((one) => this.inShared(one));
    this.isAsynchronous = program.threads.some(({ statements }) =>
      statements.some(({ operation: { kind } }) => kind === 'async' || kind === 'region'),
    );
  }

  /** The number of a location of global memory. */
  indexOf(name: string): number {
    const index = this.locations.findIndex((one) => one.name === name);
    if (index < 0) throw new Inexpressible(`${name}: its address is not one of global memory`);
    return index;
  }

  /** `isPlain`: the test has tensors of one dimension alone, so that a tile is a run of bytes. */
  private tensorOf(
    { name }: MemoryObject,
    { target, bytes, shape }: Tensor,
    isPlain: boolean,
  ): Omit<InstanceTensor, 'location' | 'offset'> {
    if (shape === undefined && !isPlain)
      throw new Inexpressible(`${name}: a tensor map of which it says no dimensions`);
    const { elementType, object } = target;
    const element = elementType.width / 8;
    const plain = { elementType, dimensions: [object.size / element], strides: [element], box: [bytes / element] };
    const { strides, ...of } = shape ?? plain;
    // That of the innermost dimension is the size of an element.
    return { target: this.indexOf(object.name), ...of, strides: strides.slice(1) };
  }

  private inShared({ name, object, offset, type }: Extract<Observable, { kind: 'memory' }>): ObservedShared {
    const cta = this.ctas.get(object.cta ?? '');
    if (cta === undefined) throw new Inexpressible(`${name}: of a CTA without a thread`);
    return { name, variable: variableOf(object), cta, offset, bytes: type.width / 8 };
  }

  /** What gives shared memory its initial values; `isFenced`: other proxies and clusters must see that. */
  sharedBegin(): { readonly lines: readonly string[]; readonly isFenced: boolean } {
    const variables = new Map<string, string[]>();
    for (const object of this.shared) {
      const lines = object.mbarrier === undefined ? storesOf(object) : initsOf(object, object.mbarrier);
      const known = variables.get(variableOf(object));
      if (known !== undefined && known.join() !== lines.join())
        throw new Inexpressible(`${variableOf(object)} begins differently in different CTAs`);
      variables.set(variableOf(object), [...lines]);
    }
    const isFenced = this.isAsynchronous || this.shared.some(({ mbarrier }) => mbarrier !== undefined);
    return { lines: [...variables.values()].flat(), isFenced };
  }

  /** Stores what is asked of shared memory, by whichever threads of its CTA come there: they all find the same. */
  sharedEnd(number: string, { block }: KernelGrid, firstWord: number): readonly string[] {
    return this.observedShared.flatMap(({ variable, cta, offset, bytes }, i) => [
      `ld.volatile.shared.u${8 * bytes} ${bytes === 8 ? '%harness_value' : '%harness_word'}, [${variable}+${offset}];`,
      ...(bytes === 8 ? [] : ['cvt.u64.u32 %harness_value, %harness_word;']),
      `div.u32 %harness_other, ${number}, ${block};`,
      `setp.eq.u32 %harness_is, %harness_other, ${cta};`,
      `@%harness_is st.global.u64 [%harness_left+${8 * (firstWord + i)}], %harness_value;`,
    ]);
  }
}

function locationOf(object: MemoryObject): InstanceLocation {
  const image = new Uint8Array(Math.ceil(object.size / LINE) * LINE);
  for (let i = 0; i < object.size; i++) {
    const byte = initialValue(object, i, 1);
    if (byte === undefined) throw new Inexpressible(`${object.name} begins as something unknown`);
    image[i] = Number(byte);
  }
  return { name: object.name, size: image.length, image };
}

/** `s@cta1` is the variable `s` of a module. */
const variableOf = ({ name }: MemoryObject): string => name.replace(/@.*$/, '');

function objectsOf({ locations }: Program): readonly MemoryObject[] {
  return [...new Set(locations.ranges.map(({ object }) => object))];
}

function storesOf(object: MemoryObject): readonly string[] {
  if (object.isUninitialized) return [];
  const step = object.size % 4 === 0 ? 4 : 1;
  return Array.from({ length: object.size / step }, (_, i) => {
    const value = initialValue(object, i * step, step);
    if (value === undefined) throw new Inexpressible(`${object.name} begins as something unknown`);
    return `st.shared.b${8 * step} [${variableOf(object)}+${i * step}], ${value};`;
  });
}

const initsOf = (object: MemoryObject, count: bigint): readonly string[] =>
  Array.from(
    { length: object.size / 8 },
    (_, i) => `mbarrier.init.shared::cta.b64 [${variableOf(object)}+${8 * i}], ${count};`,
  );

/** What memory of a launch cannot be. */
function refuse({ locations }: Program, file: LitmusFile): void {
  for (const { name, proxy, object } of locations.ranges) {
    if (proxy !== undefined) throw new Inexpressible(`${name}: a view by the ${proxy} proxy`);
    if (object.space === 'tensor' || object.space === 'param')
      throw new Inexpressible(`${name}: .${object.space} memory`);
    if (object.space === 'global' && object.mbarrier !== undefined)
      throw new Inexpressible(`${name}: an mbarrier there`);
  }
  const names = new Map<MemoryObject, string>();
  for (const { name, object } of locations.ranges) {
    const other = names.get(object);
    if (other !== undefined && other !== name) throw new Inexpressible(`${name}: another address of ${other}`);
    names.set(object, name);
  }
  for (const one of file.declarations)
    if (one.kind === 'location' && (one.initial?.kind === 'copy' || addressesIn(one.initial).length > 0))
      throw new Inexpressible(`${one.name} begins as an address`);
}
