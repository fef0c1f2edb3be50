import { expect, it } from 'vitest';
import { diagnosticsOf, programOf } from '../support.js';

/** What a thread with this instruction executes. */
function operationsOf(instruction: string): readonly unknown[] {
  const [thread] = programOf(`PTX t\n{}\nP0 { .reg .pred p<2>; .reg .b32 r<2>; ${instruction} }\n`).threads;
  return (thread?.statements ?? []).map(({ operation }) => operation);
}

it.each([
  ['vote.sync.ballot.b32 r0, p1, -1;', ['vote.ballot.sync.b32', 'vote.ballot.b32.sync', 'vote.b32.sync.ballot']],
  ['vote.sync.any.pred p0, p1, -1;', ['vote.any.sync.pred', 'vote.pred.any.sync']],
  ['match.any.sync.b32 r0, r1, -1;', ['match.sync.any.b32', 'match.b32.any.sync']],
  ['shfl.sync.bfly.b32 r0, r1, 1, 31, -1;', ['shfl.bfly.sync.b32', 'shfl.b32.bfly.sync']],
  ['redux.sync.add.s32 r0, r1, -1;', ['redux.add.sync.s32', 'redux.s32.sync.add']],
])('%s means the same with its words in another order', (instruction, others) => {
  const operands = instruction.slice(instruction.indexOf(' '));
  const expected = operationsOf(instruction);
  expect(expected.length).toBeGreaterThan(0);
  for (const other of others) expect(operationsOf(other + operands), other).toEqual(expected);
});

it('is not without its .sync', () => {
  expect(diagnosticsOf('PTX t\n{}\nP0 { .reg .pred p<2>; vote.any.pred p0, p1; }\n')).toContain(
    'vote needs its sync: one of .sync',
  );
});
