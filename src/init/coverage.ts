import type { Span } from '../diagnostics/source.js';
import { effectsOf } from '../effects/effects-of.js';
import { at } from '../follow/lane-value.js';
import { lanesIn } from '../follow/lanes.js';
import type { Turn } from '../follow/turn.js';
import type { Warp } from '../follow/warp.js';
import type { Watch } from '../follow/watch.js';
import type { Code } from '../kernel/code.js';
import { computeArithmetic } from '../program/integer.js';
import type { ArithmeticName, ProgramStatement } from '../program/operation.js';

/** Which way a comparison comes out: both bits are both ways. */
const [HOLDS, FAILS] = [1, 2];
const COMPARES: ReadonlySet<ArithmeticName> = new Set<ArithmeticName>(['equal', 'less', 'less-or-equal']);

/** Takes down what of the code of a kernel its threads execute. */
export class Coverage implements Watch {
  readonly varied: Watch['varied'] = new Map();
  private readonly executed = new Set<number>();
  /** By statement: how comparisons come out. */
  private readonly ways = new Map<number, number>();
  /** By warp: the statement that it executed last. */
  private readonly last = new Map<Warp, number>();
  /** From one statement back to another, of one warp. */
  private readonly back = new Set<string>();

  begins(): void {
    this.last.clear();
  }

  executes(turn: Turn): void {
    this.executed.add(turn.at);
    const { warp, at: here } = turn;
    const before = this.last.get(warp) ?? -1;
    if (here <= before) this.back.add(`${before} ${here}`);
    this.last.set(warp, here);
    const { operation } = turn.statement;
    if (operation.kind !== 'compute' || !COMPARES.has(operation.arithmetic.name)) return;
    let ways = this.ways.get(here) ?? 0;
    if (ways === (HOLDS | FAILS)) return;
    const { arithmetic, operands } = operation;
    const values = operands.map((operand) => turn.value(operand, arithmetic.width));
    for (const lane of lanesIn(turn.lanes)) {
      const own = values.map((value) => at(value, lane));
      // What is open may come out either way.
      if (own.includes(undefined)) ways = HOLDS | FAILS;
      else ways |= computeArithmetic(arithmetic, own as readonly bigint[]) === 1n ? HOLDS : FAILS;
    }
    this.ways.set(here, ways);
  }

  ends(): void {
    this.last.clear();
  }

  /** How many comparisons come out one way only. */
  get oneSided(): number {
    return [...this.ways.values()].filter((ways) => ways !== (HOLDS | FAILS)).length;
  }

  /** How many instructions no thread executes that do something to memory, or meet other threads. */
  missed({ statements, polls }: Code): number {
    const isMissed = ({ operation }: ProgramStatement, at: number): boolean =>
      !this.executed.has(at) && !polls.has(at) && operation.kind !== 'trap' && effectsOf(operation).length > 0;
    return statements.filter(isMissed).length;
  }

  /** Where loops begin that no warp goes round a second time. */
  shortLoops({ statements, targets, polls }: Code): readonly Span[] {
    const jumps = [...this.back].map((one) => one.split(' ').map(Number) as [number, number]);
    const edges = targets.flatMap((target, from) => (target !== undefined && target <= from ? [{ from, target }] : []));
    return edges.flatMap(({ from, target }) => {
      const waits = [...polls.keys()].some((one) => target <= one && one <= from);
      const isRound = jumps.some(([before, here]) => before <= from && target <= here && here <= before);
      const span = statements[target]?.span;
      return waits || isRound || span === undefined ? [] : [span];
    });
  }
}
