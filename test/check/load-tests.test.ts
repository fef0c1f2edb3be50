import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';

const messagesOf = (text: string): readonly string[] =>
  loadTests({ path: 'bad.litmus', text }).diagnostics.map(({ code, message }) => `${code}: ${message}`);

describe('the messages about a test', () => {
  it('do not repeat a declaration that cannot be read where its location is used', () => {
    const messages = messagesOf(
      'PTX d\n{ .shared .u32 d : foo = 0; }\nP0 { ld.weak.shared.u32 r0, [d]; ld.weak.sahred.u32 r1, [d]; }\n' +
        'exists (d == 0)\n',
    );
    expect(messages.map((message) => message.slice(0, 5))).toEqual(['L0002', 'L0102']);
  });
});

describe('a test about all threads of a launch', () => {
  const text = 'PTX k\n{ .global .u32 x[4] = 0; }\nlaunch K "k.ptx" (x) @ block 40\nexpect no-race\n';
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body: 'ld.global.u32 %r2, [%rd1];' }) } };

  it.each([
    ['answers', true, 1],
    ['all threads', false, 40],
  ] as const)('is read for %s: followed %s, %i threads', (wants, isFollowed, count) => {
    const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, wants).value ?? [];
    expect(program?.threads).toHaveLength(count);
    expect(program !== undefined && wholeTest(program) !== undefined).toBe(isFollowed);
  });
});
