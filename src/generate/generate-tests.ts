import { canonical } from './canonical.js';
import { at, isExternal, printCycle } from './cycle.js';
import {
  CYCLE_FAMILIES,
  type CycleFamily,
  type Family,
  familyOf,
  PROGRAM_FAMILIES,
  type ProgramFamily,
} from './families.js';
import { generatePrograms } from './generate-programs.js';
import type { Impossible } from './memory-plan.js';
import { nameTest } from './name-test.js';
import { parseCycle } from './parse-cycle.js';
import { DISTANCES, type Distance, namePlaces, parsePlaces, uniformPlaces } from './places.js';
import { DRAWS } from './profiles.js';
import { Random } from './random.js';
import { randomPlan } from './random-plan.js';
import { type TestPlan, writeTest } from './write-test.js';

/** A test as `loadTests` takes it, and where it comes from. */
export interface GeneratedTest {
  readonly name: string;
  readonly family: Family;
  /** The cycle that it is made of, as `testOfCycle` takes it; of a program the themes that it was drawn to have. */
  readonly cycle: string;
  readonly text: string;
  /** Of a launch: the module that it names, which is read from beside it. */
  readonly module?: { readonly path: string; readonly text: string };
  /** Of a launch: a test with its threads written out, of which everything holds that holds of the launch. */
  readonly asThreads?: string;
}

/** What tests are drawn. */
export interface GenerationOptions {
  readonly seed: number;
  /** Those that take turns; all of them if not given. */
  readonly families?: readonly Family[];
  /** The most events of a cycle, or accesses of a program. */
  readonly mostEvents?: number;
}

export const MOST_EVENTS = 8;

/**
 * The cycles, in turn, so that of any number of tests at least a half uses mbarriers, asynchronous accesses or proxies.
 */
const TURNS: readonly Family[] = ['mbarrier', 'ring', 'async', 'chain', 'proxy', 'barrier', 'mbarrier', 'async'];

/**
 * Different tests, one after the other, the same ones for the same seed. It ends only where a family has no more.
 *
 * @example
 * ```ts
 * for (const { name, text } of generateTests({ seed: 1, families: ['chain'] })) {
 *   console.log(name, text);
 *   break;
 * }
 * ```
 */
export function* generateTests({
  seed,
  families = TURNS,
  mostEvents = MOST_EVENTS,
}: GenerationOptions): Generator<GeneratedTest> {
  const random = new Random(seed);
  const seen = new Set<string>();
  const names = new Map<string, number>();
  const draws = Object.fromEntries<() => NamedBody | undefined>([
    ...CYCLE_FAMILIES.map((family) => [family, () => drawCycle(random, family, mostEvents)] as const),
    ...PROGRAM_FAMILIES.map((family) => {
      const programs = generatePrograms(family, { seed, mostAccesses: mostEvents });
      return [family, () => drawProgram(family, programs)] as const;
    }),
  ]) as Readonly<Record<Family, () => NamedBody | undefined>>;
  let turns = families;
  for (let turn = 0; turns.length > 0; turn++) {
    const family = at(turns, turn);
    const test = firstNew(draws[family], seen);
    if (test === undefined) turns = turns.filter((other) => other !== family);
    else yield withOwnName(test, names);
  }
}

/** The first test drawn that was not seen; undefined where many draws bring none. */
function firstNew(draw: () => NamedBody | undefined, seen: Set<string>): NamedBody | undefined {
  for (let count = 0; count < DRAWS; count++) {
    const test = draw();
    if (test === undefined) continue;
    // Of launches the module tells more than the test, whose path differs.
    const told = test.asThreads ?? test.body;
    if (seen.has(told)) continue;
    seen.add(told);
    return test;
  }
  return undefined;
}

function drawCycle(random: Random, family: CycleFamily, mostEvents: number): NamedBody | undefined {
  const drawn = randomPlan(random, family, mostEvents);
  if (drawn === undefined || familyOf(drawn.cycle) !== family) return undefined;
  const told = canonical(drawn);
  const test = told === undefined ? undefined : testOf({ ...drawn, ...told });
  return test === undefined || 'cannot' in test ? undefined : test;
}

function drawProgram(family: ProgramFamily, programs: ReturnType<typeof generatePrograms>): NamedBody {
  const { themes, ...program } = programs.next().value;
  return { ...program, family, cycle: themes.join(', ') };
}

/** Its text and that of its threads are without their headers. */
interface NamedBody extends Omit<GeneratedTest, 'text'> {
  readonly body: string;
}

function testOf(plan: TestPlan): NamedBody | Impossible {
  const body = writeTest(plan);
  if (typeof body !== 'string') return body;
  // A wish that changes nothing is not part of the test: nothing can lie in shared memory, no CTA is reached by
  // another.
  const shared = plan.shared && writeTest({ ...plan, shared: false }) !== body;
  const closing = plan.closing || writeTest({ ...plan, closing: true }) === body;
  return {
    name: nameTest({ ...plan, shared, closing }),
    family: familyOf(plan.cycle),
    cycle: printCycle(plan.cycle),
    body,
  };
}

/** With a number where the name is taken: names leave out what is usual, so that two tests may rarely share one. */
function withOwnName({ name, body, ...rest }: NamedBody, names: Map<string, number>): GeneratedTest {
  const count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  return withHeader({ ...rest, body, name: count === 1 ? name : `${name}+v${count}` });
}

function withHeader({ name, cycle, body, asThreads, ...rest }: NamedBody): GeneratedTest {
  return {
    ...{ ...rest, name, cycle, text: `PTX ${name}\n"${cycle}"\n${body}` },
    ...(asThreads !== undefined && { asThreads: `PTX ${name}\n${asThreads}` }),
  };
}

/** How the test of a given cycle is written. */
export interface CycleOptions {
  /** How the events without an annotation are performed, such as `rlx.gpu`. */
  readonly plain?: string;
  /**
   * Where the threads are, as `namePlaces` has it: by default as far from each other as the cycle's hand-overs and
   * copies allow, on one GPU.
   */
  readonly places?: string;
  readonly shared?: boolean;
}

const BY_DEFAULT: readonly Distance[] = ['gpu', 'cluster', 'cta'];

/**
 * The test of a cycle that is given, in the words of `ptx-litmus gen --cycle`; or why there is none.
 *
 * @example
 * ```ts
 * const test = testOfCycle('Rfe PodRR Fre PodWW');
 * if ('text' in test) console.log(test.text);
 * ```
 */
export function testOfCycle(
  text: string,
  { plain = 'weak', places, shared = false }: CycleOptions = {},
): GeneratedTest | Impossible {
  const parsed = parseCycle(text, plain);
  if ('cannot' in parsed) return parsed;
  const threads = parsed.edges.filter(isExternal).length;
  const told = canonical({ cycle: parsed, places: uniformPlaces(threads, 'gpu') });
  if (told === undefined) throw new Error('a cycle without communication');
  const wanted =
    places === undefined
      ? BY_DEFAULT.map((distance) => uniformPlaces(threads, distance))
      : [parsePlaces(places, threads)];
  let problem: Impossible = { cannot: '' };
  for (const candidate of wanted) {
    if (candidate === undefined)
      return { cannot: `no placement ${places} of ${threads} threads; it is ${describePlaces(threads)}` };
    const test = testOf({ cycle: told.cycle, places: candidate, shared, closing: true });
    if (!('cannot' in test)) return withHeader(test);
    problem = test;
  }
  return problem;
}

/** What may be said of the placement of a number of threads. */
export function describePlaces(threads: number): string {
  const named = DISTANCES.map((distance) => namePlaces(uniformPlaces(threads, distance)));
  return (
    `${named.join(', ')}, or such as ${Array.from({ length: threads }, (_, i) => i).join('_')} (01 share a ` +
    'CTA, 0.1 a cluster, 0_1 a GPU, 0__1 nothing)'
  );
}
