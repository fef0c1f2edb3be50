import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import type { Limits } from '../check/limits.js';
import type { Source } from '../diagnostics/source.js';
import type { ReportedDiagnostic } from '../report/reporters/reporter.js';
import type { SolverName } from './start-solver.js';
import type { TestSource } from './test-source.js';

/** What every command that decides something is told, as the command line has it. */
export interface DecidingSettings {
  /** How often a loop body is executed at most. */
  readonly unroll: number;
  /** For each test, in seconds. */
  readonly timeout: number;
  /** In MiB, resident, of the process that decides. */
  readonly memory?: number | undefined;
  readonly solver: SolverName;
}

/** A model, so that any process can load it. */
export interface ModelSettings {
  /** A built-in model or a `.cat` file. */
  readonly model: string;
  readonly include: readonly string[];
  readonly variants: readonly string[];
  /** Axioms that are left out. */
  readonly without: readonly string[];
  /** The texts that it is made of, as they were when the run began. */
  readonly sources: readonly Source[];
}

/** By what another process loads a model that this one has loaded. */
export function settingsOfModel(
  { source, sources, variants, omitted }: Model,
  include: readonly string[],
): ModelSettings {
  return { model: source.path, include, variants: [...variants], without: [...omitted], sources };
}

/** What a command finds in the tests of one source. */
export interface Answer<T> {
  readonly value: readonly T[];
  readonly diagnostics: readonly ReportedDiagnostic[];
  /** The text has errors. */
  readonly unreadable: boolean;
  /** Bugs of ours that were met, for standard error. */
  readonly internal: readonly string[];
  /** It quotes lines of the text, and so holds for this very text only. */
  readonly quotes?: boolean;
  /** Something could not be decided. */
  readonly open: boolean;
}

/** What a job works with. */
export interface Workplace {
  readonly solver: SatSolver;
  readonly limits: Limits;
}

/** What a command does with each test of a suite, in whatever process: from plain data to plain data. */
export type Job<Task extends SuiteTask, T> = (task: Task, place: Workplace) => Promise<Answer<T>>;

/** One source of a suite, with what else the job is to know of it. */
export interface SuiteTask {
  readonly source: TestSource;
}

/** A task under one of several settings of its job, such as one of several models. */
export interface AskedTask {
  readonly task: SuiteTask;
  /** The place of the settings. */
  readonly under: number;
}
