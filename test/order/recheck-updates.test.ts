import { describe, expect, it } from 'vitest';
import { Follower } from '../../src/follow/follower.js';
import { NOT_CONTESTED } from '../../src/follow/memory-image.js';
import { type Setting, settingOf } from '../../src/follow/setting.js';
import type { Trace } from '../../src/follow/trace.js';
import type { WhichRun } from '../../src/follow/which-run.js';
import { planLaunches } from '../../src/kernel/plan-launches.js';
import { Locks } from '../../src/order/locks.js';
import { look } from '../../src/order/look.js';
import { lookAll } from '../../src/order/look-all.js';
import { MustOrder } from '../../src/order/must-order.js';
import { recheck } from '../../src/order/recheck.js';
import type { Claims } from '../../src/order/recheck-links.js';
import { Variables } from '../../src/order/variables.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { LAST_KERNELS } from './last-kernels.js';
import { SAME_VALUE_KERNELS } from './same-value-kernels.js';
import { SEMAPHORE_KERNELS } from './semaphore-kernels.js';
import { kernelTest, type SmallKernel } from './small-kernel.js';

const NOT_LAST = 'atomics of which it is not known that one comes last';

function settingFor(kernel: SmallKernel | undefined): Setting {
  if (kernel === undefined) throw new Error('no kernel');
  const { text, modules } = kernelTest(kernel);
  const { value: file } = parseLitmus({ path: 'k.litmus', text, modules });
  if (file === undefined) throw new Error('unread');
  return settingOf(file, planLaunches(file), () => undefined);
}

function followed(setting: Setting, which: WhichRun): { readonly trace: Trace; readonly claims: Claims } {
  const { trace } = new Follower(setting, () => undefined, which).run();
  const order = new MustOrder(trace, (...of) => new Variables(...of, new Locks(trace)));
  order.replay(() => undefined);
  return { trace, claims: order.claims };
}

describe('the second look at updates that end waits', () => {
  const { trace, claims } = followed(settingFor(SEMAPHORE_KERNELS[0]), {});
  const updates = trace.synchronizations.flatMap((one) => (one.kind === 'poll' && one.makes ? [one.read] : []));

  it('agrees that each of eight finds as much as must have been given', () => {
    expect(updates.length).toBe(8);
    expect(updates.map((row) => claims.polls.get(row)?.flat().length ?? 0).sort()).toEqual([0, 1, 1, 3, 3, 5, 5, 7]);
    expect(recheck(trace, claims)).toBeUndefined();
  });

  it('finds that one need not come behind what it is said to find', () => {
    const [first = 0] = updates;
    const last = updates.at(-1) ?? 0;
    const wrong = {
      ...claims,
      polls: new Map(claims.polls).set(last, [[...(claims.polls.get(last)?.[0] ?? []), first]]),
    };
    expect(recheck(trace, wrong)).toBeDefined();
  });
});

describe('the second look at what the last one does', () => {
  const setting = settingFor(LAST_KERNELS[0]);
  const anybody = look(setting, () => undefined, {}).lasts();
  const { known } = lookAll(setting, () => undefined, NOT_CONTESTED, { anybody });
  const { trace, claims } = followed(setting, { anybody, without: known });

  it('agrees that one of four comes last, and finds three', () => {
    expect(anybody.map((group) => group.map(({ finds }) => finds))).toEqual([[3n, 3n, 3n, 3n]]);
    expect(recheck(trace, claims, known, true)).toBeUndefined();
  });

  it('finds that another value is found, or by others', () => {
    const changed = (of: (rows: readonly number[]) => readonly number[], more: bigint): Trace => ({
      ...trace,
      synchronizations: trace.synchronizations.map((one) =>
        one.kind === 'last' ? { ...one, rows: of(one.rows), finds: one.finds + more } : one,
      ),
    });
    expect(
      recheck(
        changed((rows) => rows, 1n),
        claims,
        known,
        true,
      ),
    ).toBe(NOT_LAST);
    expect(
      recheck(
        changed((rows) => rows.slice(1), 0n),
        claims,
        known,
        true,
      ),
    ).toBe('thread 0 of CTA 0 is not before thread 3 of CTA 0');
  });
});

describe('the second look at stores that race', () => {
  const secondLook = (name: string): string | undefined => {
    const setting = settingFor(SAME_VALUE_KERNELS.find((one) => one.name === name));
    const { pieces } = followed(setting, {}).trace;
    const sameValue = new Map(pieces.map(({ id, object }) => [id, [[0, object.size] as const]]));
    const without = { ...NOT_CONTESTED, sameValue };
    const { trace, claims } = followed(setting, { without });
    return recheck(trace, claims, without);
  };

  it.each(['zeros of all lanes in one word', 'sums of a warp, in one word'])('agrees on %s', (name) => {
    expect(secondLook(name)).toBeUndefined();
  });

  it.each([
    'numbers of lanes in one word',
    'words of their own, in one word',
    'halves of one value, and the whole of it',
    'values of each round, the last of which another thread stores, too',
    'a word in which another value was before, which is read in between',
  ])('does not on %s', (name) => {
    expect(secondLook(name)).toMatch(/^thread \d+ of CTA 0 is not before thread \d+ of CTA 0$/);
  });
});
