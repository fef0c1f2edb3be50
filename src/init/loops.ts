import { citation } from '../diagnostics/source.js';
import { effectsOf } from '../effects/effects-of.js';
import { naturalLoops } from '../flow/loops.js';
import type { Code } from '../kernel/code.js';
import { registersRead } from '../program/operands.js';
import type { ArithmeticName, Operation } from '../program/operation.js';

/** A natural loop: what is on the ways from its header back to it. */
export interface Loop {
  readonly header: number;
  readonly body: ReadonlySet<number>;
  /** The first statement of its header that is no branch: executed once a round. */
  readonly first: number;
  /** It is left before a round has done anything: what comes to its header last goes no round. */
  readonly asksFirst: boolean;
  /** All statements at a line of the program in it that do something: also of copies, where loops are unrolled. */
  readonly atLine: ReadonlySet<number>;
  /** How many of them a round has. */
  readonly perRound: number;
  /** The header of the smallest loop around it. */
  readonly outer: number | undefined;
  /** So many buffers it uses in turn: what a round does to another shows when one is used again. */
  readonly turns: number;
}

const isEffective = ({ statements }: Code, at: number): boolean => {
  const operation = statements[at]?.operation;
  return operation !== undefined && effectsOf(operation).length > 0;
};

/** The loops of a kernel, but for those that wait: what goes round these depends on others. */
export function loopsIn(code: Code): readonly Loop[] {
  const bodies = naturalLoops(code.successors);
  const lines = code.statements.map(({ span }) => lineOf(span));
  const inner = (at: number): number | undefined => smallest([...bodies].filter(([, body]) => body.has(at)))?.[0];
  const waits = waitingIn(code);
  return [...bodies].flatMap(([header, body]): readonly Loop[] => {
    const first = [...body].sort((a, b) => a - b).find((at) => at >= header && code.targets[at] === undefined);
    if (waits(body) || first === undefined || isRetry(code, body)) return [];
    // Lines of a loop in it say nothing of its own rounds.
    const own = [...body].filter((at) => isEffective(code, at) && inner(at) === header).sort((a, b) => a - b);
    const line = own.length === 0 ? undefined : lines[own[0] ?? first];
    const atLine = new Set(lines.flatMap((one, at) => (one === line && isEffective(code, at) ? [at] : [])));
    const around = [...bodies].filter(([other, all]) => other !== header && all.has(header));
    return [
      {
        ...{ header, body, first, atLine, outer: smallest(around)?.[0] },
        perRound: perRound(code, atLine, body, [...bodies.values()]),
        asksFirst: asksFirst(code, header, body),
        turns: turnsIn(code, body),
      },
    ];
  });
}

const MOST_TURNS = 8;

/** How many things a loop uses in turn that copies or waits for them: by a remainder, the low bits, or one bit. */
function turnsIn({ statements }: Code, body: ReadonlySet<number>): number {
  const operations = [...body].flatMap((at) => statements[at]?.operation ?? []);
  if (!operations.some(({ kind }) => kind === 'async' || kind === 'mbarrier')) return 1;
  const turns = operations.map((operation) => {
    const number = operation.kind === 'compute' ? operation.operands.find((one) => one.kind === 'constant') : undefined;
    if (operation.kind !== 'compute' || number?.kind !== 'constant') return 1;
    const value = Number(number.value);
    const { name } = operation.arithmetic;
    // What is left over by a loop that is unrolled is compared, and leads nowhere.
    if (operations.some((other) => isComparison(other) && registersRead(other).includes(operation.target))) return 1;
    if (name === 'remainder') return value;
    return (name === 'and' && isPowerOfTwo(value + 1)) || (name === 'xor' && value === 1) ? value + 1 : 1;
  });
  return Math.max(1, ...turns.filter((one) => one <= MOST_TURNS));
}

const isComparison = (operation: Operation): boolean =>
  operation.kind === 'compute' && COMPARISONS.has(operation.arithmetic.name);

const COMPARISONS: ReadonlySet<ArithmeticName> = new Set(['equal', 'less', 'less-or-equal']);

const isPowerOfTwo = (number: number): boolean => number > 1 && (number & (number - 1)) === 0;

/** Which loops only wait: in the region of a poll, or with nothing but tries of an mbarrier. */
function waitingIn(code: Code): (body: ReadonlySet<number>) => boolean {
  const { polls, tries } = code;
  const regions = [...polls.values()].map(({ region }) => region.statements);
  const isOfTry = (at: number): boolean => tries.repeated.has(at) || !isEffective(code, at);
  return (body) =>
    regions.some((region) => [...body].every((at) => region.has(at))) ||
    ([...body].some((at) => tries.repeated.has(at)) && [...body].every(isOfTry));
}

/**
 * How many statements at its line a round of the program has: of an unrolled loop, and the one for what is left over,
 * those of the smaller one; where what is left over stands there by itself, each of the copies in it is one round.
 */
function perRound(
  { statements }: Code,
  atLine: ReadonlySet<number>,
  body: ReadonlySet<number>,
  bodies: readonly ReadonlySet<number>[],
): number {
  const least = Math.min(...bodies.flatMap((other) => countIn(other, atLine) || []));
  const isAlone = [...atLine].some((at) => !bodies.some((other) => other.has(at) && !isWithin(body, other)));
  const names = [...atLine].flatMap((at) => {
    const { span } = statements[at] ?? {};
    return span === undefined || !body.has(at) ? [] : (/[\w.:]+/.exec(span.source.text.slice(span.start))?.[0] ?? []);
  });
  return isAlone ? Math.min(least, new Set(names).size) : least;
}

/** Whether one loop is in another. */
const isWithin = (inner: ReadonlySet<number>, outer: ReadonlySet<number>): boolean =>
  inner !== outer && [...inner].every((at) => outer.has(at));

const countIn = (body: ReadonlySet<number>, atLine: ReadonlySet<number>): number =>
  [...body].filter((at) => atLine.has(at)).length;

const smallest = <T>(
  all: readonly (readonly [T, ReadonlySet<number>])[],
): readonly [T, ReadonlySet<number>] | undefined =>
  all.reduce<(typeof all)[number] | undefined>(
    (least, one) => (least === undefined || one[1].size < least[1].size ? one : least),
    undefined,
  );

/** The line of the program, with those of the functions that were put in there. */
function lineOf(span: Code['statements'][number]['span']): string {
  let text = citation(span).replace(/ .*/, '');
  for (let line = span.source.compiledFrom?.(span.start); line !== undefined; line = line.inlinedAt)
    text += ` ${line.file}:${line.line}`;
  return text;
}

/** Whether the way from the header leads out before anything is done to memory, and no round is over by then. */
function asksFirst(code: Code, header: number, body: ReadonlySet<number>): boolean {
  for (let at = header; at < code.statements.length; at++) {
    const { guard } = code.statements[at] ?? {};
    const target = code.targets[at];
    if (isEffective(code, at)) return false;
    if (target === undefined) continue;
    return guard !== undefined && !body.has(target);
  }
  return false;
}

/** It tries an exchange again if another thread was faster: one round is what a thread alone goes. */
const isRetry = ({ statements }: Code, body: ReadonlySet<number>): boolean =>
  body.size < LARGEST_RETRY &&
  [...body].some((at) => {
    const { operation } = statements[at] ?? {};
    return operation?.kind === 'atomic' && operation.operation === 'cas';
  });

const LARGEST_RETRY = 24;
