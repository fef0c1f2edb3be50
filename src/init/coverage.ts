import { citation, type Span } from '../diagnostics/source.js';
import { effectsOf } from '../effects/effects-of.js';
import { at } from '../follow/lane-value.js';
import { lanesIn } from '../follow/lanes.js';
import type { Setting } from '../follow/setting.js';
import type { Trace } from '../follow/trace.js';
import type { Turn } from '../follow/turn.js';
import type { Warp } from '../follow/warp.js';
import type { Watch } from '../follow/watch.js';
import type { Code } from '../kernel/code.js';
import { computeArithmetic } from '../program/integer.js';
import type { ArithmeticName, Operand, ProgramStatement } from '../program/operation.js';
import { BudgetExceeded, TIMEOUT } from '../program/undecided.js';
import type { Sizes } from './candidate.js';
import { enoughOf, Rounds } from './rounds.js';

/** Which way a comparison comes out: both bits are both ways. */
const [HOLDS, FAILS] = [1, 2];
const COMPARES: ReadonlySet<ArithmeticName> = new Set<ArithmeticName>(['equal', 'less', 'less-or-equal']);
/** What is counted round and round in so many, such as the slots of a ring. */
const LARGEST_RING = 64n;

/** A loop that no thread goes round so often. */
export interface ShortLoop {
  readonly span: Span;
  readonly enough: number;
}

/** Takes down what of the code of a kernel its threads execute. */
export class Coverage implements Watch {
  readonly varied: Watch['varied'] = new Map();
  private readonly executed = new Set<number>();
  /** By statement: how comparisons come out. */
  private readonly ways = new Map<number, number>();
  private rounds: Rounds | undefined;
  /** By CTA: what its threads do to memory that all share, by statement. */
  private readonly byCta = new Map<number, Set<number>>();
  private readonly byWarp = new Map<Warp, Set<number>>();
  private readonly isEffective = new Map<number, boolean>();
  /** Of locations, by the ranges in accesses. */
  private names: readonly string[] = [];
  /** In all runs that are looked at: of each location, where the last byte is that is accessed. */
  readonly touched = new Map<string, number>();
  /** What it has taken so far: instructions of warps, and accesses of lanes. */
  work = 0;

  /** How much it may take; more than that ends it. Equal launches take the same, on every machine. */
  constructor(private readonly mostWork: number) {}

  begins({ launches, memory }: Setting): void {
    this.names = memory.locations.ranges.map(({ name }) => name);
    const code = launches[0]?.ranks[0]?.code;
    this.rounds = code && new Rounds(code);
  }

  executes(turn: Turn): void {
    this.executed.add(turn.at);
    this.rounds?.executes(turn);
    const { warp, at: here } = turn;
    this.doneBy(warp).add(here);
    const { operation } = turn.statement;
    this.work += 1 + (this.touches(turn) ? lanesIn(turn.lanes).length : 0);
    if (this.work > this.mostWork) throw new BudgetExceeded(TIMEOUT);
    if (operation.kind !== 'compute') return;
    const { arithmetic, operands } = operation;
    const ring = ringOf(arithmetic.name, operands);
    if (ring === undefined && !COMPARES.has(arithmetic.name)) return;
    let ways = this.ways.get(here) ?? 0;
    if (ways === (HOLDS | FAILS)) return;
    const values = operands.map((operand) => turn.value(operand, arithmetic.width));
    for (const lane of lanesIn(turn.lanes)) {
      const own = values.map((value) => at(value, lane));
      // What is open may come out either way.
      if (own.includes(undefined)) ways = HOLDS | FAILS;
      else if (ring !== undefined) ways |= (own[0] ?? 0n) < ring ? HOLDS : FAILS;
      else ways |= computeArithmetic(arithmetic, own as readonly bigint[]) === 1n ? HOLDS : FAILS;
    }
    this.ways.set(here, ways);
  }

  /** Whether a statement does something to memory, or meets other threads. */
  private touches({ at: here, statement }: Turn): boolean {
    const known = this.isEffective.get(here) ?? effectsOf(statement.operation).length > 0;
    this.isEffective.set(here, known);
    return known;
  }

  /** What the CTA of a warp has done. */
  private doneBy(warp: Warp): Set<number> {
    const known = this.byWarp.get(warp);
    if (known !== undefined) return known;
    const cta = warp.threads[0]?.cta ?? 0;
    const own = this.byCta.get(cta) ?? new Set<number>();
    this.byCta.set(cta, own);
    this.byWarp.set(warp, own);
    return own;
  }

  ends(trace: Trace): void {
    // Traces of many cases are too much to be kept.
    for (const [name, bytes] of touchedIn(trace, this.names))
      this.touched.set(name, Math.max(bytes, this.touched.get(name) ?? 0));
  }

  /** How many comparisons come out one way only, and how many rings nobody goes round. */
  get oneSided(): number {
    return [...this.ways.values()].filter((ways) => ways !== (HOLDS | FAILS)).length;
  }

  /** How many instructions no thread executes that do something to memory, or meet other threads. */
  missed({ statements, polls }: Code): number {
    const isMissed = ({ operation }: ProgramStatement, at: number): boolean =>
      !this.executed.has(at) && !polls.has(at) && operation.kind !== 'trap' && effectsOf(operation).length > 0;
    return statements.filter(isMissed).length;
  }

  /** Where loops begin that no thread goes round often enough, and how often that is. */
  shortLoops({ statements }: Code): readonly ShortLoop[] {
    return (this.rounds?.short ?? []).flatMap((loop) => {
      const { span } = statements[loop.header] ?? {};
      return span === undefined ? [] : [{ span, enough: enoughOf(loop) }];
    });
  }

  /** By line that does something to global memory: in how many CTAs a thread comes there. */
  ctasAt({ statements }: Code): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const ofAll = [...this.byCta.values()].map(
      (own) => new Set([...own].flatMap((at) => (isGlobal(statements[at]) ? lineOf(statements[at]) : []))),
    );
    for (const line of new Set(ofAll.flatMap((own) => [...own])))
      counts.set(line, ofAll.filter((own) => own.has(line)).length);
    return counts;
  }
}

/** By how much a number is divided of which only the rest counts, if that is known and small. */
function ringOf(name: ArithmeticName, [, by]: readonly Operand[]): bigint | undefined {
  if ((name !== 'and' && name !== 'remainder') || by?.kind !== 'constant') return undefined;
  // Of bits in the middle the lower ones are places within one.
  const one = name === 'and' ? by.value & -by.value : 1n;
  const size = name === 'and' ? by.value + one : by.value;
  const isRing = name === 'remainder' || (size & (size - 1n)) === 0n;
  return isRing && one > 0n && size > one && size / one <= LARGEST_RING ? size : undefined;
}

const lineOf = (statement: ProgramStatement | undefined): string =>
  statement === undefined ? '' : citation(statement.span).replace(/ .*/, '');

/** Whether a statement does something to memory that CTAs share, as far as it says. */
const isGlobal = (statement: ProgramStatement | undefined): boolean =>
  statement !== undefined &&
  effectsOf(statement.operation).length > 0 &&
  'address' in statement.operation &&
  !/\.shared|\.local|\.param/.test(statement.span.source.text.slice(statement.span.start, statement.span.end));

/** Of each location: where the last byte is that is accessed. */
export function touchedIn(trace: Trace, names: readonly string[]): Sizes {
  const touched = new Map<string, number>();
  const { accesses } = trace;
  for (let row = 0; row < accesses.count; row++) {
    const name = names[accesses.ranges.at(row)] ?? '';
    const end = accesses.starts.at(row) + accesses.sizes.at(row);
    if (end > (touched.get(name) ?? 0)) touched.set(name, end);
  }
  return touched;
}
