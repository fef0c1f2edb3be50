import { describe, expect, it } from 'vitest';
import type { AccessKind, FollowedThread } from '../../src/follow/trace.js';
import type { Write } from '../../src/order/variable-writes.js';
import { observedIn, statesOf } from '../../src/order/word-states.js';
import { atomicArithmetic } from '../../src/program/integer.js';

const ADD = atomicArithmetic('add', { kind: 'u', width: 32 });
let rows = 0;
/** A write of a thread: what it adds, or puts there. */
const write = (thread: number, value: bigint, change: AccessKind['change'] = ADD ?? 'unknown'): Write => {
  const made = {
    row: rows++,
    value,
    bytes: 4,
    kind: { change } as AccessKind,
    thread: { id: thread } as FollowedThread,
  };
  return made as Write;
};
const never = (): boolean => false;
const always = (): boolean => true;

describe('what a word may hold', () => {
  it('is what each thread makes of it, one after the other', () => {
    const [one, two, other] = [write(0, 1n), write(0, 10n), write(1, 100n)];
    const states = statesOf(0n, [one, two, other], never, always);
    expect(states?.all.map(({ value }) => value).sort()).toEqual([0n, 1n, 100n, 101n, 11n, 111n].sort());
  });

  it('is nothing that an update would have to come to that does not find what lets it be made', () => {
    const [give, take, third] = [write(0, 1n), write(1, -1n), write(2, -1n)];
    const states = statesOf(0n, [give, take, third], never, ({ value }, now) => value === 1n || now > 0n);
    expect(states?.all.map(({ value }) => value)).toEqual([0n, 1n, 0n, 0n]);
  });

  it('is in no order that is excluded', () => {
    const [first, second] = [write(0, 1n), write(1, 10n)];
    const states = statesOf(0n, [first, second], (a, b) => a === first && b === second, always);
    expect(states?.all.map(({ value }) => value)).toEqual([0n, 1n, 11n]);
  });

  it('is not known where it is not known whether a write is made', () => {
    expect(statesOf(0n, [write(0, 1n)], never, () => undefined)).toBeUndefined();
  });

  it('is found with all that has been written since something was put there', () => {
    const [before, put, after] = [write(0, 5n), write(0, 1n, 'set'), write(0, 1n)];
    const states = statesOf(0n, [before, put, after], never, always);
    if (states === undefined) throw new Error('no states');
    const last = states.all.filter(({ value }) => value === 2n);
    expect(observedIn(states, last)).toEqual([put, after]);
    expect(observedIn(states, states.all)).toEqual([]);
  });
});
