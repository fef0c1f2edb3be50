import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { shrink } from '../../src/record/shrink.js';
import { describeSummary, summaryOf } from '../../src/record/summary.js';
import { type Outcome, sourceOf } from '../../src/record/write-tests.js';
import { LINES, outcomesOf, PTX } from './raw-folder.js';

const { recording, modules, outcomes } = outcomesOf(LINES);
const written = (id: number): Extract<Outcome, { readonly kind: 'written' }> => {
  const one = outcomes.find(({ launch }) => launch.id === id);
  if (one?.kind !== 'written') throw new Error(`launch ${id}: ${JSON.stringify(one)}`);
  return one;
};
const body = (id: number): string =>
  written(id)
    .written.text.replace(/^[\s\S]*?\n\{/, '{')
    .replace(/ \{\n {2}run auto[\s\S]*$/, '');

/** The lines of a recording, one of which is changed. */
const changed = (id: number, change: (line: string) => string): Outcome | undefined => {
  const lines = LINES.split('\n').map((line) => (line.includes(`"launch","id":${id},`) ? change(line) : line));
  return outcomesOf(lines.join('\n')).outcomes.find(({ launch }) => launch.id === id);
};

describe('a test of a recorded launch', () => {
  it('is read by whoever reads tests', () => {
    const tests = outcomes.flatMap((one) => (one.kind === 'written' ? [one.written] : []));
    expect(tests.length).toBe(11);
    for (const one of tests) {
      const { value, diagnostics } = loadTests(sourceOf(one, modules), {}, 'answers');
      expect(diagnostics, one.text).toEqual([]);
      expect(value?.length).toBe(1);
    }
  });

  it('has scalars by the types of the parameters, and buffers by those of the accesses', () => {
    expect(body(0)).toBe(`{
  .global .align 128 .f32 buf0[256] = ?;
}
launch K "module-0.ptx" :: _Z5scaleIfEvPT_S0_i (&buf0, f32 2.5, 250)
  @ grid 2, block 128`);
  });

  it('has elements of the accesses of Triton, which it prints with blanks', () => {
    const blanks = PTX.replace(/\[(%rd\d+)\]/g, '[ $1 + 0 ]').replace(/\[(\w+_param_\d+)\]/g, '[ $1 + 0 ]');
    const one = outcomesOf(LINES, 1000, 1000, blanks).outcomes[0];
    expect(one?.kind === 'written' && one.written.text).toContain('.global .align 128 .f32 buf0[256] = ?;');
  });

  it('has structures with the pointers in them', () => {
    expect(body(1)).toContain('({ &buf0, &buf1, u32 256, u32 1048576000 })');
  });

  it('has clusters, cooperative grids and launches that depend on the one before', () => {
    expect(body(2)).toContain('@ grid 4, block 64, cluster 2');
    expect(body(3)).toContain('@ grid 4, block 64, cooperative');
    expect(written(5).written.text).toContain('launch K0 "module-0.ptx" :: _Z12first_of_twoPi (&buf0)');
    expect(written(5).written.text).toContain('@ grid 2, block 128, dependent on K0');
  });

  it('has tensor maps', () => {
    expect(body(6)).toContain('map0 = tensormap(.u32, buf1, dims {32, 32}, strides {128}, box {32, 8});');
    expect(body(6)).toContain('(map0, &buf0)');
  });

  it('has one location where pointers go into one allocation, and parts of a block', () => {
    expect(body(7)).toContain('(&buf0, &buf0, &buf1, 256)');
    expect(body(8)).toContain('(&buf0, &buf0+256, &buf0+512, 64)');
    expect(body(9)).toContain('.f32 buf1[768]');
    expect(body(9)).toContain('(&buf0, &buf1, &buf2, 256)');
  });

  it('has the contents that were recorded', () => {
    expect(body(10)).toContain('.u32 buf0[5] = {0, 8, 16, 24, 32};');
  });
});

describe('a launch of which no test is written', () => {
  const reasonOf = (one: Outcome | undefined): string =>
    one === undefined ? 'gone' : one.kind === 'written' ? 'written' : `${one.kind}: ${one.reason}`;

  it('says why', () => {
    const reasons = outcomes.filter(({ kind }) => kind !== 'written').map(reasonOf);
    expect(reasons).toEqual([
      'no-ptx: image 1 (cubin) has no PTX',
      'not-read: its parameters were handed over as one buffer (extra), which is not read',
    ]);
    expect(reasonOf(changed(0, (line) => line.replace('"image":0', '"image":7')))).toContain('no-ptx: image 7');
    expect(reasonOf(changed(0, (line) => line.replace('"size":1024', '"size":2199024304128')))).toBe(
      'not-said: a buffer of it has 2199024304128 bytes, and a location of a test has at most 1099511627776',
    );
    expect(reasonOf(changed(0, (line) => line.replace(/,\{"offset":12.*\]/, ']')))).toContain('3 parameters in');
    expect(reasonOf(changed(0, (line) => line.replace('"block":[128', '"block":[2048')))).toContain('would be refused');
    expect(reasonOf(changed(1, (line) => line.replace('"at":8', '"at":12')))).toContain('at no multiple of 8 bytes');
    expect(reasonOf(changed(6, (line) => line.replace('"map":0', '"map":5')))).toContain('map of it is not known');
    const few = outcomesOf(LINES, 1).outcomes.filter(({ kind }) => kind === 'left-out');
    expect(few.length).toBe(10);
    expect(reasonOf(few[0])).toContain('(--most)');
    const ofOne = outcomesOf(LINES, 1000, 2).outcomes.filter(({ kind }) => kind === 'left-out');
    expect(ofOne.map(({ launch }) => launch.id)).toEqual([9]);
  });

  it('is named by its image where that is known, and else by its name alone', () => {
    expect(reasonOf(changed(0, (line) => line.replace('"image":0', '"image":-1')))).toBe('written');
  });

  it('says what an attribute means that a test cannot say', () => {
    const one = changed(2, (line) => line.replace('"attributes":[4]', '"attributes":[4,10]'));
    expect(one?.kind === 'written' && one.written.test.notes).toEqual([
      'the launch has a memory synchronization domain, which the test does not say',
    ]);
  });

  it('says what it leaves open, and what it takes as a number', () => {
    const notesOf = (one: Outcome | undefined): readonly string[] =>
      one?.kind === 'written' ? one.written.test.notes : [];
    expect(notesOf(changed(0, (line) => line.replace('00002040', '0000807f')))).toEqual([
      'parameter _Z5scaleIfEvPT_S0_i_param_1 is Infinity, which is left open',
    ]);
  });

  it('does not take what the first of two launches has left for what was there before', () => {
    const left = `{"kind":"contents","launch":5,"from":"0x700000000000","bytes":"${'00'.repeat(1024)}"}`;
    const two = outcomesOf(`${LINES}${left}\n`).outcomes.find(({ launch }) => launch.id === 5);
    expect(two?.kind === 'written' && two.written.text).toContain('buf0[256] = ?;');
  });

  it('leaves a dependent launch alone where the one before has no PTX', () => {
    const one = changed(5, (line) => line.replace('"previous":{"id":4', '"previous":{"id":11'));
    expect(one?.kind === 'written' && one.written.test.notes[0]).toContain('image 1 (cubin) has no PTX');
    expect(one?.kind === 'written' && one.written.test.launches.length).toBe(1);
  });
});

describe('a smaller launch', () => {
  const proposal = (id: number): ReturnType<typeof shrink> =>
    shrink(written(id).written, modules, 64, () => () => undefined);

  it('comes to the same lines, and is called a proposal', () => {
    const small = proposal(3);
    expect('written' in small && small.written.text).toContain('@ grid 2, block 64, cooperative');
    expect('written' in small && small.written.text).toContain('"a proposal, made of grid_sums');
  });

  it('is not proposed where there is none, or where nothing is known', () => {
    expect(proposal(0)).toEqual({ reason: 'it has no more CTAs than two, or than two clusters' });
    const open = outcomesOf(LINES.replace(/^.*"kind":"contents","launch":10.*$/m, ''));
    const rows = open.outcomes.find(({ launch }) => launch.id === 10);
    if (rows?.kind !== 'written') throw new Error('row_sums is not written');
    expect(shrink(rows.written, open.modules, 64, () => () => undefined)).toMatchObject({
      reason: expect.stringContaining('cannot be followed to its end'),
    });
  });
});

describe('the summary', () => {
  it('has each launch in one class, in words and as data', () => {
    const end = { command: ['./app'], status: 134, signal: 'ABRT', milliseconds: 5, gpu: undefined };
    const { launches } = summaryOf(recording, outcomes, end, new Map());
    expect(launches.map((one) => one.id)).toEqual(recording.launches.map(({ id }) => id));
    const text = describeSummary(recording, outcomes, end);
    expect(text).toContain('./app crashed: it was ended by signal ABRT, after 5 ms');
    expect(text).toContain('a test is written of 11 of them');
    expect(text).toContain('nvjet_sm90_"quoted"?ÿ: image 1 (cubin) has no PTX');
  });

  it('has the order of launches in each stream, and says where that ends', () => {
    const sequence = Array.from({ length: 3001 }, (_, i) => ({ stream: 0, launch: i < 2000 ? i % 2 : 1 }));
    const long = { ...recording, sequence, counts: { ...recording.counts, launches: 4000 } };
    const { streams } = summaryOf(long, outcomes, undefined, new Map());
    expect(streams[0]?.launches.length).toBe(1000);
    expect(streams[0]?.launches.at(-1)).toEqual([1, 1]);
    expect(describeSummary(long, outcomes, undefined)).toContain(
      '3000 launches whose order recorded.json does not have',
    );
    expect(describeSummary(recording, outcomes, undefined)).not.toContain('whose order');
  });

  it('has a line for each kernel and reason, whatever number its image has', () => {
    const refused = (id: number, entry: string, image: number, times: number): Outcome => {
      const reason = `image ${image} of lib.so (fatbin) has no PTX`;
      return { kind: 'no-ptx', launch: { ...written(0).launch, id, entry, image, times }, reason };
    };
    const [a, b, c, d] = [refused(0, 'f', 1, 3), refused(1, 'f', 2, 1), refused(2, 'g', 2, 1), refused(3, 'g', 2, 1)];
    const lines = (...some: readonly Outcome[]): string =>
      describeSummary(recording, some, undefined).split('\n').slice(1, -1).join('\n');
    expect(lines(a, b, c, d)).toBe(`no PTX of 4 of them, made 6 times
  an image of lib.so (fatbin) has no PTX:
    f (2 distinct launches, made 4 times)
    g (2 launches)`);
    expect(lines(c, d)).toBe(`no PTX of 2 of them, made 2 times
  g (2 launches): image 2 of lib.so (fatbin) has no PTX`);
    expect(lines(a)).toContain('  f (3 times): image 1 of lib.so (fatbin) has no PTX');
    expect(summaryOf(recording, [a, b, c, d], undefined, new Map()).launches.map(({ reason }) => reason)).toEqual([
      'image 1 of lib.so (fatbin) has no PTX',
      ...Array<string>(3).fill('image 2 of lib.so (fatbin) has no PTX'),
    ]);
  });
});
