import type { DrawnProgram } from './generate-programs.js';
import { type DrawnOrder, drawOrders, orderLine, roleIn } from './grid-programs.js';
import { GRID_THEMES, GridSteps } from './grid-steps.js';
import { indented, printBody, printThread } from './print-body.js';
import { declareWords } from './program-memory.js';
import { observedIn, ProgramThread } from './program-thread.js';
import type { Random } from './random.js';

interface Entry {
  readonly name: string;
  /** The address that parameter i holds is in register `rd` i. */
  readonly parameters: readonly string[];
  readonly body: ProgramThread;
}

interface Launch {
  readonly entry: Entry;
  readonly ctas: number;
  readonly block: number;
  /** A location for each parameter. */
  readonly arguments: readonly string[];
}

const LOCATIONS = ['x', 'y', 'f'] as const;
/** Of the module; what it holds is as a test declares it. */
const VARIABLE = 'own';
const [TID, CTA] = ['n90', 'n91'];

/**
 * A small module and its launches: one entry a grid or one for several, of one to four threads each, which go their
 * ways by `%tid` and `%ctaid`; names of parameters that are also names of registers; variables of the module. The
 * launches say the same as a test whose threads are written out.
 */
export function drawLaunches(random: Random, mostAccesses: number, name: string): DrawnProgram {
  const themes = random.pickTwo(GRID_THEMES);
  const count = random.chance(80) ? 2 : 1 + 2 * random.below(2);
  const orders = drawOrders(random, count, themes);
  const entries: Entry[] = [];
  const launches = Array.from({ length: count }, (_, grid): Launch => {
    const [ctas, block] = random.pick([
      [1, 1],
      [1, 2],
      [2, 1],
      [1, 2],
    ] as const);
    const again = entries.length > 0 && random.chance(themes.includes('alike') ? 70 : 20);
    const entry = again ? random.pick(entries) : drawEntry(random, themes, mostAccesses, orders, grid);
    if (!again) entries.push(entry);
    // The flag and the data stay what they are: other arguments give two launches of one entry other places.
    const swapped = random.chance(25) ? ['y', 'x', 'f'] : LOCATIONS;
    return { entry, ctas, block, arguments: swapped };
  });
  const path = `${name}.ptx`;
  const leavesByRet = random.chance(50);
  return {
    themes,
    body: launchTest(path, orders, launches, drawStyle(random, launches)),
    module: { path, text: moduleOf(entries, leavesByRet) },
    asThreads: threadTest(orders, launches),
  };
}

function drawEntry(
  random: Random,
  themes: readonly string[],
  mostAccesses: number,
  orders: readonly DrawnOrder[],
  grid: number,
): Entry {
  const body = new ProgramThread(grid);
  const registers = new Map(LOCATIONS.map((location, i) => [location as string, `rd${i}`]));
  const places = ['x', 'x', 'y', VARIABLE];
  const steps = new GridSteps(random, themes, Math.min(mostAccesses, 4), places, (one) => registers.get(one) ?? one);
  const only = (): string => {
    const kind = random.below(5);
    if (kind > 2) return '';
    const predicate = `q9${random.below(10)}`;
    const [register, value] = kind === 0 ? [CTA, 0] : [TID, random.below(2)];
    body.line(`setp.eq.u32 ${predicate}, ${register}, ${value};`);
    return `@${predicate} `;
  };
  steps.body(body, { ...roleIn(orders, grid), meets: random.chance(35) }, only);
  if (themes.includes('barriers') && random.chance(30)) barrierInTwoPlaces(body, random);
  // Also names that registers have.
  const parameters = LOCATIONS.map((_, i) => random.pick([`entry${grid}_param_${i}`, `r${i}`, `p${i}`, `rd${i}`]));
  return { name: `entry${grid}`, parameters, body };
}

/** Threads that come to one barrier by two instructions: undefined for lanes of one warp, if it is aligned. */
function barrierInTwoPlaces(body: ProgramThread, random: Random): void {
  const [other, end, predicate] = [body.label(), body.label(), `q8${random.below(10)}`];
  const barrier = random.pick(['bar.sync 0;', 'bar.sync 0;', 'barrier.sync 0;']);
  body.line(`setp.eq.u32 ${predicate}, ${random.pick([TID, TID, CTA])}, 0;`);
  for (const line of [`@${predicate} bra ${other};`, barrier, `bra ${end};`, `${other}:`, barrier, `${end}:`])
    body.line(line);
}

/** Registers of a module have a percent sign, as compilers write them, so that parameters may share their names. */
const asRegisters = (line: string): string => line.replace(/\b(rd|[rpqn])(\d+)\b/g, '%$1$2');

function moduleOf(entries: readonly Entry[], leavesByRet: boolean): string {
  const written = entries.map(({ name, parameters, body }) => {
    const lines = [
      '.reg .pred %p<100>;',
      '.reg .pred %q<100>;',
      '.reg .b32 %r<100>;',
      '.reg .b32 %n<100>;',
      '.reg .b64 %rd<10>;',
      ...parameters.map((parameter, i) => `ld.param.u64 %rd${i}, [${parameter}];`),
      `mov.u32 %${TID}, %tid.x;`,
      `mov.u32 %${CTA}, %ctaid.x;`,
      ...body.lines.map(asRegisters),
      ...(leavesByRet ? ['ret;'] : ['exit;']),
    ];
    const list = parameters.map((parameter) => `.param .u64 ${parameter}`).join(', ');
    return [`.visible .entry ${name}(${list})`, '{', ...indented(lines), '}', ''].join('\n');
  });
  return `.version 8.7\n.target sm_90\n.address_size 64\n.global .u32 ${VARIABLE} = 0;\n${written.join('')}`;
}

const usesVariable = ({ entry }: Launch): boolean => entry.body.lines.some((line) => line.includes(`[${VARIABLE}]`));

/** The locations: a variable that no entry uses is none. */
const placesOf = (launches: readonly Launch[]): readonly string[] =>
  launches.some(usesVariable) ? [...LOCATIONS, VARIABLE] : LOCATIONS;

/** A test that observes what all threads do, in the order of launch, CTA and thread. */
function printed(launches: readonly Launch[], declarations: readonly string[], lines: readonly string[]): string {
  const threads = launches.flatMap(({ entry, ctas, block }) => Array.from({ length: ctas * block }, () => entry.body));
  const observed = [...observedIn(threads), ...placesOf(launches)];
  return printBody({ declarations, lines, observed });
}

/** What a test with launches may say in two ways. */
interface LaunchStyle {
  /** The first grid is threads that the test writes out; a variable of the module they could not name. */
  readonly writesFirst: boolean;
  /** The order of grids stands beside their names (`after K0`), or is by number (`grid 1 after 0`). */
  readonly ordersByNumber: boolean;
}

function drawStyle(random: Random, [first, ...others]: readonly Launch[]): LaunchStyle {
  const writesFirst = first !== undefined && others.length > 0 && !usesVariable(first) && random.chance(35);
  // Threads have no name that an order could stand beside.
  return { writesFirst, ordersByNumber: random.chance(writesFirst ? 60 : 25) };
}

function launchTest(
  path: string,
  orders: readonly DrawnOrder[],
  launches: readonly Launch[],
  { writesFirst, ordersByNumber }: LaunchStyle,
): string {
  const byNumber = (one: DrawnOrder): boolean => ordersByNumber || (writesFirst && one.on === 0);
  const lines = launches.flatMap((launch, grid) => {
    if (writesFirst && grid === 0)
      return threadsOf(launch, grid).flatMap(({ place, lines }, i) => printThread(i, place, lines));
    const order = orders
      .filter((one) => one.grid === grid && !byNumber(one))
      .map(({ order, on }) => `, ${order} K${on}`);
    return [
      `launch K${grid} "${path}" :: ${launch.entry.name} (${launch.arguments.map((one) => `&${one}`).join(', ')})`,
      `  @ grid ${launch.ctas}, block ${launch.block}${order.join('')} {`,
      '  run all;',
      '}',
    ];
  });
  const known = launches.slice(0, writesFirst ? 1 : 0).flatMap((launch) => knownOf(threadsOf(launch, 0)));
  return printed(launches, [...declareWords(LOCATIONS), ...orders.filter(byNumber).map(orderLine), ...known], lines);
}

/** The same threads: one body for all of an entry, registers holding what parameters and special registers are. */
function threadTest(orders: readonly DrawnOrder[], launches: readonly Launch[]): string {
  const threads = launches.flatMap(threadsOf);
  return printed(
    launches,
    [...declareWords(placesOf(launches)), ...orders.map(orderLine), ...knownOf(threads)],
    threads.flatMap(({ place, lines }, i) => printThread(i, place, lines)),
  );
}

interface WrittenThread {
  readonly place: string;
  readonly lines: readonly string[];
  /** What its registers hold at its start. */
  readonly known: readonly string[];
}

const threadsOf = ({ entry, ctas, block, arguments: given }: Launch, grid: number): readonly WrittenThread[] =>
  Array.from({ length: ctas * block }, (_, i) => {
    const [cta, tid] = [Math.floor(i / block), i % block];
    return {
      place: `cta ${cta}, warp 0, grid ${grid}`,
      lines: indented([...entry.body.lines, 'exit;']),
      known: [...given.map((location, at) => `rd${at} = &${location};`), `${TID} = ${tid};`, `${CTA} = ${cta};`],
    };
  });

const knownOf = (threads: readonly WrittenThread[]): readonly string[] =>
  threads.flatMap(({ known }, i) => known.map((value) => `P${i}:${value}`));
