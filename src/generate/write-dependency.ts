import type { Impossible } from './memory-plan.js';
import type { Step } from './steps.js';
import type { ThreadWriter } from './thread-writer.js';
import type { AccessSite } from './write-access.js';

/** What of an access may depend on an earlier load. */
export type Dependent = Pick<AccessSite, 'address' | 'operand' | 'guard'>;

/**
 * Dependencies on the last load, that cancel out (address, data) or that the value of the outcome fulfils (control).
 */
export function writeDependency(
  thread: ThreadWriter,
  { on }: Step & { readonly kind: 'dependency' },
  name: string,
  written: number | undefined,
  global: boolean,
): Partial<Dependent> | Impossible {
  const { lastRead } = thread;
  if (lastRead === undefined) return { cannot: 'a dependency needs a read before it whose value is in a register' };
  if (on === 'control') {
    const predicate = thread.fresh('%p');
    thread.line(`setp.eq.u32 ${predicate}, ${lastRead.register}, ${lastRead.value};`);
    return { guard: `@${predicate} ` };
  }
  if (on === 'address' && !global) return { cannot: 'an address dependency leads to global memory here' };
  if (on === 'data' && written === undefined) return { cannot: 'a data dependency leads to a write' };
  const zero = thread.fresh('%s');
  thread.line(`xor.b32 ${zero}, ${lastRead.register}, ${lastRead.register};`);
  if (on === 'data') {
    thread.line(`add.u32 ${zero}, ${zero}, ${written};`);
    return { operand: zero };
  }
  const [offset, address] = [thread.fresh('%rd'), thread.fresh('%rd')];
  thread.line(`cvt.u64.u32 ${offset}, ${zero};`);
  thread.line(`mov.u64 ${address}, ${name};`);
  thread.line(`add.u64 ${address}, ${address}, ${offset};`);
  return { address };
}
