import { LocationBuilder } from '../build/build-locations.js';
import { readDirectives } from '../build/read-directives.js';
import { Inexpressible } from '../convert/written-thread.js';
import { addressesIn } from '../kernel/initial-addresses.js';
import type { Launch } from '../kernel/resolve-launches.js';
import { initialValue, type MemoryObject } from '../program/locations.js';
import type { Program } from '../program/program.js';
import type { Initial, LitmusFile, LocationDeclaration, TensorShape } from '../syntax/litmus-ast.js';

/** A run of bytes of a buffer; undefined: nothing is known of them. */
export interface BytesRun {
  readonly at: number;
  readonly bytes: number;
  readonly values: readonly number[] | undefined;
}

/** The address of a place in some buffer, and where in another one it is. */
export interface Pointer {
  readonly at: number;
  readonly buffer: string;
  readonly offset: bigint;
}

/** What is in memory before the launches. */
export interface LaunchBuffer {
  readonly name: string;
  readonly size: number;
  readonly alignment: number;
  /** The module whose variable it is; undefined: it is allocated. */
  readonly variableOf: string | undefined;
  /** Nothing is written to it: by the test nobody has given it a value. */
  readonly isUninitialized: boolean;
  /** The bytes that are not 0. */
  readonly runs: readonly BytesRun[];
  /** The addresses that it holds. */
  readonly pointers: readonly Pointer[];
}

/** A tensor map, as cuTensorMapEncodeTiled takes it. */
export interface LaunchMap {
  readonly name: string;
  readonly type: string;
  readonly tensor: string;
  readonly dimensions: readonly bigint[];
  readonly strides: readonly bigint[];
  readonly box: readonly bigint[];
  readonly swizzle: string;
}

export interface LaunchMemoryContents {
  readonly buffers: readonly LaunchBuffer[];
  readonly maps: readonly LaunchMap[];
  /** The buffers that are printed in the end, with the size of an element. */
  readonly observed: readonly { readonly name: string; readonly bytes: number }[];
}

/** CUtensorMapDataType, by the types of PTX. */
const TENSOR_TYPES: Readonly<Record<string, string>> = {
  ...{ u8: 'UINT8', s8: 'UINT8', b8: 'UINT8', u16: 'UINT16', s16: 'UINT16', b16: 'UINT16' },
  ...{ u32: 'UINT32', b32: 'UINT32', s32: 'INT32', u64: 'UINT64', b64: 'UINT64', s64: 'INT64' },
  ...{ f16: 'FLOAT16', f32: 'FLOAT32', f64: 'FLOAT64' },
};
const SWIZZLES: readonly string[] = ['NONE', '32B', '64B', '128B'];

/** The memory of a test with launches: what it declares, as buffers, and as variables of its modules. */
export class LaunchMemory {
  readonly notes: string[] = [];
  private readonly buffers = new Map<string, LaunchBuffer>();
  private readonly maps = new Map<string, LaunchMap>();

  constructor(
    file: LitmusFile,
    private readonly program: Program,
    private readonly launches: readonly Launch[],
  ) {
    // Those of the program may have lost what nothing depends on.
    const { locations } = new LocationBuilder(file.declarations, [], () => undefined);
    for (const one of file.declarations) {
      if (one.kind === 'alias') throw new Inexpressible(`${one.name}: another view of ${one.aliases}`);
      if (one.kind !== 'location') continue;
      if (one.aliases !== undefined) throw new Inexpressible(`${one.name}: another address of ${one.aliases}`);
      if (one.initial?.kind === 'tensormap')
        throw new Inexpressible(`${one.name}: a tensor map without dimensions, which the driver must be told`);
      if (one.initial?.kind === 'tensor-shape') this.maps.set(one.name, mapOf(one.name, one.initial));
      else this.declare(one, locations.named(one.name)[0]?.object);
    }
    for (const { tensor, name } of this.maps.values()) this.mustHave(tensor, name);
  }

  get contents(): LaunchMemoryContents {
    return { buffers: [...this.buffers.values()], maps: [...this.maps.values()], observed: this.observed };
  }

  /** That a name is memory which a launch can hand over. */
  mustHave(name: string, where: string): void {
    if (!this.buffers.has(name) && !this.maps.has(name))
      throw new Inexpressible(`${where}: the address of ${name}, which the host does not know`);
  }

  private declare(declaration: LocationDeclaration, object: MemoryObject | undefined): void {
    const { name, initial } = declaration;
    const { space, alignment = 1 } = readDirectives(declaration, () => undefined) ?? {};
    const variableOf = this.launches.find(({ module }) =>
      module.variables.some(({ variable }) => variable.name === name),
    )?.module;
    if (space === 'shared' || space === 'local' || space === 'param') {
      if (initial?.kind === 'mbarrier')
        throw new Inexpressible(
          `${name}: an mbarrier that is initialized before the launch; only the kernel can do that`,
        );
      if (space === 'shared' && initial !== undefined && initial.kind !== 'uninitialized')
        throw new Inexpressible(`${name}: contents of .shared memory before the launch`);
      return;
    }
    if (space === 'const' && variableOf === undefined) throw new Inexpressible(`${name}: .const memory of no module`);
    if (object === undefined) throw new Inexpressible(`${name}: its contents cannot be read`);
    if (initial?.kind === 'copy') throw new Inexpressible(`${name} begins as a copy of ${initial.name}`);
    const pointers = pointersIn(initial, object);
    const runs = object.isUninitialized === true ? [] : runsOf(object, pointers);
    const unknown = runs.filter(({ values }) => values === undefined).reduce((sum, { bytes }) => sum + bytes, 0);
    if (unknown > 0) this.notes.push(`${name}: ${unknown} bytes are not known, and begin as the numbers 1, 2, 3, …`);
    this.buffers.set(name, {
      ...{ name, size: object.size, pointers, runs },
      alignment: Math.max(alignment, object.elementType.width / 8),
      variableOf: variableOf?.source.path,
      isUninitialized: object.isUninitialized === true,
    });
  }

  /** What conditions name; what is in shared memory or in a register is gone in the end. */
  private get observed(): LaunchMemoryContents['observed'] {
    const found = new Map<string, number>();
    for (const one of this.program.observed) {
      const name = one.kind === 'memory' ? this.program.locations.nameOf(one.object) : one.name;
      if (one.kind === 'memory' && this.buffers.has(name)) found.set(name, one.object.elementType.width / 8);
      else this.notes.push(`${one.name} is not printed: the host does not see it`);
    }
    return [...found].map(([name, bytes]) => ({ name, bytes }));
  }
}

function mapOf(name: string, { type, name: tensor, dimensions, strides, box, swizzle }: TensorShape): LaunchMap {
  const known = TENSOR_TYPES[type];
  if (known === undefined) throw new Inexpressible(`${name}: a tensor of .${type}`);
  const mode = (swizzle ?? 'none').toUpperCase();
  if (!SWIZZLES.includes(mode)) throw new Inexpressible(`${name}: swizzle ${swizzle}`);
  return { name, type: known, tensor, dimensions, strides, box, swizzle: mode };
}

/** The addresses that a location begins with. */
function pointersIn(initial: Initial | undefined, { name, size, elementType }: MemoryObject): readonly Pointer[] {
  const given = addressesIn(initial);
  if (given.some(({ value }) => value.mask !== undefined)) throw new Inexpressible(`${name}: a part of an address`);
  const bytes = elementType.width / 8;
  if (given.length > 0 && bytes !== POINTER_BYTES) throw new Inexpressible(`${name}: an address of ${bytes} bytes`);
  const all =
    initial?.kind === 'address' ? Array.from({ length: size / bytes }, (_, at) => ({ at, value: initial })) : given;
  return all.map(({ at, value }) => ({ at: at * bytes, buffer: value.name, offset: value.offset }));
}

const POINTER_BYTES = 8;

/** The bytes that are not 0, those that are known and those that are not apart; addresses are zeros here. */
function runsOf(object: MemoryObject, pointers: readonly Pointer[]): readonly BytesRun[] {
  const runs: { at: number; bytes: number; values: number[] | undefined }[] = [];
  const places = new Set(pointers.map(({ at }) => at));
  // What is alike behind the elements that are listed is said once.
  const listed = Math.min(object.size, (object.initial.length * object.elementType.width) / 8);
  const isOpen = object.rest === undefined && listed < object.size;
  if (object.rest !== undefined && object.rest !== 0n && object.size > MOST_BYTES)
    throw new Inexpressible(`${object.name}: more than ${MOST_BYTES} bytes that are not 0`);
  for (let at = 0; at < (isOpen || object.rest === 0n ? listed : object.size); at += 1) {
    if (places.has(at - (at % POINTER_BYTES))) continue;
    const initial = initialValue(object, at, 1);
    if (initial === 0n) continue;
    const value = initial === undefined ? undefined : Number(initial);
    const last = runs.at(-1);
    // A few zeros between two numbers do not make two runs of them.
    const gap = last === undefined ? Number.POSITIVE_INFINITY : at - last.at - last.bytes;
    if (
      last !== undefined &&
      (last.values === undefined) === (value === undefined) &&
      gap <= (value === undefined ? 0 : MOST_ZEROS)
    ) {
      if (value !== undefined) last.values?.push(...Array.from({ length: gap }, () => 0), value);
      last.bytes += gap + 1;
    } else runs.push({ at, bytes: 1, values: value === undefined ? undefined : [value] });
  }
  if (isOpen) runs.push({ at: listed, bytes: object.size - listed, values: undefined });
  return runs;
}

const MOST_ZEROS = 16;
const MOST_BYTES = 1 << 24;
