import { lineOf } from '../diagnostics/source.js';
import { shownLength } from '../diagnostics/text-parts.js';
import type { ProgramEvent } from '../events/program-event.js';
import type { MbarrierSnapshot } from '../execution/candidate-execution.js';
import type { MachineContext } from '../operational/machine-context.js';
import { INITIAL, type State } from '../operational/state.js';
import { type FailedSynchronization, type SkippedWrite, type TraceStep, traceOf } from '../operational/trace.js';
import { type Hang, NOBODY, type Run } from '../operational/walk-states.js';
import type { ConcreteValue } from '../semantics/concrete-values.js';
import type { MbarrierState } from '../semantics/mbarrier-machine.js';
import { describeChoices } from './describe-choices.js';
import { describeCounts, describeOpenPhase } from './describe-deadlock.js';
import { PROXIES, placeOf, sourceOf } from './describe-event.js';
import { whyNotPromised } from './describe-halt.js';
import { readable } from './describe-state.js';

/** A run of the machine as text: one step a line, with what it reads, why it may, and what its thread learns. */
export function describeRun(run: Run & Partial<Hang>): readonly string[] {
  const steps = traceOf(run);
  const trace = steps.filter(({ event }) => isShown(event));
  const again = steps.slice(0, steps.length - (run.cycle ?? 0)).filter(({ event }) => isShown(event)).length;
  const narrator = new Narrator(run.state);
  const rows = trace.map((step, i) => ({
    number: String(i + 1),
    who: narrator.who(step.event),
    where: narrator.where(step.event),
    what: narrator.what(step),
  }));
  const width = (of: (row: (typeof rows)[number]) => string): number =>
    Math.max(0, ...rows.map((row) => shownLength(of(row))));
  const [numbers, whos, wheres] = [width((row) => row.number), width((row) => row.who), width((row) => row.where)];
  const lines = rows.map((row) => {
    const where = `${row.where}${' '.repeat(wheres - shownLength(row.where))}`;
    return `${row.number.padStart(numbers)}  ${row.who.padEnd(whos)}  ${where}  ${row.what}`.trimEnd();
  });
  const told = run.cycle === undefined || run.cycle === 0 ? lines : lines.toSpliced(again, 0, AGAIN);
  return [...told, ...describeChoices(undefined, run.state)];
}

const AGAIN = 'again and again, for ever:';

/** One step, as it would stand in such a text. */
export function describeStep(state: State, step: TraceStep): string {
  const narrator = new Narrator(state);
  return `${narrator.who(step.event)}  ${narrator.where(step.event)}  ${narrator.what(step)}`;
}

/** `x = 1 (P0's line 8)`. */
export function nameOfWrite(state: State, write: number): string {
  const narrator = new Narrator(state);
  return `${narrator.valueOf(write)} (${narrator.named(write)})`;
}

/** Where the threads stand that wait for ever. */
export function describeWaiting(run: Run & Partial<Hang>): readonly string[] {
  const { state, halted = NOBODY, again = NOBODY } = run;
  const narrator = new Narrator(state);
  const { structure } = state.context;
  const progressed = {
    made: (one: number) => structure.events.some(({ id, thread }) => thread === one && state.isDone(id)),
    ended: (one: number) => state.view(one).run.ended === true && !halted.has(one),
  };
  return structure.threads.flatMap((unrolled, thread) => {
    const { run: view, ready } = state.view(thread);
    const name = structure.program.threads[thread]?.name;
    if (halted.has(thread)) return [`${name} stops: ${whyNotPromised(structure.program, thread, progressed)}`];
    if (again.has(thread)) return [`${name} goes round for ever`];
    if (view.ended === true || again.size > 0) return [];
    const kept = ready.find((event) => state.isKept(event));
    if (kept !== undefined) return [`${name} waits for ever: ${narrator.where(kept)}`];
    const round = unrolled.spins[view.spins.indexOf(true)]?.round ?? [];
    const looks = round
      .flatMap((node) => structure.eventsOf(thread, node))
      .filter((event) => state.isDone(event.id) && (event.kind === 'read' || event.mbarrier?.step === 'wait'));
    return [
      `${name} goes round its loop for ever: ` +
        `${looks.map((event) => `${narrator.where(event)} goes on finding ${narrator.found(event)}`).join('; ')}`,
    ];
  });
}

/** What only prepares others is not a step to a reader. */
function isShown({ kind, tags }: ProgramEvent): boolean {
  return kind !== 'exit' && kind !== 'check' && !tags.has('OPAQUE');
}

const notJoined = ({ tags }: ProgramEvent): string => {
  const [, proxy] = [...PROXIES, ['RO', 'readonly'] as const].find(([tag]) => tag !== 'ALIAS' && tags.has(tag)) ?? [];
  return proxy === undefined
    ? 'by another address or proxy, and no proxy fence has joined the two'
    : `not through the ${proxy} proxy, by which it reads: no fence.proxy.${proxy} has joined the two`;
};
const notThisWay = (): string => 'is not bound to it through this proxy and address';

/** Why a read is not bound to a write that its thread knows of. */
const NOT_BOUND: Readonly<Record<Exclude<SkippedWrite['because'], 'unheard'>, (read: ProgramEvent) => string>> = {
  known: notJoined,
  generic: notJoined,
  proxy: () => 'the proxy fence was not executed for this proxy in this CTA',
  aliases: notThisWay,
  grid: notThisWay,
  acquired: notThisWay,
};

const LONGEST_SOURCE = 64;

/** Of a long instruction the middle of its name is left out; its operands tell it from others. */
function shortened(source: string): string {
  const cut = source.length - LONGEST_SOURCE;
  const [, guard = '', name = '', operands = ''] = /^((?:@!?\S+ )?)(\S+)(.*)$/.exec(source) ?? [];
  return cut <= 0 || name.length <= cut + 12 ? source : `${guard}${name.slice(0, name.length - cut - 1)}…${operands}`;
}

class Narrator {
  private readonly context: MachineContext;

  constructor(private readonly state: State) {
    this.context = state.context;
  }

  who({ thread, tags }: ProgramEvent): string {
    const name = this.thread(thread);
    return tags.has('ASY') ? `${name} async` : name;
  }

  where(event: ProgramEvent): string {
    return `line ${this.line(event)}: ${shortened(sourceOf(event))}`;
  }

  what(step: TraceStep): string {
    const { event } = step;
    switch (event.kind) {
      case 'read':
      case 'write':
        return this.access(step);
      case 'fence':
        return this.fence(step);
      case 'mbarrier':
        return this.mbarrier(step);
      case 'barrier':
        return this.barrier(step);
      case 'issue':
        return `starts; from here on it goes by itself, knowing what ${this.thread(event.thread)} knows now`;
      case 'group':
        return event.group?.action === 'commit'
          ? 'closes an async-group'
          : `finds the copies complete${this.learned(step)}`;
      case 'grid':
        return event.grid === undefined ? 'lets dependent grids be launched' : `begins${this.learned(step)}`;
      case 'tensor-step':
      case 'exit':
      case 'check':
        return '';
    }
  }

  /** What a read or a wait found. */
  found(event: ProgramEvent): string {
    const location = this.state.locationOf(event.id);
    const place = location === undefined ? '' : placeOf(location);
    if (event.mbarrier === undefined) return `${place} = ${this.shown(event, this.state.answers.get(event.id) ?? 0n)}`;
    const object = [...this.state.objects.values()].find(({ waits }) => waits.has(event.id));
    const last = object?.states[object.states.length - 1];
    if (location === undefined || object === undefined || last === undefined) return 'the phase open';
    const steps = object.operations.map((operation, k) => ({
      event: operation,
      before: snapshotOf(object.states[k] ?? last),
      completes: object.completes[k] === true,
    }));
    return (
      'the phase open: ' +
      describeOpenPhase(
        this.context.structure,
        { object: location.object, offset: location.offset, last: snapshotOf(last), steps },
        event,
        (thread) => this.state.view(thread).run.ended !== true,
      )
    );
  }

  private access({
    event,
    location,
    bytesRead,
    skipped,
    written,
    overtakes,
    learned,
    unsynchronized,
  }: TraceStep): string {
    if (location === undefined) return 'uses an address outside of every location, or of its state space';
    const place = placeOf(location);
    const reads = bytesRead.map(
      ({ write, value }) =>
        `${this.shown(event, value)} ${write === INITIAL ? '(the initial value)' : `from ${this.named(write)}`}`,
    );
    const did = [
      reads.length === 0 ? undefined : `reads ${place} = ${reads.join(' and ')}`,
      written === undefined ? undefined : `writes ${place} = ${this.shown(event, written)}`,
    ];
    const why = skipped.map((one) => this.excuse(event, one));
    const ahead =
      overtakes.length === 0
        ? ''
        : ', ahead of line ' +
          `${[...new Set(overtakes.map((other) => this.line(this.context.event(other))))].join(', ')}: nothing ` +
          'makes it wait';
    const releases = event.kind !== 'read' || written !== undefined ? this.releases(event) : '';
    return [
      `${did.filter((part) => part !== undefined).join(', ')}${ahead}`,
      releases,
      ...why,
      this.learned({ learned }),
      ...unsynchronized.map((one) => this.miss(event, one)),
    ]
      .filter((part) => part !== '')
      .join('');
  }

  /** Of a release: that it hands on what its thread knows. */
  private releases({ partner, tags, thread }: ProgramEvent): string {
    const released = tags.has('REL') || (partner !== undefined && this.context.event(partner).tags.has('REL'));
    return released ? `; releases with it what ${this.thread(thread)} knows` : '';
  }

  /** Why a read may return something older than a write that has happened. */
  private excuse(read: ProgramEvent, { write, because }: SkippedWrite): string {
    const what = `${this.valueOf(write)} (${this.named(write)})`;
    const who = read.tags.has('ASY') ? `the operation of ${this.thread(read.thread)}` : this.thread(read.thread);
    return because === 'unheard'
      ? `; it may: nothing has told ${who} of ${what}`
      : `; it may: ${who} knows of ${what}, but ${NOT_BOUND[because](read)}`;
  }

  private learned({ learned }: Pick<TraceStep, 'learned'>): string {
    if (learned.length === 0) return '';
    return `; learns of ${[...new Set(learned.map((write) => this.valueOf(write)))].join(', ')}`;
  }

  private miss(event: ProgramEvent, { head, because }: FailedSynchronization): string {
    const of = this.context.event(head);
    const texts: Readonly<Record<typeof because, string>> = {
      relaxed: `does not acquire what ${this.named(head)} released`,
      bare: 'nothing was released with it',
      weak: 'learns nothing by it: the write is weak',
      proxy: 'learns nothing by it: it went through another proxy or address',
      scope:
        `learns nothing from ${this.named(head)}: .${of.scope} there and .${event.scope} here do not ` +
        'include both threads',
    };
    return `; ${texts[because]}`;
  }

  private fence(step: TraceStep): string {
    const { event } = step;
    if (event.proxyFence !== undefined) {
      const { proxy, order } = event.proxyFence;
      if (order === undefined)
        return proxy === 'alias'
          ? 'joins all addresses of a location for what the thread knows'
          : `makes what the thread knows ready for the ${proxy} proxy, and the other way round`;
      return order === 'release'
        ? `prepares what the thread knows for the ${proxy} proxy`
        : `makes what was so prepared ready for the ${proxy} proxy`;
    }
    const learned = this.learned(step).replace(/^; /, '');
    const unsynchronized = step.unsynchronized.map((one) => this.miss(event, one).replace(/^; /, ''));
    const releases = event.tags.has('ACQ') ? [] : ['releases what the thread knows with its later strong writes'];
    const parts = [learned, ...unsynchronized, ...releases].filter((part) => part !== '');
    return parts.length === 0 ? 'finds nothing to acquire' : parts.join('; ');
  }

  private mbarrier(step: TraceStep): string {
    const { event, object, answer, location } = step;
    const name = location === undefined ? '' : placeOf({ ...location, bytes: location.object.elementType.width / 8 });
    if (object === undefined) return '';
    if (answer !== undefined) {
      const before = snapshotOf(object.before);
      const found = answer
        ? `True: the phase is complete`
        : `False: ${name} is in phase ${before.phase} with ${describeCounts(before)}`;
      return `finds ${found}${this.learned(step)}${step.unsynchronized.map((one) => this.miss(event, one)).join('')}`;
    }
    if (event.mbarrier?.step === 'init')
      return `${name} now expects ${number(object.after.expected)} arrivals in each phase`;
    if (event.mbarrier?.step === 'inval') return `${name} is no mbarrier any more`;
    const releases = this.releases(event);
    const completes = object.completes ? `: that completes phase ${object.before.phase.bits}` : '';
    if (object.completes && number(object.before.pending) === '0') return `${name}${completes}${releases}`;
    const changes = [
      ['pending', object.before.pending, object.completes ? undefined : object.after.pending],
      ['tx-count', object.before.bytes, object.after.bytes],
    ] as const;
    const shown = changes.flatMap(([what, from, to]) =>
      to !== undefined && number(from) === number(to)
        ? []
        : [`${what} ${number(from)} -> ${to === undefined ? 0 : number(to)}`],
    );
    return `${name}: ${shown.join(', ')}${completes}${releases}`;
  }

  private barrier(step: TraceStep): string {
    const { event, met } = step;
    if (event.barrier?.action === 'arrive')
      return `arrives${met === undefined || met.length === 0 ? '' : ', and all go on'}`;
    if (met === undefined) return 'arrives, and waits';
    const others = [...new Set(met.map((other) => this.thread(this.context.event(other).thread)))];
    const because =
      others.length === 0 ? '' : `, as ${others.join(', ')} ${others.length === 1 ? 'has' : 'have'} arrived`;
    return `goes on${because}${this.learned(step)}`;
  }

  private thread(thread: number | undefined): string {
    return this.context.structure.program.threads[thread ?? -1]?.name ?? '';
  }

  private line({ span }: ProgramEvent): string {
    return span === undefined ? '0' : lineOf(span);
  }

  /** `P0's line 8`. */
  named(event: number): string {
    const of = this.context.event(event);
    return `${this.thread(of.thread)}'s line ${this.line(of)}`;
  }

  /** `x = 1`. */
  valueOf(write: number): string {
    const location = this.state.locationOf(write);
    const value = this.state.runOf(write)?.value?.bits;
    return (
      `${location === undefined ? '?' : placeOf(location)} = ` +
      `${value === undefined ? '?' : this.shown(this.context.event(write), value)}`
    );
  }

  private shown({ type, chunk }: ProgramEvent, value: bigint): string {
    if (chunk !== undefined && type !== undefined && type.width > 64) {
      const words = Array.from({ length: type.width / 32 }, (_, i) => (value >> BigInt(32 * i)) & 0xffff_ffffn);
      return `{${words.join(', ')}}`;
    }
    return readable(value, type ?? { kind: 'u', width: 64 });
  }
}

function snapshotOf({
  valid,
  phase,
  expected,
  pending,
  bytes,
}: MbarrierState<ConcreteValue, boolean>): MbarrierSnapshot {
  return {
    valid,
    phase: Number(phase.bits),
    expected: Number(number(expected)),
    pending: Number(number(pending)),
    bytes: Number(number(bytes)),
  };
}

const number = ({ bits, width }: ConcreteValue): string => String(BigInt.asIntN(width, bits));
