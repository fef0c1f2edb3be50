import { type Diagnostic, error, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Source, Span } from '../diagnostics/source.js';
import { LARGEST_CLUSTER } from '../program/placement.js';
import type { ArgumentSyntax, Dimensions, LaunchSyntax } from '../syntax/launch-ast.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import type { ModuleEntry, ModuleFile } from '../syntax/module-ast.js';
import { parseModule } from '../syntax/parse-module.js';
import { assertionIn } from './assertions.js';
import { compiledLines } from './compiled-lines.js';
import { demangled } from './demangle.js';
import { type Shape, volume } from './grid.js';

/** A launch of a kernel test, with the kernel that it names. */
export interface Launch {
  readonly syntax: LaunchSyntax;
  /** The number of its grid among all of the test. */
  readonly number: number;
  readonly module: ModuleFile;
  readonly entry: ModuleEntry;
  readonly shape: Shape;
  /** The size of `.extern .shared` arrays, in bytes. */
  readonly sharedBytes: number;
  readonly gpu: number;
  readonly cooperative: boolean;
  readonly after: readonly number[];
  readonly dependentOn: readonly number[];
}

const LARGEST_BLOCK = 1024;
const LARGEST_GRID: Dimensions = [2 ** 31 - 1, 65_535, 65_535];
/** The first version of PTX that nobody here has seen. */
const NEWER = 9.5;
const ONE: Dimensions = [1, 1, 1];

/** Modules that were read, by their texts: the tests of a suite name the same ones. */
const READ = new Map<string, ReturnType<typeof parseModule>>();
const MOST_READ = 50;

function moduleOf(path: string, text: string): ReturnType<typeof parseModule> {
  const key = `${path}\n${text}`;
  const known = READ.get(key);
  if (known !== undefined) return known;
  if (READ.size >= MOST_READ) READ.clear();
  const source: Source = { path, text, compiledFrom: compiledLines(text), assertion: assertionIn(text) };
  const read = parseModule(source);
  READ.set(key, read);
  return read;
}

/** Finds the kernels that the launches of a test name, and checks their places. */
export function resolveLaunches({ source, launches, threads }: LitmusFile): {
  readonly launches: readonly Launch[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const numbers = new Map<string, number>();
  // Threads that the test writes out are in grid 0, or where they say.
  const taken = new Set(
    threads
      .filter(({ levels }) => !levels.some(({ level }) => level === 'host'))
      .map(({ levels }) => levels.find(({ level }) => level === 'grid')?.number ?? 0),
  );
  let next = 0;
  for (const { name, span } of launches) {
    if (numbers.has(name)) diagnostics.push(error('L0204', span, `launch ${name} is defined twice`));
    while (taken.has(next)) next += 1;
    numbers.set(name, next);
    next += 1;
  }
  const resolved = launches.flatMap((syntax): readonly Launch[] => {
    const varied = variedIn(syntax);
    if (varied !== undefined) {
      diagnostics.push(error('L0218', varied, ONE_SIZE, 'check answers for all; else give a value: --at n=3,block=32'));
      return [];
    }
    const found = entryOf(source, syntax, diagnostics);
    if (found === undefined) return [];
    const place = new Place(syntax, found.entry, numbers, diagnostics);
    const shape = place.shape();
    return shape === undefined
      ? []
      : [
          {
            syntax,
            number: numbers.get(syntax.name) ?? 0,
            ...found,
            shape,
            sharedBytes: place.number('shared'),
            gpu: place.number('gpu'),
            cooperative: syntax.place.some(({ kind }) => kind === 'cooperative'),
            after: place.launches('after'),
            dependentOn: place.launches('dependent'),
          },
        ];
  });
  return { launches: resolved, diagnostics };
}

const ONE_SIZE = 'this has many values, and what is asked is about one test';

/** Where a launch has one of several numbers. */
function variedIn({ arguments: given, place }: LaunchSyntax): Span | undefined {
  const all = (one: ArgumentSyntax): readonly ArgumentSyntax[] =>
    one.kind === 'fields' ? one.fields.flatMap(all) : [one];
  return [...given.flatMap(all), ...place].find(({ kind }) => kind === 'varied')?.span;
}

/** Of a compiler's errors. */
const MOST_SAID = 5;

function entryOf(
  source: Source,
  { path, entry: wanted, span }: LaunchSyntax,
  diagnostics: Diagnostic[],
): { readonly module: ModuleFile; readonly entry: ModuleEntry } | undefined {
  const text = source.modules?.[path];
  if (text === undefined || 'problem' in text) {
    const why = text === undefined ? 'no module was given with this test' : text.problem;
    // What a compiler says is its own, a line each.
    const [what, ...said] = why.split('\n');
    const errors = said.filter((line) => /\berror\b/.test(line)).slice(0, MOST_SAID);
    diagnostics.push(
      error(
        'L0208',
        span,
        `${path}: ${what}`,
        text === undefined || !path.endsWith('.cu')
          ? 'name a .ptx file in the folder of the test, or give -I'
          : undefined,
      ),
    );
    diagnostics.push(...errors.map((line) => error('L0208', span, line.trim())));
    return undefined;
  }
  const { value: module, diagnostics: wrong } = moduleOf(text.path, text.text);
  diagnostics.push(...wrong);
  if (module === undefined) return undefined;
  if (Number(module.version ?? 0) >= NEWER)
    diagnostics.push(
      warning('L0208', span, `${path} is of PTX ${module.version}, which is newer than what is understood here`),
    );
  const entry = chosenEntry(module, path, wanted, span, diagnostics);
  return entry === undefined ? undefined : { module, entry };
}

function chosenEntry(
  { entries }: ModuleFile,
  path: string,
  wanted: string | undefined,
  span: Span,
  diagnostics: Diagnostic[],
): ModuleEntry | undefined {
  const named = entries.filter(({ name }) => wanted === undefined || name === wanted);
  const meant = named.length > 0 ? named : entries.filter(({ name }) => isNamed(name, wanted ?? ''));
  const [first, second] = meant;
  if (first !== undefined && second === undefined) return first;
  // Names that stand for several kernels are told apart by those of the module.
  const plain = entries.map(({ name }) => demangled(name));
  const names = entries.map(({ name }, i) => {
    const own = plain[i] ?? name;
    return plain.filter((other) => other === own).length > 1 ? name : own;
  });
  const listed = names.length === 0 ? 'the module has no kernel' : `its kernels are ${names.join(', ')}`;
  diagnostics.push(
    first === undefined
      ? error(
          'L0208',
          span,
          `${path} has no kernel${wanted === undefined ? '' : ` ${wanted}`}`,
          didYouMean(wanted ?? '', [...entries.map(({ name }) => name), ...plain]) ?? listed,
        )
      : error(
          'L0208',
          span,
          `${path} has several kernels${wanted === undefined ? '' : ` ${wanted}`}`,
          `${listed}: name one behind ::`,
        ),
  );
  return undefined;
}

/** Whether a name in a module is meant by what it demangles to. */
function isNamed(name: string, wanted: string): boolean {
  const plain = demangled(name);
  const bare = wanted.replace(/<.*$/, '').trim();
  return plain === bare || plain.endsWith(`::${bare}`);
}

/** Reads the place of a launch. */
class Place {
  constructor(
    private readonly syntax: LaunchSyntax,
    private readonly entry: ModuleEntry,
    private readonly numbers: ReadonlyMap<string, number>,
    private readonly diagnostics: Diagnostic[],
  ) {
    const seen = new Set<string>();
    for (const { kind, span } of syntax.place) {
      if (seen.has(kind) && kind !== 'after' && kind !== 'dependent') this.refuse(span, `${kind} is given twice`);
      seen.add(kind);
    }
  }

  /** The name of the kernel, as the program has it. */
  private get plain(): string {
    return demangled(this.entry.name);
  }

  private refuse(span: Span, message: string, hint?: string): undefined {
    this.diagnostics.push(error('L0209', span, message, hint));
    return undefined;
  }

  private size(kind: 'grid' | 'block' | 'cluster'): Dimensions | undefined {
    const found = this.syntax.place.find((one) => one.kind === kind);
    return found !== undefined && 'size' in found ? found.size : undefined;
  }

  number(kind: 'shared' | 'gpu'): number {
    const found = this.syntax.place.find((one) => one.kind === kind);
    return found !== undefined && 'number' in found ? found.number : 0;
  }

  launches(kind: 'after' | 'dependent'): readonly number[] {
    return this.syntax.place.flatMap((one) => {
      if (one.kind !== kind) return [];
      const number = this.numbers.get(one.launch);
      if (number === undefined)
        this.refuse(one.span, `there is no launch ${one.launch}`, didYouMean(one.launch, this.numbers.keys()));
      return number ?? [];
    });
  }

  shape(): Shape | undefined {
    const { span } = this.syntax;
    const { bounds } = this.entry;
    const bound = (name: string): Dimensions | undefined => {
      const given = bounds.get(name);
      return given === undefined ? undefined : [given[0] ?? 1, given[1] ?? 1, given[2] ?? 1];
    };
    const grid = this.size('grid') ?? ONE;
    const cluster = this.size('cluster') ?? bound('reqnctapercluster') ?? ONE;
    const required = bound('reqntid');
    const block = this.size('block') ?? required;
    if (block === undefined) return this.refuse(span, 'a launch says how many threads a block has: block 128');
    const most = bound('maxntid');
    if (required?.some((size, i) => size !== block[i]))
      return this.refuse(
        span,
        `${this.plain} has .reqntid ${required.join(', ')}, and block is ${block.join(', ')}`,
        'leave block out: the kernel says it',
      );
    if (most !== undefined && volume(block) > volume(most))
      return this.refuse(
        span,
        `${this.plain} has .maxntid ${most.join(', ')}, and block is ${block.join(', ')}`,
        'launch a smaller block',
      );
    if (volume(block) > LARGEST_BLOCK || volume(block) < 1)
      return this.refuse(span, `a block has 1 to ${LARGEST_BLOCK} threads; this one has ${volume(block)}`);
    if (volume(cluster) > LARGEST_CLUSTER || volume(cluster) < 1)
      return this.refuse(span, `a cluster has 1 to ${LARGEST_CLUSTER} CTAs; this one has ${volume(cluster)}`);
    const fixed = bound('reqnctapercluster');
    if (fixed?.some((size, i) => size !== cluster[i]))
      return this.refuse(
        span,
        `${this.plain} has .reqnctapercluster ${fixed.join(', ')}, and cluster is ${cluster.join(', ')}`,
        'leave cluster out: the kernel says it',
      );
    const beyond = grid.findIndex((size, i) => size < 1 || size > (LARGEST_GRID[i] ?? 0));
    if (beyond !== -1)
      return this.refuse(
        span,
        `a grid has 1 to ${LARGEST_GRID[beyond]} CTAs along ${'xyz'[beyond]}; this one has ${grid[beyond]}`,
      );
    if (grid.some((size, i) => size % (cluster[i] ?? 1) !== 0))
      return this.refuse(
        span,
        `a grid of ${grid.join(', ')} CTAs is not made of clusters of ${cluster.join(', ')}`,
        'each size of the grid is a multiple of that of the cluster',
      );
    return { grid, block, cluster };
  }
}
