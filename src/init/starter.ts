import type { Span } from '../diagnostics/source.js';
import { demangled } from '../kernel/demangle.js';
import { groupBy } from '../program/group-by.js';
import type { ModuleEntry, ModuleFile } from '../syntax/module-ast.js';
import {
  argumentsOf,
  type Candidate,
  declarationsOf,
  keyOf,
  type Line,
  type Names,
  placeOf,
  pointedNames,
  type Sizes,
  threadsOf,
} from './candidate.js';
import { type KernelFacts, kernelFacts } from './kernel-facts.js';
import { longerIn } from './lengths.js';
import type { MemoryUse } from './memory-use.js';
import { programText } from './program-text.js';
import { apartIn, type SearchLimits, type Tried } from './search.js';
import { type Found, searchLaunch } from './search-launch.js';
import { narrowIn } from './sizes.js';
import { linesOf, type Open, type Outcome, sizeNamed, type TrialLimits, Trials } from './trial.js';

/** A test to start from. */
export interface Starter {
  readonly text: string;
  /** What the launch does not show of the kernel; empty where it shows all. */
  readonly thin: readonly string[];
  /** What goes wrong in the launch and not in one with another guess. */
  readonly rests: readonly string[];
}

/** Of what a test is made. */
export interface StarterSource {
  readonly module: ModuleFile;
  readonly entry: ModuleEntry;
  /** As the test names the module, or the program that it is compiled from. */
  readonly path: string;
  /** The text of that program, and what nvcc was given for it. */
  readonly program: string | undefined;
  readonly nvcc: string | undefined;
  /** What the test is called; taken: by another of the same file. */
  readonly name: string;
}

/** The names of tests for the kernels of a module: as short as tells them apart. */
export function starterNames(entries: readonly ModuleEntry[]): readonly string[] {
  const short = entries.map(({ name }) => (demangled(name).split('::').at(-1) ?? name).replace(/[^\w.+-]/g, '_'));
  return short.map((name, i) => {
    const before = short.slice(0, i).filter((other) => other === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });
}

/** A launch that was found for a kernel. */
export interface FoundLaunch extends Found {
  readonly source: StarterSource;
  readonly trials: Trials;
  /** What a person has said of it, by the keys of guesses. */
  readonly said: ReadonlySet<string>;
}

/** Looks for a launch of a kernel that shows as much of it as there is. */
export function findLaunch(source: StarterSource, limits: SearchLimits & TrialLimits): FoundLaunch {
  const { module, entry, program } = source;
  const facts = kernelFacts(module, entry);
  const text = program === undefined ? undefined : programText(program);
  const kernel = demangled(entry.name).split('::').at(-1) ?? entry.name;
  const names = namesFor(facts, text?.parametersOf(kernel));
  const trials = new Trials(facts, names, limits);
  const found = searchLaunch(trials, text?.launchesOf(kernel).slice(0, MOST_HINTS) ?? [], limits);
  return { source, trials, ...found, said: new Set() };
}

/** A launch with other numbers than those that were found. */
export function relaunched(found: FoundLaunch, candidate: Candidate, said: ReadonlySet<string>): FoundLaunch {
  if (candidate === found.best.candidate) return { ...found, said };
  return {
    ...found,
    said,
    best: { candidate, outcome: found.trials.follow(candidate) },
    rests: [],
    settled: undefined,
    isCut: false,
  };
}

/** The test of a launch that was found, with arrays as large as what it touches. */
export function starterOf(found: FoundLaunch): Starter {
  const { trials, best, everywhere, settled, isCut } = found;
  const { sizes, outcome } = measured(trials, best);
  const rests = [
    ...found.rests,
    ...(settled?.where === undefined ? [] : [answeredBy(settled.open, settled.where)]),
    ...(outcome.finding === undefined ? longerIn(trials, best.candidate, sizes) : []),
  ];
  const idle = apartIn(best.candidate, outcome).filter((line) => everywhere.has(line));
  const isAlone = threadsOf(best.candidate) === 1;
  const narrow = narrowIn(trials.facts, best.candidate, 1n).map(
    (slot) => `${sizeNamed(trials, slot)} is too small for its loops to go over the block`,
  );
  const thin = [
    ...openIn(found, sizes),
    ...thinIn(trials.facts, outcome, idle),
    ...narrow,
    ...(isAlone ? [ALONE] : []),
    ...(isCut ? [CUT] : []),
  ];
  return { text: printed({ ...found, rests }, sizes, thin), thin, rests };
}

/** Where no run is like all others: how far it is followed, or for what it is as small as it is. */
function openIn({ trials, best: { candidate, outcome }, settled }: FoundLaunch, sizes: Sizes): readonly string[] {
  const { problem, finding, stopped } = outcome;
  if (problem !== undefined || finding !== undefined) return [];
  if (settled !== undefined && settled.where === undefined)
    return [`it is small, so that its threads are decided together: following more of them ends${told(settled.open)}`];
  if (stopped === undefined && trials.faults(candidate) === undefined) return [NOT_LOOKED];
  const open = stopped ?? trials.openIn(candidate, sizes);
  if (open !== undefined) return [`following it ends${told(open)}`];
  const doubtful = trials.doubtIn(candidate);
  return doubtful === undefined ? [] : [`not all is known of what threads find${placeIn(doubtful)}`];
}

const answeredBy = ({ span, what }: Open, where: string): string =>
  `an answer: following it ends${placeIn(span)} where ${where}: ${what}`;

const told = ({ span, what }: Open): string => `${placeIn(span)}: ${what}`;

const MOST_HINTS = 4;
const NOT_LOOKED = 'what its threads do to each other was not looked at: that takes too long';
const ALONE = 'it has one thread';
const CUT = 'the time was over before all was tried: --timeout gives more';

/** Names for arrays and parameters: those of the program, where it is known. */
function namesFor({ module, entry, slots }: KernelFacts, given: readonly string[] | undefined): Names {
  const taken = new Set([...module.variables.map(({ variable }) => demangled(variable.name).split('::').at(-1)), 'K']);
  const parameters = entry.parameters.map((_, index) => {
    const own = given?.length === entry.parameters.length ? given[index] : undefined;
    return own === undefined || own === '' ? `data${index}` : own;
  });
  const arrays = new Map<string, string>();
  for (const slot of slots) {
    if (slot.kind !== 'pointer' && slot.kind !== 'map') continue;
    const isOnly = entry.parameters[slot.parameter]?.elements === undefined || slot.kind === 'map';
    let name = isOnly ? (parameters[slot.parameter] ?? '') : `${parameters[slot.parameter]}_${slot.at}`;
    while (taken.has(name) || RESERVED.test(name)) name += '_';
    taken.add(name);
    arrays.set(keyOf(slot), name);
  }
  return { arrays, parameters };
}

/** Words that mean something else where a location may stand. */
const RESERVED = /^(u8|u16|u32|u64|f32|f64|launch|grid|alias|expect|forbid|require|exists|filter|allow|permit|P\d+)$/;

/** Arrays as large as what the launch touches of them, if it goes as before with these. */
function measured(trials: Trials, { candidate, outcome }: Tried): { readonly sizes: Sizes; readonly outcome: Outcome } {
  const { facts, names } = trials;
  const sizes = new Map<string, number>();
  const inCases = trials.touchedIn(candidate);
  for (const slot of facts.slots) {
    const name = names.arrays.get(keyOf(slot));
    if (name === undefined || slot.kind === 'map') continue;
    const { points, ...own } = slot.use;
    const sizeOf = (array: string, use: Pick<MemoryUse, 'element'>): void => {
      const element = Math.min(8, use.element);
      // Where following ended, what the numbers of the launch may mean is not touched yet.
      const isWhole = outcome.stopped === undefined && outcome.finding === undefined;
      const least = isWhole ? 0 : element * largestOf(candidate) * candidate.grid[1] * candidate.grid[2];
      const touched = Math.max(outcome.touched.get(array) ?? 0, inCases.get(array) ?? 0, least);
      sizes.set(array, Math.max(element, Math.ceil(touched / element) * element));
    };
    sizeOf(name, own);
    if (points !== undefined) for (const other of pointedNames(name, sizes.get(name))) sizeOf(other, points);
  }
  const again = trials.follow(candidate, sizes);
  const isSame = again.stopped?.what === outcome.stopped?.what && again.finding === outcome.finding;
  return isSame && again.problem === outcome.problem ? { sizes, outcome: again } : { sizes: new Map(), outcome };
}

const largestOf = ({ values }: Candidate): number => Math.max(1, ...[...values.values()].map(Number));

/** What a launch does not show, in words. */
function thinIn({ problem: unread }: KernelFacts, outcome: Outcome, idle: readonly string[]): readonly string[] {
  const { problem = unread, unreached, short, isShared, finding } = outcome;
  if (problem !== undefined) return [problem];
  const missed = linesOf(unreached);
  return [
    ...(finding === undefined ? [] : [`this launch ends in ${finding}, a mistake of the kernel or of a guess`]),
    ...(missed.length === 0 ? [] : [`no thread comes to ${missed.join(', ')}`]),
    ...tooShort(short),
    ...(idle.length === 0 ? [] : [`some CTA does nothing at ${idle.join(', ')}`]),
    ...(isShared ? [] : ['no two threads share a byte that one of them writes']),
  ];
}

/** Loops by how often it is that they are not gone round. */
const tooShort = (short: Outcome['short']): readonly string[] =>
  [...groupBy(short, ({ enough }) => enough)].map(([enough, loops]) => {
    const lines = linesOf(loops.map(({ span }) => span)).join(', ');
    return enough === 2
      ? `no thread goes twice round the loop at ${lines}`
      : `no thread goes ${enough} times round the loop at ${lines}, which uses ${enough - 1} buffers in turn`;
  });

/** Where in the kernel, if it is there. */
const placeIn = (span: Span): string =>
  span.source.compiledFrom === undefined ? '' : ` at ${linesOf([span])[0] ?? ''}`;

const EXPECTED = ['no-race', 'no-undefined', 'no-deadlock', 'no-trap', 'no-uninitialized'];
const WIDTH = 118;

/** What a parameter is given, and what is to be said of that. */
function argumentIn({ facts, names }: Trials, said: ReadonlySet<string>): (given: string, index: number) => string {
  return (given, index) => {
    const own = facts.slots.filter((slot) => slot.parameter === index);
    const name = names.parameters[index] ?? '';
    if (own.some(({ kind }) => kind === 'unused')) return `${given} /* ${name}: the kernel does not load it */`;
    if (given.startsWith('&') || given === '?' || own.some(({ kind }) => kind === 'map')) return given;
    const isSaid = own.every((slot) => slot.kind === 'pointer' || said.has(keyOf(slot)));
    const words = [...(name.startsWith('data') ? [] : [name]), ...(isSaid ? [] : ['a guess'])];
    return words.length === 0 ? given : `${given} /* ${words.join(': ')} */`;
  };
}

const PLACE = ['grid', 'block'] as const;

function printed(
  { source: { entry, path, name, nvcc }, trials, said, best: { candidate }, rests }: FoundLaunch,
  sizes: Sizes,
  thin: readonly string[],
): string {
  const { facts, names } = trials;
  const given = argumentsOf(facts, candidate, names).map(argumentIn(trials, said));
  const isMeasured = sizes.size > 0;
  const declared = declarationsOf(facts, candidate, names, sizes).flatMap(written);
  const { name: plain } = entry;
  const meant = facts.module.entries.filter((one) => demangled(one.name) === demangled(plain)).length > 1;
  const kernel = meant || demangled(plain).includes('<') ? plain : demangled(plain);
  const says =
    thin.length === 0
      ? ['// The launch reaches all lines of the kernel, goes round its loops, and its threads share memory.']
      : wrapped(`// thin: ${thin.join('; ')}`);
  return [
    `PTX ${name}`,
    `"The kernel ${demangled(plain)} of ${path}: a test to start from."`,
    '{',
    ...(declared.length > 0 && isMeasured ? ['  // Sizes are what this launch touches: measured.'] : []),
    ...declared,
    '}',
    ...says,
    ...rests.flatMap((one) => wrapped(`// rests on a guess: ${one}`)),
    ...wrapped(`launch K "${path}"${nvcc === undefined ? '' : ` nvcc "${nvcc}"`} :: ${kernel} (${given.join(', ')})`),
    `  @ ${placeOf(candidate)} {${PLACE.every((one) => said.has(one)) ? '' : '  // a guess'}`,
    '  run auto;',
    '}',
    ...EXPECTED.map((expected) => `expect ${expected}`),
  ]
    .join('\n')
    .concat('\n');
}

function written({ text, comment }: Line): readonly string[] {
  if (comment === undefined) return wrapped(`  ${text}`);
  const line = `  ${text}  // ${comment}`;
  return line.length <= WIDTH ? [line] : [`  // ${comment}`, ...wrapped(`  ${text}`)];
}

/** A line cut where there is space in it; what was a comment goes on as one. */
function wrapped(line: string): readonly string[] {
  if (line.length <= WIDTH) return [line];
  const lines: string[] = [];
  let rest = line;
  while (rest.length > WIDTH) {
    const at = rest.lastIndexOf(' ', WIDTH);
    if (at < WIDTH / 2) break;
    const head = rest.slice(0, at);
    lines.push(head);
    const comments = /^\s*\/\//.test(head) || (/\/\/[^"]*$/.test(head) && !head.includes('*/'));
    rest = `${comments ? '//   ' : '    '}${rest.slice(at + 1)}`;
  }
  return [...lines, rest];
}
