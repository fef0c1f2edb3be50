import { notThere } from '../check/answer-scope.js';
import { exploreProgram, MOST_STATES, machineContextOf } from '../check/check-operationally.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { loadModel } from '../files/load-model.js';
import { writeText } from '../files/write-text.js';
import { Random } from '../generate/random.js';
import type { Exploration } from '../operational/explore.js';
import type { MachineContext } from '../operational/machine-context.js';
import { type Outcome, outcomeKey, outcomesOf } from '../operational/outcomes.js';
import { randomRun } from '../operational/random-run.js';
import type { Program } from '../program/program.js';
import { holds } from '../program/proposition.js';
import { describeUndecided, type Undecided } from '../program/undecided.js';
import { findingOf } from '../program/undefined-rules.js';
import { launchLines } from '../report/describe-launch.js';
import { itfOf } from '../report/itf.js';
import { type Found, reportRandomRuns, reportRun, reportSimulation } from '../report/simulation.js';
import { limitsOf } from '../suite/limits.js';
import { chosenVariants } from './chosen-variants.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { count, flag, text } from './option.js';
import { AT, FORWARD_PROGRESS, MAX_THREADS, ONE_TEST, TIMEOUT, UNROLL, VARIANT } from './options.js';
import { readOneTest } from './read-input.js';
import { stepThrough } from './step-session.js';

/** What `--find` can look for besides a condition. */
const EVENTS = ['deadlock', 'race', 'undefined', 'uninitialized'] as const;
const MODEL = 'ptx-9.4';

const OPTIONS = {
  find: text(
    "print the shortest run to a condition, such as 'P1:r0 == 1', or to a deadlock, a race or undefined behavior",
  ),
  step: flag('choose the steps by hand'),
  random: count('random', 1, 'so many runs at random, with how often each ended how'),
  seed: { ...count('seed', 0, 'of the random runs'), default: 1 },
  trace: text('a file for the run found, in the Informal Trace Format'),
  ...FORWARD_PROGRESS,
  ...AT,
  ...MAX_THREADS,
  ...VARIANT,
  ...UNROLL,
  states: { ...count('states', 1, 'states to explore at most'), default: MOST_STATES },
  timeout: { ...TIMEOUT.timeout, describe: 'seconds' },
};
type SimulateArguments = ArgumentsOf<typeof ONE_TEST.positionals> & ArgumentsOf<typeof OPTIONS>;

export const simulateCommand = defineCommand({
  usage: 'simulate <path>',
  describe: 'run a test on the operational machine',
  positionals: ONE_TEST.positionals,
  options: OPTIONS,
  run: runSimulate,
});

/** Runs a test on the operational machine: all outcomes, a run that was asked for, steps by hand, or runs at random. */
async function runSimulate(args: SimulateArguments): Promise<ExitCode> {
  const asked = [
    args.find !== undefined && '--find',
    args.step && '--step',
    args.random !== undefined && '--random',
  ].filter((one) => one !== false);
  if (asked.length > 1) throw new UsageError(`${asked.join(' and ')} contradict each other`);
  if (args.trace !== undefined && args.find === undefined)
    throw new UsageError("--trace needs a run: say which by --find '<condition>', deadlock, race or undefined");
  const program = await theProgram(args);
  if (program === undefined) return EXIT_CODES.usage;
  const { value: model } = loadModel(MODEL, [], chosenVariants(args.variant));
  if (model === undefined) throw new Error(`${MODEL} cannot be read`);
  const unknown = (reason: Undecided): ExitCode => {
    process.stdout.write(`${program.name}   unknown: ${describeUndecided(reason)}\n`);
    return EXIT_CODES.undecided;
  };
  if (program.launches.some(({ choice }) => choice === 'part'))
    process.stdout.write(`${launchLines(program).join('\n')}\n`);
  if (args.step || args.random !== undefined) {
    const context = machineContextOf(program, model, args.unroll);
    if ('kind' in context) return unknown(context);
    return args.random === undefined ? stepThrough(context) : runAtRandom(program, context, args.random, args.seed);
  }
  const start = performance.now();
  const explored = exploreProgram(program, model, {
    unroll: args.unroll,
    ...limitsOf(args),
    mostStates: args.states,
  });
  if ('kind' in explored) return unknown(explored);
  if (args.find !== undefined) return find(program, explored, args.find, args.trace);
  process.stdout.write(`${reportSimulation(program, explored, performance.now() - start)}\n`);
  return explored.incomplete === undefined ? EXIT_CODES.good : EXIT_CODES.undecided;
}

/** The one test that the path names, with what `--find` asks as its condition. */
async function theProgram(args: SimulateArguments): Promise<Program | undefined> {
  const { find: goal } = args;
  const question = goal === undefined || EVENTS.some((event) => event === goal) ? undefined : goal;
  const condition =
    question === undefined || /^\s*(exists|permit|forbid|require|forall|~)/.test(question)
      ? question
      : `exists (${question})`;
  const program = await readOneTest('simulate', { ...args, condition });
  const left = program === undefined ? undefined : notThere(program);
  // The machine would take the threads that are there for all.
  if (left !== undefined) throw new UsageError(`simulate runs threads: ${describeUndecided(left)}${hintFor(program)}`);
  return program;
}

/** What to do where a launch has too many threads. */
const hintFor = (program: Program | undefined): string =>
  program?.launches.some(({ choice }) => choice === 'whole') === true
    ? '; or name some (run tid), to look at what these do'
    : '';

function find(program: Program, explored: Exploration, goal: string, trace: string | undefined): ExitCode {
  const found = lookFor(program, explored, goal);
  if (found === undefined) {
    const open = goal === 'deadlock' ? explored.openDeadlock : explored.incomplete;
    const rest =
      open === undefined
        ? 'the axioms may still allow it, by load buffering across synchronization (check --engine both)'
        : `not all was seen: ${describeUndecided(open)}`;
    process.stdout.write(`no run of the machine does that (${explored.states} states); ${rest}\n`);
    return open === undefined ? EXIT_CODES.broken : EXIT_CODES.undecided;
  }
  process.stdout.write(`${reportRun(program, explored, found)}\n`);
  if (trace !== undefined) writeText(trace, `${JSON.stringify(itfOf(found.run, program.source.path), undefined, 2)}\n`);
  return EXIT_CODES.good;
}

function lookFor(program: Program, { outcomes, deadlock, findings }: Exploration, goal: string): Found | undefined {
  if (goal === 'deadlock') return deadlock === undefined ? undefined : { run: deadlock };
  if (goal === 'race' || goal === 'undefined' || goal === 'uninitialized') {
    const [rule, found] = [...findings].find(([name]) => findingOf(name) === goal) ?? [];
    return rule === undefined || found === undefined
      ? undefined
      : { run: found.run, finding: { rule, events: found.events } };
  }
  const [condition] = program.conditions;
  return [...outcomes.values()].find(
    ({ outcome }) => condition !== undefined && holds(condition.proposition, ({ name }) => outcome.get(name) ?? 0n),
  );
}

function runAtRandom(program: Program, context: MachineContext, runs: number, seed: number): ExitCode {
  const random = new Random(seed);
  const below = (bound: number): number => random.below(bound);
  const counts = new Map<string, { outcome: Outcome | undefined; count: number }>();
  for (let made = 0; made < runs; ) {
    const run = randomRun(context, below);
    if (run === undefined) continue;
    made += 1;
    const outcomes = outcomesOf(run.state);
    const outcome = outcomes[below(Math.max(1, outcomes.length))];
    // What the filter leaves out is made, and not counted.
    if (outcome === undefined && program.filter !== undefined) continue;
    const key = outcome === undefined ? '' : outcomeKey(outcome);
    counts.set(key, { outcome, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  process.stdout.write(`${reportRandomRuns(program, counts)}\n`);
  return EXIT_CODES.good;
}
