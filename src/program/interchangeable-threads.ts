import { codeOf, exchangeKeeps } from './exchange-symmetry.js';
import type { Program, Proposition, Term, Thread } from './program.js';
import { termsIn } from './proposition.js';

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
  const groups = new Map<string, Thread[][]>();
  for (const thread of program.threads) {
    const code = codeOf(thread);
    if (code === undefined) continue;
    const ofCode = groups.get(code) ?? [];
    // Whoever can change places with one can do so, by way of it, with all that can.
    const group = ofCode.find(([first]) => first !== undefined && exchangeKeeps(program, first, thread));
    if (group === undefined) ofCode.push([thread]);
    else group.push(thread);
    groups.set(code, ofCode);
  }
  const like = [...groups.values()].flat().map((group) => group.map(({ index }) => index));
  found.set(program, like);
  return like;
}

/** The threads of whose registers a proposition speaks. */
const threadsIn = (proposition: Proposition): readonly number[] =>
  termsIn(proposition).flatMap((term) => (term.kind === 'register' ? [term.thread] : []));

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
