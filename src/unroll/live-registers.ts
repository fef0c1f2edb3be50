import { registersRead, registersWritten } from '../program/operands.js';
import type { Program, Thread } from '../program/program.js';

/**
 * The registers of a thread whose values may still be used from a statement on, by what it executes or by a condition
 * at the end; the number of statements stands for the end.
 */
export function liveRegisters(program: Program, thread: Thread): (statement: number) => ReadonlySet<string> {
  const { statements, labels } = thread;
  const end = statements.length;
  const asked = program.observed.flatMap((one) =>
    one.kind === 'register' && one.thread === thread.index ? [one.register] : [],
  );
  const live = Array.from({ length: end + 1 }, (_, at) => new Set(at === end ? asked : []));
  const none: ReadonlySet<string> = new Set();
  for (let grows = true; grows; ) {
    grows = false;
    for (let at = end - 1; at >= 0; at--) {
      const { operation, guard } = statements[at] ?? {};
      const own = live[at];
      if (operation === undefined || own === undefined) continue;
      const size = own.size;
      const over = operation.kind === 'exit' || operation.kind === 'trap';
      const goesOn = guard !== undefined || !(over || operation.kind === 'branch');
      const written = guard === undefined ? registersWritten(operation) : [];
      for (const register of (goesOn ? live[at + 1] : undefined) ?? none)
        if (!written.includes(register)) own.add(register);
      const to = over ? end : operation.kind === 'branch' ? (labels.get(operation.label) ?? end) : undefined;
      for (const register of (to === undefined ? undefined : live[to]) ?? none) own.add(register);
      for (const register of registersRead(operation)) own.add(register);
      if (guard !== undefined) own.add(guard.register);
      grows ||= own.size > size;
    }
  }
  return (statement) => live[statement] ?? none;
}
