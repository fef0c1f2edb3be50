import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import type { DataType } from '../program/data-type.js';
import type { LocationTable, VirtualRange } from '../program/locations.js';
import type { Operand, ProgramStatement } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { TensorMemory } from '../program/tensor-memory.js';
import type { Contractible } from './contractible.js';

/** A use of a register at a type: what the width check needs. */
export interface RegisterUse {
  readonly register: string;
  readonly type: DataType;
  readonly span: Span;
  /** Whether the instruction also takes wider registers, as ld, st and cvt do. */
  readonly widerAllowed: boolean;
  /** Shorthand without types is not held to widths. */
  readonly untyped: boolean;
}

/** What is known of a thread before it is decoded. */
export interface DecodedThread {
  readonly placement: Placement;
  /** The lane of the thread, and its warp in the CTA, where it is decoded for all threads of a CTA at once. */
  readonly ofAll?: { readonly lane: Operand; readonly warp: Operand } | undefined;
  /** It is of a launch: what textures it reads the test need not show. */
  readonly isLaunched: boolean;
  readonly locations: LocationTable;
  /** Registers that the thread declares, initializes or writes. */
  readonly registers: ReadonlySet<string>;
  /** Those of them that it declares as predicates. */
  readonly predicates: ReadonlySet<string>;
  /** The values of the predefined registers that the place of the thread settles. */
  readonly specialRegisters: ReadonlyMap<string, bigint>;
  /** Makes the location of an undeclared name. */
  readonly implicitLocation: (name: string, span: Span) => VirtualRange;
  /** The test is in the Dat3M dialect: in columns, without a typed declaration. */
  readonly isDat3m: boolean;
  /** Variables that calls hand over, by name: how many bytes. */
  readonly cells: ReadonlyMap<string, number>;
  /** The grids that its own is a dependent launch of. */
  readonly prerequisites: readonly number[];
  /** Registers that asynchronous matrix operations of the thread use. */
  readonly fragments: ReadonlySet<string>;
  /** It executes setmaxnreg. */
  readonly countsRegisters: boolean;
  /** Matrix descriptors that the test declares. */
  readonly descriptors: ReadonlyMap<string, bigint>;
  /** The tensor memory of the test, if an instruction uses it. */
  readonly tensorMemory: TensorMemory | undefined;
}

/** What decoding one thread has found so far. */
export class Decoder {
  readonly statements: ProgramStatement[] = [];
  readonly reads: RegisterUse[] = [];
  readonly writes: RegisterUse[] = [];
  readonly diagnostics: Diagnostic[] = [];
  /** Instructions that products go into sums by; of the one that is being decoded in `parts`. */
  readonly contractible: Contractible[] = [];
  readonly parts: Omit<Contractible, 'index'>[] = [];
  /** What the last instruction with `.cc` left in the carry flag, where that is known from the text before. */
  flagKind: number | undefined;
  private temporaries = 0;

  constructor(readonly thread: DecodedThread) {}

  /** A register of our own, for the steps between. */
  temporary(type: DataType, span: Span): string {
    this.temporaries += 1;
    const register = `#${this.temporaries}`;
    this.hidden(register, type, span);
    return register;
  }

  /** A register of our own that lasts from one instruction to another. */
  hidden(register: string, type: DataType, span: Span): void {
    this.writes.push({ register, type, span, widerAllowed: true, untyped: true });
  }

  /** Whether a name is a register declared or used as a predicate. */
  isPredicate(name: string): boolean {
    return (
      this.thread.predicates.has(name) ||
      this.writes.some(({ register, type }) => register === name && type.kind === 'pred')
    );
  }

  /** The location that a name means in this thread, if it is not one of its registers. */
  location(name: string, span: Span): VirtualRange {
    const { locations, placement, implicitLocation } = this.thread;
    return locations.resolve(name, placement) ?? implicitLocation(name, span);
  }

  isLocation(name: string): boolean {
    return this.thread.locations.named(name).length > 0;
  }
}
