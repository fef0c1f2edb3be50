import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machineContextOf } from '../../src/check/check-operationally.js';
import { retriesIn } from '../../src/flow/retries.js';
import { explore } from '../../src/operational/explore.js';
import { builtInModel, programOf } from '../support.js';

const LOOK = 'ld.relaxed.gpu.global.u32 r0, [x];';
const swap = (compared = 'r0', place = '[x]'): string =>
  `atom.relaxed.gpu.global.cas.b32 r2, ${place}, ${compared}, r1;`;
const UNTIL = 'setp.ne.u32 p, r2, r0;';

/** Of the loop `A`, what its rounds take up, and how many stand for all; undefined if it is no such loop. */
function retryOf(loop: string, before = LOOK): readonly (readonly string[] | number)[] | undefined {
  const program = programOf(
    `PTX retry\n{ .global .u32 x = 0; .global .u32 y = 0; }\n` +
      `P0 { mov.u64 rd1, x; ${before} A: ${loop} @p bra A; B: }\nexists (x == 0)`,
  );
  const [thread] = program.threads;
  const [retry] = thread === undefined ? [] : retriesIn(thread).values();
  return retry && [retry.carried, ...(retry.rounds === undefined ? [] : [retry.rounds])];
}

describe('a loop that makes an update again', () => {
  it.each([
    ['with what it has found', `add.u32 r1, r0, 1; ${swap()} ${UNTIL} mov.u32 r0, r2;`, 3],
    ['from a number', `add.u32 r1, r0, 1; ${swap()} ${UNTIL} mov.u32 r0, r2;`, 3, 'mov.u32 r0, 7;'],
    ['behind a fence', `add.u32 r1, r0, 1; fence.sc.gpu; ${swap()} ${UNTIL} mov.u32 r0, r2;`, 3],
    [
      'as long as there is less',
      `setp.gt.u32 q, r0, 5; @q bra B; add.u32 r1, r0, 1; ${swap()} ${UNTIL} mov.u32 r0, r2;`,
      3,
    ],
    ['beside a load', `ld.weak.global.u32 r1, [y]; ${swap()} ${UNTIL} mov.u32 r0, r2;`, undefined],
  ])('is one: %s', (_, loop, rounds, before = LOOK) => {
    expect(retryOf(loop, before)).toEqual([['r0'], ...(rounds === undefined ? [] : [rounds])]);
  });

  it('is one that takes nothing up, where it looks each time', () => {
    expect(retryOf(`${LOOK} add.u32 r1, r0, 1; ${swap()} ${UNTIL}`, '')).toEqual([[]]);
  });

  it.each([
    ['goes on when it has succeeded', `${swap()} setp.eq.u32 p, r2, r0; mov.u32 r0, r2;`],
    ['waits for a number', `${swap('5')} setp.ne.u32 p, r2, 5;`],
    ['waits for a bit', `and.b32 r3, r0, 6; ${swap('r3')} setp.ne.u32 p, r2, r3; mov.u32 r0, r2;`],
    ['compares with what another place has', `ld.relaxed.gpu.global.u32 r0, [y]; ${swap()} ${UNTIL}`],
    ['compares with what it need not come to see', `ld.weak.global.u32 r0, [x]; ${swap()} ${UNTIL}`],
    ['counts its rounds', `add.u32 r4, r4, 1; ${swap()} ${UNTIL} mov.u32 r0, r2;`],
    ['keeps something else', `${swap()} ${UNTIL} add.u32 r0, r2, 1;`],
    ['keeps it now and then', `setp.eq.u32 q, r0, 1; ${swap()} ${UNTIL} @q mov.u32 r0, r2;`],
    ['writes', `st.relaxed.gpu.global.u32 [y], r0; ${swap()} ${UNTIL} mov.u32 r0, r2;`],
    ['updates another word as well', `atom.relaxed.gpu.global.add.u32 r5, [y], 1; ${swap()} ${UNTIL} mov.u32 r0, r2;`],
    ['goes elsewhere', `${swap('r0', '[rd1]')} ${UNTIL} mov.u32 r0, r2; mov.u64 rd1, y;`],
    ['has another loop inside', `C: ${swap()} ${UNTIL} setp.eq.u32 q, r2, 7; @q bra C; mov.u32 r0, r2;`],
    ['has a loop from its head', `${swap()} ${UNTIL} setp.eq.u32 q, r2, 7; @q bra A; mov.u32 r0, r2;`],
    ['goes two ways', `setp.gt.u32 q, r0, 1; @q bra C; add.u32 r1, r1, 0; C: ${swap()} ${UNTIL} mov.u32 r0, r2;`],
  ])('is none that %s', (_, loop) => {
    expect(retryOf(loop)).toBeUndefined();
  });

  it('is none that is entered in its middle', () => {
    const loop = `add.u32 r1, r0, 1; C: ${swap()} ${UNTIL} mov.u32 r0, r2;`;
    expect(retryOf(loop, `${LOOK} setp.eq.u32 q, r0, 3; @q bra C;`)).toBeUndefined();
  });
});

/** More rounds than others can come between. */
const COPIES = 6;
const ROUND = {
  add: (to: string) => `add.u32 r1, r0, 1; ${to}`,
  or: (to: string) => `or.b32 r1, r0, 2; ${to}`,
  put: (to: string) => `mov.u32 r1, 3; ${to}`,
  // Of two registers that are taken up, which differ at first.
  twice: (to: string) => `add.u32 r1, r5, 1; ${to} mov.u32 r5, r2;`,
  less: (to: string) => `setp.gt.u32 q, r0, 1; @q bra E; add.u32 r1, r0, 2; ${to}`,
};
const thread = fc.record({
  from: fc.constantFrom(LOOK, 'mov.u32 r0, 0;', 'mov.u32 r0, 9;'),
  round: fc.constantFrom<keyof typeof ROUND>('add', 'or', 'put', 'twice', 'less'),
  order: fc.constantFrom('relaxed.gpu', 'acquire.gpu', 'acq_rel.gpu'),
  fence: fc.constantFrom('', '', 'fence.acq_rel.gpu;', 'fence.sc.gpu;'),
  around: fc.constantFrom('', 'st.weak.global.u32 [y], 1;', 'ld.weak.global.u32 r4, [y];'),
});
const other = fc.constantFrom(
  '',
  'st.relaxed.gpu.global.u32 [x], 4;',
  'atom.relaxed.gpu.global.add.u32 r2, [x], 1; st.weak.global.u32 [y], 2;',
  'ld.weak.global.u32 r0, [x];',
);
type Drawn = typeof thread extends fc.Arbitrary<infer One> ? One : never;

/** A thread with such a loop, or with its rounds written out. */
function written({ from, round, order, fence, around }: Drawn, isLoop: boolean): string {
  const own = ROUND[round](
    `${fence} atom.${order}.global.cas.b32 r2, [x], r0, r1; setp.ne.u32 p, r2, r0; mov.u32 r0, r2;`,
  );
  const rounds = isLoop ? `A: ${own} @p bra A;` : Array.from({ length: COPIES }, () => `${own} @!p bra E;`).join(' ');
  const [before, behind] = around.startsWith('st') ? [around, ''] : ['', around];
  return `${before} ${from} mov.u32 r2, 8; mov.u32 r5, 7; ${rounds} E: ${behind}`;
}

describe('rounds that fail', () => {
  it('can be left out but for the first and the last', () => {
    const model = builtInModel('ptx-9.4');
    let compared = 0;
    fc.assert(
      fc.property(thread, thread, other, (first, second, third) => {
        const found = (isLoop: boolean): unknown => {
          const program = programOf(
            `PTX retry\n{ .global .u32 x = 0; .global .u32 y = 0; }\n` +
              `P0 @ cta 0 { ${written(first, isLoop)} }\nP1 @ cta 1 { ${written(second, isLoop)} }\n` +
              `${third === '' ? '' : `P2 @ cta 2 { ${third} }\n`}locations [x; y; P0:r2; P1:r2;]`,
          );
          const context = machineContextOf(program, model, 2, () => undefined, 2);
          if ('kind' in context) return undefined;
          const all = explore(context, { mostStates: 20_000, deadline: { remaining: () => 1e12 } });
          if (all.incomplete !== undefined) return undefined;
          return [[...all.outcomes.keys()].sort(), [...all.findings.keys()].sort(), all.deadlock !== undefined];
        };
        const [short, long] = [found(true), found(false)];
        if (short === undefined || long === undefined) return;
        expect(short).toEqual(long);
        compared += 1;
      }),
      { numRuns: Number(process.env['FUZZ_CASES'] ?? 60) },
    );
    expect(compared).toBeGreaterThan(30);
  });
});
