import { describe, expect, it } from 'vitest';
import { NOT_CONTESTED } from '../../src/follow/memory-image.js';
import { settingOf } from '../../src/follow/setting.js';
import { planLaunches } from '../../src/kernel/plan-launches.js';
import { Cases } from '../../src/order/cases.js';
import { lookAll } from '../../src/order/look-all.js';
import { lookOnRounds } from '../../src/order/look-on-rounds.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { kernelModule } from '../kernel-module.js';
import { halfOf } from '../shares.js';
import { queues } from './queues.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? halfOf(80));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261130);
/** Orders of atomics that are not all followed in so many steps are not waited for. */
const STEPS = 400;

describe('rounds of a queue', () => {
  it('are looked at where there are more draws than a call has arguments', () => {
    const body =
      'R: atom.relaxed.gpu.global.add.u32 %r7, [%rd1], 1; setp.ge.u32 %p1, %r7, 9; @%p1 bra E; ' +
      'mul.wide.u32 %rd4, %r7, 4; add.s64 %rd4, %rd2, %rd4; st.global.u32 [%rd4], %r7; bra R; E:';
    const text =
      'PTX k\n{ .global .u32 n = 0; .global .u32 x[9] = 0; }\nlaunch K "k.ptx" (&n, x) @ grid 108, block 256, gpu 0\n';
    const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ pointers: 2, body }) } };
    const { value: file } = parseLitmus({ path: 'k.litmus', text, modules });
    if (file === undefined) throw new Error('unread');
    const setting = settingOf(file, planLaunches(file), () => undefined);
    const looked = lookOnRounds(setting, () => undefined);
    expect(looked).toMatchObject({ runs: { length: 5 } });
  });

  it('are like all orders of its atomics, where nothing is wrong in them', () => {
    let [right, confirmed, count] = [0, 0, 0];
    for (const { name, text, modules } of queues(SEED)) {
      if (count++ >= CASES) break;
      const { value: file } = parseLitmus({ path: `${name}.litmus`, text, modules });
      if (file === undefined) throw new Error(name);
      const setting = settingOf(file, planLaunches(file), () => undefined);
      const looked = lookOnRounds(setting, () => undefined);
      if (looked === undefined || !('runs' in looked)) continue;
      right += 1;
      const first = lookAll(setting, () => undefined, NOT_CONTESTED, {});
      if (first.best.followed.steps > STEPS) continue;
      const kept = ({ setting: of, followed, run }: typeof first.best) => ({ setting: of, followed, run });
      const runs = new Cases(setting, () => undefined, kept, undefined, first).of().map(({ run }) => run);
      const wrong = runs.flatMap(({ conflicts, findings, uninitialized }) => [
        ...findings.map(({ rule }) => rule),
        ...conflicts.flatMap(({ kind, isCertain }) => (isCertain ? [kind] : [])),
        ...uninitialized.map(() => 'uninitialized'),
      ]);
      expect(wrong, `${name}\n${text}\n${modules['k.ptx']?.text}`).toEqual([]);
      if (runs.every(({ open, conflicts }) => open === undefined && conflicts.length === 0)) confirmed += 1;
    }
    if (process.env['FUZZ_CASES'] !== undefined) console.log({ right, confirmed });
    expect(right).toBeGreaterThan(CASES / 10);
    expect(confirmed).toBeGreaterThan(CASES / 20);
  });
});
