import type { EventStructure } from '../../events/events.js';
import { type EventOf, type ProgramEvent, reductionOf } from '../../events/program-event.js';
import { responseOf } from '../../events/try-cancel.js';
import { nanBits, readFloat } from '../../program/float-format.js';
import { evaluateFloat, type FloatFunction, givesSomeNan, keyOf } from '../../program/float-function.js';
import { TOKEN } from '../../program/mbarrier-operation.js';
import { canBlock } from '../../semantics/interpret.js';
import type { ValueAnalysis } from '../../semantics/value-analysis.js';
import type { Blocking, Choosing, Environment } from '../../semantics/value-domain.js';
import { combinationsOf, type ValueSet } from '../../semantics/value-sets.js';
import { type BitDomain, type Bits, numberOf } from '../formula/bits.js';
import { FALSE, type Formula, type FormulaBuilder, not, TRUE, type Truth } from '../formula/formula.js';
import { remembered } from '../formula/remembered.js';

/** What the threads of a program take from outside of themselves, as variables: an execution chooses it. */
export class ChosenValues implements Environment<Bits>, Blocking<Formula>, Choosing<Bits, Formula> {
  /** By event. */
  private readonly values = new Map<number, Bits>();
  /** By the issue of a try_cancel, whether it succeeds. */
  private readonly canceled = new Map<number, Formula>();
  private readonly passing = new Map<number, Formula>();
  readonly leavesLoops: boolean;
  /** By step, what is chosen for it. */
  readonly openValues = new Map<string, Bits>();
  /** By function, where it is applied to operands of which it is not known what they may be. */
  private readonly applications = new Map<
    string,
    readonly { readonly function: FloatFunction; readonly operands: readonly Bits[]; readonly value: Bits }[]
  >();
  /** What every execution satisfies. */
  readonly constraints: Formula[] = [];

  constructor(
    private readonly builder: FormulaBuilder,
    private readonly bits: BitDomain,
    private readonly structure: EventStructure,
    private readonly analysis: ValueAnalysis,
    private readonly keepsThreads: boolean,
    /** Barriers that keep nobody. */
    private readonly certain: ReadonlySet<number>,
  ) {
    this.leavesLoops = !keepsThreads;
  }

  /** A read's value: what all its possible values share is constant, the other bits are variables. */
  read(event: EventOf<'read'>): Bits {
    return remembered(this.values, event.id, () => {
      const known = sharedBits(this.analysis.readValues.get(event.id));
      return this.variables(`value(${event.id})`, event.type.width, known);
    });
  }

  barrierResult(event: EventOf<'barrier'>): Bits {
    const reduction = reductionOf(event);
    if (reduction === undefined) throw new Error('a barrier without a result');
    const { threads } = this.structure.program;
    return remembered(this.values, event.id, () => {
      const name = `result(${event.id})`;
      if (reduction.operation === 'popc')
        return this.bits.resize(
          this.variables(name, Math.ceil(Math.log2(threads.length + 1))),
          reduction.resultWidth,
          false,
        );
      if (reduction.operation !== 'active')
        return this.variables(name, reduction.resultWidth, sharedBits(this.analysis.collectiveResults.get(event.id)));
      // Any lanes of the warp, the own one among them (PTX ISA, activemask).
      const { warp, lane: own } = event.placement;
      const lanes = threads.flatMap(({ placement: { warp: of, lane } }) => (of === warp ? [lane] : []));
      return this.variables(name, reduction.resultWidth, (i) =>
        i === own ? TRUE : lanes.includes(i) ? undefined : FALSE,
      );
    });
  }

  /** The answer of a wait, one bit; the state that an arrival returns, if anything takes it. */
  mbarrierResult(event: EventOf<'mbarrier'>): Bits {
    return remembered(this.values, event.id, () => {
      const operation = event.mbarrier.operation;
      if (event.mbarrier.step === 'wait') return this.variables(`answer(${event.id})`, 1);
      return operation?.action === 'arrive' && operation.target === undefined
        ? this.bits.constant(0n, TOKEN.width)
        : this.variables(`state(${event.id})`, TOKEN.width);
    });
  }

  /**
   * What an mbarrier.init leaves in memory: anything. The answer to try_cancel: refused, or a CTA that the test does
   * not show, another one for each request; all copies are equal.
   */
  unspecified(event: EventOf<'write'>): Bits {
    return remembered(this.values, event.id, () => {
      if (event.tags.has('OPAQUE')) return this.variables(`contents(${event.id})`, 64);
      const issue = this.structure.eventsOf(event.thread, event.node)[0]?.id ?? event.id;
      const succeeds = remembered(this.canceled, issue, () => this.builder.variable(`canceled(${issue})`));
      return this.bits.choose(
        succeeds,
        this.bits.constant(responseOf(this.structure, issue, event.chunk?.offset ?? 0), 64),
        this.bits.constant(0n, 64),
      );
    });
  }

  /**
   * A result is looked up where the analysis lists what the operands may be. Elsewhere it is anything, but the same for
   * the same operands.
   */
  open(step: string, width: number, of: FloatFunction | undefined, operands: readonly Bits[]): Bits {
    const sets = this.analysis.openOperands.get(step);
    const listed = of === undefined || sets === undefined ? undefined : this.lookUp(of, width, sets, operands);
    if (listed !== undefined) return listed;
    const known = this.openValues.get(step);
    if (known !== undefined) return known;
    const value = this.variables(`open(${step})`, width);
    this.openValues.set(step, value);
    if (of !== undefined) {
      const key = keyOf(of);
      const others = this.applications.get(key) ?? [];
      for (const other of others) {
        const same = this.builder.all(operands.map((operand, i) => this.bits.equal(operand, other.operands[i] ?? [])));
        this.constraints.push(this.builder.implies(same, this.bits.equal(value, other.value)));
      }
      this.applications.set(key, [...others, { function: of, operands, value }]);
    }
    return value;
  }

  either(step: string, [first, second]: readonly [Bits, Bits]): Bits {
    if (first.every((bit, i) => bit === second[i])) return first;
    return remembered(this.openValues, step, () =>
      this.bits.choose(this.builder.variable(`either(${step})`), first, second),
    );
  }

  /** No function is applied to operands of which it is not known what they may be. */
  get isSettled(): boolean {
    return this.applications.size === 0;
  }

  /** Where an assignment gives a function another result than its operands settle: that they have it, as formulas. */
  wrongResults(truth: Truth): readonly Formula[] {
    const number = (bits: Bits): bigint => numberOf(bits, truth);
    return [...this.applications.values()].flatMap((applications) =>
      applications.flatMap(({ function: of, operands, value }) => {
        const given = operands.map(number);
        const result = evaluateFloat(of, given);
        const nan = result === undefined && givesSomeNan(of, given);
        if (result === undefined ? !nan || isNan(of.to, number(value)) : result === number(value)) return [];
        const same = operands.map((operand, i) =>
          this.bits.equal(operand, this.bits.constant(given[i] ?? 0n, operand.length)),
        );
        const known = nan
          ? this.noNumber(of.to, value)
          : this.bits.equal(value, this.bits.constant(result ?? 0n, value.length));
        return [this.builder.implies(this.builder.all(same), known)];
      }),
    );
  }

  private noNumber(format: FloatFunction['to'], value: Bits): Formula {
    if (typeof format !== 'string') return TRUE;
    const { exponent, fraction } = nanBits(format);
    const within = (mask: bigint): Bits => value.filter((_, i) => ((mask >> BigInt(i)) & 1n) === 1n);
    return this.builder.and(this.builder.all(within(exponent)), this.builder.any(within(fraction)));
  }

  private lookUp(
    of: FloatFunction,
    width: number,
    sets: readonly ValueSet[],
    operands: readonly Bits[],
  ): Bits | undefined {
    const entries = combinationsOf(sets)?.map((combination) => ({
      combination,
      result: evaluateFloat(of, combination),
    }));
    if (entries === undefined || entries.some(({ result }) => result === undefined)) return undefined;
    return entries.reduce<Bits>(
      (value, { combination, result = 0n }) => {
        const here = this.builder.all(
          combination.map((bits, i) => {
            const operand = operands[i] ?? [];
            return this.bits.equal(operand, this.bits.constant(bits, operand.length));
          }),
        );
        return this.bits.choose(here, this.bits.constant(result, width), value);
      },
      this.bits.constant(entries[0]?.result ?? 0n, width),
    );
  }

  passes(event: ProgramEvent): Formula {
    return this.keepsThreads && canBlock(event) && !this.certain.has(event.id)
      ? remembered(this.passing, event.id, () => this.builder.variable(`passes(${event.id})`))
      : TRUE;
  }

  /** By thread and node: whether the thread comes there, and stops there. */
  private readonly halting = new Map<string, { readonly chosen: Formula; readonly stops: Formula }>();

  /** A thread stops at its start, or before it does what another can notice; that it ends, by its last instruction. */
  halts(thread: number, node: number, reached: Formula = TRUE): Formula {
    const { nodes, ends } = this.structure.threads[thread] ?? { nodes: [], ends: [] };
    const events = this.structure.eventsOf(thread, node);
    const isLast = ends.some(({ from }) => from === node);
    const isNoticed =
      node < nodes.length && (node === 0 || isLast || events.some(({ kind }) => !UNNOTICED.includes(kind)));
    if (!isNoticed) return FALSE;
    const name = `halts(${thread}/${node})`;
    return remembered(this.halting, name, () => {
      const chosen = this.builder.variable(name);
      return { chosen, stops: this.builder.and(reached, chosen) };
    }).chosen;
  }

  /** Where a thread that stops for good does so. */
  haltOf(thread: number, nodes: number, truth: Truth): number | undefined {
    const places = Array.from({ length: nodes }, (_, node) => node);
    return places.find((node) => truth(this.halting.get(`halts(${thread}/${node})`)?.stops ?? FALSE));
  }

  passesAt(event: number): Formula {
    return this.passing.get(event) ?? TRUE;
  }

  /** Fixes the answers of mbarrier waits that are taken for granted; whether there are any. */
  settle(assumed: Formula): boolean {
    const granted = this.builder.conjuncts(assumed);
    let settled = false;
    for (const [event, [answer]] of this.values) {
      if (this.structure.events[event]?.mbarrier?.step !== 'wait' || answer === undefined) continue;
      if (answer === TRUE || answer === FALSE) continue;
      const known = granted.has(answer) ? TRUE : granted.has(not(answer)) ? FALSE : undefined;
      if (known === undefined) continue;
      this.values.set(event, [known]);
      settled = true;
    }
    return settled;
  }

  /** What is chosen for an event: the value of a read, the result of a barrier, the answer of a wait and the like. */
  valueOf(event: number): Bits | undefined {
    return this.values.get(event);
  }

  private variables(name: string, width: number, known: (bit: number) => Formula | undefined = () => undefined): Bits {
    const bits: Formula[] = [];
    for (let i = 0; i < width; i++) bits.push(known(i) ?? this.builder.variable(name, i));
    return bits;
  }
}

/** What a thread does by itself, or only finds: that it stops before that is as if it stopped after it. */
const UNNOTICED: readonly ProgramEvent['kind'][] = ['read', 'fence', 'group', 'check', 'tensor-step'];

function isNan(format: FloatFunction['to'], bits: bigint): boolean {
  return typeof format !== 'string' || readFloat(bits, format).kind === 'nan';
}

/** Binary digits, the lowest first. */
const digitsOf = (value: bigint): string => [...value.toString(2)].reverse().join('');

/** The bits that all possible values share. */
function sharedBits(possible: ValueSet | undefined): (bit: number) => Formula | undefined {
  if (possible === undefined || possible.values === 'any') return () => undefined;
  const values = [...possible.values];
  const always = values.reduce((all, value) => all & value, (1n << BigInt(possible.width)) - 1n);
  const ever = values.reduce((all, value) => all | value, 0n);
  const [inAll, inSome] = [always, ever].map(digitsOf) as [string, string];
  return (i) => (values.length > 0 && inAll[i] === '1' ? TRUE : inSome[i] === '1' ? undefined : FALSE);
}
