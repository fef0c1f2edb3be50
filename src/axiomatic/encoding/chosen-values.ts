import type { EventStructure } from '../../events/events.js';
import type { EventOf, ProgramEvent } from '../../events/program-event.js';
import { responseOf } from '../../events/try-cancel.js';
import { TOKEN } from '../../program/mbarrier-operation.js';
import { canBlock } from '../../semantics/interpret.js';
import type { ValueAnalysis } from '../../semantics/value-analysis.js';
import type { Blocking, Environment } from '../../semantics/value-domain.js';
import type { BitDomain, Bits } from '../formula/bits.js';
import { FALSE, type Formula, type FormulaBuilder, not, TRUE } from '../formula/formula.js';

/** What the threads of a program take from outside of themselves, as variables: an execution chooses it. */
export class ChosenValues implements Environment<Bits>, Blocking<Formula> {
  private readonly reads = new Map<number, Bits>();
  private readonly exchanged = new Map<number, Bits>();
  private readonly answers = new Map<number, Bits>();
  private readonly open = new Map<number, Bits>();
  /** By the issue of a try_cancel, whether it succeeds. */
  private readonly canceled = new Map<number, Formula>();
  private readonly passing = new Map<number, Formula>();
  readonly leavesLoops: boolean;

  constructor(
    private readonly builder: FormulaBuilder,
    private readonly bits: BitDomain,
    private readonly structure: EventStructure,
    private readonly analysis: ValueAnalysis,
    private readonly keepsThreads: boolean,
  ) {
    this.leavesLoops = !keepsThreads;
  }

  /** A read's value: what all its possible values share is constant, the other bits are variables. */
  read(event: EventOf<'read'>): Bits {
    return remembered(this.reads, event.id, () => {
      const possible = this.analysis.readValues.get(event.id);
      const values = possible === undefined || possible.values === 'any' ? undefined : [...possible.values];
      return this.variables(`value(${event.id})`, event.type.width, (i) => {
        const seen = new Set(values?.map((value) => (value >> BigInt(i)) & 1n));
        return values === undefined || seen.size > 1 ? undefined : seen.has(1n) ? TRUE : FALSE;
      });
    });
  }

  barrierResult(event: EventOf<'barrier'>): Bits {
    const reduction = event.barrier.kind === 'barrier' ? event.barrier.reduction : undefined;
    if (reduction === undefined) throw new Error('a barrier without a result');
    const { threads } = this.structure.program;
    return remembered(this.exchanged, event.id, () => {
      const name = `result(${event.id})`;
      if (reduction.operation === 'popc')
        return this.bits.resize(
          this.variables(name, Math.ceil(Math.log2(threads.length + 1))),
          reduction.resultWidth,
          false,
        );
      if (reduction.operation !== 'active') return this.variables(name, reduction.resultWidth);
      // Any lanes of the warp, the own one among them (PTX ISA, activemask).
      const lanes = threads.filter(({ placement }) => placement.warp === event.placement.warp).length;
      return this.variables(name, reduction.resultWidth, (i) =>
        i === event.placement.lane ? TRUE : i < lanes ? undefined : FALSE,
      );
    });
  }

  /** The answer of a wait, one bit; the state that an arrival returns, if anything takes it. */
  mbarrierResult(event: EventOf<'mbarrier'>): Bits {
    return remembered(this.answers, event.id, () => {
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
    return remembered(this.open, event.id, () => {
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

  passes(event: ProgramEvent): Formula {
    return this.keepsThreads && canBlock(event)
      ? remembered(this.passing, event.id, () => this.builder.variable(`passes(${event.id})`))
      : TRUE;
  }

  passesAt(event: number): Formula {
    return this.passing.get(event) ?? TRUE;
  }

  /** Fixes the answers of mbarrier waits that are taken for granted; whether there are any. */
  settle(assumed: Formula): boolean {
    const granted = this.builder.conjuncts(assumed);
    let settled = false;
    for (const [event, [answer, ...more]] of this.answers) {
      if (more.length > 0 || answer === undefined || answer === TRUE || answer === FALSE) continue;
      const known = granted.has(answer) ? TRUE : granted.has(not(answer)) ? FALSE : undefined;
      if (known === undefined) continue;
      this.answers.set(event, [known]);
      settled = true;
    }
    return settled;
  }

  resultOf(event: number): Bits | undefined {
    return this.exchanged.get(event);
  }

  answerOf(event: number): Bits | undefined {
    return this.answers.get(event);
  }

  unspecifiedOf(event: number): Bits | undefined {
    return this.open.get(event);
  }

  private variables(name: string, width: number, known: (bit: number) => Formula | undefined = () => undefined): Bits {
    return Array.from({ length: width }, (_, i) => known(i) ?? this.builder.variable(`${name}.${i}`));
  }
}

function remembered<T>(map: Map<number, T>, key: number, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
