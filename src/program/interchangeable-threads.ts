import type { Operation } from './operation.js';
import type { Placement } from './placement.js';
import type { Program, Proposition, Term, Thread } from './program.js';

/** What these do is the same wherever a thread runs; others name CTAs, lanes or groups, or answer by them. */
const ALIKE_ANYWHERE: ReadonlySet<Operation['kind']> = new Set([
  ...(['compute', 'load', 'store', 'atomic', 'fence', 'proxy-fence', 'require', 'branch', 'exit'] as const),
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
  const groups: number[][] = [];
  const texts = program.threads.map(codeOf);
  for (const { index } of program.threads) {
    if (texts[index] === undefined) continue;
    const group = groups.find(
      ([first = index]) =>
        texts[first] === texts[index] &&
        canChangePlaces(program, first, index) &&
        propositions.every((one) => textOf(one, first, first) === textOf(one, first, index)),
    );
    if (group === undefined) groups.push([index]);
    else group.push(index);
  }
  return groups.filter(({ length }) => length > 1);
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

/** Whether every other thread shares with one of them just what it shares with the other. */
function canChangePlaces({ threads, locations }: Program, a: number, b: number): boolean {
  const [one, other] = [threads[a]?.placement, threads[b]?.placement];
  if (one === undefined || other === undefined || one.lanes > 1 || other.lanes > 1) return false;
  if (one.cta !== other.cta) {
    // Shared memory is of one CTA, and a place in a cluster has a number.
    const hasShared = locations.ranges.some(({ object }) => object.cta !== undefined);
    if (hasShared || one.clusterSize > 1 || other.clusterSize > 1) return false;
  }
  return threads.every(
    ({ index, placement }) => index === a || index === b || sharedWith(placement, one) === sharedWith(placement, other),
  );
}

const sharedWith = (a: Placement, b: Placement): string =>
  [a.gpu === b.gpu, a.cluster === b.cluster, a.cta === b.cta, a.warp === b.warp].join();

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
