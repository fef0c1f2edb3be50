import { type Source, type Span, textOf } from '../../diagnostics/source.js';
import { isAboutAll, type Shape, volume } from '../../kernel/grid.js';
import { resolveLaunches } from '../../kernel/resolve-launches.js';
import type { ArgumentSyntax, LaunchSyntax } from '../../syntax/launch-ast.js';
import type { LitmusFile } from '../../syntax/litmus-ast.js';

/** A test with more CTAs or more threads in each, and with memory for what they do. */
export interface LargerLaunch {
  /** `grid 4, block 128`. */
  readonly words: string;
  /** By what its CTAs and their threads are more. */
  readonly ctas: number;
  readonly threads: number;
  readonly cluster: number;
  /** Ways to write it down: the arguments that seem to be counts grow, or stay as they are. */
  readonly sources: readonly Source[];
}

interface Edit {
  readonly span: Span;
  readonly text: string;
}

const FACTORS = [
  { ctas: 2, threads: 2, cluster: 1 },
  { ctas: 2, threads: 1, cluster: 1 },
  { ctas: 1, threads: 2, cluster: 1 },
  { ctas: 2, threads: 1, cluster: 2 },
] as const;

/**
 * The same test with twice the CTAs and twice the threads, then with twice of one. Arrays of the test grow with them;
 * so do numbers that a kernel is given, where they are as many as there are threads, CTAs or elements. Whether the test
 * then means what it meant before is not known: it is taken for larger only where it does nothing wrong that it did
 * not.
 */
export function largerLaunches(file: LitmusFile): readonly LargerLaunch[] {
  // Threads that are named are those of this launch.
  if (file.threads.length > 0 || !file.launches.every(({ runs }) => isAboutAll(runs))) return [];
  const shapes = new Map(resolveLaunches(file).launches.map(({ syntax, shape }) => [syntax, shape]));
  const launches = file.launches.flatMap((syntax) => {
    const shape = shapes.get(syntax);
    return shape === undefined ? [] : [{ syntax, shape }];
  });
  if (launches.length !== file.launches.length) return [];
  const isClustered = launches.some(({ shape }) => volume(shape.cluster) > 1);
  return FACTORS.filter(({ cluster }) => cluster === 1 || isClustered).map(({ ctas, threads, cluster }) => {
    // Of blocks in two dimensions the one along x is often as wide as a tile.
    const along = threads > 1 && launches.some(({ shape }) => shape.block[1] > 1) ? ([1, 0] as const) : ([0] as const);
    const placesAlong = along.map((axis) =>
      launches.flatMap(({ syntax, shape }) => placeEdits(syntax, shape, { ctas, threads, cluster }, axis)),
    );
    const arrays = file.declarations.flatMap((one): readonly Edit[] =>
      one.kind === 'location' && one.elements !== undefined
        ? [countEdit(one.span, one.elements, one.elements * ctas * threads)]
        : [],
    );
    const lengths = file.declarations.flatMap((one) => (one.kind === 'location' ? (one.elements ?? []) : []));
    const growing = launches.flatMap(({ syntax, shape }) =>
      syntax.arguments.flatMap((one) => argumentEdits(one, shape, lengths, ctas, threads)),
    );
    const ways = placesAlong.flatMap((places) => [
      ...(growing.length > 0 ? [[...places, ...arrays, ...growing]] : []),
      [...places, ...arrays],
    ]);
    return {
      words: launches.map(({ shape }) => wordsOf(shape, ctas, threads, cluster)).join('; '),
      ...{ ctas, threads, cluster },
      sources: ways.map((edits) => edited(file.source, edits)),
    };
  });
}

function wordsOf({ grid, block, cluster: own }: Shape, ctas: number, threads: number, cluster: number): string {
  const clusters = cluster === 1 ? '' : `, cluster ${volume(own) * cluster}`;
  return `grid ${volume(grid) * ctas}, block ${volume(block) * threads}${clusters}`;
}

/** Clauses of the place with more CTAs along x, and more threads along an axis; one that is not there is one. */
function placeEdits(
  syntax: LaunchSyntax,
  shape: Shape,
  { ctas, threads, cluster }: Pick<LargerLaunch, 'ctas' | 'threads' | 'cluster'>,
  axis: 0 | 1,
): readonly Edit[] {
  const [anywhere] = syntax.place;
  const more = (kind: 'grid' | 'block' | 'cluster', factor: number, along: number): readonly Edit[] => {
    if (factor === 1) return [];
    const text = `${kind} (${shape[kind].map((size, i) => (i === along ? size * factor : size)).join(', ')})`;
    const clause = syntax.place.find((one) => one.kind === kind);
    if (clause !== undefined) return [{ span: clause.span, text }];
    return anywhere === undefined ? [] : [{ span: { ...anywhere.span, end: anywhere.span.start }, text: `${text}, ` }];
  };
  const shared = syntax.place.flatMap((one): readonly Edit[] =>
    one.kind === 'shared' ? [{ span: one.span, text: `shared ${one.number * threads}` }] : [],
  );
  return [...more('grid', ctas, 0), ...more('block', threads, axis), ...more('cluster', cluster, 0), ...shared];
}

/** The number of elements stands behind the name. */
function countEdit({ source, end }: Span, from: number, to: number): Edit {
  const count = new RegExp(`^\\s*\\[\\s*${from}\\s*\\]`).exec(source.text.slice(end))?.[0] ?? '';
  const span = { source, start: end, end: end + count.length };
  return { span, text: count === '' ? '' : `[${to}]` };
}

/** A number that is as many as something that grows. */
function argumentEdits(
  argument: ArgumentSyntax,
  { grid, block }: Shape,
  lengths: readonly number[],
  ctas: number,
  threads: number,
): readonly Edit[] {
  if (argument.kind === 'fields')
    return argument.fields.flatMap((one) =>
      argumentEdits(one, { grid, block, cluster: [1, 1, 1] }, lengths, ctas, threads),
    );
  if (argument.kind !== 'number' || typeof argument.value !== 'bigint') return [];
  const value = Number(argument.value);
  const [all, own] = [volume(grid), volume(block)];
  const factor =
    value <= 1
      ? 1
      : value === all * own || lengths.includes(value)
        ? ctas * threads
        : value === own
          ? threads
          : value === all
            ? ctas
            : 1;
  if (factor === 1) return [];
  const { span } = argument;
  return [{ span, text: textOf(span).replace(/\d+$/, String(value * factor)) }];
}

function edited(source: Source, edits: readonly Edit[]): Source {
  const text = [...edits]
    .sort((a, b) => b.span.start - a.span.start)
    .reduce((now, { span, text: put }) => now.slice(0, span.start) + put + now.slice(span.end), source.text);
  return { ...source, text };
}
