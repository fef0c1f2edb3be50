import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, check, modelOf, solver } from '../support.js';

/** A module with shared memory `s` from `%r2` on; `%r3` is where the own word of a thread is. */
const moduleOf = (body: string): string =>
  kernelModule({ body: `mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; ${body}` }).replace(
    '.visible',
    '.shared .align 16 .u32 s[64];\n.visible',
  );

interface Asked {
  readonly place?: string;
  readonly clauses?: string;
  readonly memory?: string;
  readonly model?: ReturnType<typeof builtInModel>;
}

/** What the run of all threads, and all executions, say of a kernel: each finding with its outcome, and its lines. */
function answersFor(body: string, given: Asked = {}): readonly string[] {
  const { place = 'grid 1, block 8', clauses = '', memory = '', model = builtInModel('ptx-9.4') } = given;
  const text = `PTX k\n{ .global .u32 x[64]; ${memory} }\nlaunch K "k.ptx" (x) @ ${place}\n${clauses}\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: moduleOf(body) } };
  const read = loadTests({ path: 'k.litmus', text, modules }, {}, 'all threads');
  const [program] = read.value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(read.diagnostics));
  const [byRun, byEngines] = [true, false].map((follow) =>
    checkTest(solver, program, model, { follow, timeout: 20_000, clock: () => performance.now() }).expectations.map(
      ({ expectation, outcome, undecided }) =>
        `${expectation.expectation} ${outcome}${undecided === undefined ? '' : ` ${undecided.kind}`}`,
    ),
  );
  if (given.place === undefined) expect(byRun).toEqual(byEngines);
  return byRun ?? [];
}

const answerFor = (body: string, given?: Asked): string | undefined =>
  answersFor(body, given).find((one) => one.includes('uninitialized'));

describe('memory of a kernel without a value', () => {
  it('is asked for where a test asks for nothing, unless it leaves threads out', () => {
    const names = (given: Asked): number => answersFor('st.shared.u32 [%r3], 1;', given).length;
    expect(names({})).toBe(5);
    expect(names({ place: 'grid 1, block 8 { run tid 0; }' })).toBe(5);
    expect(names({ place: 'grid 1, block 8 { run exactly tid 0; }' })).toBe(4);
    expect(names({ clauses: 'expect no-race' })).toBe(1);
  });

  it('is not read behind a write of it, by the thread itself or in order with another', () => {
    expect(answerFor('st.shared.u32 [%r3], 1; ld.shared.u32 %r4, [%r3];')).toBe('no-uninitialized met');
    const next = 'xor.b32 %r5, %r1, 1; mad.lo.u32 %r5, %r5, 4, %r2; ld.shared.u32 %r4, [%r5];';
    expect(answerFor(`st.shared.u32 [%r3], 1; bar.sync 0; ${next}`)).toBe('no-uninitialized met');
    expect(answerFor(`bar.sync 0; ${next}`)).toBe('no-uninitialized broken');
  });

  it('may be read before a write that comes in no order, which a race says by itself', () => {
    const previous = 'sub.u32 %r5, %r3, 4; setp.gt.u32 %p1, %r1, 0;';
    const racing = answersFor(`st.shared.u32 [%r3], 1; ${previous} @%p1 ld.shared.u32 %r4, [%r5];`);
    expect(racing).toEqual(expect.arrayContaining(['no-race broken', 'no-uninitialized met', 'no-deadlock met']));
    const strong = answersFor(
      `st.relaxed.cta.shared.u32 [%r3], 1; ${previous} @%p1 ld.relaxed.cta.shared.u32 %r4, [%r5];`,
    );
    expect(strong).toEqual(expect.arrayContaining(['no-race met', 'no-uninitialized broken', 'no-deadlock met']));
  });

  it('may be read first though the followed run writes it first', () => {
    const alone = 'setp.ne.u32 %p1, %r1, 0; @%p1 bra L; st.relaxed.cta.shared.u32 [%r2], 1; L:';
    // More threads than go into one formula: what other runs do is not known.
    const answers = answersFor(`${alone} ld.relaxed.cta.shared.u32 %r4, [%r2];`, { place: 'grid 1, block 64' });
    expect(answers).toEqual(expect.arrayContaining(['no-race met', 'no-uninitialized broken']));
  });

  it('has a value byte by byte', () => {
    const half = '.reg .u16 %h<2>; mov.u16 %h1, 7; st.shared.u16 [%r3], %h1;';
    expect(answerFor(`${half} ld.shared.u16 %h1, [%r3];`)).toBe('no-uninitialized met');
    expect(answerFor(`${half} ld.shared.u32 %r4, [%r3];`)).toBe('no-uninitialized broken');
  });

  it('is read by atomics, also where nobody uses what they find', () => {
    expect(answerFor('red.shared.add.u32 [%r3], 1;')).toBe('no-uninitialized broken');
    expect(answerFor('st.shared.u32 [%r3], 0; red.shared.add.u32 [%r3], 1;')).toBe('no-uninitialized met');
  });

  it('is read by copies of it', () => {
    const copy =
      'mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; cp.async.ca.shared.global [%r3], [%rd2], 4; ' +
      'cp.async.wait_all; ld.shared.u32 %r4, [%r3];';
    expect(answerFor(copy)).toBe('no-uninitialized met');
    const bulk =
      'setp.eq.u32 %p1, %r1, 0; @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16; ' +
      '@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;';
    expect(answerFor(bulk)).toBe('no-uninitialized broken');
  });

  it('has one where the test declares it', () => {
    const memory = '.shared .align 16 .u32 s[64] = {5};';
    expect(answerFor('ld.shared.u32 %r4, [%r3];', { memory })).toBe('no-uninitialized met');
    expect(answerFor('ld.shared.u32 %r4, [%r3];', { memory: '.shared .align 16 .u32 s[64] = ?;' })).toBe(
      'no-uninitialized met',
    );
  });

  it('is each CTA its own', () => {
    const one = 'mov.u32 %r4, %ctaid.x; setp.eq.u32 %p1, %r4, 0; @%p1 st.shared.u32 [%r3], 1;';
    expect(answerFor(`${one} @%p1 ld.shared.u32 %r4, [%r3];`, { place: 'grid 2, block 64' })).toBe(
      'no-uninitialized met',
    );
    expect(answerFor(`${one} ld.shared.u32 %r4, [%r3];`, { place: 'grid 2, block 64' })).toBe(
      'no-uninitialized broken',
    );
  });

  it('is known of all threads only: who is left out may write first', () => {
    const body = 'bar.sync 1, 32; ld.shared.u32 %r4, [%r3];';
    const of = (place: string) => answersFor(body, { place, clauses: 'expect no-uninitialized' });
    expect(of('grid 1, block 32 { run tid 0; }')).toEqual(['no-uninitialized broken']);
    expect(of('grid 1, block 64 { run exactly tid 0..31; }')).toEqual(['no-uninitialized undecided coverage']);
  });

  it('may be read at lines that a test accepts', () => {
    const [line] = /:(\d+)/.exec(at('ld.shared.u32 %r4, [%r3];')) ?? [];
    const accepted = (where: string): string | undefined =>
      answerFor('ld.shared.u32 %r4, [%r3];', {
        clauses: `expect no-uninitialized\nallow uninitialized at ${where} "nobody looks"`,
      });
    expect(accepted(`k.ptx${line}`)).toBe('no-uninitialized met');
    expect(accepted('k.ptx:1')).toBe('no-uninitialized broken');
  });

  it('is no question to a model that does not tell of it', () => {
    const { text } = builtInModel('ptx-9.4').source;
    const model = modelOf(text.replace(/^flag .* as uninitialized-read$/m, ''), 'without');
    const loads = 'ld.shared.u32 %r4, [%r3];';
    expect(answerFor(loads, { model })).toBe('no-uninitialized undecided flag');
    expect(answerFor(`st.shared.u32 [%r3], 1; ${loads}`, { model })).toBe('no-uninitialized undecided flag');
  });
});

/** Where an instruction of the kernel stands. */
function at(instruction: string): string {
  const lines = moduleOf(instruction).split('\n');
  return `k.ptx:${lines.findIndex((line) => line.includes(instruction)) + 1}`;
}

describe('an uninitialized location of a test', () => {
  it('is read before a write that nothing orders first', async () => {
    const text = (order: string): string =>
      `PTX t\n{ .shared .u32 s = uninitialized; .global .u32 f; }\nP0 @ cta 0 { st.relaxed.cta.shared.u32 [s], 1; ` +
      `st.release.gpu.global.u32 [f], 1; }\nP1 @ cta 0 { L: ld.${order}.gpu.global.u32 %r1, [f]; ` +
      'setp.ne.u32 %p1, %r1, 1; @%p1 bra L; ld.relaxed.cta.shared.u32 %r2, [s]; }\nexpect no-uninitialized\n';
    expect((await check(text('acquire'))).expectations[0]?.outcome).toBe('met');
    expect((await check(text('relaxed'))).expectations[0]?.outcome).toBe('broken');
  });
});
