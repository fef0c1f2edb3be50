import { type Code, Compiler } from './compile.js';
import { compileInstruction } from './instructions.js';
import { type Argument, type Declared, type KernelTest, type Launched, type Selection, Unsupported } from './launch.js';
import { globalAddress, SHARED_STEP } from './memory.js';
import type { Entry, Extent, Instruction, Module } from './module.js';
import { DESCRIPTOR, type PlacedMap } from './tensors.js';
import type { Value } from './values.js';
import type { Initial, Variable } from './variables.js';

/** A test as it is run again and again: memory laid out, instructions turned into functions. */
export interface TestPlan {
  readonly globals: readonly GlobalPlan[];
  readonly launches: readonly LaunchPlan[];
  readonly maps: readonly PlacedMap[];
}

export interface GlobalPlan {
  readonly name: string;
  readonly space: 'global' | 'const';
  readonly size: number;
  readonly elementSize: number;
  /** The bytes, or anything. */
  readonly bytes: Uint8Array | 'open';
  /** Whether the test declares it: then its value at the end is told. */
  readonly isShown: boolean;
}

/** The shared memory of a CTA: each variable begins a page of its own, so that none adjoin. */
export interface SharedLayout {
  readonly pages: readonly number[];
  readonly starts: readonly number[];
  readonly variables: readonly SharedVariable[];
}

export interface SharedVariable {
  readonly name: string;
  readonly size: number;
  readonly bytes: Uint8Array | 'open';
  readonly arrivals: number | undefined;
}

export interface LaunchPlan {
  readonly name: string;
  readonly gpu: number;
  readonly grid: Extent;
  readonly block: Extent;
  readonly cluster: Extent;
  readonly code: readonly Code[];
  readonly instructions: readonly Instruction[];
  /** Registers as a thread begins, but for special ones, which stand in these slots. */
  readonly template: readonly Value[];
  readonly specials: ReadonlyMap<string, number>;
  readonly shared: SharedLayout;
  readonly dynamicShared: number;
  readonly localSize: number;
  readonly parameters: Uint8Array;
  /** Bytes of the parameters that may be anything. */
  readonly open: readonly (readonly [start: number, size: number])[];
  readonly workspace: number;
  /** Numbers of launches. */
  readonly after: readonly number[];
  readonly dependentOn: readonly number[];
  readonly exactly: readonly Selection[] | undefined;
}

const aligned = (offset: number, align: number): number => Math.ceil(offset / align) * align;

/** The last name in a mangled one: `bar` of `_ZZ6reduceE3bar`, `reduce` of `_Z6reducePKj`. */
function namesIn(mangled: string): readonly string[] {
  if (!mangled.startsWith('_Z')) return [mangled];
  const names: string[] = [];
  for (let at = 2; at < mangled.length; ) {
    const length = /^\d+/.exec(mangled.slice(at))?.[0];
    if (length === undefined) at++;
    else {
      names.push(mangled.slice(at + length.length, at + length.length + Number(length)));
      at += length.length + Number(length);
    }
  }
  return names;
}

class Planner {
  private readonly globals: GlobalPlan[] = [];
  private readonly addresses = new Map<string, number>();
  private readonly test: KernelTest;
  private readonly modules: ReadonlyMap<string, Module>;

  constructor(test: KernelTest, modules: ReadonlyMap<string, Module>) {
    this.test = test;
    this.modules = modules;
  }

  plan(): TestPlan {
    const declared = this.test.memory.filter(({ space }) => space !== 'shared');
    for (const { name } of declared) this.place(name);
    for (const [path, module] of this.modules)
      for (const variable of module.variables.values())
        if (/^(global|const)$/.test(variable.space)) this.placeVariable(path, variable);
    const all = [...declared];
    for (const one of all) this.globals[this.indexOf(one.name)] = this.declaredGlobal(one);
    for (const [path, module] of this.modules)
      for (const variable of module.variables.values())
        if (/^(global|const)$/.test(variable.space)) this.moduleGlobal(path, variable);
    const maps = this.test.maps.map((map) => ({ ...map, segment: this.indexOf(map.location) }));
    return { launches: this.test.launches.map((launched) => this.launch(launched)), globals: this.globals, maps };
  }

  private place(name: string): number {
    const address = globalAddress(this.addresses.size);
    this.addresses.set(name, address);
    return address;
  }

  private indexOf(name: string): number {
    return [...this.addresses.keys()].indexOf(name);
  }

  /** What the test says of a variable of a module. */
  private declarationOf(variable: string): Declared | undefined {
    return this.test.memory.find(({ name }) => {
      const meant = this.test.aliases.get(name) ?? name;
      return meant === variable || namesIn(variable).at(-1) === meant.split('::').at(-1);
    });
  }

  private placeVariable(path: string, { name }: Variable): void {
    const declared = this.declarationOf(name);
    const address = declared === undefined ? undefined : this.addresses.get(declared.name);
    this.addresses.set(`${path}:${name}`, address ?? globalAddress(this.addresses.size));
  }

  private moduleGlobal(path: string, variable: Variable): void {
    const { name, size, elementSize } = variable;
    if (this.declarationOf(name) !== undefined) return;
    const bytes = this.bytesOf(variable.initial ?? [], size, elementSize, path);
    const space = variable.space === 'const' ? 'const' : 'global';
    this.globals[this.indexOf(`${path}:${name}`)] = { name, space, size, elementSize, bytes, isShown: false };
  }

  private declaredGlobal({ name, space, size, elementSize, initial }: Declared): GlobalPlan {
    const bytes = initial === 'open' ? initial : this.bytesOf(initial, size, elementSize, '');
    return { name, space: space === 'const' ? 'const' : 'global', size, elementSize, bytes, isShown: true };
  }

  private addressOf(name: string, path: string): number {
    const meant = this.test.aliases.get(name) ?? name;
    const exact = this.addresses.get(meant) ?? this.addresses.get(`${path}:${meant}`);
    if (exact !== undefined) return exact;
    for (const [key, address] of this.addresses) {
      const [, variable] = key.split(':');
      if (variable !== undefined && namesIn(variable).at(-1) === meant) return address;
    }
    throw new Unsupported(`${name} is no location`);
  }

  private bytesOf(initial: readonly Initial[], size: number, elementSize: number, path: string): Uint8Array {
    const bytes = new Uint8Array(size);
    initial.forEach((one, i) => {
      let bits = one.kind === 'bits' ? one.value : BigInt(this.addressOf(one.name, path) + one.offset);
      for (let at = i * elementSize; at < Math.min((i + 1) * elementSize, size); at++) {
        bytes[at] = Number(bits & 255n);
        bits >>= 8n;
      }
    });
    return bytes;
  }

  private launch(launched: Launched): LaunchPlan {
    const { name, path, gpu, grid, block, exactly } = launched;
    const module = this.modules.get(path);
    if (module === undefined) throw new Unsupported(`no module ${path}`);
    const entry = entryOf(module, launched.entry);
    const places = new Map<string, number>();
    const parameters = this.parametersOf(launched, entry, places);
    const shared = this.sharedOf(launched, entry, module, places);
    let localSize = 0;
    for (const { name: local, space, size, align } of entry.variables.values()) {
      if (space !== 'local' && space !== 'param') continue;
      localSize = aligned(localSize, align);
      places.set(local, localSize);
      localSize += size;
    }
    const compiler = new Compiler(entry, (symbol) => places.get(symbol) ?? this.addresses.get(`${path}:${symbol}`));
    const code = entry.instructions.map((at) => compileInstruction(at, compiler));
    const number = (other: string): number => {
      const index = this.test.launches.findIndex((one) => one.name === other);
      if (index < 0) throw new Unsupported(`no launch ${other}`);
      return index;
    };
    return {
      ...{ name, gpu, grid, block, exactly, code, shared, localSize, ...parameters },
      ...{ instructions: entry.instructions, template: compiler.template, specials: compiler.specials },
      cluster: launched.cluster ?? entry.cluster ?? [1, 1, 1],
      dynamicShared: launched.shared,
      workspace: launched.cooperative ? this.workspace() : 0,
      after: launched.after.map(number),
      dependentOn: launched.dependentOn.map(number),
    };
  }

  private workspace(): number {
    const name = ` workspace ${this.addresses.size}`;
    const address = this.place(name);
    const bytes = new Uint8Array(64);
    this.globals[this.indexOf(name)] = { name, space: 'global', size: 64, elementSize: 4, bytes, isShown: false };
    return address;
  }

  private parametersOf(
    { arguments: given, name }: Launched,
    { parameters }: Entry,
    places: Map<string, number>,
  ): Pick<LaunchPlan, 'parameters' | 'open'> {
    if (given.length !== parameters.length)
      throw new Unsupported(`${name} takes ${parameters.length} arguments, not ${given.length}`);
    const open: (readonly [number, number])[] = [];
    const bytes: number[] = [];
    let end = 0;
    parameters.forEach((parameter, i) => {
      end = aligned(end, parameter.align);
      places.set(parameter.name, end);
      this.argument(given[i]!, parameter.size, end, bytes, open);
      end += parameter.size;
    });
    const all = new Uint8Array(end);
    for (const [at, byte] of bytes.entries()) all[at] = byte ?? 0;
    return { parameters: all, open };
  }

  private argument(
    given: Argument,
    size: number,
    at: number,
    bytes: number[],
    open: (readonly [number, number])[],
  ): void {
    const map = given.kind === 'address' ? this.test.maps.findIndex(({ name }) => name === given.name) : -1;
    if (map >= 0) {
      const descriptor: Argument = { kind: 'bits', value: BigInt(DESCRIPTOR + map), size: undefined };
      this.argument(descriptor, size, at, bytes, open);
    } else if (given.kind === 'open') open.push([at, size]);
    else if (given.kind === 'fields') {
      let place = at;
      for (const field of given.fields) {
        const length = field.kind === 'bits' ? (field.size ?? 4) : 8;
        place = aligned(place, length);
        this.argument(field, length, place, bytes, open);
        place += length;
      }
    } else {
      let bits = given.kind === 'bits' ? given.value : BigInt(this.addressOf(given.name, '') + given.offset);
      for (let i = 0; i < size; i++) {
        bytes[at + i] = Number(bits & 255n);
        bits >>= 8n;
      }
    }
  }

  private sharedOf(
    { shared, path }: Launched,
    entry: Entry,
    module: Module,
    places: Map<string, number>,
  ): SharedLayout {
    const pages: number[] = [-1];
    const starts: number[] = [];
    const variables: SharedVariable[] = [];
    let dynamic: number | undefined;
    for (const variable of [...module.variables.values(), ...entry.variables.values()]) {
      if (variable.space !== 'shared') continue;
      if (variable.size === 0 && dynamic !== undefined) places.set(variable.name, dynamic);
      if (variable.size === 0 && dynamic !== undefined) continue;
      const size = variable.size === 0 ? shared : variable.size;
      const start = pages.length * SHARED_STEP;
      if (variable.size === 0) dynamic = start;
      places.set(variable.name, start);
      for (let page = 0; page * SHARED_STEP < size + 16; page++) pages.push(variables.length);
      starts.push(start);
      variables.push({ ...this.contentsOf(variable, size, path), name: variable.name, size });
    }
    return { pages, starts, variables };
  }

  private contentsOf(variable: Variable, size: number, path: string): Pick<SharedVariable, 'bytes' | 'arrivals'> {
    const declared = this.declarationOf(variable.name);
    if (declared === undefined || declared.space !== 'shared') return { bytes: 'open', arrivals: undefined };
    const { initial, arrivals, elementSize } = declared;
    return { bytes: initial === 'open' ? initial : this.bytesOf(initial, size, elementSize, path), arrivals };
  }
}

function entryOf(module: Module, name: string | undefined): Entry {
  const all = [...module.entries.values()];
  if (name === undefined) {
    if (all.length !== 1) throw new Unsupported(`${module.name} has ${all.length} entries`);
    return all[0]!;
  }
  const found = module.entries.get(name);
  if (found !== undefined) return found;
  const meant = all.filter((entry) => namesIn(entry.name)[0] === name);
  if (meant.length !== 1) throw new Unsupported(`${name} is no entry of ${module.name}`);
  return meant[0]!;
}

export function planTest(test: KernelTest, modules: ReadonlyMap<string, Module>): TestPlan {
  return new Planner(test, modules).plan();
}
