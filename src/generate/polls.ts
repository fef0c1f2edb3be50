import type { ProgramThread } from './program-thread.js';
import type { Random } from './random.js';

/** What a waiting loop looks at, and what it expects there. */
export interface Polled {
  /** Address operands of the flags: the second way out looks at the second one. */
  readonly flags: readonly [string, string];
  readonly scope: string;
}

/** A loop that waits until one flag is set: the simplest poll. */
export function pollOne(thread: ProgramThread, random: Random, { flags: [flag], scope }: Polled): void {
  const [label, old, predicate] = [thread.label(), thread.register('u32'), thread.predicate()];
  thread.line(`${label}:`);
  thread.line(`ld.${random.pick(['acquire', 'relaxed'])}.${scope}.global.u32 ${old}, [${flag}];`);
  thread.line(`setp.eq.u32 ${predicate}, ${old}, 0;`);
  thread.line(`@${predicate} bra ${label};`);
}

type Poll = (thread: ProgramThread, random: Random, polled: Polled) => void;

/** Loops that wait and are left in two ways. */
const TWO_WAYS: readonly Poll[] = [
  // By one flag in the middle, by the other one at the end.
  (thread, random, { flags: [first, second], scope }) => {
    const [again, out] = [thread.label(), thread.label()];
    thread.line(`${again}:`);
    test(thread, random, first, scope, 'ne', `bra ${out};`);
    test(thread, random, second, scope, 'eq', `bra ${again};`);
    thread.line(`${out}:`);
  },
  // By the end of the thread.
  (thread, random, { flags: [first, second], scope }) => {
    const again = thread.label();
    thread.line(`${again}:`);
    test(thread, random, first, scope, 'ne', random.pick(['exit;', 'ret;']));
    test(thread, random, second, scope, 'eq', `bra ${again};`);
  },
  // By one flag, with two values that end it in different ways.
  (thread, random, { flags: [flag], scope }) => {
    const [again, out, predicate] = [thread.label(), thread.label(), thread.predicate()];
    thread.line(`${again}:`);
    const old = test(thread, random, flag, scope, 'eq', `bra ${again};`);
    thread.line(`setp.eq.u32 ${predicate}, ${old}, 2;`);
    thread.line(`@${predicate} bra ${out};`);
    test(thread, random, flag, scope, 'ne', `bra ${out};`);
    thread.line(`${out}:`);
  },
  // By a compare-and-swap whose expected value is set under a guard.
  (thread, random, { flags: [flag, other], scope }) => {
    const [again, expected, read] = [thread.label(), thread.number(0), thread.register('u32')];
    const [guard, differs, old] = [thread.predicate(), thread.predicate(), thread.register('u32')];
    const from = random.pick([flag, other]);
    thread.line(`${again}:`);
    thread.line(`ld.relaxed.${scope}.global.u32 ${read}, [${from}];`);
    thread.line(`setp.eq.u32 ${guard}, ${read}, 1;`);
    thread.line(`@${guard} mov.u32 ${expected}, 1;`);
    thread.line(
      `atom.${random.pick(['relaxed', 'acquire'])}.${scope}.global.cas.b32 ${old}, [${flag}], ${expected}, 2;`,
    );
    thread.line(`setp.ne.u32 ${differs}, ${old}, ${expected};`);
    thread.line(`@${differs} bra ${again};`);
  },
];

/** A loop that waits until one of two things has happened. */
export function pollTwoWays(thread: ProgramThread, random: Random, polled: Polled): void {
  random.pick(TWO_WAYS)(thread, random, polled);
}

/** Reads a flag, compares it to 0, and goes somewhere if that is so. */
function test(
  thread: ProgramThread,
  random: Random,
  flag: string,
  scope: string,
  comparison: 'eq' | 'ne',
  then: string,
): string {
  const [old, predicate] = [thread.register('u32'), thread.predicate()];
  thread.line(`ld.${random.pick(['relaxed', 'acquire'])}.${scope}.global.u32 ${old}, [${flag}];`);
  thread.line(`setp.${comparison}.u32 ${predicate}, ${old}, 0;`);
  thread.line(`@${predicate} ${then}`);
  return old;
}
