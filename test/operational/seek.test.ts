import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateTests } from '../../src/generate/generate-tests.js';
import { seek } from '../../src/operational/seek.js';
import { halfOf } from '../shares.js';
import { programOf } from '../support.js';
import { both, compareSeek, contextOf, OPTIONS } from './compare-seek.js';

describe('looking for outcomes', () => {
  it('finds the same in generated tests', () => {
    let alike = 0;
    let number = 0;
    for (const { name, text } of generateTests({ seed: 20261122, families: ['chain', 'ring', 'program'] })) {
      if (number++ === halfOf(300)) break;
      if (compareSeek(programOf(text, name)) === 'alike') alike++;
    }
    expect(alike).toBeGreaterThan(50);
  }, 120_000);

  it('says so where a run goes past the bound, whatever is asked of it', () => {
    const counts = (end: string): string =>
      '{ .global .u32 x = 0; .global .u32 y = 0; }\nP0 @ cta 0 { st.relaxed.gpu.global.u32 [x], 1; }\n' +
      'P1 @ cta 1 { mov.u32 r1, 0; L: add.u32 r1, r1, 1; ld.relaxed.gpu.global.u32 r0, [x]; setp.ne.u32 p0, r0, 1; ' +
      `@p0 bra L; st.relaxed.gpu.global.u32 [y], r1; }\n${end}\n`;
    for (const end of ['exists (P1:r1 == 5)', 'require (P1:r1 <= 3)', 'filter (P1:r1 > 3)\nexists (y == 4)']) {
      const program = programOf(`PTX count\n${counts(end)}`);
      const context = contextOf(program, 1);
      if (context === undefined) throw new Error('no machine');
      expect([end, seek(context, both(program), OPTIONS).incomplete?.kind]).toEqual([end, 'bound']);
    }
  });

  it('says so where a value stands for any other', () => {
    const program = programOf(
      'PTX open\n{ .global .u32 x = 0; .global .u32 y = ?; }\n' +
        'P0 @ cta 0 { mov.u32 r0, 0; ld.relaxed.gpu.global.u32 r1, [x]; setp.eq.u32 p0, r1, 1; ' +
        '@!p0 ld.relaxed.gpu.global.u32 r0, [y]; }\nP1 @ cta 1 { st.relaxed.gpu.global.u32 [x], 1; }\n' +
        'exists (P0:r0 == 5)\n',
    );
    const context = contextOf(program, 1);
    if (context === undefined) throw new Error('no machine');
    expect(seek(context, both(program), OPTIONS).incomplete?.kind).toBe('value');
  });

  const step = fc.constantFrom(
    'atom.relaxed.gpu.global.add.u32 r0, [x], 1;',
    'atom.acq_rel.gpu.global.exch.b32 r0, [y], 2;',
    'st.relaxed.gpu.global.u32 [x], 1;',
    'st.release.gpu.global.u32 [y], 2;',
    'st.weak.global.u32 [z], 1;',
    'ld.weak.global.u32 r1, [z];',
    'ld.acquire.gpu.global.u32 r1, [y];',
    'ld.relaxed.gpu.global.u32 r2, [x]; st.relaxed.gpu.global.u32 [y], r2;',
    'fence.sc.gpu;',
    'fence.sc.cta;',
    'fence.acq_rel.gpu;',
  );
  const atom = fc.constantFrom('P0:r0 == 1', 'P1:r1 == 2', 'P1:r1 == 0', 'P2:r2 == 1', 'x == 2', 'y == 2', 'z == 1');
  const body = fc.array(step, { minLength: 1, maxLength: 4 });

  it('finds the same in programs of like and unlike threads', () => {
    const seen = { 'not plain': 0, 'too large': 0, alike: 0 };
    fc.assert(
      fc.property(
        body,
        body,
        fc.boolean(),
        fc.array(fc.tuple(atom, atom), { minLength: 1, maxLength: 2 }),
        (a, b, two, atoms) => {
          const bodies = [a, a, ...(two ? [b] : [])].map(
            (steps) => `mov.u32 r0, 0; mov.u32 r1, 0; mov.u32 r2, 0; ${steps.join(' ')}`,
          );
          const condition = atoms
            .map((pair) => pair.map((one) => (two ? one : one.replace('P2', 'P1'))).join(' /\\ '))
            .join(' \\/ ');
          const program = programOf(
            `PTX seek\n{ .global .u32 x = 0; .global .u32 y = 0; .global .u32 z = 0; }\n${bodies
              .map((one, i) => `P${i} @ cta ${i}, gpu 0 { ${one} }`)
              .join('\n')}\nexists (${condition})\n`,
          );
          seen[compareSeek(program)]++;
        },
      ),
      { numRuns: 150 },
    );
    expect(seen.alike).toBeGreaterThan(100);
    expect(seen['not plain']).toBe(0);
  }, 240_000);

  const [tells, told] = ['st.weak.global.u32 [x], 1; fence.sc.gpu;', 'st.weak.global.u32 [y], 1; fence.sc.gpu;'];
  const reads = (r: string, x: string): string => `ld.weak.global.u32 ${r}, [${x}];`;
  it.each([
    [
      'a store behind the fence',
      [`${tells} ${reads('r0', 'y')} st.weak.global.u32 [x], 2;`, `${told} ${reads('r0', 'x')}`],
      2,
    ],
    ['no store behind it', [`${tells} ${reads('r0', 'y')}`, `${told} ${reads('r0', 'x')}`], 0],
    ['no store there', [`${tells} ${reads('r0', 'y')}`, `${told} ${reads('r0', 'x')}`], 1],
    [
      'too narrow scopes',
      [`${tells} ${reads('r0', 'y')}`, `${told} ${reads('r0', 'x')}`].map((body) => body.replace('sc.gpu', 'sc.cta')),
      0,
    ],
    [
      'a store of the own thread',
      [`${tells} ${reads('r0', 'y')}`, `${told} st.weak.global.u32 [x], 2; ${reads('r0', 'x')}`],
      2,
    ],
    [
      'a fence that may not be executed',
      [
        `${tells} st.relaxed.gpu.global.u32 [z], 1; mov.u32 r0, 0;`,
        'ld.relaxed.gpu.global.u32 r2, [z]; setp.eq.u32 p0, r2, 0; @p0 fence.sc.gpu; and.b32 r2, r2, 0; ' +
          'cvt.u64.u32 rd2, r2; mov.u64 rd0, x; add.u64 rd0, rd0, rd2; ld.weak.global.u32 r0, [rd0]; ' +
          'ld.weak.global.u32 r3, [z];',
      ],
      0,
    ],
  ])('goes by what fence.sc will tell: %s', (_, bodies, value) => {
    const program = programOf(
      'PTX told\n{ .global .u32 x = 0; .global .u32 y = 0; .global .u32 z = 0; }\n' +
        bodies.map((body, i) => `P${i} @ cta ${i} { ${body} }\n`).join('') +
        `exists (P0:r0 == 0 /\\ P1:r0 == ${value})\n`,
    );
    expect(compareSeek(program)).toBe('alike');
  });

  const place = fc.constantFrom('x', 'y', 'z');
  const fenced = fc.record({
    before: fc.tuple(fc.constantFrom('weak', 'relaxed.gpu', 'release.gpu'), place),
    fence: fc.constantFrom('sc.gpu', 'sc.gpu', 'sc.cta', 'acq_rel.gpu'),
    after: fc.array(fc.tuple(fc.constantFrom('weak', 'relaxed.gpu', 'acquire.gpu'), place), { maxLength: 2 }),
    last: fc.option(place),
  });

  it('finds the same where fence.sc tell of stores before reads come to them', () => {
    const seen = { 'not plain': 0, 'too large': 0, alike: 0 };
    fc.assert(
      fc.property(
        fc.array(fenced, { minLength: 2, maxLength: 3 }),
        fc.array(fc.tuple(fc.nat(2), fc.nat(1), fc.nat(3)), { minLength: 1, maxLength: 4 }),
        (threads, atoms) => {
          const bodies = threads.map(({ before: [order, x], fence, after, last }, i) => [
            `mov.u32 r0, 0; mov.u32 r1, 0; st.${order}.global.u32 [${x}], ${i + 1}; fence.${fence};`,
            ...after.map(([order, x], k) => `ld.${order}.global.u32 r${k}, [${x}];`),
            ...(last === null ? [] : [`st.relaxed.gpu.global.u32 [${last}], ${((i + 1) % 3) + 1};`]),
          ]);
          const condition = atoms.map(([i, k, v]) => `P${i % threads.length}:r${k} == ${v}`).join(' /\\ ');
          const program = programOf(
            'PTX seek\n{ .global .u32 x = 0; .global .u32 y = 0; .global .u32 z = 0; }\n' +
              bodies.map((body, i) => `P${i} @ cta ${i >> 1} { ${body.join(' ')} }\n`).join('') +
              `exists (${condition})\n`,
          );
          seen[compareSeek(program)]++;
        },
      ),
      { numRuns: 150 },
    );
    expect(seen.alike).toBeGreaterThan(100);
    expect(seen['not plain']).toBe(0);
  }, 240_000);

  it('sees at once that a ring of fence.sc leads nowhere', () => {
    const n = 32;
    const threads = Array.from(
      { length: n },
      (_, i) =>
        `P${i} @ cta ${i} { st.weak.global.u32 [x${i}], 1; fence.sc.gpu; ld.weak.global.u32 r0, [x${(i + 1) % n}]; }`,
    );
    const all = (atom: (i: number) => string, between: string): string =>
      Array.from({ length: n }, (_, i) => atom(i)).join(between);
    const program = programOf(
      `PTX ring\n{ ${all((i) => `.global .u32 x${i} = 0;`, ' ')} }\n${threads.join('\n')}\n` +
        `exists (${all((i) => `P${i}:r0 == 0`, ' /\\ ')})\n`,
    );
    const context = contextOf(program, 1);
    if (context === undefined) throw new Error('no machine');
    const found = seek(context, [program.conditions[0]!.proposition], OPTIONS);
    expect([found.reached.size, found.incomplete, found.states]).toEqual([0, undefined, 32]);
  });
});
