import { describe, expect, it } from 'vitest';
import type { FlagResult } from '../../src/check/flags-of-model.js';
import { describeFlag, placesOfFlag } from '../../src/report/flags.js';
import { check, litmus, modelOf } from '../support.js';

const MP = litmus('.global .u32 x = 0; .global .u32 f = 0;', [
  'st.weak.global.u32 [x], 1; st.relaxed.gpu.global.u32 [f], 1;',
  'ld.relaxed.gpu.global.u32 r0, [f]; ld.weak.global.u32 r1, [x];',
]);

/** What flags tell of a test under a model that allows what is no thin air. */
async function flags(text: string, test = MP): Promise<readonly FlagResult[]> {
  const model = modelOf(`"m"\nacyclic rf | po as Axiom\n${text}\n`);
  return (await check(test, model)).flags ?? [];
}
const told = async (text: string, test = MP): Promise<readonly string[]> =>
  (await flags(text, test)).map((one) => `${one.name}: ${describeFlag(one)}`);

describe("a user's flag", () => {
  it('tells of all pairs, members and cycles of one execution', async () => {
    expect(await told('flag ~empty po & (W * W) as two-stores')).toEqual(['two-stores: raised by (a, b)']);
    expect(await told('flag ~empty W & WEAK as weak-store')).toEqual([
      'weak-store: raised by a, init x = 0, init f = 0',
    ]);
    expect(await told('flag ~irreflexive po; po^-1 as self')).toEqual(['self: raised by a, c']);
    const [cycle] = await flags('flag ~acyclic po | fr | rf as not-in-turn');
    expect(describeFlag(cycle!)).toBe('raised by (a, b, c, d)');
    expect(placesOfFlag(cycle!).map((line) => line.slice(0, 4))).toEqual(['a  P', 'b  P', 'c  P', 'd  P']);
  });

  it('says that nothing raises it, and of what is empty that it is', async () => {
    expect(await told('flag ~empty F as fences\nflag empty F as no-fences')).toEqual([
      'fences: never raised',
      'no-fences: raised',
    ]);
  });

  it('may be written more than once: any of them raises it', async () => {
    expect(await told('flag ~empty F as one\nflag ~empty RLX as one')).toEqual(['one: raised by b, c']);
  });

  it('is left to expect race if it is data-race', async () => {
    expect(await told('flag ~empty F as data-race')).toEqual([]);
    expect((await check(MP, 'ptx-9.4')).flags).toBeUndefined();
  });

  it('is unknown beyond the bound', async () => {
    const loop = litmus('.global .u32 x = 0;', [
      'again: add.u32 r0, r0, 1; setp.ne.u32 p0, r0, 9; @p0 bra again; fence.sc.gpu;',
    ]);
    const model = modelOf('"m"\nacyclic rf | po as Axiom\nflag ~empty F as fences\n');
    const [flag] = (await check(loop, model, { unroll: 2 })).flags ?? [];
    expect(flag?.raised).not.toBe(false);
  });
});
