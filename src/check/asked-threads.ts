import { placeInLaunch } from '../build/asked.js';
import type { LaunchFacts, Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { expectationResult } from './expectation-result.js';
import { type ExpectationResult, foundSomething, type TestResult } from './result.js';

/** Whether a test asks about some threads of a launch, and not about all. */
export const isAboutSome = ({ choice, run, threads }: LaunchFacts): boolean =>
  ['asked', 'all', 'part'].includes(choice) && run.filter(isNamed).length < threads;

/** Whether a test names a thread, or none of its launch. */
export const isNamed = ({ isAdded }: LaunchFacts['run'][number]): boolean => isAdded !== true;

/** Whether it does so of any of its launches. */
export const isSelected = ({ launches }: Pick<Program, 'launches'>): boolean => launches.some(isAboutSome);

/** A launch all threads of which are followed, and some are asked about. */
export const aboutNamed = (launch: LaunchFacts): LaunchFacts => ({
  ...{ ...launch, choice: 'asked' },
  run: launch.run.filter(isNamed).map((one) => ({ ...one, represents: 0 })),
});

/**
 * What engines that decide all threads say of those that a test asks about: that nothing happens, that something does
 * to one of them, and what is so at the end.
 */
export function aboutAsked(result: TestResult, { launches }: Pick<Program, 'launches'>): TestResult {
  const some = launches.filter(isAboutSome).map(aboutNamed);
  if (some.length === 0) return result;
  const { program } = result;
  const asked = new Set(some.flatMap(({ name, run }) => run.map((one) => placeInLaunch({ launch: name, ...one }))));
  const isOfSome = (launch: string): boolean => some.some(({ name }) => name === launch);
  const isAskedAt = (place: Parameters<typeof placeInLaunch>[0]): boolean =>
    !isOfSome(place.launch) || asked.has(placeInLaunch(place));
  const isAsked = (thread: number): boolean => {
    const { launched } = program.threads[thread] ?? {};
    return launched === undefined || isAskedAt(launched);
  };
  const facts = program.launches.map((launch) => {
    const run = launch.run.filter((one) => isAskedAt({ launch: launch.name, ...one }));
    return isOfSome(launch.name) ? aboutNamed({ ...launch, run }) : launch;
  });
  const expectations = result.expectations.map((one) =>
    foundSomething(one) && !threadsOf(one).some(isAsked) ? open(one, OTHERS) : one,
  );
  return { ...result, program: { ...program, launches: facts }, expectations };
}

const OTHERS: Undecided = {
  kind: 'coverage',
  what: 'threads that the test does not name do that; whether one that it names does is not known',
};

const open = ({ expectation }: ExpectationResult, why: Undecided): ExpectationResult =>
  expectationResult(expectation, { happens: undefined, undecided: why });

/** The threads of what an execution shows: those of its events, or those that do not come to their ends. */
function threadsOf({ witness, events }: ExpectationResult): readonly number[] {
  if (witness === undefined) return [];
  const own = events.flatMap((id) => witness.universe.events[id]?.thread ?? []);
  return own.length > 0 ? own : witness.ends.flatMap(({ kind }, thread) => (kind === 'ended' ? [] : [thread]));
}
