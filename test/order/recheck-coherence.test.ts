import { describe, expect, it } from 'vitest';
import { Follower } from '../../src/follow/follower.js';
import { NOT_CONTESTED } from '../../src/follow/memory-image.js';
import { settingOf } from '../../src/follow/setting.js';
import { planLaunches } from '../../src/kernel/plan-launches.js';
import { Locks } from '../../src/order/locks.js';
import { lookAll } from '../../src/order/look-all.js';
import { MustOrder } from '../../src/order/must-order.js';
import { recheck } from '../../src/order/recheck.js';
import { Variables } from '../../src/order/variables.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { COHERENCE_KERNELS } from './coherence-kernels.js';
import { kernelTest } from './small-kernel.js';

describe('the second look at the coherence order of a case', () => {
  const [kernel] = COHERENCE_KERNELS;
  if (kernel === undefined) throw new Error('no kernel');
  const { text, modules } = kernelTest(kernel);
  const { value: file } = parseLitmus({ path: 'k.litmus', text, modules });
  if (file === undefined) throw new Error('unread');
  const setting = settingOf(file, planLaunches(file), () => undefined);
  const [word = ''] = lookAll(setting, () => undefined, NOT_CONTESTED, {}).openWords;
  const { trace } = new Follower(setting, () => undefined, { coherence: new Map([[word, []]]) }).run();
  const order = new MustOrder(trace, (...of) => new Variables(...of, new Locks(trace)));
  order.replay(() => undefined);

  it('agrees where the other draw may come first, and that is told', () => {
    expect([...order.claims.coherence.values()].map((choices) => choices.map(({ length }) => length))).toEqual([
      [1, 0],
    ]);
    expect(recheck(trace, order.claims)).toBeUndefined();
  });

  it('finds an order that nobody has looked at', () => {
    const claims = { ...order.claims, coherence: new Map([[word, [[], []]]]) };
    expect(recheck(trace, claims)).toBe('an order of atomics that nobody has looked at');
  });

  it('finds what is said to be observed and is not', () => {
    const [first = 0, second = 0] = trace.coherence[0]?.rows ?? [];
    const claims = { ...order.claims, polls: new Map(order.claims.polls).set(first, [[second]]) };
    expect(recheck(trace, claims)).toBe('an atomic that observes others');
  });
});
