import type { Operation } from './operation.js';
import type { Program, Proposition, Term, Thread } from './program.js';

/** What these do is the same wherever a thread runs; others name CTAs, lanes or groups, or answer by them. */
const ALIKE_ANYWHERE: ReadonlySet<Operation['kind']> = new Set([
  ...([
    'compute',
    'open',
    'load',
    'store',
    'atomic',
    'fence',
    'proxy-fence',
    'require',
    'branch',
    'exit',
    'trap',
  ] as const),
]);

/**
 * Groups of threads of which any two can change places: they run the same code, and where they run differs in nothing
 * that another thread, or a proposition, can tell. What one execution does, another does with those threads exchanged;
 * so that it is enough to look at those in which they come in one order.
 */
export function interchangeableThreads(
  program: Program,
  propositions: readonly Proposition[],
): readonly (readonly number[])[] {
  // What is accepted at one line is not at another, where the like thread has the same instruction.
  if (program.allowances.length > 0) return [];
  const mentioned = new Set(propositions.flatMap(threadsIn));
  return likeThreads(program)
    .flatMap((like) => {
      // What a proposition does not speak of it cannot tell apart.
      const groups = [like.filter((index) => !mentioned.has(index))];
      for (const index of like.filter((one) => mentioned.has(one))) {
        const group = groups.find(
          ([first]) =>
            first !== undefined &&
            mentioned.has(first) &&
            propositions.every((one) => textOf(one, first, first) === textOf(one, first, index)),
        );
        if (group === undefined) groups.push([index]);
        else group.push(index);
      }
      return groups;
    })
    .filter(({ length }) => length > 1);
}

const found = new WeakMap<Program, readonly (readonly number[])[]>();
/** Threads that nothing but a proposition can tell apart. */
function likeThreads(program: Program): readonly (readonly number[])[] {
  const known = found.get(program);
  if (known !== undefined) return known;
  const groups = new Map<string, number[]>();
  const places = placesOf(program);
  for (const thread of program.threads) {
    const [code, place] = [codeOf(thread), places[thread.index]];
    if (code === undefined || place === undefined) continue;
    const key = `${place} ${code}`;
    groups.set(key, [...(groups.get(key) ?? []), thread.index]);
  }
  const like = [...groups.values()];
  found.set(program, like);
  return like;
}

/** The code of a thread as one text, if what it does is the same wherever it runs. */
function codeOf({ statements, registers, labels }: Thread): string | undefined {
  if (statements.some(({ operation }) => !ALIKE_ANYWHERE.has(operation.kind))) return undefined;
  return JSON.stringify([statements, [...registers]], (key, value: unknown) => {
    if (key === 'span') return undefined;
    // Where a branch goes, not what the place is called.
    if (key === 'label' && typeof value === 'string') return labels.get(value);
    return typeof value === 'bigint' ? `${value}n` : value;
  });
}

/**
 * By thread, where it runs as far as others can tell: with whom it shares warp, CTA, cluster and GPU. Undefined where
 * that is not all: lanes have numbers, CTAs of a cluster too, and shared memory is of one CTA.
 */
function placesOf({ threads, locations }: Program): readonly (string | undefined)[] {
  const hasShared = locations.ranges.some(({ object }) => object.cta !== undefined);
  const units = (['gpu', 'cluster', 'cta', 'warp'] as const).map((level) => {
    const count = new Map<string, number>();
    const of = ({ placement }: Thread): string => String(placement[level]);
    for (const thread of threads) count.set(of(thread), (count.get(of(thread)) ?? 0) + 1);
    return (thread: Thread): string => (count.get(of(thread)) === 1 ? 'alone' : of(thread));
  });
  return threads.map((thread) => {
    const { lanes, cta, clusterSize } = thread.placement;
    if (lanes > 1) return undefined;
    const own = hasShared || clusterSize > 1 ? [cta] : [];
    return [...units.map((unit) => unit(thread)), ...own].join();
  });
}

/** The threads of whose registers a proposition speaks. */
function threadsIn(proposition: Proposition): readonly number[] {
  switch (proposition.kind) {
    case 'constant':
      return [];
    case 'not':
      return threadsIn(proposition.operand);
    case 'compare':
      return [proposition.left, proposition.right].flatMap((term) => (term.kind === 'register' ? [term.thread] : []));
    default:
      return proposition.operands.flatMap(threadsIn);
  }
}

/** A proposition as one text, whatever the order of its operands, with two threads exchanged. */
function textOf(proposition: Proposition, a: number, b: number): string {
  switch (proposition.kind) {
    case 'constant':
      return String(proposition.value);
    case 'not':
      return `not(${textOf(proposition.operand, a, b)})`;
    case 'compare': {
      const sides = [proposition.left, proposition.right].map((term) => termText(term, a, b));
      const symmetric = proposition.comparison === '==' || proposition.comparison === '!=';
      return `${proposition.comparison}(${(symmetric ? sides.sort() : sides).join()})`;
    }
    case 'and':
    case 'or':
      return `${proposition.kind}(${proposition.operands
        .map((operand) => textOf(operand, a, b))
        .sort()
        .join()})`;
  }
}

function termText(term: Term, a: number, b: number): string {
  if (term.kind === 'number') return String(term.value);
  const type = `${term.type.kind}${term.type.width}`;
  if (term.kind === 'memory') return `${term.object.id}+${term.offset}:${type}`;
  const thread = term.thread === a ? b : term.thread === b ? a : term.thread;
  return `${thread}:${term.register}:${type}`;
}
