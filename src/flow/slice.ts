import { type MemoryAccess, memoryAccesses } from '../effects/memory-accesses.js';
import type { AsyncOperation } from '../program/async-operation.js';
import { beginsKnown, type LocationTable, type MemoryObject } from '../program/locations.js';
import { registersRead, registersWritten } from '../program/operands.js';
import {
  type Address,
  isComputation,
  type Operand,
  type Operation,
  type ProgramStatement,
} from '../program/operation.js';
import type { Thread } from '../program/program.js';
import { objectAt, TouchedObjects } from './touched-objects.js';

/** What is asked for at the end of a test. */
export interface Roots {
  readonly objects: ReadonlySet<MemoryObject>;
  /** By thread. */
  readonly registers: readonly ReadonlySet<string>[];
}

/** What a question about a test depends on, besides which bytes are accessed when. */
export interface Slice {
  /** Locations of which it does not matter what is in them: their contents are not followed. */
  readonly idle: ReadonlySet<MemoryObject>;
  /** By thread, the registers of which it matters what is in them. */
  readonly registers: readonly ReadonlySet<string>[];
}

/** Smaller copies cost nothing worth saving, and their values are worth showing. */
const SMALL_BYTES = 64;
const HUGE_BYTES = 1024;
const ZERO: Operand = { kind: 'constant', value: 0n };

/**
 * Finds what branches, addresses, synchronization and conditions depend on, through registers and memory. Which bytes
 * are moved where matters in any case; what these bytes are, of a location that nothing depends on, does not.
 */
export function sliceOf(threads: readonly Thread[], locations: LocationTable, asked: Roots): Slice {
  const { matters, registers } = whatMatters(threads, locations, asked, false);
  const idle = [...costlyObjects(threads, locations)].filter((object) => !matters.has(object));
  return { idle: new Set(idle), registers };
}

/** The same of all locations; `apart`: each thread has a text of its own, so that lanes do not share instructions. */
export function whatMatters(
  threads: readonly Thread[],
  locations: LocationTable,
  asked: Roots,
  apart: boolean,
): { readonly matters: ReadonlySet<MemoryObject>; readonly registers: readonly ReadonlySet<string>[] } {
  const slicer = new Slicer(threads, locations, asked, apart);
  slicer.run();
  return slicer;
}

/** Of those, the ones that are too large to be followed in any test. */
export const hugeOf = ({ idle, registers }: Slice): Slice => ({
  idle: new Set([...idle].filter((object) => object.size >= HUGE_BYTES && !beginsKnown(object))),
  registers,
});

class Slicer {
  readonly matters: Set<MemoryObject>;
  readonly registers: readonly Set<string>[];
  private readonly touched: TouchedObjects;
  /** Instructions of which some thread asks for the result: what a lane gives to one of a warp matters then. */
  private readonly wanted = new Set<ProgramStatement['span']>();
  private changed = true;

  constructor(
    private readonly threads: readonly Thread[],
    private readonly locations: LocationTable,
    asked: Roots,
    private readonly apart: boolean,
  ) {
    this.touched = new TouchedObjects(threads, locations);
    this.matters = new Set(asked.objects);
    for (const object of locations.objects) if (object.mbarrier !== undefined) this.matters.add(object);
    this.registers = threads.map((_, i) => new Set(asked.registers[i]));
  }

  run(): void {
    while (this.changed) {
      this.changed = false;
      for (const thread of this.threads) for (const statement of thread.statements) this.visit(thread, statement);
    }
  }

  private add<T>(set: Set<T>, one: T): void {
    if (set.has(one)) return;
    set.add(one);
    this.changed = true;
  }

  private use({ index }: Thread, names: readonly string[]): void {
    const own = this.registers[index];
    if (own !== undefined) for (const name of names) this.add(own, name);
  }

  /** What an access reads decides something. */
  private read(thread: Thread, access: MemoryAccess): void {
    for (const one of this.touched.of(thread, access) ?? this.locations.objects) this.add(this.matters, one);
  }

  private isIdle(thread: Thread, access: MemoryAccess): boolean {
    return this.touched.of(thread, access)?.every((object) => !this.matters.has(object)) === true;
  }

  private isUsed({ index }: Thread, operation: Operation): boolean {
    return registersWritten(operation).some((name) => this.registers[index]?.has(name));
  }

  private visit(thread: Thread, { operation, guard, span }: ProgramStatement): void {
    if (guard !== undefined) this.use(thread, [guard.register]);
    const isUsed = this.isUsed(thread, operation);
    if (isUsed) this.add(this.wanted, span);
    if (isComputation(operation)) {
      if (isUsed) this.use(thread, registersRead(operation));
      return;
    }
    const accesses = memoryAccesses(operation);
    if (operation.kind === 'store' && accesses.every((one) => this.isIdle(thread, one)))
      return this.use(thread, registersOf(operation.address.base));
    if (operation.kind === 'barrier' && operation.level === 'lanes' && !this.apart && !this.wanted.has(span))
      return this.use(thread, registersOf(operation.id, operation.count));
    this.use(thread, registersRead(operation));
    const decides = this.decides(thread, operation, accesses);
    // Which tensor a copy goes to is in its descriptor.
    for (const access of accesses)
      if (access.reads && (decides || access.what === 'descriptor')) this.read(thread, access);
  }

  /** Whether it matters what an operation finds in memory. */
  private decides(thread: Thread, operation: Operation, accesses: readonly MemoryAccess[]): boolean {
    switch (operation.kind) {
      case 'load':
      case 'tensor':
        return this.isUsed(thread, operation);
      case 'async':
        return accesses.some((one) => one.writes && one.what === 'data' && !this.isIdle(thread, one));
      case 'atomic':
      case 'tensormap-copy':
        return true;
      // A region is only touched, and the state of an mbarrier object is not followed as bytes.
      case 'region':
      case 'mbarrier':
        return false;
      // These find nothing there.
      case 'store':
      case 'compute':
      case 'open':
      case 'fence':
      case 'proxy-fence':
      case 'barrier':
      case 'cluster-barrier':
      case 'group':
      case 'tensor-step':
      case 'pair-step':
      case 'grid-wait':
      case 'launch-dependents':
      case 'require':
      case 'branch':
      case 'exit':
      case 'trap':
        return false;
    }
  }
}

const registersOf = (...operands: readonly (Operand | undefined)[]): readonly string[] =>
  operands.flatMap((operand) => (operand?.kind === 'register' ? [operand.name] : []));

/** Locations whose contents are worth forgetting: unknown, copied in large parts, or computed while the test is run. */
function costlyObjects(threads: readonly Thread[], locations: LocationTable): ReadonlySet<MemoryObject> {
  const costly = new Set(locations.objects.filter((object) => object.space !== 'tensor' && !beginsKnown(object)));
  const add = (thread: Thread, address: Address): void => {
    const object = objectAt(locations, thread, address);
    if (object !== undefined) costly.add(object);
  };
  for (const thread of threads)
    for (const { operation } of thread.statements)
      if (operation.kind === 'async') for (const place of largePlaces(operation)) add(thread, place);
      else if (operation.kind === 'store' && operation.values.some(({ kind }) => kind === 'register'))
        add(thread, operation.address);
  return costly;
}

function largePlaces({ source, destination }: AsyncOperation): readonly Address[] {
  if (source.kind !== 'memory') return [];
  const { bytes } = source;
  if (bytes.kind === 'constant' && bytes.value < SMALL_BYTES) return [];
  return [source.address, ...(destination === undefined ? [] : [destination])];
}

/** The body of a thread without what only makes values that nothing asks for. */
export function sliced(
  thread: Thread,
  locations: LocationTable,
  { idle, registers }: Slice,
  keepsValues = false,
): Pick<Thread, 'statements' | 'labels'> {
  const own = registers[thread.index] ?? new Set();
  const isAsked = (name: string): boolean => own.has(name);
  const statements: ProgramStatement[] = [];
  const places: number[] = [];
  for (const statement of thread.statements) {
    places.push(statements.length);
    const { operation } = statement;
    if (!keepsValues && isComputation(operation) && !isAsked(operation.target)) continue;
    statements.push({ ...statement, operation: withoutValues(operation) });
  }
  places.push(statements.length);
  const labels = new Map([...thread.labels].map(([name, at]) => [name, places[at] ?? statements.length]));
  return { statements, labels };

  function withoutValues(operation: Operation): Operation {
    if (operation.kind === 'store') {
      const object = objectAt(locations, thread, operation.address);
      const isIdle = object !== undefined && idle.has(object);
      return isIdle ? { ...operation, values: operation.values.map(() => ZERO) } : operation;
    }
    if (keepsValues || operation.kind !== 'barrier' || operation.level !== 'lanes' || operation.reduction === undefined)
      return operation;
    const { reduction } = operation;
    if (isAsked(reduction.target) || reduction.target === '') return operation;
    const value: Operand =
      reduction.value.kind === 'register' && !own.has(reduction.value.name) ? ZERO : reduction.value;
    return { ...operation, reduction: { ...reduction, value, target: '', represented: [] } };
  }
}

/**
 * The words that tcgen05.alloc stores addresses of tensor memory into. They begin as 0: were they unknown, any address
 * could come out of them where the order of instructions is not looked at yet.
 */
export function slotsOfAllocations(threads: readonly Thread[], locations: LocationTable): ReadonlySet<MemoryObject> {
  const slots = threads.flatMap((thread) => {
    const spans = new Set(
      thread.statements
        .filter(({ operation }) => operation.kind === 'tensor' && operation.instruction === 'alloc')
        .map(({ span }) => span),
    );
    return thread.statements.flatMap(({ operation, span }) =>
      operation.kind === 'store' && spans.has(span) ? (objectAt(locations, thread, operation.address) ?? []) : [],
    );
  });
  return new Set(slots);
}
