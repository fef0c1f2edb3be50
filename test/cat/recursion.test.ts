import { describe, expect, it } from 'vitest';
import { check, litmus, modelOf } from '../support.js';

describe('a recursion', () => {
  it('is one of sets where only a function says so', async () => {
    const text = litmus('.global .u32 x = 0;', ['ld.weak.global.u32 r0, [x];'], 'exists (P0:r0 == 0)');
    const within = (set: string): string =>
      `let same(s) = s\nlet rec a = same(${set}) | (a & same(M))\nempty a & R as no-read`;
    expect((await check(text, modelOf(within('W')))).conditions[0]?.reachable).toBe(true);
    expect((await check(text, modelOf(within('R')))).conditions[0]?.reachable).toBe(false);
  });
});
