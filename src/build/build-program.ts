import { type Diagnosed, type Diagnostic, error, hasErrors } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { hugeOf, sliced, sliceOf } from '../flow/slice.js';
import { beginsKnown } from '../program/locations.js';
import type { Placement } from '../program/placement.js';
import type { LaunchFacts, Program, Thread } from '../program/program.js';
import type { CheckBudget } from '../program/undecided.js';
import type { LitmusFile, RegisterDeclaration } from '../syntax/litmus-ast.js';
import { shownThreadName } from '../syntax/thread-name.js';
import { rootsOf } from './asked.js';
import { ConditionBuilder } from './build-conditions.js';
import { buildPlacements } from './build-placements.js';
import { buildThread } from './build-thread.js';
import { type Flattened, flattenBody } from './flatten-body.js';
import { progressOf } from './forward-progress.js';
import { GridOrders } from './grid-orders.js';
import { buildMemory, type PlacedBody, type TestMemory } from './test-memory.js';

/** Gives a test that writes its threads out its meaning: places, memory, operations, conditions; all errors at once. */
export function buildProgram(
  file: LitmusFile,
  checkBudget: CheckBudget = () => undefined,
  /** Nothing is left out that no question depends on. */
  isWhole = false,
): Diagnosed<Program> {
  const flat = file.threads.map((thread) => flattenBody(thread, file.functions));
  const test = new TestBuilder(file, flat, checkBudget);
  const threads = file.threads.map((_, index) => test.writtenThread(index));
  return test.program(isWhole ? threads : withoutIdle(threads, test));
}

/** What launches add to a program. */
export interface FromLaunches {
  readonly parties: Program['parties'];
  readonly facts: readonly LaunchFacts[];
  /** What names of the test mean in the modules. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly diagnostics: readonly Diagnostic[];
}

const NO_LAUNCHES: FromLaunches = { parties: new Map(), facts: [], aliases: new Map(), diagnostics: [] };

/** What the threads of a test have in common, and what is found to be wrong on the way. */
export class TestBuilder implements TestMemory {
  readonly diagnostics: Diagnostic[];
  readonly placements: readonly Placement[];
  readonly bodies: readonly PlacedBody[];
  readonly memory: TestMemory['memory'];
  readonly tensorMemory: TestMemory['tensorMemory'];
  readonly orders: GridOrders;
  readonly initializers: readonly RegisterDeclaration[];

  constructor(
    readonly file: LitmusFile,
    /** By thread. */
    flat: readonly Flattened[],
    readonly checkBudget: CheckBudget,
    /** Of variables of modules: what they are called in reports. */
    shownNames?: ReadonlyMap<string, string>,
  ) {
    const { placements, diagnostics } = buildPlacements(file.threads);
    this.placements = placements;
    this.orders = new GridOrders(file.declarations);
    this.initializers = file.declarations.filter((declaration) => declaration.kind === 'register');
    this.diagnostics = [
      ...diagnostics,
      ...this.strayInitializers(),
      ...this.orders.check(placements),
      ...flat.flatMap((body) => body.diagnostics),
    ];
    this.bodies = flat.flatMap((body, i) => {
      const placement = placements[i];
      return placement === undefined ? [] : [{ placement, body }];
    });
    const { memory, tensorMemory } = buildMemory(file.declarations, this.bodies, checkBudget, shownNames);
    this.memory = memory;
    this.tensorMemory = tensorMemory;
  }

  get isDat3m(): boolean {
    return this.file.layout === 'columns' && this.memory.shorthandOnly;
  }

  /** A thread that the test writes out. */
  writtenThread(index: number): Thread {
    const [header, body] = [this.file.threads[index], this.bodies[index]];
    if (header === undefined || body === undefined) throw new Error(`the test has no thread ${index}`);
    const { thread, diagnostics } = buildThread(header, index, body, this);
    this.diagnostics.push(...diagnostics);
    return thread;
  }

  /** The program of the threads, with what the clauses of the test ask. */
  program(threads: readonly Thread[], launched = NO_LAUNCHES): Diagnosed<Program> {
    const { file, memory } = this;
    const conditions = new ConditionBuilder(threads, memory.locations, launched.aliases);
    const found = [...this.diagnostics, ...memory.diagnostics, ...launched.diagnostics];
    const progress = progressOf(file, threads, (one) => found.push(one));
    const sound = !hasErrors(found);
    for (const clause of file.clauses) conditions.add(clause);
    // A register that only a wrong instruction would have defined is not missed too.
    found.push(...conditions.diagnostics.filter(({ code }) => sound || code !== 'L0203'));
    const diagnostics = toldOnce(found);
    if (hasErrors(diagnostics)) return { value: undefined, diagnostics };
    const { source, name, descriptions } = file;
    const { expectations, allowances, filter, observed } = conditions;
    return {
      value: {
        ...{ source, name, descriptions, locations: memory.locations, threads },
        ...{ conditions: conditions.conditions, expectations, allowances, filter, observed },
        warnings: diagnostics,
        parties: launched.parties,
        launches: launched.facts,
        ...(progress === undefined ? {} : { progress }),
      },
      diagnostics,
    };
  }

  /** Registers that are given a value in threads that there are not. */
  private strayInitializers(): readonly Diagnostic[] {
    const { threads } = this.file;
    return this.initializers.flatMap(({ thread, span }) => {
      if (threads.some(({ name }) => name === thread)) return [];
      const shown = shownThreadName(thread);
      const names = threads.map(({ name }) => shownThreadName(name));
      return [error('L0203', span, `no thread ${shown} in this test`, didYouMean(shown, names))];
    });
  }
}

/** What one body of several threads has wrong is wrong once. */
export const toldOnce = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => [
  ...new Map(diagnostics.map((one) => [`${one.span.start} ${one.span.end} ${one.message}`, one])).values(),
];

/** From this size on, values that nobody asks for are not followed, where nothing is known of the memory. */
const LARGE = 1024;

/** The threads without what only makes values that nobody asks for, in tests with large memory. */
function withoutIdle(threads: readonly Thread[], { file, memory }: TestBuilder): readonly Thread[] {
  const { locations } = memory;
  if (!locations.objects.some((object) => object.size >= LARGE && !beginsKnown(object))) return threads;
  const found = hugeOf(sliceOf(threads, locations, rootsOf(file.clauses, threads, locations)));
  if (found.idle.size === 0) return threads;
  const left = threads.map((thread) => ({ ...thread, ...sliced(thread, locations, found, true) }));
  memory.blank(found.idle, true);
  return left;
}
