import { registersRead, registersWritten } from '../program/operands.js';
import { isComputation, type ProgramStatement } from '../program/operation.js';
import { type Body, successorsIn } from './graph.js';
import { outermostLoops } from './loops.js';
import { isLook, isQuiet } from './polls.js';

/** Of our own: time goes by in them (PTX ISA, %clock, %globaltimer). */
const CLOCKS = /^#(clock|globaltimer)$/;

/**
 * Code without the time-outs of its waits that end in a trap, and where these are: a thread is taken to be patient
 * enough for whatever may still come. If nothing comes, it waits for ever, and that is told instead.
 */
export function withoutTimeouts(
  body: Body,
  /** Instructions that have no meaning here, by the statement that stands for them. */
  refused: ReadonlyMap<number, unknown>,
): { readonly body: Body; readonly timeouts: readonly ProgramStatement[] } {
  const successors = successorsIn(body).map((next, at) => (refused.has(at) ? [at + 1] : next));
  const loops = outermostLoops(successors, (loop) => waits(body, loop));
  const found = loops.flatMap((loop) => timeoutsIn(body, successors, loop));
  if (found.length === 0) return { body, timeouts: [] };
  const statements = [...body.statements];
  const labels = new Map(body.labels);
  const timeouts = found.flatMap(({ at, to }) => {
    const statement = body.statements[at];
    if (statement === undefined) return [];
    const label = `#patient${at}`;
    labels.set(label, to);
    statements[at] = { ...statement, guard: undefined, operation: { kind: 'branch', label } };
    return [statement];
  });
  return { body: { statements, labels }, timeouts };
}

/** Whether a loop does nothing but to look whether something has come. */
function waits({ statements }: Body, loop: readonly number[]): boolean {
  const operations = loop.flatMap((at) => statements[at]?.operation ?? []);
  const isWait = ({ kind }: (typeof operations)[number]): boolean => kind === 'mbarrier';
  return (
    operations.some((one) => isLook(one) || isWait(one)) &&
    operations.every((one) => isQuiet(one) || one.kind === 'trap' || (one.kind === 'mbarrier' && one.action === 'wait'))
  );
}

/** Where it is decided by the time that has gone by, or the number of rounds, that a wait ends in a trap. */
function timeoutsIn(
  body: Body,
  successors: readonly (readonly number[])[],
  loop: readonly number[],
): readonly { readonly at: number; readonly to: number }[] {
  const inside = new Set(loop);
  return loop.flatMap((at) => {
    const { operation, guard } = body.statements[at] ?? {};
    if (guard === undefined || !isOfTime(body, loop, guard.register)) return [];
    if (operation?.kind === 'trap') return [{ at, to: at + 1 }];
    const [next, target] = successors[at] ?? [];
    if (operation?.kind !== 'branch' || next === undefined || target === undefined) return [];
    const traps = [next, target].map((way) => !inside.has(way) && endsInTrap(body, successors, way));
    if (traps[0] === traps[1]) return [];
    return [{ at, to: traps[0] === true ? target : next }];
  });
}

/** Whether every way from a statement on comes to a trap. */
function endsInTrap({ statements }: Body, successors: readonly (readonly number[])[], from: number): boolean {
  const reached = new Set([from]);
  for (const at of reached) {
    const { operation, guard } = statements[at] ?? {};
    if (operation === undefined) return false;
    if (operation.kind === 'trap' && guard === undefined) continue;
    for (const next of successors[at] ?? []) reached.add(next);
  }
  return true;
}

/** Whether a register of a loop is made of clocks, or of how many rounds there have been, and not of what is found. */
function isOfTime({ statements }: Body, loop: readonly number[], register: string): boolean {
  const own = loop.flatMap((at) => statements[at] ?? []);
  const madeOf = (name: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const open = [name];
    for (const one of open)
      for (const { operation, guard } of own) {
        if (!registersWritten(operation).includes(one)) continue;
        const read = [...registersRead(operation), ...(guard === undefined ? [] : [guard.register])];
        for (const source of read) if (!found.has(source)) open.push(source);
        for (const source of read) found.add(source);
      }
    return found;
  };
  const all = [register, ...madeOf(register)];
  const makers = own.filter(({ operation }) => registersWritten(operation).some((one) => all.includes(one)));
  if (makers.length === 0 || makers.some(({ operation }) => !isComputation(operation))) return false;
  return all.some((one) => CLOCKS.test(one)) || all.some((one) => madeOf(one).has(one));
}
