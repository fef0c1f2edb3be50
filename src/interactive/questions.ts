import type { Completion } from '../language/completions.js';
import type { Hover } from '../language/hover.js';
import type { JsonDiagnostic } from '../report/json.js';
import type { ReportedTest } from '../report/reported-test.js';

/** A text that is being written. Its path tells what it is: `.litmus` or `.test`, `.ptx`, `.cat`. */
export interface Draft {
  readonly path: string;
  readonly text: string;
  /** Of a kernel test: the texts of the modules that its launches name, by the paths that they name them by. */
  readonly modules?: Readonly<Record<string, string>>;
  /** By the path of a module that has no text: why, such as what its compiler says. */
  readonly problems?: Readonly<Record<string, string>>;
}

/** A model by its name; with a text, one that is being written. */
export interface ModelDraft {
  readonly name: string;
  readonly text?: string;
  /** Choices that are made differently, as with `--variant`. */
  readonly variants?: readonly string[];
}

/** One of the tests of a text, under a model. */
export interface About {
  readonly draft: Draft;
  readonly model: ModelDraft;
  /** The number of the test, from 0; the first if not given. */
  readonly test?: number;
}

/** A mistake, or something else to be said about a stretch of a text; lines and columns from 1. */
export interface Mark extends JsonDiagnostic {
  readonly endLine: number;
  readonly endColumn: number;
}

/** A text as far as it is read without a model. */
export interface Diagnosis {
  readonly marks: readonly Mark[];
  /** The paths of the modules that launches name. */
  readonly modules: readonly string[];
}

/** Where something was found: what races, what is undefined. */
export interface Finding {
  /** The number of the test. */
  readonly test: number;
  /** `expect no-race`; or by what the test is undefined. */
  readonly claim: string;
  /** It is not as the test expects it. */
  readonly isBroken: boolean;
  /** The file, which may be a module, or the source program that a module was compiled from. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly advice: string | undefined;
}

export interface Verdicts {
  readonly marks: readonly Mark[];
  readonly tests: readonly ReportedTest[];
  readonly findings: readonly Finding[];
  /** Who confirms what is not found. */
  readonly party: string;
}

/** A picture of an execution, or why there is none. */
export interface Picture {
  readonly title: string;
  readonly svg: string;
  /** The relations that are drawn. */
  readonly relations: readonly string[];
}

/** Where the machine is after some steps. */
export interface MachinePlace {
  /** What was done, a line a step; `undefined` where the steps are not those of this test any more. */
  readonly done: readonly string[];
  /** What can be done next; a number chooses. */
  readonly choices: readonly string[];
  /** What is to be said where nothing more can be done. */
  readonly end: readonly string[];
}

/** A change that mends a test, or that it can do without something. */
export interface Change {
  readonly title: string;
  readonly patch: string;
  /** The text with the change, and the modules that it changes. */
  readonly draft: Draft;
}

/** What two models say of a test. */
export interface Comparison extends Told {
  readonly models: readonly [a: string, b: string];
  /** What each says of each condition; undefined where the condition is not about it. */
  readonly rows: readonly { readonly claim: string; readonly a: string | undefined; readonly b: string | undefined }[];
}

/** Text that is told, or why there is nothing to tell. */
export interface Told {
  readonly text: string;
}

/** A place in a draft, by its offset. */
export interface At {
  readonly draft: Draft;
  readonly offset: number;
}

/** Each question with what it takes and what it gives. */
export interface Questions {
  readonly diagnose: { readonly takes: { readonly draft: Draft }; readonly gives: Diagnosis };
  readonly hover: { readonly takes: At; readonly gives: Hover | undefined };
  readonly complete: { readonly takes: At; readonly gives: readonly Completion[] };
  readonly check: { readonly takes: Omit<About, 'test'>; readonly gives: Verdicts };
  readonly explain: { readonly takes: About; readonly gives: Told };
  readonly draw: {
    readonly takes: About & { readonly hide?: readonly string[] };
    readonly gives: { readonly pictures: readonly Picture[]; readonly problem: string | undefined };
  };
  readonly states: { readonly takes: About; readonly gives: Told };
  readonly step: {
    /** The numbers of the choices taken. */
    readonly takes: About & { readonly taken: readonly number[] };
    readonly gives: MachinePlace;
  };
  readonly compare: { readonly takes: About & { readonly other: ModelDraft }; readonly gives: Comparison };
  readonly mend: {
    readonly takes: About;
    readonly gives: { readonly changes: readonly Change[]; readonly text: string };
  };
}

export type QuestionKind = keyof Questions;

/** A question on its way to a worker, and its answer on the way back. */
export interface Asked<Kind extends QuestionKind = QuestionKind> {
  readonly id: number;
  readonly kind: Kind;
  readonly takes: Questions[Kind]['takes'];
}

export type Answered<Kind extends QuestionKind = QuestionKind> =
  | { readonly id: number; readonly gives: Questions[Kind]['gives'] }
  /** A bug of ours. */
  | { readonly id: number; readonly thrown: string };
