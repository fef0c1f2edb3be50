import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Source, Span } from '../diagnostics/source.js';
import type { Comparison, Expectation, Quantifier } from '../syntax/condition-ast.js';
import type { Allowance } from './allowance.js';
import type { DataType } from './data-type.js';
import type { Progress } from './forward-progress.js';
import type { LocationTable, MemoryObject } from './locations.js';
import type { ProgramStatement } from './operation.js';
import type { Placement, WarpParty } from './placement.js';
import type { Undecided } from './undecided.js';

/** A litmus test with its names resolved and its instructions understood: what every engine starts from. */
export interface Program {
  readonly source: Source;
  readonly name: string;
  readonly descriptions: readonly string[];
  readonly locations: LocationTable;
  readonly threads: readonly Thread[];
  readonly conditions: readonly Condition[];
  readonly expectations: readonly ResolvedExpectation[];
  /** Findings that are accepted. */
  readonly allowances: readonly Allowance[];
  /** Only executions whose final state satisfies this count. */
  readonly filter: Proposition | undefined;
  /** The values that make up a final state: those of the conditions, then those listed under `locations`. */
  readonly observed: readonly Observable[];
  readonly warnings: readonly Diagnostic[];
  /** Why nothing can be said of the test. */
  readonly unknown?: Undecided;
  /** What is promised to the threads; undefined: that each goes on that can. */
  readonly progress?: Progress;
  /** By CTA, those of which not all threads are in the test. */
  readonly parties: ReadonlyMap<string, readonly WarpParty[]>;
  /** Of a kernel test, its launches. */
  readonly launches: readonly LaunchFacts[];
}

/** What is to be said of a launch in every answer. */
export interface LaunchFacts {
  readonly name: string;
  /** The kernel, with what its name demangles to. */
  readonly kernel: string;
  /** `grid 2, block 64`. */
  readonly shape: string;
  readonly run: readonly {
    readonly thread: string;
    readonly cta: number;
    readonly tid: number;
    readonly represents: number;
    /** The test names others of the launch, and not this one. */
    readonly isAdded?: boolean;
  }[];
  /** How many threads and CTAs the launch has. */
  readonly threads: number;
  readonly ctas: number;
  /**
   * Which threads these are: `all`, of few; those that the launch has alone (`exactly`); `symmetric`: each other does
   * what one of these does; `shown`: those of which an execution is shown, and others are represented; `part`: the same
   * of those that the test names among too many, which proves nothing. `whole` and `asked`: all are followed, and the
   * test asks about all or about some; what they do is not there.
   */
  readonly choice: 'all' | 'exactly' | 'symmetric' | 'shown' | 'part' | 'whole' | 'asked';
  /** Instructions that access memory which the test does not show, or that PTX keeps from users. */
  readonly unseen: readonly { readonly kind: 'texture' | 'surface' | 'reserved'; readonly span: Span }[];
}

/** Whether what the threads of a launch do is not there: they are followed, and not run. */
export const isOutline = ({ choice }: LaunchFacts): boolean => choice === 'whole' || choice === 'asked';

/** A thread of a test, with where it runs. */
export interface Thread {
  readonly index: number;
  /** Of a launch: `K cta 1, tid 32`. */
  readonly launched?: { readonly launch: string; readonly cta: number; readonly tid: number };
  /** `P0`. */
  readonly name: string;
  readonly placement: Placement;
  readonly registers: ReadonlyMap<string, Register>;
  readonly statements: readonly ProgramStatement[];
  /** The statement before which each label stands; one past the end is possible. */
  readonly labels: ReadonlyMap<string, number>;
}

export interface Register {
  readonly name: string;
  readonly type: DataType;
  /** Its bit pattern before the thread starts. */
  readonly initial: bigint;
}

/** A condition of a test: its quantifier claims something of its proposition over all final states. */
export interface Condition {
  readonly quantifier: Quantifier;
  readonly proposition: Proposition;
  readonly name: string | undefined;
  readonly models: readonly string[] | undefined;
  readonly span: Span;
}

/** What an `expect` line can speak of. */
export type ExpectedFinding = Exclude<Expectation, `no-${string}`>;

export interface ResolvedExpectation {
  /** As the test writes it: `no-race`. */
  readonly expectation: Expectation;
  readonly finding: ExpectedFinding;
  /** It says that nothing of the kind happens. */
  readonly isDenied: boolean;
  readonly models: readonly string[] | undefined;
  readonly span: Span;
}

/** What is true or false of a final state. */
export type Proposition =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Proposition[] }
  | { readonly kind: 'not'; readonly operand: Proposition }
  | { readonly kind: 'constant'; readonly value: boolean }
  /** Both sides are taken as integers of the type's sign. */
  | { readonly kind: 'compare'; readonly comparison: Comparison; readonly left: Term; readonly right: Term };

/** A number, or something of a final state that has a value. `decimal`: as it is written, if with a decimal point. */
export type Term = { readonly kind: 'number'; readonly value: bigint; readonly decimal?: string } | Observable;

/** A value of a final state: a register, or the bytes of a memory object. */
export type Observable =
  | {
      readonly kind: 'register';
      readonly thread: number;
      readonly register: string;
      readonly type: DataType;
      readonly name: string;
    }
  | {
      readonly kind: 'memory';
      readonly object: MemoryObject;
      readonly offset: number;
      readonly type: DataType;
      readonly name: string;
    };
