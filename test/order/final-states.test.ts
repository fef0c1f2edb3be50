import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { kernelTest } from './small-kernel.js';

const SECOND = 'mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; @%p1 bra B;';
/** CTA 0 stores a vector of a state and a value; CTA 1 loads it, and keeps both. */
const stored = (how: string, before = ''): string =>
  `${before} mov.u32 %r8, 1; mov.u32 %r9, 7; st.${how}.global.v2.u32 [%rd1 + 512], {%r8, %r9};`;
const loaded = (how: string): string =>
  `ld.${how}.global.v2.u32 {%r8, %r9}, [%rd1 + 512]; st.global.u32 [%rd1], %r8; st.global.u32 [%rd1 + 4], %r9;`;
const [SET, AWAIT] = ['st.release.gpu.global.u32 [%rd1 + 520], 1;', 'ld.acquire.gpu.global.u32 %r8, [%rd1 + 520];'];
const PEEK = 'ld.relaxed.gpu.global.u32 %r6, [%rd1 + 516]; st.global.u32 [%rd1 + 8], %r6;';

/** How runs end of one CTA of one thread that does something, and another one: the words 0 to 2. */
function endsOf(first: string, second: string): readonly string[] {
  const body = `${SECOND} ${first} bra.uni E; B: ${second} E:`;
  const { text, modules } = kernelTest({ name: '', place: 'grid 2, block 1, gpu 0', body });
  const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
  const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
  if (program === undefined || run === undefined) throw new Error('it cannot be read');
  const ends = [...run.ends()].map(({ state, torn }) => {
    const words = program.observed.slice(0, 3).map((one) => state(one));
    return `${words.join(' ')}${torn.length > 0 ? ' torn' : ''}`;
  });
  return [...new Set(ends)].sort();
}

describe('the ends of single runs', () => {
  it('are of threads that come in another order, and of loads that find elements of a vector old', () => {
    expect(endsOf(stored('relaxed.gpu'), loaded('relaxed.gpu'))).toEqual([
      '0 0 0',
      '0 7 0 torn',
      '1 0 0 torn',
      '1 7 0',
    ]);
  });

  it('find all elements of a vector new that comes before', () => {
    const behind = `W: ${AWAIT} setp.eq.u32 %p2, %r8, 0; @%p2 bra W; ${loaded('relaxed.gpu')}`;
    expect(endsOf(`${stored('relaxed.gpu')} ${SET}`, behind)).toEqual(['1 7 0']);
    expect(endsOf(`${stored('relaxed.gpu')} ${SET.replace('release', 'relaxed')}`, behind)).toEqual([
      '0 7 0 torn',
      '1 0 0 torn',
      '1 7 0',
    ]);
  });

  it('find no element old that their thread has found new', () => {
    expect(endsOf(stored('relaxed.gpu'), PEEK + loaded('relaxed.gpu'))).toEqual(['0 0 0', '0 7 7 torn', '1 7 7']);
  });

  it('find no element of a weak vector old: that is a race', () => {
    expect(endsOf(stored('weak'), loaded('weak'))).toEqual(['0 0 0', '1 7 0']);
  });

  it('are those of a wait that goes by one element, and finds the other one old', () => {
    const wait =
      'W: ld.relaxed.gpu.global.v2.u32 {%r8, %r9}, [%rd1 + 512]; setp.eq.u32 %p2, %r8, 0; @%p2 bra W; ' +
      'st.global.u32 [%rd1], %r8; st.global.u32 [%rd1 + 4], %r9;';
    expect(endsOf(stored('relaxed.gpu'), wait)).toEqual(['1 0 0 torn', '1 7 0']);
  });

  it('are none where a run does not come to its end, or does what is undefined', () => {
    expect(endsOf('', 'W: ld.relaxed.gpu.global.u32 %r8, [%rd1 + 512]; setp.eq.u32 %p2, %r8, 0; @%p2 bra W;')).toEqual(
      [],
    );
    expect(endsOf('st.relaxed.gpu.global.u32 [%rd1], 1;', 'st.relaxed.gpu.global.u16 [%rd1 + 2], 1;')).toEqual([]);
  });
});

describe('what a lock protects at the end', () => {
  const ID = 'mov.u32 %r7, %ctaid.x;';
  const TAKE = 'L: atom.acquire.gpu.global.cas.b32 %r8, [%rd1 + 520], 0, 1; setp.ne.u32 %p1, %r8, 0; @%p1 bra L;';
  const TESTED =
    'bra.uni T; N: ld.relaxed.gpu.global.u32 %r8, [%rd1 + 520]; setp.ne.u32 %p1, %r8, 0; @%p1 bra N; ' +
    'T: atom.acquire.gpu.global.exch.b32 %r8, [%rd1 + 520], 1; setp.ne.u32 %p1, %r8, 0; @%p1 bra N;';
  const LEAVE = 'st.release.gpu.global.u32 [%rd1 + 520], 0;';
  const change = (how: string): string => `ld.global.u32 %r6, [%rd1]; ${how} st.global.u32 [%rd1], %r6;`;
  const COUNT = change('add.u32 %r6, %r6, 1;');

  /** The final values of the first word; undefined where they are not known. */
  function finalsOf(place: string, body: string): readonly string[] {
    const { text, modules } = kernelTest({ name: '', place: `${place}, gpu 0`, body });
    const [program] =
      loadTests({ path: 'k.litmus', text: text.replace(/locations .*/, 'locations [x[0];]'), modules }).value ?? [];
    const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
    if (program === undefined || run === undefined) throw new Error('it cannot be read');
    expect(run.unconfirmed).toBeUndefined();
    const [word] = program.observed;
    return [...new Set(run.states.map((state) => `${word && state(word)}`))].sort();
  }

  it.each([
    ['a count', 'grid 3, block 1', `${TAKE} ${COUNT} ${LEAVE}`, ['3']],
    ['a count of many CTAs that are alike', 'grid 16, block 1', `${TAKE} ${COUNT} ${LEAVE}`, ['16']],
    ['a count under a lock that is looked at first', 'grid 4, block 1', `${TESTED} ${COUNT} ${LEAVE}`, ['4']],
    ['a count of threads of one CTA', 'grid 1, block 3', `${TAKE} ${COUNT} ${LEAVE}`, ['3']],
    ['what each adds', 'grid 3, block 1', `${ID} ${TAKE} ${change('add.u32 %r6, %r6, %r7;')} ${LEAVE}`, ['3']],
    [
      'the number of who comes last',
      'grid 3, block 1',
      `${ID} ${TAKE} ${change('mov.u32 %r6, %r7;')} ${LEAVE}`,
      ['0', '1', '2'],
    ],
    [
      'what depends on all before',
      'grid 3, block 1',
      `${ID} ${TAKE} ${change('mad.lo.u32 %r6, %r6, 10, %r7;')} ${LEAVE}`,
      ['102', '12', '120', '201', '21', '210'],
    ],
    ['a count that is lost', 'grid 3, block 1', `${TAKE} ${LEAVE} ${COUNT}`, ['undefined']],
    ['a count of more orders than are followed', 'grid 8, block 1', `${ID} ${TAKE} ${COUNT} ${LEAVE}`, ['undefined']],
  ] as const)('is known: %s', (_, place, body, finals) => {
    expect(finalsOf(place, body)).toEqual(finals);
  });
});
