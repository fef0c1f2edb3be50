import type { Data, Effect } from '../effects/effect.js';
import { effectsOf } from '../effects/effects-of.js';
import type { EventStructure } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import { evaluateFloat, type FloatFunction } from '../program/float-function.js';
import type { MemoryObject } from '../program/locations.js';
import { registersIn, registersWritten } from '../program/operands.js';
import type { BarrierOperation, Operand, ProgramStatement } from '../program/operation.js';
import { isComputation } from '../program/operation.js';
import type { Node } from '../unroll/unroll.js';
import type { ValueAnalysis } from './value-analysis.js';
import { combinationsOf } from './value-sets.js';

type Known = Pick<ValueAnalysis, 'openOperands' | 'targets'>;

/**
 * The statements that give a value which PTX or this tool leaves open, if what the test asks for, or where control or
 * an address goes, may depend on one of them; empty if it makes no difference what these values are.
 */
export function openValuesThatMatter(structure: EventStructure, known: Known): readonly ProgramStatement[] {
  const tensorMemory = structure.program.locations.objects.filter(({ space }) => space === 'tensor');
  return new OpenValues(structure, known, new Set(tensorMemory)).thatMatter();
}

class OpenValues {
  private readonly sources = new Set<ProgramStatement>();
  private readonly registers: readonly Set<string>[];
  private matters = false;

  constructor(
    private readonly structure: EventStructure,
    private readonly known: Known,
    /** What may hold an open value: at first tensor memory, of which nothing is known before the test. */
    private readonly objects: Set<MemoryObject>,
  ) {
    this.registers = structure.threads.map(() => new Set());
  }

  thatMatter(): readonly ProgramStatement[] {
    for (let size = -1; size !== this.size; ) {
      size = this.size;
      for (const [index, { nodes }] of this.structure.threads.entries())
        for (const node of nodes) this.visit(index, node, this.registers[index] ?? new Set());
    }
    const asked = this.structure.program.observed.some((one) =>
      one.kind === 'register' ? this.registers[one.thread]?.has(one.register) === true : this.objects.has(one.object),
    );
    return this.matters || asked ? [...this.sources] : [];
  }

  private get size(): number {
    return this.objects.size + this.registers.reduce((sum, { size }) => sum + size, 0);
  }

  private visit(thread: number, { id, statement }: Node, open: Set<string>): void {
    const { operation, guard } = statement;
    const guarded = guard !== undefined && open.has(guard.register);
    if (isComputation(operation)) {
      const isSource = operation.kind === 'open' && !this.isSettled(`${thread}/${id}`, operation.function);
      if (isSource) this.sources.add(statement);
      if (isSource || guarded || operation.operands.some((one) => isOpen(open, one))) open.add(operation.target);
      return;
    }
    this.matters ||= guarded;
    const events = this.structure.eventsOf(thread, id);
    for (const effect of effectsOf(operation)) this.follow(effect, events, statement, open, `${thread}/${id}`);
  }

  private follow(
    effect: Effect,
    events: readonly ProgramEvent[],
    statement: ProgramStatement,
    open: Set<string>,
    node: string,
  ): void {
    const places = events.flatMap((event) => this.known.targets.get(event.id) ?? []);
    const finds = places.some(({ object }) => this.objects.has(object));
    const mark = (): void => {
      for (const register of registersWritten(statement.operation)) open.add(register);
    };
    const leave = (when: boolean): void => {
      if (when) for (const { object } of places) this.objects.add(object);
    };
    this.matters ||= decidingRegisters(effect).some((register) => open.has(register));
    switch (effect.kind) {
      case 'read':
        if (finds) mark();
        if (finds && effect.at.tensor !== undefined && effect.results.some((one) => one !== undefined))
          this.sources.add(statement);
        return;
      case 'write':
        if (effect.data.kind === 'open') this.sources.add(statement);
        return leave(isOpenData(effect.data, open, finds));
      case 'update': {
        const { function: of, compared, data } = effect;
        const steps = events.flatMap(({ kind, offset }) => (kind === 'read' ? [`${node}.${offset ?? 0}`] : []));
        const unsettled = of !== undefined && !steps.every((step) => this.isSettled(step, of));
        if (unsettled) this.sources.add(statement);
        this.matters ||= compared !== undefined && (finds || isOpen(open, compared));
        if (finds) mark();
        return leave(unsettled || isOpenData(data, open, finds));
      }
      case 'barrier': {
        const reduction = effect.barrier.kind === 'barrier' ? effect.barrier.reduction : undefined;
        const shuffles = reduction?.operation.startsWith('shuffle') === true;
        if (isOpen(open, reduction?.value) || (shuffles && open.size > 0)) mark();
        return;
      }
      case 'mbarrier':
      case 'fence':
      case 'group':
      case 'grid':
      case 'check':
      case 'issue':
      case 'tensor-step':
        return;
    }
  }

  /** Whether the result of a function is known, whatever its operands are. */
  private isSettled(step: string, of: FloatFunction | undefined): boolean {
    const sets = this.known.openOperands.get(step);
    if (of === undefined || sets === undefined) return false;
    return combinationsOf(sets)?.every((operands) => evaluateFloat(of, operands) !== undefined) === true;
  }
}

const isOpen = (open: ReadonlySet<string>, operand: Operand | undefined): boolean =>
  operand?.kind === 'register' && open.has(operand.name);

function isOpenData(data: Data, open: ReadonlySet<string>, finds: boolean): boolean {
  switch (data.kind) {
    case 'operands':
      return data.operands.some((one) => isOpen(open, one));
    case 'moved':
      return finds;
    case 'open':
      return true;
    case 'zero':
    case 'unspecified':
      return false;
  }
}

/** The registers that decide where, how and whether an effect takes place: all but what it writes or exchanges. */
function decidingRegisters(effect: Effect): readonly string[] {
  const { id, count }: Partial<BarrierOperation> =
    effect.kind === 'barrier' && effect.barrier.kind === 'barrier' ? effect.barrier : {};
  const at = 'at' in effect ? effect.at : undefined;
  const when = 'when' in effect ? effect.when : undefined;
  return registersIn([at, effect.takes, when, id, count]);
}
