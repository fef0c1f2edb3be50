import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { settingOf } from '../../src/follow/setting.js';
import type { FollowedThread } from '../../src/follow/trace.js';
import { planLaunches } from '../../src/kernel/plan-launches.js';
import { firstWrongRenaming } from '../../src/order/recheck-renamings.js';
import { isLikeEvery, type WholeRun } from '../../src/order/whole-run.js';
import type { Program } from '../../src/program/program.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { kernelModule } from '../kernel-module.js';
import { halfOf } from '../shares.js';
import { drawnTiles } from './drawn-tiles.js';
import type { GeneratedLaunch } from './generated-launches.js';

const ASKED = process.env['FUZZ_CASES'];
const CASES = Number(ASKED ?? halfOf(24));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261130);

/** What a test answers, whichever CTA does what. */
function answersOf({ name, text, modules }: GeneratedLaunch): { readonly run: WholeRun; readonly answers: string } {
  const [program] = loadTests({ path: `${name}.litmus`, text, modules }, {}, 'answers').value ?? [];
  const run = program && wholeTest(program)?.follow(() => undefined);
  if (program === undefined || run === undefined) throw new Error(`${name} is not followed`);
  const conflicts = run.conflicts.map(({ kind, isCertain }) => `${kind} ${isCertain}`);
  const told = [...new Set([...run.findings.map(({ rule }) => rule), ...conflicts])].sort();
  return { run, answers: [...told, ...statesOf(run, program)].join('\n') };
}

/** The final states. */
const statesOf = ({ states }: WholeRun, { observed }: Program): readonly string[] =>
  [...new Set(states.map((state) => observed.map((one) => `${one.name}=${state(one)}`).join(' ')))].sort();

/** The same, and the code asks for the number of its CTA. */
const asking = (test: GeneratedLaunch): GeneratedLaunch => ({
  ...test,
  modules: Object.fromEntries(
    Object.entries(test.modules).map(([path, module]) => [
      path,
      {
        ...module,
        text: module.text.replace('mov.u32 %r3, %ntid.x;', 'mov.u32 %r12, %ctaid.x; mov.u32 %r3, %ntid.x;'),
      },
    ]),
  ),
});

describe('of CTAs that nothing tells apart but what they draw', () => {
  it('one order says what all say', () => {
    let [like, count] = [0, 0];
    for (const test of drawnTiles(SEED)) {
      if (count++ >= CASES) break;
      const [one, all] = [answersOf(test), answersOf(asking(test))];
      const told = `${test.name}\n${test.text}\n${test.modules['k.ptx']?.text}`;
      if (isLikeEvery(all.run)) {
        expect(isLikeEvery(one.run), told).toBe(true);
        expect(one.run.unconfirmed, told).toBeUndefined();
        expect(one.answers, told).toBe(all.answers);
        like += 1;
      }
    }
    if (ASKED !== undefined) console.log({ like });
    expect(like).toBeGreaterThan(CASES / 10);
  });

  const DRAWS = 'atom.relaxed.gpu.global.add.u32 %r8, [%rd1], 1;';
  const MODULE = { path: 'k.ptx', text: kernelModule({ body: DRAWS }) };
  const textOf = (asked: string): string =>
    `PTX k\n{ .global .u32 n = 0; }\nlaunch K "k.ptx" :: k (&n) @ grid 3, block 1, gpu 0\n${asked}\n`;

  it.each([0, 1, 2])('each may draw %i, where a condition names it', (drawn) => {
    const text = textOf(`exists (K[cta 1, tid 0]:%r8 == ${drawn})`);
    const [program] = loadTests({ path: 'k.litmus', text, modules: { 'k.ptx': MODULE } }, {}, 'answers').value ?? [];
    const run = program && wholeTest(program)?.follow(() => undefined);
    const [register] = program?.observed ?? [];
    expect(register && run?.states.map((state) => state(register))).toContain(BigInt(drawn));
  });

  describe('the second look', () => {
    const settingWith = (body: string) => {
      const source = { path: 'k.litmus', text: textOf('expect no-race'), modules: { 'k.ptx': MODULE } };
      const { value: file } = parseLitmus({
        ...source,
        modules: { 'k.ptx': { ...MODULE, text: kernelModule({ body }) } },
      });
      if (file === undefined) throw new Error('unread');
      return settingOf(file, planLaunches(file), () => undefined);
    };
    const setting = settingWith(DRAWS);
    const thread = (cta: number, tid = 0): FollowedThread => ({
      ...{ id: cta, launch: 0, cta, tid, gpu: 0, ctaId: cta, clusterId: cta },
    });
    const renaming = { kept: thread(1), leftOut: thread(2), before: [thread(0)] };
    const WRONG = 'an order of CTAs that is said to be like another one';

    it('agrees where nothing tells the two apart', () => {
      expect(firstWrongRenaming(setting, [renaming])).toBeUndefined();
    });

    it.each([
      ['another thread of its CTA', { ...renaming, leftOut: thread(2, 1) }],
      ['a CTA that has come before', { ...renaming, before: [thread(0), thread(2, 1)] }],
      ['one in place of a CTA that has come before', { ...renaming, before: [thread(1)] }],
    ])('finds %s', (_, wrong) => {
      expect(firstWrongRenaming(setting, [renaming, wrong])).toBe(WRONG);
    });

    it('finds code that asks which CTA it is', () => {
      expect(firstWrongRenaming(settingWith(`mov.u32 %r9, %ctaid.x; ${DRAWS}`), [renaming])).toBe(WRONG);
      expect(firstWrongRenaming(settingWith(`mov.u32 %r9, %ctaid.y; ${DRAWS}`), [renaming])).toBeUndefined();
    });
  });
});
