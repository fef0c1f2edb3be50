import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import type { WrittenTest } from '../../src/record/write-tests.js';
import { sourceOf } from '../../src/record/write-tests.js';
import { LINES, outcomesOf, PTX } from './raw-folder.js';

/** The test of a launch, with lines of the recording, or its module, changed. */
function testOf(id: number, change: (line: string) => string, ptx = PTX): WrittenTest['test'] & { text: string } {
  const { outcomes, modules, recording } = outcomesOf(LINES.split('\n').map(change).join('\n'), 1000, 1000, ptx);
  expect(recording.problems).toEqual([]);
  const one = outcomes.find(({ launch }) => launch.id === id);
  if (one?.kind !== 'written') throw new Error(`launch ${id}: ${JSON.stringify(one)}`);
  const { diagnostics } = loadTests(sourceOf(one.written, modules), {}, 'answers');
  expect(diagnostics).toEqual([]);
  return { ...one.written.test, text: one.written.text };
}
const only =
  (id: number, change: (line: string) => string) =>
  (line: string): string =>
    line.includes(`"launch","id":${id},`) ? change(line) : line;
const pointer = (at: number, base: string, size: number): string =>
  `{"at":${at},"base":"${base}","size":${size},"offset":0}`;
const A = '0x700000000000';
const B = '0x700000010000';

describe('a pointer behind the last element', () => {
  it('is one into what ends there, where nothing begins there', () => {
    const end = only(10, (line) =>
      line.replace('"0000010000700000"', '"0004000000700000"').replace(pointer(0, B, 1024), ''),
    );
    expect(testOf(10, end).text).toContain('(&buf0, &buf1, &buf1+1024)');
    const inView = only(1, (line) =>
      line.replace('0000010000700000', '0004000000700000').replace(`,${pointer(8, B, 1024)}`, ''),
    );
    expect(testOf(1, inView).text).toContain('({ &buf0, &buf0+1024, u32 256, u32 1048576000 })');
  });

  it('is told where something begins there, if the kernel may hold addresses against each other', () => {
    const beside = (line: string): string =>
      line.replaceAll(B, '0x700000000400').replaceAll('00000100007', '00040000007');
    const compared = PTX.replace(/(\.entry _Z8row_sums[\s\S]*?\n\{)/, '$1\n.reg .b64 e; sub.s64 e, e, e;');
    const told = 'buf2 begins where buf1 ends: a pointer there is taken for one to buf2';
    expect(testOf(10, beside, compared).notes).toEqual([told]);
    expect(testOf(10, beside).notes).toEqual([]);
  });
});

describe('what a test does not know', () => {
  it('is memory that the driver does not know', () => {
    const unknown = only(0, (line) => line.replace(pointer(0, A, 1024), ''));
    expect(testOf(0, unknown).notes).toEqual([
      'parameter _Z5scaleIfEvPT_S0_i_param_0 points to memory that the driver does not know, and is given as a number',
    ]);
  });

  it('is where parts of blocks end', () => {
    expect(testOf(9, (line) => line).notes).toEqual([
      'buf0, buf1 and buf2 are parts of blocks of an allocator, up to the next pointer or the end of the block: ' +
        'where they end in the application, and how far apart they lie, is not known',
    ]);
  });

  it('is what tables of addresses lead to', () => {
    const contents = (line: string): string => line.replace('"contents","launch":10,', '$&"addresses":[8],');
    const { text, notes } = testOf(10, contents);
    expect(text).toContain('buf0[5] = ?;');
    expect(notes).toEqual(['buf0 holds addresses, which a test cannot say: what is in it is left open']);
  });

  it('is what the host and earlier launches have put into variables of the module', () => {
    const variables = '.const .align 4 .u32 most;\n.const .align 4 .u32 same = 3;\n.global .align 4 .u32 count;\n';
    const used = 'mov.u64 %rd1, most; mov.u64 %rd1, same; mov.u64 %rd1, count;';
    const ptx = PTX.replace('.visible .entry', `${variables}.visible .entry`).replace(
      /(\.entry _Z4tickPi[\s\S]*?)(ret;)/,
      `$1${used}$2`,
    );
    const tick = only(4, (line) => line.replace('_Z12first_of_twoPi', '_Z4tickPi'));
    const { text, notes } = testOf(4, tick, ptx);
    expect(text).toContain('  .const .align 4 .u32 most = ?;\n');
    expect(text).not.toContain('.u32 same');
    expect(notes).toEqual([
      'what the host has put into most is not recorded: it is left open',
      'count begins as the module says: what launches and copies before have left there is not recorded',
    ]);
    expect(testOf(0, tick, ptx).notes).toEqual([]);
  });

  it('is what comes between two launches, and before the first of them', () => {
    const between =
      'copies and waits between the two launches are not recorded: behind one of these they would not overlap';
    expect(testOf(5, (line) => line).notes).toEqual([between]);
    const captured = only(5, (line) => line.replace('"attributes"', '"captured":true,"attributes"'));
    const alone = testOf(5, captured);
    expect(alone.launches.length).toBe(1);
    expect(alone.notes[0]).toContain('one of the two was captured into a graph, which does not hold the other');
    const chain = only(4, (line) => line.replace('"attributes":[]', '"dependent":true,"attributes":[6]'));
    expect(testOf(5, chain).notes).toEqual([
      between,
      'the first of the two depends on a launch before it, which is not in the test: all three may overlap',
    ]);
  });
});
