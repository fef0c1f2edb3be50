import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';

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
